"""Where JSON objects are in a text that may hold anything besides, in one pass over it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from readback.readers.json_text import Decoder, NotJson

Span = tuple[int, int]

# One token of JSON: a string (which has no control characters), a mark, or something the decoder looks at closely.
TOKEN = re.compile(r'[ \t\r\n]*+(?:("[^"\\\x00-\x1f]*+(?:\\.[^"\\\x00-\x1f]*+)*+")|([{}\[\]:,])|([-+.\w]++))', re.ASCII)
KEY, NEXT_KEY, COLON, VALUE, FIRST, AFTER = range(6)  # what may come: after { , "k" : [ and a value


@dataclass(frozen=True, slots=True)
class Found:
    """An object of the text; `refused` says why it is not taken for one that can be read."""

    start: int
    end: int
    value: Mapping[str, Any]
    refused: str = ""


def objects(text: str, start: int, stop: int) -> Iterator[Found]:
    """Every object between `start` and `stop` that is well-formed and lies in no other, in the order of the text.

    Repeated keys, NaN and infinities are refused (RFC 8259 leaves the first to the reader, and has no others). The
    time grows with the text alone: no part of it is decoded twice.
    """
    decoder = Decoder()
    for begin, end in spans(text, start, stop):
        try:
            value = decoder.whole(text[begin:end])
        except NotJson as fault:
            yield Found(begin, end, {}, fault.reason)
            continue
        if decoder.repeated:
            why = f"'{decoder.repeated[0][:40]}' is in it twice"
        else:
            why = ""
        yield Found(begin, end, value, why or ("NaN or infinity is in it" if decoder.endless else ""))


def spans(text: str, start: int, stop: int) -> tuple[Span, ...]:
    """Where each balanced `{…}` with the grammar of JSON is; one inside another is part of it.

    An outer one that is cut short or breaks the grammar leaves the inner ones that were complete before.
    """
    closed: list[Span] = []
    at = text.find("{", start, stop)
    while at >= 0:
        at = text.find("{", _walk(text, at, stop, closed), stop)
    return tuple(closed)


def _walk(text: str, at: int, stop: int, closed: list[Span]) -> int:
    """Follow the grammar from the `{` at `at` until its end, or to where the text stops being JSON."""
    begin: list[int] = []  # of the objects that are open; -1 is an open list
    expected = VALUE
    while token := TOKEN.match(text, at, stop):
        string, mark, other = token.groups()
        if mark in ("{", "[") and expected in (VALUE, FIRST):
            begin.append(token.start(2) if mark == "{" else -1)
            expected = KEY if mark == "{" else FIRST
        elif (mark == "}" and expected in (KEY, AFTER) and begin[-1] >= 0) or (
            mark == "]" and expected in (FIRST, AFTER) and begin[-1] < 0
        ):
            if (opened := begin.pop()) >= 0:
                while closed and closed[-1][0] > opened:
                    closed.pop()
                closed.append((opened, token.end()))
            expected = AFTER
        elif mark == "," and expected == AFTER:
            expected = NEXT_KEY if begin[-1] >= 0 else VALUE
        elif string and expected in (KEY, NEXT_KEY):
            expected = COLON
        elif mark == ":" and expected == COLON:
            expected = VALUE
        elif (string or other) and expected in (VALUE, FIRST):
            expected = AFTER
        else:
            return token.start(token.lastindex or 0)
        at = token.end()
        if not begin:
            return at
    return at


def holds(value: Mapping[str, Any], keys: Collection[str]) -> bool:
    """Whether an object has one of the keys; every object does where none is asked for."""
    return not keys or any(key in value for key in keys)


def inner(value: Mapping[str, Any], keys: Collection[str]) -> Mapping[str, Any] | None:
    """Return the last object inside `value` with one of the keys, the outermost of several within each other."""
    level: list[Any] = [value]
    while level:
        level = [part for outer in level for part in (outer.values() if isinstance(outer, Mapping) else outer)]
        if matches := [part for part in level if isinstance(part, Mapping) and holds(part, keys)]:
            return matches[-1]
        level = [part for part in level if isinstance(part, Mapping | list)]
    return None
