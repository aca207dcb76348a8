"""Exceptions and sentences for files that change while they are read."""

from __future__ import annotations


class DatasetChanged(Exception):  # noqa: N818 - an outcome to handle: open it again
    """The file of a dataset was written to since it was opened, or can no longer be read."""


class ChangedWhileRead(OSError):  # noqa: N818 - an outcome to handle: read it again
    """A file was written to, replaced or truncated while it was read."""


def describe_change(file: str) -> str:
    """Return the sentence for a file that changed while its records were read."""
    return f"{file} was changed while it was looked through"


def describe_unread(file: str) -> str:
    """Return the sentence for an unchanged file whose records a bounded child could not read, even at a second try."""
    why = "more files may have to be open at once (ulimit -n)"
    return f"{file} is what it was, and yet some of its records could not be read; {why}"
