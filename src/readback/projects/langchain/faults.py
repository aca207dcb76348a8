"""Why a prompt cannot be loaded, or has no text for a row."""

from __future__ import annotations


class Unloadable(Exception):  # noqa: N818 - carries the reason, as every fault of the input does
    """LangChain does not load this file, or Readback cannot tell what it would make of it."""


class Unfilled(Exception):  # noqa: N818 - likewise
    """A template has no text for these values."""
