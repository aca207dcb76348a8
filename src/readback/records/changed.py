"""That a dataset is no longer the file that was opened."""

from __future__ import annotations


class DatasetChanged(Exception):  # noqa: N818 - an outcome to handle: open it again
    """The file was written to since it was opened, or can no longer be read; open it again."""


class ChangedWhileRead(OSError):  # noqa: N818 - likewise: read it again
    """A file was written to, replaced or cut while it was read: what was read of it is of no one state."""


def changed_meanwhile(file: str) -> str:
    """What is said where it happened while records were looked through."""
    return f"{file} was changed while it was looked through"


def not_read(file: str) -> str:
    """What is said where a bounded child did not read records of a file that is what it was, and not at a second try:
    it may not open it, say.
    """
    why = "more files may have to be open at once (ulimit -n)"
    return f"{file} is what it was, and yet some of its records could not be read; {why}"
