"""The encoding of the dataset, as whoever opens the workspace states it."""

from __future__ import annotations

from dataclasses import replace

from readback.readers.encodings import ENCODINGS
from readback.workspace.draft import Draft

KEY = "encoding"  # of what whoever opens a workspace chooses


def apply_encoding(draft: Draft) -> None:
    """Read the dataset in the encoding that was chosen, whatever its workspace file states."""
    encoding = draft.chosen.get(KEY)
    if draft.dataset and encoding in ENCODINGS:
        draft.dataset = replace(draft.dataset, encoding=encoding)


def find_encoding(draft: Draft) -> str | None:
    """Return the encoding that is chosen or stated for the dataset, before all of its workspace is read."""
    chosen = draft.chosen.get(KEY)
    if chosen in ENCODINGS:
        return chosen
    return draft.dataset.encoding if draft.dataset else None
