"""What each record is called: the field that names it, else its line."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

from readback.readers.json_text import spelling
from readback.readers.row import Row
from readback.records.field_path import MISSING, look, steps
from readback.types import Diagnostic, Location

CANDIDATES = ("id", "task_id", "qid", "question_id", "item_id")
BY_LINE = "line_"  # what a record without an id is called, with its line behind it
BY_NUMBER = "row_"  # the same of records that share their line with others, with their number in the file behind it


def own_id(row: Row, field: str, nested: bool) -> str | None:
    """The id a row gives itself in `field` (`nested`: which may be inside others): a text as it is, a number as it is
    spelled, nothing else.
    """
    if not nested and field not in row.fields:  # as of most candidates
        return None
    value: Any = look(row.fields, field)
    if isinstance(value, str):
        return value if value.strip() else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if isinstance(value, int) and value:
        return str(value)
    again = look(_spelling(row), field)  # 1.0, 1e3 and -0 keep their spelling
    return None if again is MISSING or again is None else str(again)


def _spelling(row: Row) -> Any:
    """The row with every number as the text it is written as."""
    if row.cells:
        return {**row.fields, **{name: spelling(cell) for name, cell in row.cells.items()}}
    return spelling(row.raw.decode("utf-8"))


def tried(named: str | None, private: Sequence[str]) -> list[str]:
    """The fields in which an id is looked for; a private one is none, for an id is shown everywhere."""
    return [field for field in ([named] if named else CANDIDATES) if field not in private]


def is_nested(field: str) -> bool:
    """Whether a field may be inside others: a name of one step is found at the top or not at all."""
    return steps(field) != (field,)


class RecordIds:
    """Collects ids under every candidate, each in a file of its own; the column that most records have is the id."""

    def __init__(self, named: str | None, private: Sequence[str], folder: Path, lines: Sequence[int]) -> None:
        """`folder` is where ids are written; `lines` has the line of each row that was seen."""
        self._strict = named is not None
        self._tried = tried(named, ())
        self._columns = [_Column(field, folder / f"ids-{n}") for n, field in enumerate(tried(named, private))]
        self._lines = lines

    def see(self, row: Row) -> None:
        """Take the ids of the next row, whose line is not among the lines yet."""
        index = len(self._lines)
        for column in self._columns:
            if (text := own_id(row, column.field, column.nested)) is not None:
                column.add(text, index)

    def drop(self) -> None:
        """Forget what was collected."""
        for column in self._columns:
            column.close(0)
            column.path.unlink(missing_ok=True)

    def finish(self, target: Path, file: str) -> tuple[str | None, array[int], array[int], Iterable[Diagnostic]]:
        """Write the ids to `target`; answers the field, where each id ends, the odd ones, and what to say."""
        count = len(self._lines)
        for column in self._columns:
            column.close(count)
        chosen = self._chosen(count)
        for column in self._columns:
            if column is not chosen:
                column.drop()
        if chosen and not chosen.missing:
            chosen.path.touch()  # of no records there is no file
            chosen.path.rename(target)
            chosen.path = target
            return chosen.field, chosen.ends, chosen.odd, []
        called = dict(self._called(chosen))
        ends = _write(target, chosen, called, count)
        diagnostics = self._diagnostics(chosen, called, file)
        if chosen is None:
            return None, ends, array("q"), diagnostics
        chosen.drop()
        return chosen.field, ends, chosen.odd, diagnostics

    def _chosen(self, count: int) -> _Column | None:
        """The column that is the id: the first that every record has, else the one that most have, at least half."""
        if self._strict or not count:
            return next(iter(self._columns), None)
        best = min(self._columns, key=lambda column: len(column.missing), default=None)
        return best if best and 2 * len(best.missing) <= count else None

    def _called(self, chosen: _Column | None) -> Iterator[tuple[int, str]]:
        """Each record without an id and what it is called: by its line, and by no name that is another one's own."""
        own = chosen.like_lines if chosen else frozenset()
        for index in chosen.missing if chosen else range(len(self._lines)):
            name = f"{BY_NUMBER}{index + 1}" if self._shares_line(index) else f"{BY_LINE}{self._lines[index]}"
            while name in own:
                name += "_"
            yield index, name

    def _shares_line(self, index: int) -> bool:
        """Whether another record stands on the line in which this one begins."""
        lines, line = self._lines, self._lines[index]
        return (index > 0 and lines[index - 1] == line) or (index + 1 < len(lines) and lines[index + 1] == line)

    def _diagnostics(self, chosen: _Column | None, called: Mapping[int, str], file: str) -> Iterator[Diagnostic]:
        """A diagnostic for each record without an id, or one for all where they have none."""
        if chosen:
            for index, name in called.items():
                place = Location(file=file, line=self._lines[index], index=index, record=name)
                yield Diagnostic("dat-missing-id", {"field": chosen.field, "called": name}, place)
        elif called:
            fields = [_rare(column, len(called)) for column in self._columns if column.ends]
            rest = [field for field in self._tried if all(field != one.field for one in self._columns if one.ends)]
            values = {"field": [*fields, *rest], "called": f"{called[0]}, …"}
            yield Diagnostic("dat-missing-id", values, Location(file=file), severity="info")


def _rare(column: _Column, count: int) -> str:
    return f"{column.field} (which only {len(column.ends)} of {count} records have)"


class _Column:
    """The ids of one candidate field, written out as they come, and which records have none."""

    def __init__(self, field: str, path: Path) -> None:
        self.field = field
        self.nested = is_nested(field)
        self.path = path
        self.ends: array[int] = array("q")  # of the ids that there are
        self.missing: array[int] | range = array("q")  # records without one
        self.odd: array[int] = array("q")  # records whose id holds characters nobody sees
        self.like_lines: set[str] = set()  # ids that look like the name of a record without one
        self._out: BinaryIO | None = None
        self._end = 0
        self._next = 0

    def add(self, text: str, index: int) -> None:
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
        self.path.unlink(missing_ok=True)

    def close(self, count: int) -> None:
        """No more ids come; there are so many records."""
        if not self.ends:
            self.missing = range(count)
        elif isinstance(self.missing, array):
            self.missing.extend(range(self._next, count))
        if self._out:
            self._out.close()


def _write(target: Path, chosen: _Column | None, names: Mapping[int, str], count: int) -> array[int]:
    """All names in the order of the records; answers where each ends."""
    ends: array[int] = array("q")
    at = 0
    own = iter(range(count))
    with target.open("wb") as out, chosen.path.open("rb") if chosen and chosen.ends else BytesIO() as given:
        for index in range(count):
            name = names.get(index)
            if name is not None:
                data = name.encode()
            else:
                number = next(own)
                start = chosen.ends[number - 1] if chosen and number else 0
                data = given.read(chosen.ends[number] - start) if chosen else b""
            out.write(data)
            at += len(data)
            ends.append(at)
    return ends
