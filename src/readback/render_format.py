"""Templates with simple fields: Python's str.format, and {{NAME}} placeholders replaced in one pass."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice

from readback.types import Values

PLACEHOLDER = re.compile(r"\{\{[ \t]*([A-Za-z_][A-Za-z0-9_]*)[ \t]*\}\}")
TOKEN = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")
FIELD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
SHOWN = 80  # characters of a field's name in a note
KNOWN = 12  # names offered in a note


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of the text, at a line of the template: a literal (`name` None), or what stands for a field."""

    text: str
    name: str | None
    line: int


@dataclass(frozen=True, slots=True)
class Wrong:
    """Why a template cannot be filled: the code of its note, the note's values, and the line."""

    code: str
    line: int
    values: Values
    flagged: str = ""


def format_pieces(text: str, values: Values) -> tuple[list[Piece], list[Wrong]]:
    """`text.format(**values)` in pieces, for plain names only, and what is wrong.

    Positional fields, attributes, indexes, conversions and widths are refused: {x.__class__} reads what no
    prompt means to show, and {x:>999999999} fills the memory.
    """
    pieces: list[Piece] = []
    wrong: list[Wrong] = []
    literal, at, line, began = "", 0, 1, 1
    for token in TOKEN.finditer(text):
        began = line if not literal else began
        literal += text[at : token.start()]
        line += text.count("\n", at, token.start())
        at = token.end()
        if token[0] in ("{{", "}}"):
            literal += token[0][0]
            continue
        if token[0] in "{}":
            reason = f"a single '{token[0]}'; write '{token[0] * 2}' for the character itself"
            return pieces, [*wrong, Wrong("jdg-format-syntax", line, {"reason": reason}, token[0])]
        if literal:
            pieces.append(Piece(literal, None, began))
            literal = ""
        name = token[1]
        if FIELD.fullmatch(name) and name in values:
            pieces.append(Piece(str(values[name]), name, line))
        else:
            known = ", ".join(islice(values, KNOWN)) or "none"
            reason = f"there are {known}" if FIELD.fullmatch(name) else "only plain names are filled in"
            wrong.append(Wrong("jdg-format-field", line, {"field": name[:SHOWN], "reason": reason}, name[:SHOWN]))
        line += name.count("\n")
    began = line if not literal else began
    if literal := literal + text[at:]:
        pieces.append(Piece(literal, None, began))
    return pieces, wrong


def placeholder_pieces(text: str, values: Values) -> list[Piece]:
    """`text` with each {{NAME}} that `values` knows replaced; what is inserted is never read again."""
    pieces: list[Piece] = []
    at, line = 0, 1
    for match in PLACEHOLDER.finditer(text):
        if match[1] not in values:
            continue
        if match.start() > at:
            pieces.append(Piece(text[at : match.start()], None, line))
        line += text.count("\n", at, match.start())
        pieces.append(Piece(str(values[match[1]]), match[1], line))
        at = match.end()
    if at < len(text):
        pieces.append(Piece(text[at:], None, line))
    return pieces
