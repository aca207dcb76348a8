"""Write what a factory gave under each combination of context keys as one Jinja template with conditional parts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any, NamedTuple

from readback.bridge.child import CONTEXT, SCHEMA, marker

MARK = "readback0"
KEY = "value of "  # how the name of a key begins among characters
SPECIAL = re.compile(r"\{(?=[{%#\r])")  # before a carriage return, which becomes an expression, too
Text = tuple[str, ...]  # characters, and the names of keys where their values stand: a name is longer than a character
Table = Mapping[frozenset[str], Text]  # by the keys that are there


class Written(NamedTuple):
    """A template; `cases`: some of its texts stand in it twice, since its conditions depend on each other."""

    text: str
    cases: bool = False


class NotWritten(Exception):  # noqa: N818 - an outcome to say in one sentence
    """A text cannot be written as a template; the text says why."""


def written(keys: Sequence[str], cases: Sequence[Mapping[str, Any]], role: str) -> Written:
    """The template of one role, of the cases in which each key is absent or has its marker. Raises NotWritten."""
    table: dict[frozenset[str], Text] = {}
    for case in cases:
        if all(value == marker(key) for key, value in case["context"].items()):
            table[frozenset(case["context"])] = _tokens(case[role], keys)
    heeded = [key for key in keys if any(table[there] != table[there - {key}] for there in table)]
    table = {there: text for there, text in table.items() if there <= set(heeded)}
    empty = {_only(case["context"]): case[role] for case in cases if _is_empty(case["context"])}
    conditions = {key: _condition(key, table, empty.get(key)) for key in heeded}
    pieces = list(_pieces(heeded, table, conditions))
    return Written(_spelled(pieces), any(isinstance(one, _Doubled) for one in pieces))


def _tokens(text: str, keys: Sequence[str]) -> Text:
    """A text with the names of keys in the places of their markers."""
    parts: list[tuple[bool, str]] = [(False, text)]
    for key in keys:
        sign = json.dumps(marker(key), indent=2) if key == SCHEMA else marker(key)
        parts = [one for part in parts for one in ([part] if part[0] else _split(part[1], sign, key))]
    if left := next((part for is_key, part in parts if not is_key and MARK in part), None):
        key = left[left.index(MARK) + len(MARK) :].partition("0")[0]
        raise NotWritten(f"it changes the value of {key} before it puts it in")
    return tuple(sign for is_key, part in parts for sign in ([KEY + part] if is_key else part))


def _split(part: str, sign: str, key: str) -> Iterator[tuple[bool, str]]:
    for number, text in enumerate(part.split(sign)):
        if number:
            yield True, key
        if text:
            yield False, text


def _only(context: Mapping[str, Any]) -> str | None:
    return next(iter(context)) if len(context) == 1 else None


def _is_empty(context: Mapping[str, Any]) -> bool:
    return len(context) == 1 and all(value in ("", {}) for value in context.values())


def _condition(key: str, table: Table, empty: str | None) -> str:
    """Whether a value that is there and empty counts: as it did alone, else as such keys usually do."""
    alone, nothing = table[frozenset([key])], table[frozenset()]
    counts = key == SCHEMA if empty is None or alone == nothing else empty != "".join(nothing)
    if not counts:
        return key
    return f"{key} is not none" if key in CONTEXT else f"{key} is defined and {key} is not none"


class _Tag(str):
    """A tag of a statement."""

    __slots__ = ()


class _Doubled(_Tag):
    """The same, where both branches hold further conditions."""

    __slots__ = ()


Pieces = Iterator[_Tag | Text]


def _pieces(keys: Sequence[str], table: Table, conditions: Mapping[str, str]) -> Pieces:
    """Literal texts and tags. What all cases begin and end with stands once; a part that depends on one key alone has
    its own condition; what is left is one case within another.
    """
    texts = list(table.values())
    begin = _shared(texts)
    rest = [text[len(begin) :] for text in texts]
    end = _shared([text[::-1] for text in rest])[::-1]
    yield begin
    inner = {there: text[len(begin) : len(text) - len(end)] for there, text in table.items()}
    yield from _inner(keys, inner, conditions)
    yield end


def _inner(keys: Sequence[str], table: Table, conditions: Mapping[str, str]) -> Pieces:
    heeded = [key for key in keys if any(table[there] != table[there - {key}] for there in table)]
    if not heeded:
        return
    table = {there: text for there, text in table.items() if there <= set(heeded)}
    for key in heeded:
        there, away = _halves(table, key)
        one, other = _shared(list(there.values())), _shared(list(away.values()))
        left = {rest: text[len(one) :] for rest, text in there.items()}
        if left == {rest: text[len(other) :] for rest, text in away.items()}:
            yield from _either(conditions[key], [one], [other])
            yield from _pieces([each for each in heeded if each != key], left, conditions)
            return
    key = next((key for key in heeded if any(len(set(half.values())) == 1 for half in _halves(table, key))), heeded[0])
    rest = [each for each in heeded if each != key]
    first, second = ([*_pieces(rest, half, conditions)] for half in _halves(table, key))
    doubled = any(isinstance(one, _Tag) for one in first) and any(isinstance(one, _Tag) for one in second)
    yield from _either(conditions[key], first, second, _Doubled if doubled else _Tag)


def _halves(table: Table, key: str) -> tuple[Table, Table]:
    """The cases with a key and those without it, both by the other keys."""
    with_it = {there - {key}: text for there, text in table.items() if key in there}
    return with_it, {there: text for there, text in table.items() if key not in there}


def _either(
    condition: str, first: Sequence[_Tag | Text], second: Sequence[_Tag | Text], kind: type[_Tag] = _Tag
) -> Pieces:
    if not any(first):
        condition, first, second = f"not ({condition})", second, ()
    yield kind(f"if {condition}")
    yield from first
    if any(second):
        yield _Tag("else")
        yield from second
    yield _Tag("endif")


def _shared(texts: Sequence[Text]) -> Text:
    """What all of them begin with."""
    return tuple(one[0] for one in takewhile(lambda each: len(set(each)) == 1, zip(*texts, strict=False)))


def _spelled(pieces: Sequence[_Tag | Text]) -> str:
    """The template: blanks and line feeds beside its tags stay, although such tags trim them (trim_blocks)."""
    joined: list[_Tag | Text] = []
    for one in pieces:
        if not one:
            continue
        if isinstance(one, tuple) and joined and isinstance(joined[-1], tuple):
            joined[-1] = (*joined[-1], *one)
        else:
            joined.append(one)
    out = ""
    for number, one in enumerate(joined):
        if isinstance(one, _Tag):
            before = joined[number - 1] if number else ()
            after = joined[number + 1] if number + 1 < len(joined) else ()
            line = _literal(before).rpartition("\n")[2] if isinstance(before, tuple) else ""
            opening = "{%+" if line and not line.strip(" \t") else "{%"
            closing = "+%}" if isinstance(after, tuple) and after and after[0] == "\n" else "%}"
            out += f"{opening} {one} {closing}"
        else:
            out += _escaped(one, joined[number + 1 :])
    return out + "\n" if out.endswith("\n") else out  # one final newline is removed


def _literal(text: Text) -> str:
    """A text as far as blanks at its end are concerned."""
    return "".join(one if len(one) == 1 else "x" for one in text)


def _escaped(text: Text, following: Sequence[_Tag | Text]) -> str:
    """A literal text as Jinja source."""
    out, letters = "", ""
    for one in (*text, ""):
        if len(one) == 1:
            letters += one
            continue
        tagged = bool(one) or bool(following)  # a brace before a tag would be taken for a part of it
        out += _braces(letters, tagged)
        letters = ""
        if one:
            name = one.removeprefix(KEY)
            out += f"{{{{ {name} | json_block }}}}" if name == SCHEMA else f"{{{{ {name} }}}}"
    return out


def _braces(letters: str, tagged: bool) -> str:
    made = SPECIAL.sub('{{ "{" }}', letters).replace("\r", '{{ "\\r" }}')  # Jinja knows line feeds only
    return made[:-1] + '{{ "{" }}' if tagged and made.endswith("{") else made
