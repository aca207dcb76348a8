"""Readback: see the exact messages each model gets, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from readback.notebook import Opened

__version__ = "0.1.0"


def open(path: Path | str, *, fields: Mapping[str, str] | None = None) -> Opened:  # noqa: A001 - readback.open(path)
    """Open a workspace in a notebook or a script: `readback.open("study").assemble("open book", "12")`.

    `path` is a folder or a file; `fields` maps template variables to record fields. Raises ValueError with the reason
    when nothing at all could be read.
    """
    from readback.notebook import open_workspace

    return open_workspace(path, fields=fields)
