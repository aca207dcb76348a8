"""Which records may hold a text, known by the bytes of their lines: gigabytes a second, with nothing decoded.

RE2 reads them where they lie. Whoever asks says with which patterns nothing is missed; what is between two records
(blank lines, lines that were refused) belongs to the one before it.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Collection, Iterator
from functools import reduce
from itertools import compress

from readback.readers.progress import Progress
from readback.records.dataset import ESCAPED, Dataset

Looks = tuple[str, ...]  # RE2 patterns; each is tried where those before it fit, so that the quickest comes first
BLOCK = 8 << 20  # bytes that are looked through at once
SMALL = 1 << 20  # bytes that are searched sooner than RE2 is loaded
FORMATS = frozenset({"jsonl", "jsonl in gzip"})  # whose lines hold texts as JSON
PLAIN = re.compile(r"[^\w\s]", re.ASCII)
# Characters that hold a letter of ASCII, whatever the case, which RE2 does not know; and escapes that may be one.
FOLDED = "ßİŉǰẖẗẘẙẚẞﬀﬁﬂﬃﬄﬅﬆ"
ESCAPES = r"\\u(?i:00[2-7]|212a|017f|00df|0130|0149|01f0|1e9[6-9ae]|fb0[0-6])"


def blocks(data: Dataset, start: int, stop: int, size: int = BLOCK) -> Iterator[tuple[int, int]]:
    """The range in parts of about so many bytes; a record is never cut."""
    while start < stop:
        low, high = start + 1, stop
        while low < high:  # the first record that begins beyond the size
            middle = (low + high) // 2
            low, high = (low, middle) if data.span(middle)[0] - data.span(start)[0] >= size else (middle + 1, high)
        yield start, low
        start = low


def fitting(data: Dataset, any_of: Collection[Looks], start: int, stop: int) -> list[bool]:
    """Whether all patterns of one of the looks fit the line of each record of a range. Raises DatasetChanged."""
    import pyarrow as pa  # type: ignore[import-untyped]
    import pyarrow.compute as pc  # type: ignore[import-untyped]

    raw, starts = data.lines(start, stop)
    places = array("q", [*(one - starts[0] for one in starts), len(raw)])
    texts = pa.Array.from_buffers(pa.large_string(), stop - start, [None, pa.py_buffer(places), pa.py_buffer(raw)])
    found = []
    for first, *more in any_of:
        fits = pc.match_substring_regex(texts, pattern=first)
        for one in more:
            fits = pc.replace_with_mask(fits, fits, pc.match_substring_regex(texts.filter(fits), pattern=one))
        found.append(fits)
    every: list[bool] = reduce(pc.or_, found).to_pylist()
    return every


def literal(text: str) -> str:
    """A text as an expression of RE2."""
    return PLAIN.sub(lambda found: f"\\x{{{ord(found[0]):x}}}", text)


def first(data: Dataset, text: str, start: int, stop: int, progress: Progress | None = None) -> int | None:
    """The first record of a range that `Dataset.search` finds, from the lines that may hold the text.

    None too where `progress(done, total)`, told for each block, answers False.
    """
    wanted = text.casefold()
    many = start < stop and data.span(stop - 1)[1] - data.span(start)[0] > SMALL
    plain = many and data.format in FORMATS and wanted.isascii() and ESCAPED.isdisjoint(wanted)
    folded = "".join(one for one in FOLDED if not set(one.casefold()).isdisjoint(wanted))
    any_of: list[Looks] = [(f"(?i:{literal(wanted)})",), (ESCAPES,), *([(f"[{folded}]",)] if folded else [])]
    for low, high in blocks(data, start, stop):
        if progress and progress(low, len(data)) is False:
            return None
        may = compress(range(low, high), fitting(data, any_of, low, high)) if plain else range(low, high)
        found = (hit for at in may for hit in data.search(text, at, at + 1))
        if (hit := next(found, None)) is not None:
            return hit
    return None
