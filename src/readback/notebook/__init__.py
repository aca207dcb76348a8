"""Readback in a notebook or a script: open a workspace, assemble, check, read scores."""

from __future__ import annotations

from readback.notebook.opened import Opened, open_workspace

__all__ = ["Opened", "open_workspace"]
