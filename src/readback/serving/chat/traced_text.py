"""Trace where each stretch of a text came from through what templates do to text, in the sandbox.

A traced text is a str with the same characters, so conditions and lookups behave as usual. What cannot be traced
exactly becomes a plain text or a stretch of unknown origin, never a guess.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Iterable, Iterator
from typing import Any, SupportsIndex

Spans = tuple[tuple[int, int], ...]  # (characters, source) in order

UNKNOWN, SERVING = -1, -2  # sources; below them: the template's line, see `at_line`; from 0 on: a stretch of the data
FIRST_VARIABLE = 1 << 24  # sources from here on stand for the variables, in their order
MOST = 20_000  # stretches of one text; a template that makes more is not followed
FIELD = "%s"


class TooManySpans(Exception):  # noqa: N818 - an outcome: no origin is claimed for the text
    """Say that a text has too many stretches to trace."""


def get_line_source(line: int) -> int:
    """Return the source that stands for what the template writes at a line (from 1)."""
    return SERVING - line


def list_spans(text: str, source: int) -> Spans:
    """Return the spans of a text that has one source: none if it is empty."""
    if text:
        return ((len(text), source),)
    return ()


def get_spans(text: str) -> Spans:
    """Return where the stretches of a text came from; the origin of a plain text is unknown."""
    if isinstance(text, TracedText):
        return text._spans
    return list_spans(text, UNKNOWN)


def join_texts(parts: Iterable[str]) -> TracedText:
    """Join the parts into one text."""
    parts = list(parts)
    return TracedText("".join(parts), merge_spans(span for part in parts for span in get_spans(part)))


def merge_spans(spans: Iterable[tuple[int, int]]) -> Spans:
    """Join neighbouring stretches of one source. Raises TooManySpans."""
    merged_spans: list[tuple[int, int]] = []
    for length, source in spans:
        if not length:
            continue
        if merged_spans and merged_spans[-1][1] == source:
            merged_spans[-1] = (merged_spans[-1][0] + length, source)
        else:
            merged_spans.append((length, source))
    if len(merged_spans) > MOST:
        raise TooManySpans
    return tuple(merged_spans)


def cut_stretches(spans: Spans, start: int, stop: int) -> Spans:
    """Return the stretches between two offsets."""
    cut_spans = []
    at = 0
    for length, source in spans:
        inside = min(at + length, stop) - max(at, start)
        if inside > 0:
            cut_spans.append((inside, source))
        at += length
        if at >= stop:
            break
    return tuple(cut_spans)


class TracedText(str):
    """Represent a text with its stretches.

    `_spans` begins with an underscore, so that no template can read it.
    """

    __slots__ = ("_spans",)
    _spans: Spans

    def __new__(cls, text: str = "", spans: Spans | None = None) -> TracedText:
        """Create a traced text; without `spans` it takes those of `text`."""
        traced = super().__new__(cls, text)
        if spans is None:
            traced._spans = get_spans(text)
        else:
            traced._spans = spans
        return traced

    def __str__(self) -> str:
        return self

    def __add__(self, other: Any) -> Any:
        if not isinstance(other, str) or hasattr(other, "__html__"):
            return NotImplemented
        return join_texts((self, other))

    def __radd__(self, other: Any) -> Any:
        if isinstance(other, str):
            return join_texts((other, self))
        return NotImplemented

    def __mul__(self, times: SupportsIndex) -> str:
        number = times.__index__()
        if number * len(self._spans) > MOST:
            raise TooManySpans
        return TracedText(super().__mul__(number), merge_spans(self._spans * max(0, number)))

    __rmul__ = __mul__

    def __getitem__(self, key: SupportsIndex | slice) -> str:
        text = super().__getitem__(key)
        if isinstance(key, slice):
            start, stop, step = key.indices(len(self))
            if step == 1:
                return self._take(start, max(start, stop))
            return text
        at = key.__index__()
        at += len(self) if at < 0 else 0
        return self._take(at, at + 1)

    def __mod__(self, values: Any) -> str:
        text = super().__mod__(values)
        pieces = super().split(FIELD)
        if isinstance(values, tuple):
            fields = values
        else:
            fields = (values,)
        if "%" in "".join(pieces) or len(fields) != len(pieces) - 1:
            return TracedText(text)
        return check_text(_fill_fields(self, pieces, fields), text)

    def _take(self, start: int, stop: int) -> TracedText:
        return TracedText(str.__getitem__(self, slice(start, stop)), cut_stretches(self._spans, start, stop))

    def _take_all(self, texts: Iterable[str]) -> list[str]:
        """Return texts that are in this one, in this order, as stretches of it."""
        pieces: list[str] = []
        at = 0
        for text in texts:
            at = self.index(text, at)
            pieces.append(self._take(at, at + len(text)))
            at += len(text)
        return pieces

    def _with_text(self, text: str) -> str:
        """Return a text that was made from this one character by character."""
        if len(text) == len(self):
            return TracedText(text, self._spans)
        return TracedText(text)

    def strip(self, chars: str | None = None, /) -> str:
        """Strip the text, traced."""
        start = len(self) - len(super().lstrip(chars))
        return self._take(start, max(start, len(super().rstrip(chars))))

    def lstrip(self, chars: str | None = None, /) -> str:
        """Strip the beginning, traced."""
        return self._take(len(self) - len(super().lstrip(chars)), len(self))

    def rstrip(self, chars: str | None = None, /) -> str:
        """Strip the end, traced."""
        return self._take(0, len(super().rstrip(chars)))

    def removeprefix(self, prefix: str, /) -> str:
        """Remove a prefix, traced."""
        return self._take(len(self) - len(super().removeprefix(prefix)), len(self))

    def removesuffix(self, suffix: str, /) -> str:
        """Remove a suffix, traced."""
        return self._take(0, len(super().removesuffix(suffix)))

    def split(self, sep: str | None = None, maxsplit: SupportsIndex = -1) -> list[str]:
        """Split from the left into traced parts."""
        return list(self._take_parts(super().split(sep, maxsplit), sep))

    def rsplit(self, sep: str | None = None, maxsplit: SupportsIndex = -1) -> list[str]:
        """Split from the right into traced parts."""
        return list(self._take_parts(super().rsplit(sep, maxsplit), sep))

    def _take_parts(self, texts: list[str], sep: str | None) -> Iterator[str]:
        """Yield the parts of a split; between two of them is `sep`, or blanks if that is None."""
        if sep is None:
            yield from self._take_all(texts)
            return
        at = 0
        for text in texts:
            yield self._take(at, at + len(text))
            at += len(text) + len(sep)

    def splitlines(self, keepends: bool = False) -> list[str]:
        """Split into traced lines."""
        lines = self._take_all(super().splitlines(keepends=True))
        if keepends:
            return lines
        return [line[: len(text)] for line, text in zip(lines, super().splitlines(), strict=True)]

    def partition(self, sep: str, /) -> tuple[str, str, str]:
        """Split at the first separator into traced parts."""
        before, middle, after = self._take_all(super().partition(sep))
        return before, middle, after

    def rpartition(self, sep: str, /) -> tuple[str, str, str]:
        """Split at the last separator into traced parts."""
        sizes = [len(text) for text in super().rpartition(sep)]
        ends = (sizes[0], sizes[0] + sizes[1], len(self))
        return self._take(0, ends[0]), self._take(ends[0], ends[1]), self._take(ends[1], ends[2])

    def replace(self, old: str, new: str, count: SupportsIndex = -1, /) -> str:
        """Replace occurrences, with the new text traced; replacing the empty text loses the sources."""
        text = super().replace(old, new, count)
        if not old:
            return TracedText(text)
        return check_text(TracedText(new).join(self.split(old, count)), text)

    def join(self, parts: Iterable[str], /) -> str:
        """Join parts, each traced."""
        parts = list(parts)
        if not self:
            return join_texts(parts)
        separated: list[str] = []
        for part in parts:
            separated.extend((self, part))
        return join_texts(separated[1:])

    def lower(self) -> str:
        """Convert to lower case, traced."""
        return self._with_text(super().lower())

    def upper(self) -> str:
        """Convert to upper case, traced."""
        return self._with_text(super().upper())

    def title(self) -> str:
        """Convert to title case, traced."""
        return self._with_text(super().title())

    def capitalize(self) -> str:
        """Capitalize, traced."""
        return self._with_text(super().capitalize())

    def swapcase(self) -> str:
        """Swap cases, traced."""
        return self._with_text(super().swapcase())


def check_text(traced: str, text: str) -> str:
    """Return `traced` if it equals `text`, else `text` without sources."""
    if traced == text:
        return traced
    return TracedText(text)


def wrap_format(text: str, plain: Callable[..., str]) -> Callable[..., str]:
    """Return `text.format` (whose result is `plain`) as a function that traces fields without a specification."""

    def fill(*args: Any, **kwargs: Any) -> str:
        result = plain(*args, **kwargs)
        pieces: list[str] = []
        at = automatic = 0
        for literal, name, spec, conversion in string.Formatter().parse(text):
            if spec or conversion or "{" in literal or "}" in literal:
                return TracedText(result)
            pieces.append(text[at : at + len(literal)])
            at += len(literal)
            if name is None:
                continue
            at += len(name) + 2
            key: Any = name or automatic
            automatic += not name
            if str(key).isdecimal():
                number = int(key)
            else:
                number = None
            if number is not None and number < len(args):
                pieces.append(to_text(args[number]))
            elif key in kwargs:
                pieces.append(to_text(kwargs[key]))
            else:
                return TracedText(result)
        return check_text(join_texts(pieces), result)

    return fill


def to_text(value: Any) -> str:
    """Return a value as text, traced if it already was."""
    if isinstance(value, str):
        return value
    return TracedText(str(value))


def _fill_fields(text: TracedText, pieces: list[str], fields: tuple[Any, ...]) -> str:
    parts: list[str] = []
    at = 0
    for i, piece in enumerate(pieces):
        if i:
            parts.append(to_text(fields[i - 1]))
            at += len(FIELD)
        parts.append(text._take(at, at + len(piece)))
        at += len(piece)
    return join_texts(parts)
