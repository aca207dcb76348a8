"""Find the records that may contain a text by the bytes of their lines, at gigabytes a second, without decoding.

RE2 reads the lines in place. The caller gives patterns without false negatives; bytes between two records (blank
lines, refused lines) belong to the first of them.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Collection, Iterable, Iterator
from functools import reduce
from itertools import compress

from readback.readers.files.progress import Progress
from readback.records.dataset import ESCAPED, Dataset

Looks = tuple[
    str, ...
]  # RE2 patterns; each is tried on lines that match the ones before it, so the quickest comes first
BLOCK = 8 << 20  # bytes that are searched at once
SMALL = 1 << 20  # bytes that are searched in less time than RE2 takes to load
FORMATS = frozenset({"jsonl", "jsonl in gzip"})  # whose lines contain texts as JSON
PLAIN = re.compile(r"[^\w\s]", re.ASCII)
# Characters whose casefolded form contains an ASCII letter, unknown to RE2, and escapes that may stand for one.
FOLDED = "ßİŉǰẖẗẘẙẚẞﬀﬁﬂﬃﬄﬅﬆ"
ESCAPES = r"\\u(?i:00[2-7]|212a|017f|00df|0130|0149|01f0|1e9[6-9ae]|fb0[0-6])"


def split_range(data: Dataset, start: int, stop: int, size: int = BLOCK) -> Iterator[tuple[int, int]]:
    """Yield parts of a range of records (first, after the last), each of about `size` bytes."""
    while start < stop:
        low, high = start + 1, stop
        # bisect for the first record that begins after `size` bytes
        while low < high:
            middle = (low + high) // 2
            if data.span(middle)[0] - data.span(start)[0] >= size:
                high = middle
            else:
                low = middle + 1
        yield start, low
        start = low


def match_lines(data: Dataset, any_of: Collection[Looks], start: int, stop: int) -> list[bool]:
    """Tell for each record of a range whether its line matches all patterns of any of the looks.

    Raises DatasetChanged.
    """
    import pyarrow as pa  # type: ignore[import-untyped]
    import pyarrow.compute as pc  # type: ignore[import-untyped]

    raw, starts = data.lines(start, stop)
    places = array("q", [*(offset - starts[0] for offset in starts), len(raw)])
    texts = pa.Array.from_buffers(pa.large_string(), stop - start, [None, pa.py_buffer(places), pa.py_buffer(raw)])
    matches = []
    for first, *more in any_of:
        fits = pc.match_substring_regex(texts, pattern=first)
        for pattern in more:
            fits = pc.replace_with_mask(fits, fits, pc.match_substring_regex(texts.filter(fits), pattern=pattern))
        matches.append(fits)
    combined: list[bool] = reduce(pc.or_, matches).to_pylist()
    return combined


def escape_literal(text: str) -> str:
    """Return a text as an RE2 pattern."""
    return PLAIN.sub(lambda match: f"\\x{{{ord(match[0]):x}}}", text)


def find_first(data: Dataset, text: str, start: int, stop: int, progress: Progress | None = None) -> int | None:
    """Return the first record of a range that `Dataset.search` finds; None without one.

    Return None too when `progress(done, total)`, called for each block, returns False.
    """
    wanted = text.casefold()
    is_large = start < stop and data.span(stop - 1)[1] - data.span(start)[0] > SMALL
    by_lines = is_large and data.format in FORMATS and wanted.isascii() and ESCAPED.isdisjoint(wanted)
    folded = "".join(letter for letter in FOLDED if not set(letter.casefold()).isdisjoint(wanted))
    any_of: list[Looks] = [(f"(?i:{escape_literal(wanted)})",), (ESCAPES,)]
    if folded:
        any_of.append((f"[{folded}]",))
    for low, high in split_range(data, start, stop):
        if progress and progress(low, len(data)) is False:
            return None
        candidates: Iterable[int] = range(low, high)
        if by_lines:
            candidates = compress(range(low, high), match_lines(data, any_of, low, high))
        for index in candidates:
            if any(True for _ in data.search(text, index, index + 1)):
                return index
    return None
