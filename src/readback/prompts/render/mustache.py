"""Render mustache templates, as chevron 0.14 does, into pieces that remember their names.

What chevron does beyond Mustache's own specification stays (0 and false are written, other false values are not; a dot
goes into lists by number); what would read files or a value's attributes is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from readback.prompts.render.simple_fields import LONGEST, Piece, Refusal
from readback.readers.tables.table_columns import cell_of
from readback.types import UseState, Values

KINDS = {
    "!": "comment",
    "#": "section",
    "^": "inverted",
    "/": "end",
    ">": "partial",
    "=": "delimiters",
    "{": "raw?",
    "&": "raw",
}
STEPS = 50_000  # tags that one rendering may go through: sections over lists within sections multiply
DEEP = 100  # sections over lists within each other
ESCAPES = (("&", "&amp;"), ('"', "&quot;"), ("<", "&lt;"), (">", "&gt;"))


class Tag(NamedTuple):
    """Hold a stretch of the template: `kind` literal with its text, or a tag with its key; `line` where it begins."""

    kind: str
    key: str
    line: int


@dataclass(frozen=True, slots=True)
class Read:
    """Say what became of a name: dotted, with [*] for what a section goes through; `only_asked`: only a section tests
    it.
    """

    name: str
    state: UseState
    line: int
    only_asked: bool


class _Refused(Exception):  # noqa: N818 - it carries what is wrong with a template
    def __init__(self, code: str, line: int, reason: str, flagged: str = "") -> None:
        super().__init__(reason)
        self.refusal = Refusal(code, line, {"reason": reason}, flagged)


class _Scope(NamedTuple):
    value: Any
    path: str | None  # the name under which the value was reached; None for a truth value


@dataclass(slots=True)
class _Run:
    pieces: list[Piece] = field(default_factory=list)
    reads: dict[tuple[str, UseState, bool], int] = field(default_factory=dict)
    steps: int = 0
    size: int = 0

    def add(self, text: str, name: str | None, line: int) -> None:
        if text:
            self.pieces.append(Piece(text, name, line))
            self.size += len(text)


def fill_mustache(text: str, values: Values) -> tuple[list[Piece], list[Refusal], tuple[Read, ...]]:
    """Fill `chevron.render(text, values)` into pieces; list what is wrong, and what became of each name."""
    run = _Run()
    refusals: list[Refusal] = []
    try:
        _render(list(_split_tags(text)), [_Scope(values, "")], run, 0)
    except _Refused as refused:
        refusals.append(refused.refusal)
    except _TooLong:
        limit = {"what": "text of one template", "limit": f"{LONGEST >> 20} Mi characters, {STEPS:,} tags"}
        refusals.append(Refusal("dat-limit", 1, limit))
    return (
        run.pieces,
        refusals,
        tuple(Read(name, state, line, only_asked) for (name, state, only_asked), line in run.reads.items()),
    )


class _TooLong(Exception):  # noqa: N818 - as above
    pass


def _split_tags(template: str) -> Iterator[Tag]:
    """Cut the template into literals and tags; a tag alone on its line takes the line with it."""
    left, right = "{{", "}}"
    line, alone = 1, True
    opened: list[Tag] = []
    while template:
        literal, delimiter, rest = template.partition(left)
        if not rest:  # chevron drops an opening mark that ends the text
            yield Tag("literal", literal, line)
            break
        start_line = line + literal.count("\n")
        last = literal.rpartition("\n")[2]
        alone = ("\n" in literal or alone) and (not last or last.isspace())
        inside, delimiter, rest = rest.partition(right)
        if not delimiter:
            raise _Refused("alb-render-error", start_line, "a tag is opened and not closed", left)
        if not inside:
            raise _Refused("alb-render-error", start_line, "a tag is empty", left + right)
        kind, key = KINDS.get(inside[0], "variable"), inside if inside[0] not in KINDS else inside[1:]
        if kind == "delimiters":
            if not key.endswith("="):
                raise _Refused("alb-render-error", start_line, "the tag that sets delimiters is not closed", inside)
            key = key[:-1]
        elif kind == "raw?":
            if (left, right) == ("{{", "}}") and rest.startswith("}"):
                rest, kind = rest[1:], "raw"
            else:
                kind = "nothing"  # chevron writes nothing for it
        key = key.strip()
        if kind == "delimiters":
            parts = key.split(" ")
            left, right = parts[0], parts[-1]
            if not left or not right:
                raise _Refused("alb-render-error", start_line, "a delimiter is empty", inside)
        tag = Tag(kind, key, start_line)
        if kind in ("section", "inverted"):
            opened.append(tag)
        elif kind == "end":
            if not opened:
                raise _Refused("alb-render-error", start_line, f"section '{key}' is closed and was not opened", key)
            if (opening := opened.pop()).key != key:
                reason = f"section '{key}' is closed where '{opening.key}', of line {opening.line}, is open"
                raise _Refused("alb-render-error", start_line, reason, key)
        line = start_line + inside.count("\n")
        after = rest.partition("\n")[0]
        alone = alone and kind not in ("variable", "raw") and (not after or after.isspace())
        if alone:
            line += "\n" in rest
            if "\n" in rest:
                rest = rest.partition("\n")[2]
            if kind != "partial":
                literal = literal.rstrip(" ")
        if literal:
            yield Tag("literal", literal, start_line - literal.count("\n"))
        if kind != "comment":
            yield tag
        template = rest
    if opened:
        raise _Refused("alb-render-error", opened[-1].line, f"section '{opened[-1].key}' is not closed", opened[-1].key)


def _render(tags: Sequence[Tag], scopes: list[_Scope], run: _Run, depth: int) -> None:
    """Write the tags; `scopes` has the innermost first and is changed."""
    index = 0
    while index < len(tags):
        kind, key, line = tags[index]
        index += 1
        run.steps += 1
        if run.steps > STEPS or run.size > LONGEST or depth > DEEP:
            raise _TooLong
        if not scopes:  # `{{^key}}` within a section of that key cuts it at the first end; chevron stops there, too
            raise _Refused("alb-render-error", line, "a section holds another one of the same name", key)
        if kind == "end":
            del scopes[0]
        elif not scopes[0].value and len(scopes) != 1:
            if kind in ("section", "inverted"):
                scopes.insert(0, _Scope(False, None))
        elif kind == "literal":
            run.add(key, None, line)
        elif kind in ("variable", "raw"):
            scope_value = _find_value(key, scopes, run, line, only_asked=False)
            if scope_value.value is True and key == "." and kind == "variable":
                value = scopes[1].value
            else:
                value = scope_value.value
            if isinstance(value, str):
                text = value
            else:
                text = str(value)
            if kind == "variable":
                for sign, escape in ESCAPES:
                    text = text.replace(sign, escape)
            run.add(text, scope_value.path or key, line)
        elif kind == "inverted":
            scopes.insert(0, _Scope(not _find_value(key, scopes, run, line, only_asked=True).value, None))
        elif kind == "partial":
            raise _Refused("alb-include", line, f"the template takes in '{key}'", key)
        elif kind == "section":
            scope = _find_value(key, scopes, run, line, only_asked=True)
            if not isinstance(scope.value, list):
                scopes.insert(0, scope)
                continue
            inner, index = _cut_section(tags, index, key)
            for value in scope.value:
                _render(inner, [_Scope(value, f"{scope.path}[*]"), *scopes], run, depth + 1)


def _cut_section(tags: Sequence[Tag], index: int, key: str) -> tuple[Sequence[Tag], int]:
    """Return the tags of a section that was just opened, and the index behind its end."""
    nested, start = 0, index
    while index < len(tags):
        nested += (tags[index].kind, tags[index].key) == ("section", key)
        nested -= (tags[index].kind, tags[index].key) == ("end", key)
        if nested < 0:
            return tags[start:index], index + 1
        index += 1
    return tags[start:], index


def _find_value(key: str, scopes: Sequence[_Scope], run: _Run, line: int, only_asked: bool) -> _Scope:
    """Return the value of a key in the nearest scope that has it; false values other than 0 and false become no
    text.
    """
    if key == ".":
        return scopes[0]
    for scope in scopes:
        try:
            value = _step_into(scope.value, key, line)
        except (AttributeError, KeyError, IndexError, ValueError):
            continue
        if scope.path:
            name = f"{scope.path}.{key}"
        else:
            name = key
        state: UseState
        if value is None:
            state = "null"
        elif value in ("", [], {}):
            state = "empty"
        else:
            state = "present"
        run.reads.setdefault((name, state, only_asked), line)
        if not only_asked and (cell := cell_of(value)) is not None:
            return _Scope(cell, name)
        return _Scope(value if value in (0, False) else value or "", name)
    run.reads.setdefault((key, "missing", only_asked), line)
    return _Scope("", key)


def _step_into(value: Any, key: str, line: int) -> Any:
    for step in key.split("."):
        try:
            value = value[step]
        except (TypeError, AttributeError):
            if not step.isdecimal() and hasattr(value, step):
                raise _Refused(
                    "alb-unsafe-template", line, f"it reads the attribute '{step}' of a value", key
                ) from None
            number = int(step)
            try:
                value = value[number]
            except TypeError as error:
                raise _Refused("alb-render-error", line, f"'{key}': {error}", key) from None
    return value
