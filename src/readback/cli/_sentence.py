"""Fill the places of a sentence that the command line prints."""

from __future__ import annotations

from typing import Any

from readback.quantity import fill_sentence


def fill(sentence: str, **values: Any) -> str:
    """Return the sentence with its places filled; `fill("{n:,} {n:record|records}", n=2)` has the word that fits."""
    return fill_sentence(sentence, values)
