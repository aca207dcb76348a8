"""That a dataset is no longer the file that was opened."""

from __future__ import annotations


class DatasetChanged(Exception):  # noqa: N818 - an outcome to handle: open it again
    """The file was written to since it was opened, or can no longer be read; open it again."""
