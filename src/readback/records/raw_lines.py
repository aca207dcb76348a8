"""Which records may hold a text, known by the bytes of their lines: gigabytes a second, with nothing decoded.

RE2 reads them where they lie. Whoever asks says with which patterns nothing is missed; what is between two records
(blank lines, lines that were refused) belongs to the one before it.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterator
from functools import reduce

from readback.records.dataset import Dataset

BLOCK = 8 << 20  # bytes that are looked through at once


def blocks(data: Dataset, start: int, stop: int, size: int = BLOCK) -> Iterator[tuple[int, int]]:
    """The range in parts of about so many bytes; a record is never cut."""
    while start < stop:
        low, high = start + 1, stop
        while low < high:  # the first record that begins beyond the size
            middle = (low + high) // 2
            low, high = (low, middle) if data.span(middle)[0] - data.span(start)[0] >= size else (middle + 1, high)
        yield start, low
        start = low


def fitting(data: Dataset, patterns: Collection[str], start: int, stop: int) -> list[bool]:
    """Whether any of the RE2 patterns fits the line of each record of a range. Raises DatasetChanged."""
    import pyarrow as pa  # type: ignore[import-untyped]
    import pyarrow.compute as pc  # type: ignore[import-untyped]

    raw, starts = data.lines(start, stop)
    places = array("q", [*(one - starts[0] for one in starts), len(raw)])
    texts = pa.Array.from_buffers(pa.large_string(), stop - start, [None, pa.py_buffer(places), pa.py_buffer(raw)])
    found = [pc.match_substring_regex(texts, pattern=one) for one in patterns]
    every: list[bool] = reduce(pc.or_, found).to_pylist()
    return every
