"""Name the columns of a table once each, and decode the cells that hold JSON or a list as Python writes it."""

from __future__ import annotations

import contextlib
import copy
import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from readback.readers.files.row import Row
from readback.readers.json_text import BLANK, Decoder, NotJson
from readback.types import Diagnostic, Location


def number_repeated_names(
    column_names: Sequence[str], place: Location
) -> tuple[tuple[str, ...], tuple[Diagnostic, ...]]:
    """Return the names with repeated ones numbered (`score`, `score_2`), so that no cell is lost, and diagnostics.

    There is one for each repeated name, and one for all columns without a name.
    """
    names: dict[str, None] = {}
    diagnostics: list[Diagnostic] = []
    for name in column_names:
        called = name
        number = 2
        while called in names or (called != name and called in column_names):
            called = f"{name}_{number}"
            number += 1
        if called != name and name.strip():
            diagnostics.append(
                Diagnostic("dat-duplicate-name", {"kind": "column", "name": name, "called": called}, place, name)
            )
        names[called] = None
    blank = [at for at, name in enumerate(column_names, 1) if not name.strip()]
    if len(blank) > 1:
        diagnostics.append(Diagnostic("dat-unnamed-columns", {"columns": blank, "count": len(blank)}, place))
    padded = [name for name in column_names if name.strip(" \t") and name != name.strip(" \t")]
    if padded:
        values = {"names": [f"'{name}'" for name in padded], "count": len(padded)}
        diagnostics.append(Diagnostic("dat-header-blanks", values, place, padded[0]))
    return tuple(names), tuple(diagnostics)


def decode_json_cells(fields: Mapping[str, Any], columns: Collection[str], named: bool = True) -> dict[str, Any]:
    """Return a row whose cells in `columns` are decoded as JSON; one that is empty or not JSON stays text.

    Where nobody `named` the columns, a list or an object still prints as its cell.
    """
    decoder = Decoder()
    row = dict(fields)
    for name in columns:
        if isinstance(cell := row.get(name), str) and cell.strip(BLANK):
            value = _decode_cell(decoder, cell, named)
            if not isinstance(value, NotJson):
                row[name] = value if named else with_cell(value, cell)
    return row


class JsonColumns:
    """Reads the cells of some columns as JSON, row by row.

    `declared` are these columns; None selects those in which every cell but the empty ones is a list or an object. Then
    a column may be refuted after earlier rows were read as JSON (`is_incomplete`), and the table has to be read again
    with `json_columns` declared. `text` are columns that always stay text.
    """

    def __init__(self, declared: Sequence[str] | None, text: Collection[str] = ()) -> None:
        self.declared = declared
        self.json_columns: dict[str, None] = dict.fromkeys(declared or ())
        self.is_incomplete = False
        self._text = set(text)
        self._decoder = Decoder()

    def read(self, row: Row, file: str) -> Row:
        """Return the row with its JSON, and a diagnostic for each cell of a declared column that is not JSON."""
        values: dict[str, Any] = {}
        diagnostics: list[Diagnostic] = []
        for name in row.fields if self.declared is None else self.declared:
            cell = row.fields.get(name)
            if name in self._text or not isinstance(cell, str) or not cell.strip(BLANK):
                continue
            place = Location(file=file, line=row.line, field=name)
            if self.declared is None and not cell.lstrip(BLANK).startswith(("[", "{")):
                self._refute(name)
                continue
            value = _decode_cell(self._decoder, cell, self.declared is not None)
            if not isinstance(value, NotJson):
                self.json_columns.setdefault(name)
                values[name] = value
                diagnostics.extend(self._decoder.diagnostics(value, place))
            elif self.declared is None:
                self._refute(name)
            else:
                fault = {"column": name, "reason": value.reason, "at": value.at + 1}
                diagnostics.append(Diagnostic("dat-cell-not-json", fault, place, name))
        if not values and not diagnostics:
            return row
        cells = {name: row.fields[name] for name in values}
        return row._replace(fields={**row.fields, **values}, diagnostics=(*row.diagnostics, *diagnostics), cells=cells)

    def _refute(self, name: str) -> None:
        self.is_incomplete = self.is_incomplete or name in self.json_columns
        self.json_columns.pop(name, None)
        self._text.add(name)


def _decode_cell(decoder: Decoder, cell: str, named: bool) -> Any | NotJson:
    """Decode a cell as JSON; in a column that is `named`, also a list as Python writes it. Return NotJson otherwise."""
    try:
        return decoder.whole(cell)
    except NotJson as error:
        if named and looks_like_python(cell):
            with contextlib.suppress(NotJson):
                return read_python(cell)
        return error


class CellList(list[Any]):
    """A list that stood in a cell: printed whole, it is the cell as it is written."""

    __slots__ = ("readback_cell",)

    def __init__(self, values: list[Any], cell: str) -> None:
        super().__init__(values)
        self.readback_cell = cell

    def __str__(self) -> str:
        return self.readback_cell

    def __repr__(self) -> str:
        return repr(self.readback_cell)

    def __format__(self, spec: str) -> str:
        return format(self.readback_cell, spec)

    def __deepcopy__(self, memo: dict[int, Any]) -> CellList:
        return CellList(copy.deepcopy(list(self), memo), self.readback_cell)


class CellObject(dict[str, Any]):
    """An object that stood in a cell: printed whole, it is the cell as it is written."""

    __slots__ = ("readback_cell",)

    def __init__(self, values: Mapping[str, Any], cell: str) -> None:
        super().__init__(values)
        self.readback_cell = cell

    def __str__(self) -> str:
        return self.readback_cell

    def __repr__(self) -> str:
        return repr(self.readback_cell)

    def __format__(self, spec: str) -> str:
        return format(self.readback_cell, spec)

    def __deepcopy__(self, memo: dict[int, Any]) -> CellObject:
        return CellObject(copy.deepcopy(dict(self), memo), self.readback_cell)


def with_cell(value: Any, cell: str) -> Any:
    """Return a list or an object that prints as its cell; any other value as it is."""
    if isinstance(value, list):
        return CellList(value, cell)
    if isinstance(value, dict):
        return CellObject(value, cell)
    return value


def cell_of(value: Any) -> str | None:
    """Return the cell that a list or an object stood in; None of any other value."""
    if isinstance(value, CellList | CellObject):
        return value.readback_cell
    return None


def as_written(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields with every cell as the text that the file has."""
    written: dict[str, Any] = {}
    for name, value in fields.items():
        cell = cell_of(value)
        written[name] = value if cell is None else cell
    return written


DEEPEST = 64
BLANKS = re.compile(r"\s*")
TEXT = re.compile(r"[uU]?('(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\")", re.DOTALL)
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?)")
WORD = re.compile(r"None|True|False")
WORDS = {"None": None, "True": True, "False": False}
ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))", re.DOTALL)
SIGNS = {"n": "\n", "r": "\r", "t": "\t", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": ""}
CLOSING = {"[": "]", "(": ")", "{": "}"}
LOOKS = re.compile(r"\s*(?:\[\s*(?:[uU]?['\"\[({]|[-+.\d]|None|True|False)|\{\s*[uU]?['\"][^\n]*:)")


def read_python(text: str) -> Any:
    """Return the list or mapping that a text writes. Raises NotJson."""
    value, at = _read_value(text, _skip_blanks(text, 0), 0)
    if (at := _skip_blanks(text, at)) != len(text):
        raise NotJson("something follows the value", at)
    if not isinstance(value, list | dict):
        raise NotJson("it is no list", 0)
    return value


def looks_like_python(text: str) -> bool:
    """Whether a text begins and ends as a list or mapping does that Python, or numpy, wrote."""
    return bool(LOOKS.match(text)) and text.rstrip()[-1:] in ("]", "}")


def _read_value(text: str, at: int, depth: int) -> tuple[Any, int]:
    if depth > DEEPEST:
        raise NotJson(f"nested deeper than {DEEPEST} levels", at)
    if text[at : at + 1] in CLOSING:
        return _read_container(text, at, depth)
    if match := TEXT.match(text, at):
        return _unescape(match[1][1:-1], at), match.end()
    if match := NUMBER.match(text, at):
        return _convert_number(match[0]), match.end()
    if match := WORD.match(text, at):
        return WORDS[match[0]], match.end()
    raise NotJson("no value as Python writes it", at)


def _read_container(text: str, at: int, depth: int) -> tuple[Any, int]:
    opening = text[at]
    closing = CLOSING[opening]
    values: list[Any] = []
    pairs: dict[str, Any] = {}
    at = _skip_blanks(text, at + 1)
    while text[at : at + 1] != closing:
        value, at = _read_value(text, at, depth + 1)
        at = _skip_blanks(text, at)
        if opening == "{":
            if not isinstance(value, str) or text[at : at + 1] != ":":
                raise NotJson("a key is no text", at)
            pairs[value], at = _read_value(text, _skip_blanks(text, at + 1), depth + 1)
            at = _skip_blanks(text, at)
        else:
            values.append(value)
        if text[at : at + 1] == ",":
            at = _skip_blanks(text, at + 1)
        elif text[at : at + 1] != closing:
            raise NotJson(f"no comma and no {closing}", at)
    return pairs if opening == "{" else values, at + 1


def _convert_number(text: str) -> int | float:
    if text.lstrip("+-").isdigit():
        if len(text) > 300:
            raise NotJson("a number of more than 300 digits", 0)
        return int(text)
    return float(text)


def _unescape(text: str, at: int) -> str:
    def sign(match: re.Match[str]) -> str:
        code = match[1] or match[2] or match[3]
        if code is None:
            return SIGNS.get(match[4], match[4] if match[4] in "\\'\"" else match[0])
        if int(code, 16) > 0x10FFFF:
            raise NotJson("no character has this number", at)
        return chr(int(code, 16))

    if "\\" in text:
        return ESCAPE.sub(sign, text)
    return text


def _skip_blanks(text: str, at: int) -> int:
    match = BLANKS.match(text, at)
    if match:
        return match.end()
    return at
