"""Choose the id field of a dataset and collect the ids of its records; a record without one is named by its line."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

from readback.readers.files.row import Row
from readback.readers.json_text import decode_numbers_as_text
from readback.records.fields.field_path import MISSING, look, split_path
from readback.types import Diagnostic, Location

CANDIDATES = ("id", "task_id", "qid", "question_id", "item_id")
BY_LINE = "line_"  # prefix of the name of a record without an id, before its line
BY_NUMBER = "row_"  # prefix if other records share the line, before the number of the record


def read_id(row: Row, field: str, nested: bool) -> str | None:
    """Return the id of a row in `field`: a text as it is, a number as it is written, else None.

    `nested`: the field may be inside others.
    """
    if not nested and field not in row.fields:  # the usual case
        return None
    value: Any = look(row.fields, field)
    if isinstance(value, str):
        if value.strip():
            return value
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if isinstance(value, int) and value:
        return str(value)
    written = look(_spell_numbers(row), field)  # 1.0, 1e3 and -0 keep their spelling
    if written is MISSING or written is None:
        return None
    return str(written)


def _spell_numbers(row: Row) -> Any:
    """Return the fields of a row with every number as the text in the file."""
    if row.cells:
        return {**row.fields, **{name: decode_numbers_as_text(cell) for name, cell in row.cells.items()}}
    return decode_numbers_as_text(row.raw.decode("utf-8"))


def list_id_fields(named: str | None, private: Sequence[str]) -> list[str]:
    """Return the fields that may be the id; a private one may not, since ids are visible everywhere."""
    fields = [named] if named else CANDIDATES
    return [field for field in fields if field not in private]


def is_nested(field: str) -> bool:
    """Tell whether a field may be inside others, as a path of several steps may."""
    return split_path(field) != (field,)


class RecordIds:
    """Collects the ids in every candidate field, each in a file, and chooses the field that most records have."""

    def __init__(self, named: str | None, private: Sequence[str], folder: Path, lines: Sequence[int]) -> None:
        """Write ids below `folder`; `lines` is the line of each row so far, which the caller extends."""
        self._strict = named is not None
        self._fields = list_id_fields(named, ())
        self._columns = [_Column(field, folder / f"ids-{n}") for n, field in enumerate(list_id_fields(named, private))]
        self._lines = lines

    def add(self, row: Row) -> None:
        """Collect the ids of the next row, whose line is not in `lines` yet."""
        index = len(self._lines)
        for column in self._columns:
            text = read_id(row, column.field, column.nested)
            if text is not None:
                column.add(text, index)

    def drop(self) -> None:
        """Delete the files of ids."""
        for column in self._columns:
            column.close(0)
            column.path.unlink(missing_ok=True)

    def finish(self, target: Path, file: str) -> tuple[str | None, array[int], array[int], Iterable[Diagnostic]]:
        """Write the ids of all records to `target`.

        Return the id field, the end of each id, the records whose id has invisible characters, and the diagnostics.
        """
        count = len(self._lines)
        for column in self._columns:
            column.close(count)
        chosen = self._choose_column(count)
        for column in self._columns:
            if column is not chosen:
                column.drop()
        if chosen and not chosen.missing:
            chosen.path.touch()  # without records there is no file yet
            chosen.path.rename(target)
            chosen.path = target
            return chosen.field, chosen.ends, chosen.odd, []
        names = dict(self._name_by_lines(chosen))
        ends = _write_ids(target, chosen, names, count)
        diagnostics = self._diagnostics(chosen, names, file)
        if chosen is None:
            return None, ends, array("q"), diagnostics
        chosen.drop()
        return chosen.field, ends, chosen.odd, diagnostics

    def _choose_column(self, count: int) -> _Column | None:
        """Return the column that most records have, at least half of them, and of equal ones the first."""
        if self._strict or not count:
            return next(iter(self._columns), None)
        best = min(self._columns, key=lambda column: len(column.missing), default=None)
        if best and 2 * len(best.missing) <= count:
            return best
        return None

    def _name_by_lines(self, chosen: _Column | None) -> Iterator[tuple[int, str]]:
        """Yield each record without an id and its name by line, which is never the id of another record."""
        own = chosen.like_lines if chosen else frozenset()
        for index in chosen.missing if chosen else range(len(self._lines)):
            if self._shares_line(index):
                name = f"{BY_NUMBER}{index + 1}"
            else:
                name = f"{BY_LINE}{self._lines[index]}"
            while name in own:
                name += "_"
            yield index, name

    def _shares_line(self, index: int) -> bool:
        """Tell whether another record begins on the same line."""
        lines, line = self._lines, self._lines[index]
        return (index > 0 and lines[index - 1] == line) or (index + 1 < len(lines) and lines[index + 1] == line)

    def _diagnostics(self, chosen: _Column | None, names: Mapping[int, str], file: str) -> Iterator[Diagnostic]:
        """Yield a diagnostic for each record without an id, or one for all if no field is the id."""
        if chosen:
            for index, name in names.items():
                place = Location(file=file, line=self._lines[index], index=index, record=name)
                yield Diagnostic("dat-missing-id", {"field": chosen.field, "called": name}, place)
        elif names:
            fields = [_describe_rare(column, len(names)) for column in self._columns if column.ends]
            present = {column.field for column in self._columns if column.ends}
            rest = [field for field in self._fields if field not in present]
            values = {"field": [*fields, *rest], "called": f"{names[0]}, …"}
            yield Diagnostic("dat-missing-id", values, Location(file=file), severity="info")


def _describe_rare(column: _Column, count: int) -> str:
    return f"{column.field} (which only {len(column.ends)} of {count} records have)"


class _Column:
    """The ids of one candidate field, written to a file as they come, and the records without one."""

    def __init__(self, field: str, path: Path) -> None:
        self.field = field
        self.nested = is_nested(field)
        self.path = path
        self.ends: array[int] = array("q")  # the end of each id in the file
        self.missing: array[int] | range = array("q")  # records without an id
        self.odd: array[int] = array("q")  # records whose id has invisible characters
        self.like_lines: set[str] = set()  # ids that look like a name by line
        self._out: BinaryIO | None = None
        self._end = 0
        self._next = 0

    def add(self, text: str, index: int) -> None:
        """Write the id of a record."""
        data = text.encode("utf-8", "surrogatepass")
        self._out = self._out or self.path.open("wb")
        self._out.write(data)
        self._end += len(data)
        self.ends.append(self._end)
        if self._next < index and isinstance(self.missing, array):
            self.missing.extend(range(self._next, index))
        self._next = index + 1
        if text.startswith((BY_LINE, BY_NUMBER)):
            self.like_lines.add(text)
        if not text.isprintable():
            self.odd.append(index)

    def drop(self) -> None:
        """Delete the file."""
        self.path.unlink(missing_ok=True)

    def close(self, count: int) -> None:
        """Close the file after the last of `count` records."""
        if not self.ends:
            self.missing = range(count)
        elif isinstance(self.missing, array):
            self.missing.extend(range(self._next, count))
        if self._out:
            self._out.close()


def _write_ids(target: Path, chosen: _Column | None, names: Mapping[int, str], count: int) -> array[int]:
    """Write the ids and names in the order of the records; return the end of each."""
    ends: array[int] = array("q")
    at = 0
    own = iter(range(count))
    with target.open("wb") as out, chosen.path.open("rb") if chosen and chosen.ends else BytesIO() as stored:
        for index in range(count):
            name = names.get(index)
            if name is not None:
                data = name.encode()
            else:
                number = next(own)
                if chosen and number:
                    start = chosen.ends[number - 1]
                else:
                    start = 0
                if chosen:
                    data = stored.read(chosen.ends[number] - start)
                else:
                    data = b""
            out.write(data)
            at += len(data)
            ends.append(at)
    return ends
