"""Use Readback in a notebook or a script: open a workspace, assemble, check, read scores."""

from __future__ import annotations

from readback.notebook.study import Study, open_workspace

__all__ = ["Study", "open_workspace"]
