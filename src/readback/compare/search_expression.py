"""What is searched for, a text or an expression, and where it is in texts.

Expressions are RE2's, through pyarrow: they read each text once, whatever the expression, so that none can hang a
page. What RE2 cannot do (look-around, back-references) is refused in a sentence.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice
from typing import Any

from readback.records.raw_lines import escape_literal

BEFORE, AFTER = b"\xff", b"\xfe"  # bytes that no UTF-8 text holds: they go around each hit
SPANS = 500  # places named in one text
EMPTY = 20  # places of no length that are passed over for each of them
LONGEST = 1_000  # characters of an expression
SURROGATE = re.compile("[\ud800-\udfff]")  # RE2 reads UTF-8, which has none; one character stays one
WHY = (
    (
        re.compile(r"invalid (?:perl operator|group specifier): \(\?<?[=!]|invalid named capture: \(\?<[=!]"),
        "look-ahead and look-behind, such as (?=…) or (?<!…), are not available here",
    ),
    (re.compile(r"invalid escape sequence: \\[1-9]"), "back-references such as \\1 are not available here"),
    (
        re.compile(r"invalid repetition size|bad repetition|expression too (?:large|big)|out of memory"),
        "it repeats too often: at most {1000}, and not one repetition inside another",
    ),
)


@dataclass(frozen=True, slots=True)
class Query:
    """What is searched for. `regex`: an RE2 expression and not a plain text; `case`: capitals matter."""

    text: str
    regex: bool = False
    case: bool = False


class QueryError(Exception):
    """The query cannot be searched for; its text is a sentence that says why."""


def import_arrow() -> None:
    """Import what searching needs, which takes a moment."""
    _import_arrow()


def check_query(query: Query) -> None:
    """Raise QueryError for a query that cannot be searched for."""
    if not query.text:
        raise QueryError("there is nothing to search for")
    if len(query.text) > LONGEST:
        raise QueryError(f"it has {len(query.text):,} characters; at most {LONGEST:,} can be searched for")
    if query.regex:
        _match_empty(_replace_surrogates(query.text))  # by itself first: inside a group, `a)(b` would do
    if any(_match_empty(build_pattern(query))):
        raise QueryError("it fits the empty text too, so that every record would be a hit")


def find_holding(query: Query, texts: Sequence[str]) -> list[bool]:
    """Return for each text whether it has a match."""
    pa, pc = _import_arrow()
    cleaned = _make_strings(pa, texts)
    holding: list[bool] = pc.match_substring_regex(cleaned, pattern=build_pattern(query)).to_pylist()
    return holding


def find_spans(query: Query, text: str, most: int = SPANS) -> tuple[tuple[int, int], ...]:
    """Return the first matches as character offsets; matches of no length are left out."""
    pa, pc = _import_arrow()
    texts = _make_strings(pa, [text])
    marks = {"replacement": BEFORE + rb"\0" + AFTER}
    marked = pc.replace_substring_regex(texts, pattern=build_pattern(query), **marks).cast(pa.large_binary())[0].as_py()
    return tuple(islice(_iterate_spans(marked, EMPTY * most), most))


def _iterate_spans(marked: bytes, looks: int) -> Iterator[tuple[int, int]]:
    """Yield the marked places of a text, as offsets in the text without marks; at most `looks` marks are examined."""
    at = byte = 0
    for _ in range(looks):
        start = marked.find(BEFORE, byte)
        if start < 0:
            return
        end = marked.index(AFTER, start)
        first = at + len(marked[byte:start].decode("utf-8", "replace"))
        at = first + len(marked[start + 1 : end].decode("utf-8", "replace"))
        byte = end + 1
        if at > first:
            yield first, at


def count_matches(query: Query, texts: Sequence[str]) -> list[int]:
    """Return the number of matches in each text."""
    pa, pc = _import_arrow()
    cleaned = _make_strings(pa, texts)
    counts: list[int] = pc.count_substring_regex(cleaned, pattern=build_pattern(query)).to_pylist()
    return counts


def build_pattern(query: Query) -> str:
    """Return the query as an expression of RE2."""
    if query.regex:
        inner = _replace_surrogates(query.text)
    else:
        inner = escape_literal(_replace_surrogates(query.text))
    if query.case:
        return f"(?:{inner})"
    return f"(?i:{inner})"


def _replace_surrogates(text: str) -> str:
    return SURROGATE.sub("\ufffd", text)


def _make_strings(pa: Any, texts: Sequence[str]) -> Any:
    """Return the texts for RE2. `pa.array` would import pandas, which takes a child longer than many searches."""
    raw = [_replace_surrogates(text).encode() for text in texts]
    ends = array("q", accumulate(map(len, raw), initial=0))
    buffers = [None, pa.py_buffer(ends), pa.py_buffer(b"".join(raw))]
    return pa.Array.from_buffers(pa.large_string(), len(raw), buffers)


def _match_empty(pattern: str) -> list[bool]:
    """Return whether the empty text fits, in a list of one. Raise QueryError with the reason of RE2."""
    pa, pc = _import_arrow()
    try:
        matches: list[bool] = pc.match_substring_regex(_make_strings(pa, [""]), pattern=pattern).to_pylist()
    except (pa.ArrowInvalid, pa.ArrowMemoryError) as error:
        reason = str(error).removeprefix("Invalid regular expression: ")
        why = next((why for shape, why in WHY if shape.search(reason)), f"the expression cannot be read ({reason})")
        raise QueryError(why) from None
    return matches


def _import_arrow() -> tuple[Any, Any]:
    """Import PyArrow and its functions, when a search needs them."""
    import pyarrow as pa  # type: ignore[import-untyped]
    import pyarrow.compute as pc  # type: ignore[import-untyped]

    return pa, pc
