"""Templates with simple fields: Python's str.format, % and string.Template, and {{NAME}} placeholders in one pass."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from itertools import islice

from readback.types import Values

PLACEHOLDER = re.compile(r"\{\{[ \t]*([A-Za-z_][A-Za-z0-9_]*)[ \t]*\}\}")
TOKEN = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")
BESIDES = re.compile(r"[.\[!:]|^\d+$")  # attributes, items, conversions, formats, positions
SPEC = re.compile(r"([^!:]*)(?:!([^:]*))?(?::(.*))?", re.DOTALL)  # name, conversion, format specification
CONVERSIONS: Mapping[str, Callable[[object], str]] = {"r": repr, "s": str, "a": ascii}
WIDE = re.compile(r"\d{5}")  # a width or precision that only fills the memory
PERCENT = re.compile(
    r"%(?:(?P<plain>%)|\((?P<name>[^()]*)\)(?P<spec>[#0\- +]*\d*(?:\.\d*)?[hlL]?[diouxXeEfFgGcrsa])?)?"
)
DOLLAR = re.compile(
    r"\$(?:(?P<plain>\$)|(?P<name>(?i:[_a-z][_a-z0-9]*))|\{(?P<braced>(?i:[_a-z][_a-z0-9]*))\})?", re.ASCII
)
SHOWN = 80  # characters of a field's name in a diagnostic
KNOWN = 12  # names offered in a diagnostic
REFUSED = 20  # fields noted for one template
LONGEST = 8 << 20  # characters of one filled text


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of the text, at a line of the template: a literal (`name` None), or what stands for a field."""

    text: str
    name: str | None
    line: int


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a template cannot be filled: the code of its note, the diagnostic's values, and the line."""

    code: str
    line: int
    values: Values
    flagged: str = ""


class _Text:
    """The pieces so far. A short template can name a long value a hundred thousand times: `left` counts down."""

    def __init__(self, values: Values) -> None:
        self.pieces: list[Piece] = []
        self.wrong: dict[str, Refusal] = {}  # by the field, so that each is said once
        self.left = LONGEST
        self._values = values
        self._shown: dict[str, str] = {}

    def literal(self, text: str, line: int) -> None:
        if text:
            self.pieces.append(Piece(text, None, line))
            self.left -= len(text)

    def field(self, name: str, line: int) -> None:
        if name not in self._shown:
            self._shown[name] = str(self._values[name])
        self.filled(self._shown[name], name, line)

    def filled(self, text: str, name: str, line: int) -> None:
        self.pieces.append(Piece(text, name, line))
        self.left -= len(text)

    def unfit(self, field: str, reason: str, line: int) -> None:
        """The language has a field there, and its own engine stops at it."""
        if len(self.wrong) < REFUSED:
            shown = {"field": field[:SHOWN], "reason": reason}
            self.wrong.setdefault(field, Refusal("jdg-format-field", line, shown, field[:SHOWN]))

    def refuse(self, field: str, line: int) -> None:
        known = ", ".join(islice(self._values, KNOWN))
        there = f"there are {known}" if known else "there is no value for any field"
        reason = there if field.isidentifier() else "only plain names are filled in"
        shown = field[:SHOWN] if field.strip() else f"{{{field[:SHOWN]}}}"
        if len(self.wrong) < REFUSED:
            values = {"field": shown, "reason": reason}
            self.wrong.setdefault(field, Refusal("jdg-format-field", line, values, field[:SHOWN]))

    def done(self) -> tuple[list[Piece], list[Refusal]]:
        wrong = list(self.wrong.values())
        if self.left < 0:
            wrong = [
                Refusal("dat-limit", 1, {"what": "text of one template", "limit": f"{LONGEST >> 20} Mi characters"})
            ]
        return self.pieces, wrong


def fill_format(text: str, values: Values) -> tuple[list[Piece], list[Refusal]]:
    """`text.format(**values)` in pieces, and what is wrong.

    Positional fields, attributes and indexes are refused, and so are widths of five digits and fields within a format
    specification: {x.__class__} reads what no prompt means to show, and {x:>999999999} fills the memory.
    """
    made = _Text(values)
    literal, at, line, began = "", 0, 1, 1
    for token in TOKEN.finditer(text):
        began = line if not literal else began
        literal += text[at : token.start()]
        line += text.count("\n", at, token.start())
        at = token.end()
        if token[0] in ("{{", "}}"):
            literal += token[0][0]
            continue
        if token[0] in ("{", "}"):
            reason = f"a single '{token[0]}'; write '{token[0] * 2}' for the character itself"
            return [], [*made.wrong.values(), Refusal("jdg-format-syntax", line, {"reason": reason}, token[0])]
        made.literal(literal, began)
        literal = ""
        if _plain(token[1]) and token[1] in values:
            made.field(token[1], line)
        else:
            _formatted(made, token[1], values, line)
        line += token[1].count("\n")
        if made.left < 0:
            return made.done()
    made.literal(literal + text[at:], began if literal else line)
    return made.done()


def _plain(name: str) -> bool:
    """Whether `str.format` looks a name up among the named values and nowhere else."""
    return bool(name) and not BESIDES.search(name)


def _formatted(made: _Text, written: str, values: Values, line: int) -> None:
    """A field with a conversion or a format specification, as `str.format` writes it."""
    found = SPEC.fullmatch(written)
    name, conversion, spec = found.groups() if found else (written, None, None)
    if not _plain(name) or name not in values or (conversion, spec) == (None, None):
        made.refuse(written, line)
    elif conversion is not None and conversion not in CONVERSIONS:
        made.unfit(written, f"there is no conversion '!{conversion}'", line)
    elif WIDE.search(spec or ""):
        made.unfit(written, "it asks for more than 9,999 characters", line)
    else:
        value = values[name] if conversion is None else CONVERSIONS[conversion](values[name])
        try:
            made.filled(format(value, spec or ""), name, line)
        except (TypeError, ValueError) as error:
            made.unfit(written, str(error), line)


def fill_percent(text: str, values: Values) -> tuple[list[Piece], list[Refusal]]:
    """`text % values` in pieces, for named fields only, and what is wrong.

    A `%` without a name is refused: Python puts the whole record there, or stops.
    """
    made = _Text(values)
    at, line = 0, 1
    for token in PERCENT.finditer(text):
        made.literal(text[at : token.start()], line)
        line += text.count("\n", at, token.start())
        at = token.end()
        name, spec = token["name"], token["spec"]
        if token["plain"]:
            made.literal("%", line)
        elif spec is None:
            reason = "a single '%'; write '%%' for the character itself" if name is None else "no conversion follows"
            made.unfit(token[0], reason, line)
        elif name not in values:
            made.refuse(name, line)
        elif WIDE.search(spec):
            made.unfit(token[0], "it asks for more than 9,999 characters", line)
        else:
            try:
                made.filled(f"%{spec}" % (values[name],), name, line)
            except (TypeError, ValueError, OverflowError) as error:
                made.unfit(token[0], str(error), line)
        line += token[0].count("\n")
        if made.left < 0:
            return made.done()
    made.literal(text[at:], line)
    return made.done()


def fill_dollar(text: str, values: Values) -> tuple[list[Piece], list[Refusal]]:
    """`string.Template(text).substitute(values)` in pieces, and what is wrong."""
    made = _Text(values)
    at, line = 0, 1
    for token in DOLLAR.finditer(text):
        made.literal(text[at : token.start()], line)
        line += text.count("\n", at, token.start())
        at = token.end()
        name = token["name"] or token["braced"]
        if token["plain"]:
            made.literal("$", line)
        elif name is None:
            made.unfit("$", "a single '$'; write '$$' for the character itself", line)
        elif name in values:
            made.field(name, line)
        else:
            made.refuse(name, line)
        if made.left < 0:
            return made.done()
    made.literal(text[at:], line)
    return made.done()


def fill_placeholders(text: str, values: Values) -> tuple[list[Piece], list[Refusal]]:
    """`text` with each {{NAME}} that `values` knows replaced; what is inserted is never read again."""
    made = _Text(values)
    at, line = 0, 1
    for match in PLACEHOLDER.finditer(text):
        if match[1] not in values:
            continue
        made.literal(text[at : match.start()], line)
        line += text.count("\n", at, match.start())
        made.field(match[1], line)
        at = match.end()
        if made.left < 0:
            return made.done()
    made.literal(text[at:], line)
    return made.done()


def list_unfilled(text: str, filled: Collection[str]) -> dict[str, int]:
    """The placeholders of `text` that nothing was put in for, each with its line."""
    lines: dict[str, int] = {}
    for match in PLACEHOLDER.finditer(text):
        if match[1] not in filled and match[1] not in lines and len(lines) < REFUSED:
            lines[match[1]] = text.count("\n", 0, match.start()) + 1
    return lines
