"""Write what a factory gave under each combination of context keys as one Jinja template with conditional parts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any, NamedTuple

from readback.bridge.child import CONTEXT, SCHEMA, make_marker

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


def build_template(keys: Sequence[str], cases: Sequence[Mapping[str, Any]], role: str) -> Written:
    """Build the template of one role from the cases in which each key is absent or has its marker. Raise NotWritten."""
    table: dict[frozenset[str], Text] = {}
    for case in cases:
        if all(value == make_marker(key) for key, value in case["context"].items()):
            table[frozenset(case["context"])] = _tokenize(case[role], keys)
    used_keys = [key for key in keys if any(table[present] != table[present - {key}] for present in table)]
    table = {present: text for present, text in table.items() if present <= set(used_keys)}
    empty = {_find_single_key(case["context"]): case[role] for case in cases if _is_empty(case["context"])}
    conditions = {key: _build_condition(key, table, empty.get(key)) for key in used_keys}
    pieces = list(_build_pieces(used_keys, table, conditions))
    return Written(_format_source(pieces), any(isinstance(piece, _Doubled) for piece in pieces))


def build_plain_template(keys: Sequence[str], text: str) -> Written:
    """Build the template of a text in which each key has its marker and none decides anything. Raise NotWritten."""
    return Written(_format_source([_tokenize(text, keys)]))


def _tokenize(text: str, keys: Sequence[str]) -> Text:
    """Return a text with the names of keys in the places of their markers."""
    parts: list[tuple[bool, str]] = [(False, text)]
    for key in keys:
        if key == SCHEMA:
            sign = json.dumps(make_marker(key), indent=2)
        else:
            sign = make_marker(key)
        split_parts: list[tuple[bool, str]] = []
        for is_key, part in parts:
            if is_key:
                split_parts.append((is_key, part))
            else:
                split_parts += _split_at_marker(part, sign, key)
        parts = split_parts
    if altered := next((part for is_key, part in parts if not is_key and MARK in part), None):
        key = altered[altered.index(MARK) + len(MARK) :].partition("0")[0]
        raise NotWritten(f"it changes the value of {key} before it puts it in")
    return tuple(sign for is_key, part in parts for sign in ([KEY + part] if is_key else part))


def _split_at_marker(part: str, sign: str, key: str) -> Iterator[tuple[bool, str]]:
    for number, text in enumerate(part.split(sign)):
        if number:
            yield True, key
        if text:
            yield False, text


def _find_single_key(context: Mapping[str, Any]) -> str | None:
    if len(context) == 1:
        return next(iter(context))
    return None


def _is_empty(context: Mapping[str, Any]) -> bool:
    return len(context) == 1 and all(value in ("", {}) for value in context.values())


def _build_condition(key: str, table: Table, empty: str | None) -> str:
    """Return the condition of a key: an empty value counts if it did alone, else as such keys usually do."""
    alone, nothing = table[frozenset([key])], table[frozenset()]
    if empty is None or alone == nothing:
        counts = key == SCHEMA
    else:
        counts = empty != "".join(nothing)
    if not counts:
        return key
    if key in CONTEXT:
        return f"{key} is not none"
    return f"{key} is defined and {key} is not none"


class _Tag(str):
    """A tag of a statement."""

    __slots__ = ()


class _Doubled(_Tag):
    """The same, where both branches hold further conditions."""

    __slots__ = ()


Pieces = Iterator[_Tag | Text]


def _build_pieces(keys: Sequence[str], table: Table, conditions: Mapping[str, str]) -> Pieces:
    """Yield literal texts and tags. What all cases begin and end with stands once; a part that depends on one key has
    its own condition; what is left is one case within another.
    """
    texts = list(table.values())
    begin = _find_common_start(texts)
    rest = [text[len(begin) :] for text in texts]
    end = _find_common_start([text[::-1] for text in rest])[::-1]
    yield begin
    inner = {present: text[len(begin) : len(text) - len(end)] for present, text in table.items()}
    yield from _build_inner_pieces(keys, inner, conditions)
    yield end


def _build_inner_pieces(keys: Sequence[str], table: Table, conditions: Mapping[str, str]) -> Pieces:
    used_keys = [key for key in keys if any(table[present] != table[present - {key}] for present in table)]
    if not used_keys:
        return
    table = {present: text for present, text in table.items() if present <= set(used_keys)}
    for key in used_keys:
        with_key, without_key = _split_by_key(table, key)
        start_with = _find_common_start(list(with_key.values()))
        start_without = _find_common_start(list(without_key.values()))
        remainder = {present: text[len(start_with) :] for present, text in with_key.items()}
        if remainder == {present: text[len(start_without) :] for present, text in without_key.items()}:
            yield from _build_branches(conditions[key], [start_with], [start_without])
            yield from _build_pieces([name for name in used_keys if name != key], remainder, conditions)
            return
    key = next((name for name in used_keys if _has_constant_half(table, name)), used_keys[0])
    other_keys = [name for name in used_keys if name != key]
    first, second = ([*_build_pieces(other_keys, half, conditions)] for half in _split_by_key(table, key))
    doubled = all(any(isinstance(piece, _Tag) for piece in branch) for branch in (first, second))
    yield from _build_branches(conditions[key], first, second, _Doubled if doubled else _Tag)


def _has_constant_half(table: Table, key: str) -> bool:
    """Return whether all cases with a key, or all without it, have the same text."""
    return any(len(set(half.values())) == 1 for half in _split_by_key(table, key))


def _split_by_key(table: Table, key: str) -> tuple[Table, Table]:
    """Return the cases with a key and those without it, both by the other keys."""
    with_it = {present - {key}: text for present, text in table.items() if key in present}
    return with_it, {present: text for present, text in table.items() if key not in present}


def _build_branches(
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


def _find_common_start(texts: Sequence[Text]) -> Text:
    """Return what all texts begin with."""
    columns = takewhile(lambda column: len(set(column)) == 1, zip(*texts, strict=False))
    return tuple(column[0] for column in columns)


def _format_source(pieces: Sequence[_Tag | Text]) -> str:
    """Format the template: keep blanks and line feeds beside its tags, although such tags trim them (trim_blocks)."""
    joined: list[_Tag | Text] = []
    for piece in pieces:
        if not piece:
            continue
        if isinstance(piece, tuple) and joined and isinstance(joined[-1], tuple):
            joined[-1] = (*joined[-1], *piece)
        else:
            joined.append(piece)
    source = ""
    for number, piece in enumerate(joined):
        if isinstance(piece, _Tag):
            before = joined[number - 1] if number else ()
            if number + 1 < len(joined):
                after = joined[number + 1]
            else:
                after = ()
            if isinstance(before, tuple):
                line = _mark_values(before).rpartition("\n")[2]
            else:
                line = ""
            if line and not line.strip(" \t"):
                opening = "{%+"
            else:
                opening = "{%"
            if isinstance(after, tuple) and after and after[0] == "\n":
                closing = "+%}"
            else:
                closing = "%}"
            source += f"{opening} {piece} {closing}"
        else:
            source += _escape_text(piece, joined[number + 1 :])
    # one final newline is removed
    if source.endswith("\n"):
        return source + "\n"
    return source


def _mark_values(text: Text) -> str:
    """Return a text as far as blanks at its end are concerned: each value becomes a letter."""
    return "".join(token if len(token) == 1 else "x" for token in text)


def _escape_text(text: Text, following: Sequence[_Tag | Text]) -> str:
    """Write a literal text as Jinja source."""
    source, letters = "", ""
    for token in (*text, ""):
        if len(token) == 1:
            letters += token
            continue
        tagged = bool(token) or bool(following)  # a brace before a tag would be taken for a part of it
        source += _escape_braces(letters, tagged)
        letters = ""
        if token:
            name = token.removeprefix(KEY)
            source += f"{{{{ {name} | json_block }}}}" if name == SCHEMA else f"{{{{ {name} }}}}"
    return source


def _escape_braces(letters: str, tagged: bool) -> str:
    source = SPECIAL.sub('{{ "{" }}', letters).replace("\r", '{{ "\\r" }}')  # Jinja knows line feeds only
    if tagged and source.endswith("{"):
        return source[:-1] + '{{ "{" }}'
    return source
