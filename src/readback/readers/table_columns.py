"""The columns of a table: their names, each of them once, and which of them hold JSON."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from readback.readers.json_cells import with_cell
from readback.readers.json_text import BLANK, Decoder, NotJson
from readback.readers.python_text import looks_like_python, read_python
from readback.readers.row import Row
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
