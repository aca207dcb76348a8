"""Mustache templates, as chevron 0.14 writes them, in pieces that remember their names.

What chevron does beyond Mustache's own specification is kept (0 and false are written, other false values are not; a
dot goes into lists by number); what would read files or a value's attributes is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from readback.prompts.render.simple_fields import LONGEST, Piece, Refusal
from readback.readers.json_cells import cell_of
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
    """A stretch of the template: `kind` literal with its text, or a tag with its key; `line` where it begins."""

    kind: str
    key: str
    line: int


@dataclass(frozen=True, slots=True)
class Read:
    """What became of a name: dotted, with [*] for what a section goes through; `asked`: only a section asks for it."""

    name: str
    state: UseState
    line: int
    asked: bool


class _Refused(Exception):  # noqa: N818 - it carries what is wrong with a template
    def __init__(self, code: str, line: int, reason: str, flagged: str = "") -> None:
        super().__init__(reason)
        self.wrong = Refusal(code, line, {"reason": reason}, flagged)


class _Scope(NamedTuple):
    value: Any
    path: str | None  # the name under which the value was reached; None for a truth value


@dataclass(slots=True)
class _Run:
    pieces: list[Piece] = field(default_factory=list)
    reads: dict[tuple[str, UseState, bool], int] = field(default_factory=dict)
    steps: int = 0
    size: int = 0

    def put(self, text: str, name: str | None, line: int) -> None:
        if text:
            self.pieces.append(Piece(text, name, line))
            self.size += len(text)


def fill_mustache(text: str, values: Values) -> tuple[list[Piece], list[Refusal], tuple[Read, ...]]:
    """`chevron.render(text, values)` in pieces, what is wrong, and what became of each name."""
    run = _Run()
    wrong: list[Refusal] = []
    try:
        _render(list(_tags(text)), [_Scope(values, "")], run, 0)
    except _Refused as refused:
        wrong.append(refused.wrong)
    except _TooMuch:
        limit = {"what": "text of one template", "limit": f"{LONGEST >> 20} Mi characters, {STEPS:,} tags"}
        wrong.append(Refusal("dat-limit", 1, limit))
    return run.pieces, wrong, tuple(Read(name, state, line, asked) for (name, state, asked), line in run.reads.items())


class _TooMuch(Exception):  # noqa: N818 - as above
    pass


def _tags(template: str) -> Iterator[Tag]:
    """The template cut into literals and tags; a tag alone on its line takes the line with it."""
    left, right = "{{", "}}"
    line, alone = 1, True
    opened: list[Tag] = []
    while template:
        literal, found, rest = template.partition(left)
        if not rest:  # chevron drops an opening mark that ends the text
            yield Tag("literal", literal, line)
            break
        begins = line + literal.count("\n")
        last = literal.rpartition("\n")[2]
        alone = ("\n" in literal or alone) and (not last or last.isspace())
        inside, found, rest = rest.partition(right)
        if not found:
            raise _Refused("alb-render-error", begins, "a tag is opened and not closed", left)
        if not inside:
            raise _Refused("alb-render-error", begins, "a tag is empty", left + right)
        kind, key = KINDS.get(inside[0], "variable"), inside if inside[0] not in KINDS else inside[1:]
        if kind == "delimiters":
            if not key.endswith("="):
                raise _Refused("alb-render-error", begins, "the tag that sets delimiters is not closed", inside)
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
                raise _Refused("alb-render-error", begins, "a delimiter is empty", inside)
        tag = Tag(kind, key, begins)
        if kind in ("section", "inverted"):
            opened.append(tag)
        elif kind == "end":
            if not opened:
                raise _Refused("alb-render-error", begins, f"section '{key}' is closed and was not opened", key)
            if (begun := opened.pop()).key != key:
                why = f"section '{key}' is closed where '{begun.key}', of line {begun.line}, is open"
                raise _Refused("alb-render-error", begins, why, key)
        line = begins + inside.count("\n")
        after = rest.partition("\n")[0]
        alone = alone and kind not in ("variable", "raw") and (not after or after.isspace())
        if alone:
            line += "\n" in rest
            rest = rest.partition("\n")[2] if "\n" in rest else rest
            literal = literal if kind == "partial" else literal.rstrip(" ")
        if literal:
            yield Tag("literal", literal, begins - literal.count("\n"))
        if kind != "comment":
            yield tag
        template = rest
    if opened:
        raise _Refused("alb-render-error", opened[-1].line, f"section '{opened[-1].key}' is not closed", opened[-1].key)


def _render(tags: Sequence[Tag], scopes: list[_Scope], run: _Run, depth: int) -> None:
    """Write the tags; `scopes` has the innermost first and is changed."""
    at = 0
    while at < len(tags):
        kind, key, line = tags[at]
        at += 1
        run.steps += 1
        if run.steps > STEPS or run.size > LONGEST or depth > DEEP:
            raise _TooMuch
        if not scopes:  # `{{^key}}` within a section of that key cuts it at the first end; chevron stops there, too
            raise _Refused("alb-render-error", line, "a section holds another one of the same name", key)
        if kind == "end":
            del scopes[0]
        elif not scopes[0].value and len(scopes) != 1:
            if kind in ("section", "inverted"):
                scopes.insert(0, _Scope(False, None))
        elif kind == "literal":
            run.put(key, None, line)
        elif kind in ("variable", "raw"):
            found = _get(key, scopes, run, line, asked=False)
            value = scopes[1].value if found.value is True and key == "." and kind == "variable" else found.value
            text = value if isinstance(value, str) else str(value)
            if kind == "variable":
                for sign, spelt in ESCAPES:
                    text = text.replace(sign, spelt)
            run.put(text, found.path or key, line)
        elif kind == "inverted":
            scopes.insert(0, _Scope(not _get(key, scopes, run, line, asked=True).value, None))
        elif kind == "partial":
            raise _Refused("alb-include", line, f"the template takes in '{key}'", key)
        elif kind == "section":
            scope = _get(key, scopes, run, line, asked=True)
            if not isinstance(scope.value, list):
                scopes.insert(0, scope)
                continue
            inner, at = _inside(tags, at, key)
            for value in scope.value:
                _render(inner, [_Scope(value, f"{scope.path}[*]"), *scopes], run, depth + 1)


def _inside(tags: Sequence[Tag], at: int, key: str) -> tuple[Sequence[Tag], int]:
    """The tags of a section that was just opened, and where it goes on after its end."""
    nested, begin = 0, at
    while at < len(tags):
        nested += (tags[at].kind, tags[at].key) == ("section", key)
        nested -= (tags[at].kind, tags[at].key) == ("end", key)
        if nested < 0:
            return tags[begin:at], at + 1
        at += 1
    return tags[begin:], at


def _get(key: str, scopes: Sequence[_Scope], run: _Run, line: int, asked: bool) -> _Scope:
    """The value of a key in the nearest scope that has it; other false values than 0 and false become no text."""
    if key == ".":
        return scopes[0]
    for scope in scopes:
        try:
            value = _step_into(scope.value, key, line)
        except (AttributeError, KeyError, IndexError, ValueError):
            continue
        name = f"{scope.path}.{key}" if scope.path else key
        state: UseState = "null" if value is None else "empty" if value in ("", [], {}) else "present"
        run.reads.setdefault((name, state, asked), line)
        if not asked and (cell := cell_of(value)) is not None:
            return _Scope(cell, name)
        return _Scope(value if value in (0, False) else value or "", name)
    run.reads.setdefault((key, "missing", asked), line)
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
