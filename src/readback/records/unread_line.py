"""Read a line of a dataset that could not be read as a record, to show it beside its finding."""

from __future__ import annotations

import re

from readback.readers.files import line_index
from readback.readers.files.cache_folder import DiskFull
from readback.readers.files.text_file import LONGEST, UTF8_MARK, strip_line_end
from readback.records.dataset import Dataset

FORMATS = frozenset({"csv", "json", "jsonl", "tsv"})  # formats of text, without packed files
NOT_UTF8 = re.compile("[\udc80-\udcff]")
INSTEAD = "\ufffd"  # for a byte that is not UTF-8


def read_unread_line(data: Dataset, number: int) -> str | None:
    """Return a line by its number from 1, without its end and byte-order mark.

    Each byte that is not UTF-8 becomes U+FFFD, so that columns agree with those of findings. Return None for a dataset
    with private fields, which such a line may contain, for a file that is binary or has changed, and for a line that
    is longer than records may be.
    """
    if data.format not in FORMATS or data.source is None or data.source.private or not data.is_at_its_path:
        return None
    try:
        line = line_index.load_index(data.path).line(number, LONGEST)
    except (line_index.Changed, DiskFull, OSError):
        return None
    if line is None:
        return None
    text = strip_line_end(line.removeprefix(UTF8_MARK) if number == 1 else line).decode("utf-8", "surrogateescape")
    return NOT_UTF8.sub(INSTEAD, text)
