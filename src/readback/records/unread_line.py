"""A line of a dataset that is no record, as the file has it: what is wrong with it is seen in the line itself."""

from __future__ import annotations

import re

from readback.readers import line_index
from readback.readers.cache_folder import DiskFull
from readback.readers.lines import LONGEST, UTF8_MARK, content
from readback.records.dataset import Dataset

FORMATS = frozenset({"csv", "json", "jsonl", "tsv"})  # of which the file itself is text; not one that is unpacked
NOT_UTF8 = re.compile("[\udc80-\udcff]")
INSTEAD = "\ufffd"  # of a byte that is not UTF-8


def unread_line(data: Dataset, number: int) -> str | None:
    """The text of a line by its number from 1, without its end and without a byte-order mark; each byte that is not
    UTF-8 is U+FFFD, so that columns are those of findings.

    None where there is none to show: of a dataset with private fields, which nobody can tell in such a line; of a file
    that is not text, or has changed; of a line longer than records may be.
    """
    if data.format not in FORMATS or data.source is None or data.source.private or not data.is_at_its_path:
        return None
    try:
        line = line_index.of(data.path).line(number, LONGEST)
    except (line_index.Changed, DiskFull, OSError):
        return None
    if line is None:
        return None
    text = content(line.removeprefix(UTF8_MARK) if number == 1 else line).decode("utf-8", "surrogateescape")
    return NOT_UTF8.sub(INSTEAD, text)
