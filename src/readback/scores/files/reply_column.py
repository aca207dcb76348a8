"""The raw reply of a judge in a row of a score file: which column it is, and what it says beside what was stored."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from readback.readers.files.bounded_diagnostics import BoundedDiagnostics
from readback.scores.files import judge_reply
from readback.scores.files.cells import TRUTH_VALUE, Cell
from readback.scores.files.judge_reply import Mark, Reply
from readback.scores.files.layout import RAW_REPLY
from readback.scores.table import SCORED, STATES
from readback.scores.values.criteria import MINUS, number
from readback.scores.values.doubtful_numbers import RepliesBeside
from readback.types import Diagnostic, Location

VERDICT, SAID = "verdict", {"pass": 1.0, "fail": 0.0}
CLOSE = 1e-9
UNREADABLE = "nothing that can be read"


@dataclass(frozen=True, slots=True)
class Rubrics:
    """What the workspace says of its judges' replies: each judge's criteria, who follows a rubric, how to read."""

    criteria: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    rubric: tuple[str, ...] = ()
    upstream: bool = False  # read as the source programs do (option `reply_parser`)

    def list_criteria(self, judge: str) -> tuple[str, ...]:
        """Return the criteria of a judge; those of the only judge where the name is unknown."""
        sets_of_criteria = set(self.criteria.values())
        return self.criteria.get(judge, next(iter(sets_of_criteria)) if len(sets_of_criteria) == 1 else ())

    def under(self, judge: str, rubric: str) -> Rubrics:
        """Return the rubrics for scores that call the judge with this rubric by another name."""
        if rubric not in self.criteria or judge in self.criteria:
            return self
        if rubric in self.rubric:
            follows = (*self.rubric, judge)
        else:
            follows = self.rubric
        return replace(self, criteria={**self.criteria, judge: self.criteria[rubric]}, rubric=follows)

    def read(self, text: str, criteria: Collection[str], judge: str) -> Reply:
        """Read a reply step by step or, where the workspace asks for it, as the judge's own program reads it."""
        keys = {*judge_reply.RAG, *judge_reply.RUBRIC, *judge_reply.spellings(criteria)}
        if not self.upstream:
            return judge_reply.read_plain(text, judge_reply.read(text, keys), criteria)
        if judge in self.criteria:
            ours = judge
        else:
            ours = next(iter(self.criteria), "")
        return judge_reply.read(text, keys, upstream="rubric" if ours in self.rubric else "rag")


def find_mark(reply: Reply, criterion: str) -> Mark:
    """Return the mark that a reply gives to a criterion; a verdict is pass or fail in words."""
    if reply.value is not None and criterion.removeprefix("judge_") == VERDICT:
        verdict = reply.value.get(VERDICT)
        if isinstance(verdict, str) and (value := SAID.get(verdict.strip().lower())) is not None:
            return Mark(value, "scored")
    return judge_reply.written(reply, criterion)


def locate_diagnostics(reply: Reply, item: str, file: str, line: int, judge: str) -> Iterator[Diagnostic]:
    """Yield the diagnostics of the reply, placed at its row."""
    place = Location(file=file, line=line or None, record=item, judge=judge or None)
    for diagnostic in reply.diagnostics:
        yield replace(diagnostic, values={**diagnostic.values, "item": item}, place=place, flagged=f"{item}|{judge}")


@dataclass(slots=True)
class Reread:
    """Replies that are beside stored scores, read again: where the two differ."""

    file: str
    rubrics: Rubrics
    diagnostics: BoundedDiagnostics = field(default_factory=BoundedDiagnostics)
    unread: BoundedDiagnostics = field(default_factory=BoundedDiagnostics)
    doubtful: RepliesBeside = field(default_factory=RepliesBeside)
    read: int = 0
    last: tuple[str, str] = ("", "")

    def see(self, name: str, text: Any, item: str, line: int, cells: Sequence[tuple[str, str, Cell]], at: int) -> None:
        """One row: the reply in column `name`, and criterion, judge and cell of each stored score.

        The first of the cells is number `at` of the file.
        """
        if not cells:
            return
        raw = name.strip().lower() in RAW_REPLY
        if not isinstance(text, str) or not text.strip():
            if raw and (text is None or isinstance(text, str)):
                self._compare_numbers(cells, at, None)
            return
        judge = cells[0][1]
        reply = self.rubrics.read(text, [criterion for criterion, _, _ in cells], judge)
        if raw:
            self._compare_numbers(cells, at, reply)
        if reply.value is None:
            if raw:
                for criterion, by, cell in cells:
                    if cell[1] == SCORED:
                        self.unread.add(
                            self._differs(reply, criterion, item, by, line, cell, "nothing that can be read")
                        )
            return
        if (item, text) != self.last:  # a tidy file has the reply once for each criterion
            self.last = (item, text)
            self.diagnostics.extend(locate_diagnostics(reply, item, self.file, line, judge))
        for criterion, by, cell in cells:
            mark = find_mark(reply, criterion)
            named = mark.state != "missing" or bool(mark.why == judge_reply.NULL)
            self.read += named
            if named and (written := _other(cell, mark)):
                self.diagnostics.add(self._differs(reply, criterion, item, by, line, cell, written))

    def _compare_numbers(self, cells: Sequence[tuple[str, str, Cell]], at: int, reply: Reply | None) -> None:
        """Note for each stored number whether its reply gives one too; `reply` is None where it is empty."""
        for step, (criterion, judge, (value, state, why)) in enumerate(cells):
            if state == SCORED and not why.startswith(TRUTH_VALUE):
                gives = reply is not None and find_mark(reply, criterion).state == "scored"
                self.doubtful.see((criterion, judge), at + step, value, empty=reply is None, gives=gives)

    def list_diagnostics(self) -> BoundedDiagnostics:
        """All diagnostics. That nothing can be read of a reply is one only where other replies of the file could be."""
        if self.read:
            self.diagnostics.take(self.unread)
        return self.diagnostics

    def _differs(
        self, reply: Reply, criterion: str, item: str, judge: str, line: int, cell: Cell, written: str
    ) -> Diagnostic:
        values = {
            "criterion": criterion,
            "item": item,
            "stored": _stored(cell),
            "written": written,
            "step": reply.step or "–",
        }
        place = Location(file=self.file, line=line or None, record=item, judge=judge or None)
        return Diagnostic("scr-reply-differs", values, place, f"{criterion}|{item}|{judge}")


def _other(cell: Cell, mark: Mark) -> str:
    """Return what the reply writes, where it differs from the stored score; else an empty text."""
    value, state, why = cell
    if why.startswith(TRUTH_VALUE) or (state != SCORED and mark.state != "scored"):
        return ""
    if state == SCORED and mark.state == "scored" and abs(value - mark.value) <= CLOSE * max(1.0, abs(value)):
        return ""
    if mark.state == "scored":
        return _minus(number(mark.value))
    return mark.why.removeprefix("the reply says ")


def _stored(cell: Cell) -> str:
    value, state, _ = cell
    if state == SCORED:
        return _minus(number(value))
    return {"failed": "judge failed"}.get(STATES[state], STATES[state])


def _minus(text: str) -> str:
    return text.replace("-", MINUS)
