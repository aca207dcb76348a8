"""The results of a verification file one after another, whatever is around them and however large it is."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Any, BinaryIO

from readback.readers.files.row import Event, Refused, Row
from readback.readers.json_file import MOST_BAD, Cursor, TooLong, Walk, skip_mark
from readback.readers.json_text import NotJson
from readback.scores.files.formats.verification.shapes import ENVELOPE, is_result

SCENARIOS = "scenario_results"  # summaries of conversations; their turns stand among the results
RUN = "run_name"


def results(stream: BinaryIO, file: str) -> Iterator[Event]:
    """Every result of a JSON text as a Row, everything that cannot be one as a Refused.

    Known are a list; an object that holds it under `results`, as a list or by id; `{runs: {name: …}}`; and an object
    of results by id. What is beside the results comes last, as a Row of its own. Only one result is held at a
    time. After one that is no JSON, reading goes on where the next begins as the first one did.
    """
    begin = yield from skip_mark(stream, file)
    if begin is None:
        return
    reading = _Results(Cursor(stream, begin), file)
    match reading.cursor.peek():
        case "[":
            yield from reading.listed()
        case "{":
            yield from reading.top()
        case _:
            yield reading.walk.refused("neither a list nor an object")
            return
    if not reading.is_broken and reading.cursor.peek():
        yield reading.walk.refused("something follows the end of the list or object")


class _Results:
    """Goes through one text. `is_broken`: it could not be followed to its end, which a Refused has said."""

    def __init__(self, cursor: Cursor, file: str) -> None:
        self.cursor = cursor
        self.walk = Walk(cursor, file)
        self.is_broken = False
        self._bad = 0

    def top(self) -> Iterator[Event]:
        """Yield the results of the object that is the whole text."""
        envelope: dict[str, Any] = {}
        unknown_entries: list[Refused] = []  # what is neither a result nor known to be beside results
        by_id = False
        line = self.cursor.line
        for name in self._names():
            opener = self.cursor.peek()
            if isinstance(name, Refused):
                yield name
            elif name == "results" and opener in ("[", "{"):
                yield from self._several("")
            elif name == "runs" and opener == "{":
                for run in self._names():
                    if isinstance(run, Refused):
                        yield run
                    else:
                        yield from self._several(run)
            elif name == SCENARIOS and opener == "[":
                envelope[SCENARIOS] = yield from self._counted()
            elif opener == "{":
                for event in self._entry(name, envelope, unknown_entries):
                    by_id = by_id or isinstance(event, Row)
                    yield event
            else:
                value = self._value()
                if name in ENVELOPE:
                    envelope[name] = value
                else:
                    self._other(unknown_entries)
        if by_id:  # then each of them is where a result should
            yield from unknown_entries
        if envelope:
            yield Row(envelope, line, self.cursor.line, self.cursor.offset, self.cursor.offset, b"")

    def listed(self, run: str = "") -> Iterator[Event]:
        """Yield the items of the list that begins at the cursor."""
        cursor = self.cursor
        cursor.take("[")
        if cursor.take("]"):
            return
        cursor.peek()
        opening = self._opening()
        while True:
            at = cursor.offset
            yield self._item(run)
            if cursor.offset > at:
                if cursor.take(","):
                    continue
                if cursor.take("]"):
                    return
                yield self.walk.refused("a comma or the end of the list is missing")
            if not self._again(opening):
                return

    def _several(self, run: str) -> Iterator[Event]:
        """Yield the results that begin at the cursor, in a list or by id."""
        match self.cursor.peek():
            case "[":
                yield from self.listed(run)
            case "{":
                for name in self._names():
                    if isinstance(name, Refused):
                        yield name
                    else:
                        yield from self._keyed(run)
            case _:
                yield self.walk.refused("neither a list nor an object of results")
                self._value()

    def _keyed(self, run: str) -> Iterator[Event]:
        """Yield the value of an id."""
        at = self.cursor.offset
        yield self._item(run)
        while self.cursor.offset == at and self._again(self._opening() or '{"'):
            at = self.cursor.offset
            yield self._item(run)

    def _item(self, run: str) -> Row | Refused:
        row = self.walk.item()
        if not isinstance(row, Row):
            return row
        if not is_result(row.fields):
            diagnostic = self.walk.refused("no verification result: it names no question and model").diagnostic
            return Refused(diagnostic, row.line, row.end_line, row.end)
        if run and RUN not in row.fields:
            named = {**row.fields, RUN: run}
        else:
            named = row.fields
        return row._replace(fields=named, raw=b"")

    def _other(self, unknown_entries: list[Refused]) -> None:
        if len(unknown_entries) < MOST_BAD:
            unknown_entries.append(self.walk.refused("no verification result: it names no question and model"))

    def _entry(self, name: str, envelope: dict[str, Any], unknown_entries: list[Refused]) -> Iterator[Event]:
        """One object at the top: a result by its id, or what is said of all of them."""
        at = self.cursor.offset
        row = self.walk.item()
        if isinstance(row, Row) and name not in ENVELOPE and is_result(row.fields):
            yield row._replace(raw=b"")
        elif isinstance(row, Row):
            yield from row.diagnostics
            if name in ENVELOPE:
                envelope[name] = row.fields
            else:
                self._other(unknown_entries)
        else:
            yield row
            if self.cursor.offset == at:  # it is long: what it holds is not needed to read the results
                self.is_broken = not self.cursor.skip_value()

    def _counted(self) -> Generator[Event, None, int]:
        """How many items the list that begins here has; they are passed over."""
        cursor = self.cursor
        cursor.take("[")
        count = 0
        while not cursor.take("]"):
            if not cursor.skip_value():
                self.is_broken = True
                yield self.walk.refused(f"the text ends within {SCENARIOS}")
                break
            count += 1
            cursor.take(",")
        return count

    def _names(self) -> Iterator[str | Refused]:
        """Yield the names of the object at the cursor; the caller must pass over each value before the next name."""
        cursor = self.cursor
        cursor.take("{")
        if cursor.take("}"):
            return
        while not self.is_broken:
            name = self._value()
            if not isinstance(name, str) or not cursor.take(":"):
                self.is_broken = True
                yield self.walk.refused("the object could not be read to its end")
                return
            yield name
            if self.is_broken or cursor.take("}"):
                return
            if not cursor.take(","):
                self.is_broken = True
                yield self.walk.refused("a comma or the end of the object is missing")

    def _value(self) -> Any:
        """Return the value at the cursor; None where there is none, or where it is too long to be held."""
        try:
            return self.cursor.value()[0]
        except TooLong:
            self.is_broken = not self.cursor.skip_value()
        except NotJson:
            self.is_broken = True
        return None

    def _opening(self) -> str:
        """How the object that begins here begins: its brace and first name, as they are spelled."""
        head = self.cursor.ahead(200)
        if head.startswith("{") and ":" in head:
            return head[: head.find(":")]
        return ""

    def _again(self, opening: str) -> bool:
        """Go on to where another item begins; False, and broken, where there is none."""
        self._bad += 1
        if opening and self._bad <= MOST_BAD and self.cursor.skip_to(opening):
            return True
        self.is_broken = True
        return False
