"""In the sandbox: text that remembers where each stretch of it came from, through what templates do to text.

It is a str with the same characters, so conditions and lookups behave as with any other; what cannot be followed
exactly comes out as an ordinary text or as a stretch of unknown origin, never as a guess.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Iterable, Iterator
from typing import Any, SupportsIndex

Spans = tuple[tuple[int, int], ...]  # (characters, source) in order

UNKNOWN, SERVING = -1, -2  # sources; below them: the template's line, see `at_line`; from 0 on: a stretch of the data
GIVEN = 1 << 24  # sources from here on stand for the given variables, in their order
MOST = 20_000  # stretches of one text; a template that makes more is not followed
FIELD = "%s"


class Lost(Exception):  # noqa: N818 - an outcome: nothing is claimed about the text
    """The text has more stretches than are worth keeping."""


def at_line(line: int) -> int:
    """The source that stands for what the template writes at a line (from 1)."""
    return SERVING - line


def spans(text: str) -> Spans:
    """Where the stretches of a text came from; an ordinary text is of unknown origin."""
    if isinstance(text, Traced):
        return text._spans
    return ((len(text), UNKNOWN),) if text else ()


def joined(parts: Iterable[str]) -> Traced:
    """The parts as one text."""
    parts = list(parts)
    return Traced("".join(parts), merged(span for part in parts for span in spans(part)))


def merged(found: Iterable[tuple[int, int]]) -> Spans:
    """Neighbouring stretches of one source as one. Raises Lost."""
    made: list[tuple[int, int]] = []
    for length, source in found:
        if not length:
            continue
        if made and made[-1][1] == source:
            made[-1] = (made[-1][0] + length, source)
        else:
            made.append((length, source))
    if len(made) > MOST:
        raise Lost
    return tuple(made)


def cut(found: Spans, start: int, stop: int) -> Spans:
    """The stretches between two offsets."""
    made = []
    at = 0
    for length, source in found:
        inside = min(at + length, stop) - max(at, start)
        if inside > 0:
            made.append((inside, source))
        at += length
        if at >= stop:
            break
    return tuple(made)


class Traced(str):
    """A text with its stretches. `_spans` begins with an underscore, so that no template can read it."""

    __slots__ = ("_spans",)
    _spans: Spans

    def __new__(cls, text: str = "", found: Spans | None = None) -> Traced:
        made = super().__new__(cls, text)
        made._spans = spans(text) if found is None else found
        return made

    def __str__(self) -> str:
        return self

    def __add__(self, other: Any) -> Any:
        if not isinstance(other, str) or hasattr(other, "__html__"):
            return NotImplemented
        return joined((self, other))

    def __radd__(self, other: Any) -> Any:
        return joined((other, self)) if isinstance(other, str) else NotImplemented

    def __mul__(self, times: SupportsIndex) -> str:
        number = times.__index__()
        if number * len(self._spans) > MOST:
            raise Lost
        return Traced(super().__mul__(number), merged(self._spans * max(0, number)))

    __rmul__ = __mul__

    def __getitem__(self, key: SupportsIndex | slice) -> str:
        text = super().__getitem__(key)
        if isinstance(key, slice):
            start, stop, step = key.indices(len(self))
            return self._piece(start, max(start, stop)) if step == 1 else text
        at = key.__index__()
        at += len(self) if at < 0 else 0
        return self._piece(at, at + 1)

    def __mod__(self, values: Any) -> str:
        text = super().__mod__(values)
        pieces = super().split(FIELD)
        given = values if isinstance(values, tuple) else (values,)
        if "%" in "".join(pieces) or len(given) != len(pieces) - 1:
            return Traced(text)
        return checked(_filled(self, pieces, given), text)

    def _piece(self, start: int, stop: int) -> Traced:
        return Traced(str.__getitem__(self, slice(start, stop)), cut(self._spans, start, stop))

    def _pieces(self, texts: Iterable[str]) -> list[str]:
        """Texts that are in this one in this order, as stretches of it."""
        made: list[str] = []
        at = 0
        for text in texts:
            at = self.index(text, at)
            made.append(self._piece(at, at + len(text)))
            at += len(text)
        return made

    def _same(self, text: str) -> str:
        """A text made of this one character by character."""
        return Traced(text, self._spans) if len(text) == len(self) else Traced(text)

    def strip(self, chars: str | None = None, /) -> str:
        start = len(self) - len(super().lstrip(chars))
        return self._piece(start, max(start, len(super().rstrip(chars))))

    def lstrip(self, chars: str | None = None, /) -> str:
        return self._piece(len(self) - len(super().lstrip(chars)), len(self))

    def rstrip(self, chars: str | None = None, /) -> str:
        return self._piece(0, len(super().rstrip(chars)))

    def removeprefix(self, prefix: str, /) -> str:
        return self._piece(len(self) - len(super().removeprefix(prefix)), len(self))

    def removesuffix(self, suffix: str, /) -> str:
        return self._piece(0, len(super().removesuffix(suffix)))

    def split(self, sep: str | None = None, maxsplit: SupportsIndex = -1) -> list[str]:
        return list(self._first_difference(super().split(sep, maxsplit), sep))

    def rsplit(self, sep: str | None = None, maxsplit: SupportsIndex = -1) -> list[str]:
        return list(self._first_difference(super().rsplit(sep, maxsplit), sep))

    def _first_difference(self, texts: list[str], sep: str | None) -> Iterator[str]:
        """What a split gave; between two texts is `sep`, or blanks where None."""
        if sep is None:
            yield from self._pieces(texts)
            return
        at = 0
        for text in texts:
            yield self._piece(at, at + len(text))
            at += len(text) + len(sep)

    def splitlines(self, keepends: bool = False) -> list[str]:
        kept = self._pieces(super().splitlines(keepends=True))
        if keepends:
            return kept
        return [line[: len(text)] for line, text in zip(kept, super().splitlines(), strict=True)]

    def partition(self, sep: str, /) -> tuple[str, str, str]:
        before, middle, after = self._pieces(super().partition(sep))
        return before, middle, after

    def rpartition(self, sep: str, /) -> tuple[str, str, str]:
        sizes = [len(text) for text in super().rpartition(sep)]
        ends = (sizes[0], sizes[0] + sizes[1], len(self))
        return self._piece(0, ends[0]), self._piece(ends[0], ends[1]), self._piece(ends[1], ends[2])

    def replace(self, old: str, new: str, count: SupportsIndex = -1, /) -> str:
        text = super().replace(old, new, count)
        if not old:
            return Traced(text)
        return checked(Traced(new).join(self.split(old, count)), text)

    def join(self, parts: Iterable[str], /) -> str:
        parts = list(parts)
        if not self:
            return joined(parts)
        return joined(each for i, part in enumerate(parts) for each in ((self, part) if i else (part,)))

    def lower(self) -> str:
        return self._same(super().lower())

    def upper(self) -> str:
        return self._same(super().upper())

    def title(self) -> str:
        return self._same(super().title())

    def capitalize(self) -> str:
        return self._same(super().capitalize())

    def swapcase(self) -> str:
        return self._same(super().swapcase())


def checked(made: str, text: str) -> str:
    """`made` where it says the same as `text`, else `text` without a claim."""
    return made if made == text else Traced(text)


def formatted(text: str, plain: Callable[..., str]) -> Callable[..., str]:
    """`text.format` (whose result is `plain`) that follows fields without a specification."""

    def fill(*args: Any, **kwargs: Any) -> str:
        result = plain(*args, **kwargs)
        pieces: list[str] = []
        at = automatic = 0
        for literal, name, spec, conversion in string.Formatter().parse(text):
            if spec or conversion or "{" in literal or "}" in literal:
                return Traced(result)
            pieces.append(text[at : at + len(literal)])
            at += len(literal)
            if name is None:
                continue
            at += len(name) + 2
            key: Any = name or automatic
            automatic += not name
            number = int(key) if str(key).isdecimal() else None
            if number is not None and number < len(args):
                pieces.append(shown(args[number]))
            elif key in kwargs:
                pieces.append(shown(kwargs[key]))
            else:
                return Traced(result)
        return checked(joined(pieces), result)

    return fill


def shown(value: Any) -> str:
    return value if isinstance(value, str) else Traced(str(value))


def _filled(text: Traced, pieces: list[str], given: tuple[Any, ...]) -> str:
    parts: list[str] = []
    at = 0
    for i, piece in enumerate(pieces):
        if i:
            parts.append(shown(given[i - 1]))
            at += len(FIELD)
        parts.append(text._piece(at, at + len(piece)))
        at += len(piece)
    return joined(parts)
