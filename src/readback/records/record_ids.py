"""What each record is called: the field that names it, else its line."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from readback.formats._json_text import spelled
from readback.formats._row import Row
from readback.records.field_path import MISSING, look
from readback.types import Note, Place

CANDIDATES = ("id", "task_id", "qid", "question_id", "item_id")


def id_text(row: Row, field: str) -> str | None:
    """The id a row gives itself in `field`: a text as it is, a number as it is spelled, nothing else."""
    value: Any = look(row.fields, field)
    if isinstance(value, str):
        return value if value.strip() else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if isinstance(value, int) and value:
        return str(value)
    again = look(spelled(row.raw.decode("utf-8")), field)  # 1.0, 1e3 and -0 keep their spelling
    return None if again is MISSING or again is None else str(again)


class RecordIds:
    """Collects ids under every candidate that all records have so far, each in a file of its own."""

    def __init__(self, named: str | None, private: Sequence[str], folder: Path) -> None:
        self._strict = named is not None
        self._tried = [named] if named else list(CANDIDATES)
        usable = [field for field in self._tried if field not in private]  # an id is shown everywhere
        self._alive = [_Column(field, folder / f"ids-{n}") for n, field in enumerate(usable)]
        self._lines: array[int] = array("q")

    def see(self, row: Row, file: str) -> Iterator[Note]:
        """Take the ids of the next row; notes one without the id the workspace names."""
        index = len(self._lines)
        self._lines.append(row.line)
        for column in tuple(self._alive):
            if (text := id_text(row, column.field)) is not None:
                column.add(text, index)
            elif self._strict:
                column.add(f"line_{row.line}", index)
                place = Place(file=file, line=row.line, index=index, record=f"line_{row.line}")
                yield Note("dat-missing-id", {"field": column.field, "called": f"line_{row.line}"}, place)
            else:
                column.out.close()
                column.path.unlink()
                self._alive.remove(column)

    def finish(self, target: Path, file: str) -> tuple[str | None, array[int], array[int], list[Note]]:
        """Write the ids to `target`; answers the field, where each id ends, the odd ones, and what to say."""
        notes: list[Note] = []
        field: str | None = None
        if self._alive and self._lines:
            chosen = self._alive[0]
            field = chosen.field
        else:
            chosen = _Column("", target.with_name("ids-lines"))
            for index, line in enumerate(self._lines):
                chosen.add(f"line_{line}", index)
            if self._lines:
                called = f"line_{self._lines[0]}, …"
                notes.append(Note("dat-missing-id", {"field": self._tried, "called": called}, Place(file=file)))
        for column in (*self._alive, chosen):
            column.out.close()
        chosen.path.rename(target)
        for column in self._alive[1:]:
            column.path.unlink()
        return field, chosen.ends, chosen.odd, notes


class _Column:
    """The ids of one candidate field, written out as they come."""

    def __init__(self, field: str, path: Path) -> None:
        self.field = field
        self.path = path
        self.out: BinaryIO = path.open("wb")
        self.ends: array[int] = array("q")
        self.odd: array[int] = array("q")  # records whose id holds characters nobody sees
        self._end = 0

    def add(self, text: str, index: int) -> None:
        data = text.encode("utf-8", "surrogatepass")
        self.out.write(data)
        self._end += len(data)
        self.ends.append(self._end)
        if not text.isprintable():
            self.odd.append(index)
