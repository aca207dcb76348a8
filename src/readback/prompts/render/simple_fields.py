"""Fill in templates with simple fields: Python's str.format, % and string.Template, and {{NAME}} placeholders in one
pass.
"""

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
    """Hold a stretch of the text, at a line of the template: a literal (`name` None), or what a field is filled
    with.
    """

    text: str
    name: str | None
    line: int


@dataclass(frozen=True, slots=True)
class Refusal:
    """Say why a template cannot be filled: the code of its diagnostic, its values, and the line."""

    code: str
    line: int
    values: Values
    flagged: str = ""


class _Text:
    """Collect the pieces of a text.

    A short template can name a long value a hundred thousand times: `left` counts down the characters that may follow.
    """

    def __init__(self, values: Values) -> None:
        self.pieces: list[Piece] = []
        self.refusals: dict[str, Refusal] = {}  # by the field, so that each is said once
        self.left = LONGEST
        self._values = values
        self._texts: dict[str, str] = {}

    def add_literal(self, text: str, line: int) -> None:
        if text:
            self.pieces.append(Piece(text, None, line))
            self.left -= len(text)

    def add_field(self, name: str, line: int) -> None:
        if name not in self._texts:
            self._texts[name] = str(self._values[name])
        self.add_value(self._texts[name], name, line)

    def add_value(self, text: str, name: str, line: int) -> None:
        self.pieces.append(Piece(text, name, line))
        self.left -= len(text)

    def refuse_field(self, field: str, reason: str, line: int) -> None:
        """Refuse a field that the language has, and at which its own engine stops."""
        if len(self.refusals) < REFUSED:
            values = {"field": field[:SHOWN], "reason": reason}
            self.refusals.setdefault(field, Refusal("jdg-format-field", line, values, field[:SHOWN]))

    def refuse(self, field: str, line: int) -> None:
        names = ", ".join(islice(self._values, KNOWN))
        if names:
            available = f"there are {names}"
        else:
            available = "there is no value for any field"
        if field.isidentifier():
            reason = available
        else:
            reason = "only plain names are filled in"
        if field.strip():
            shown_field = field[:SHOWN]
        else:
            shown_field = f"{{{field[:SHOWN]}}}"
        if len(self.refusals) < REFUSED:
            values = {"field": shown_field, "reason": reason}
            self.refusals.setdefault(field, Refusal("jdg-format-field", line, values, field[:SHOWN]))

    def finish(self) -> tuple[list[Piece], list[Refusal]]:
        wrong = list(self.refusals.values())
        if self.left < 0:
            wrong = [
                Refusal("dat-limit", 1, {"what": "text of one template", "limit": f"{LONGEST >> 20} Mi characters"})
            ]
        return self.pieces, wrong


def fill_format(text: str, values: Values) -> tuple[list[Piece], list[Refusal]]:
    """Fill `text.format(**values)` into pieces, and list what is wrong.

    Positional fields, attributes and indexes are refused, and so are widths of five digits and fields within a format
    specification: {x.__class__} reads what no prompt means to show, and {x:>999999999} fills the memory.
    """
    pieces = _Text(values)
    literal, position, line, literal_line = "", 0, 1, 1
    for token in TOKEN.finditer(text):
        if not literal:
            literal_line = line
        literal += text[position : token.start()]
        line += text.count("\n", position, token.start())
        position = token.end()
        if token[0] in ("{{", "}}"):
            literal += token[0][0]
            continue
        if token[0] in ("{", "}"):
            reason = f"a single '{token[0]}'; write '{token[0] * 2}' for the character itself"
            return [], [*pieces.refusals.values(), Refusal("jdg-format-syntax", line, {"reason": reason}, token[0])]
        pieces.add_literal(literal, literal_line)
        literal = ""
        if _is_plain(token[1]) and token[1] in values:
            pieces.add_field(token[1], line)
        else:
            _fill_formatted(pieces, token[1], values, line)
        line += token[1].count("\n")
        if pieces.left < 0:
            return pieces.finish()
    pieces.add_literal(literal + text[position:], literal_line if literal else line)
    return pieces.finish()


def _is_plain(name: str) -> bool:
    """Tell whether `str.format` looks a name up among the named values and nowhere else."""
    return bool(name) and not BESIDES.search(name)


def _fill_formatted(pieces: _Text, field: str, values: Values, line: int) -> None:
    """Fill a field with a conversion or a format specification, as `str.format` writes it."""
    match = SPEC.fullmatch(field)
    if match:
        name, conversion, spec = match.groups()
    else:
        name, conversion, spec = (field, None, None)
    if not _is_plain(name) or name not in values or (conversion, spec) == (None, None):
        pieces.refuse(field, line)
    elif conversion is not None and conversion not in CONVERSIONS:
        pieces.refuse_field(field, f"there is no conversion '!{conversion}'", line)
    elif WIDE.search(spec or ""):
        pieces.refuse_field(field, "it asks for more than 9,999 characters", line)
    else:
        if conversion is None:
            value = values[name]
        else:
            value = CONVERSIONS[conversion](values[name])
        try:
            pieces.add_value(format(value, spec or ""), name, line)
        except (TypeError, ValueError) as error:
            pieces.refuse_field(field, str(error), line)


def fill_percent(text: str, values: Values) -> tuple[list[Piece], list[Refusal]]:
    """Fill `text % values` into pieces, for named fields only, and list what is wrong.

    A `%` without a name is refused: Python puts the whole record there, or stops.
    """
    pieces = _Text(values)
    position, line = 0, 1
    for token in PERCENT.finditer(text):
        pieces.add_literal(text[position : token.start()], line)
        line += text.count("\n", position, token.start())
        position = token.end()
        name, spec = token["name"], token["spec"]
        if token["plain"]:
            pieces.add_literal("%", line)
        elif spec is None:
            if name is None:
                reason = "a single '%'; write '%%' for the character itself"
            else:
                reason = "no conversion follows"
            pieces.refuse_field(token[0], reason, line)
        elif name not in values:
            pieces.refuse(name, line)
        elif WIDE.search(spec):
            pieces.refuse_field(token[0], "it asks for more than 9,999 characters", line)
        else:
            try:
                pieces.add_value(f"%{spec}" % (values[name],), name, line)
            except (TypeError, ValueError, OverflowError) as error:
                pieces.refuse_field(token[0], str(error), line)
        line += token[0].count("\n")
        if pieces.left < 0:
            return pieces.finish()
    pieces.add_literal(text[position:], line)
    return pieces.finish()


def fill_dollar(text: str, values: Values) -> tuple[list[Piece], list[Refusal]]:
    """Fill `string.Template(text).substitute(values)` into pieces, and list what is wrong."""
    pieces = _Text(values)
    position, line = 0, 1
    for token in DOLLAR.finditer(text):
        pieces.add_literal(text[position : token.start()], line)
        line += text.count("\n", position, token.start())
        position = token.end()
        name = token["name"] or token["braced"]
        if token["plain"]:
            pieces.add_literal("$", line)
        elif name is None:
            pieces.refuse_field("$", "a single '$'; write '$$' for the character itself", line)
        elif name in values:
            pieces.add_field(name, line)
        else:
            pieces.refuse(name, line)
        if pieces.left < 0:
            return pieces.finish()
    pieces.add_literal(text[position:], line)
    return pieces.finish()


def fill_placeholders(text: str, values: Values) -> tuple[list[Piece], list[Refusal]]:
    """Replace each {{NAME}} of `text` that `values` has; what is inserted is never read again."""
    pieces = _Text(values)
    position, line = 0, 1
    for match in PLACEHOLDER.finditer(text):
        if match[1] not in values:
            continue
        pieces.add_literal(text[position : match.start()], line)
        line += text.count("\n", position, match.start())
        pieces.add_field(match[1], line)
        position = match.end()
        if pieces.left < 0:
            return pieces.finish()
    pieces.add_literal(text[position:], line)
    return pieces.finish()


def list_unfilled(text: str, filled: Collection[str]) -> dict[str, int]:
    """List the placeholders of `text` that no value was filled into, each with its line."""
    lines: dict[str, int] = {}
    for match in PLACEHOLDER.finditer(text):
        if match[1] not in filled and match[1] not in lines and len(lines) < REFUSED:
            lines[match[1]] = text.count("\n", 0, match.start()) + 1
    return lines
