"""Every cell of a score table gets its final state: its criterion's scale found, its value held against it."""

from __future__ import annotations

import math
from array import array
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from readback.readers.files.bounded_diagnostics import bounded
from readback.scores.files.cells import INFINITE, NOT_A_NUMBER, TRUTH_VALUE
from readback.scores.join import without_duplicates
from readback.scores.table import FAILED, NOT_APPLICABLE, SCORED, Columns, ConditionKey
from readback.scores.values.criteria import fits, holds, inferred, look_up, number, scale_text
from readback.scores.values.doubtful_numbers import (
    BESIDE,
    CODES,
    IN_QUESTION,
    NO_SCORE,
    UNREAD,
    Question,
    Reason,
    count_values,
    find_codes,
    report_questions,
)
from readback.scores.values.outlying_numbers import OutlyingNumbers, find_outlying
from readback.types import Criterion, Diagnostic, Location
from readback.words import t

CLOSED_BOOK = "instruction"  # the mode without documents
GROUNDING = ("grounding", "grounding_score")
NO_DOCUMENTS = "the run has no documents"
OFF_SCALE = "not on the scale: "


@dataclass(frozen=True, slots=True)
class Resolved:
    """The columns with every cell in its final state, the scales and which were worked out, and what is in question."""

    columns: Columns
    criteria: Mapping[str, Criterion]
    inferred: frozenset[str]
    diagnostics: tuple[Diagnostic, ...]
    questions: tuple[Question, ...] = ()
    outlying: Mapping[str, OutlyingNumbers] = field(default_factory=dict)  # by criterion, of inferred scales


def resolve_columns(
    joined: Columns,
    declared: Mapping[str, Criterion],
    known_criteria: Mapping[str, Criterion],
    modes: Mapping[str, str],
    ungrounded: Collection[str] = (),
) -> Resolved:
    """Duplicates out, grounding without documents not applicable, and every value held against its scale.

    `modes` gives the mode of each condition the workspace names, `ungrounded` those whose rubric gives grounding no
    weight.
    """
    import numpy as np

    c, diagnostics = without_duplicates(joined)
    open_cells = _Open(c, bytearray(c.state), array("d", c.value), dict(c.whys))
    open_cells.closed_books(modes, ungrounded)
    criteria: dict[str, Criterion] = {}
    guessed: set[str] = set()
    questions: list[Question] = []
    outlying: dict[str, OutlyingNumbers] = {}
    for code, name in enumerate(c.criteria):
        open_cells.take_listed(code, look_up(name, declared))
        counts = open_cells.counts(code)
        certain = _certain(name, counts, declared, known_criteria)
        if certain is not None:
            open_cells.take_unread(code)
        else:
            questions += open_cells.ask(code, look_up(name, declared))
            counts = open_cells.counts(code)
        numbers = open_cells.numbers_of_scale(code)
        if certain:
            criteria[name], diagnostic = (certain, None)
        else:
            criteria[name], diagnostic = _infer(name, numbers, declared, known_criteria)
        if diagnostic:
            guessed.add(name)
            if not len(c):
                file = 0
            else:
                file = c.file[int(np.argmax(np.asarray(c.criterion) == code))]
            diagnostics.append(replace(diagnostic, place=Location(file=c.files[file] if c.files else None)))
            apart = find_outlying(name, numbers)
            if apart is not None:
                outlying[name] = replace(apart, place=open_cells.find_place(code, apart.values[0][0]))
                diagnostics.append(outlying[name].diagnostic(scale_text(criteria[name])))
        open_cells.hold(code, criteria[name], counts)
    resolved = replace(c, state=open_cells.state, value=open_cells.value, whys=open_cells.whys)
    diagnostics.extend(bounded(_off(resolved, criteria), c.files[0] if c.files else ""))
    diagnostics.extend(report_questions(questions))
    return Resolved(resolved, criteria, frozenset(guessed), tuple(diagnostics), tuple(questions), outlying)


@dataclass(slots=True)
class _Open:
    """Cells whose state may still change."""

    columns: Columns
    state: bytearray
    value: array[float]
    whys: dict[int, str]

    def take(self, cells: Any, state: int, whys: Mapping[int, str]) -> None:
        """Mark these cells as having no value, and why."""
        import numpy as np

        np.frombuffer(self.state, np.uint8)[cells] = state
        np.frombuffer(self.value)[cells] = math.nan
        self.whys.update(whys)

    def cells(self, code: int) -> Any:
        """Return the scored cells of a criterion, as an array of their numbers."""
        import numpy as np

        of_it = np.asarray(self.columns.criterion) == code
        return np.flatnonzero(of_it & (np.frombuffer(self.state, np.uint8) == SCORED))

    def counts(self, code: int) -> dict[float, int]:
        """How often each value of a criterion was given."""
        import numpy as np

        values, counts = np.unique(np.asarray(self.value)[self.cells(code)], return_counts=True)
        return dict(zip(values.tolist(), counts.tolist(), strict=True))

    def find_place(self, code: int, value: float) -> Location:
        """Return where a number of a criterion was first given."""
        cells = self.cells(code)
        c, at = self.columns, next(at for at in cells.tolist() if self.value[at] == value)
        return Location(file=c.files[c.file[at]], line=c.line[at] or None, record=c.items[c.item[at]])

    def numbers_of_scale(self, code: int) -> dict[float, int]:
        """Return how often each number was given that a scale is inferred from.

        Truth values beside nothing but 0 and 1 make a scale of 0 and 1, even if one of the two is never met; beside
        other numbers they are no scores, and say nothing of the scale.
        """
        counts = self.counts(code)
        numbers = dict(counts)
        truths = [
            at
            for at, why in self.whys.items()
            if why.startswith(TRUTH_VALUE) and self.columns.criterion[at] == code and self.state[at] == SCORED
        ]
        for at in truths:
            numbers[self.value[at]] -= 1
        numbers = {value: count for value, count in numbers.items() if count}
        if truths and set(numbers) <= {0.0, 1.0}:
            return {value: counts.get(value, 0) for value in (0.0, 1.0)}
        return numbers

    def take_listed(self, code: int, declared: Criterion | None) -> None:
        """Mark the numbers that `readback.yml` lists as standing for no score as the judge's failures."""
        import numpy as np

        if declared is None or not declared.failed:
            return
        cells = self.cells(code)
        cells = cells[np.isin(np.asarray(self.value)[cells], declared.failed)]
        self.take(cells, FAILED, {at: NO_SCORE + number(self.value[at]) for at in cells.tolist()})

    def unread(self, code: int) -> list[int]:
        """Return the scored cells of a criterion that are in doubt because their reply cannot be read."""
        c = self.columns
        return [
            at
            for at, why in self.whys.items()
            if why == BESIDE and c.criterion[at] == code and self.state[at] == SCORED
        ]

    def take_unread(self, code: int) -> None:
        """On a scale that is certain a number in doubt beside an unreadable reply is the judge's failure."""
        cells = self.unread(code)
        if cells:
            self.take(cells, FAILED, {at: UNREAD + number(self.value[at]) for at in cells})

    def ask(self, code: int, declared: Criterion | None) -> list[Question]:
        """Set the numbers in doubt of a criterion without a certain scale aside; answers what is in question."""
        import numpy as np

        if declared is not None:
            scores = declared.scores
        else:
            scores = ()
        cells = self.cells(code)
        values = np.asarray(self.value)[cells]
        codes = [value for value in find_codes(np.unique(values).tolist()) if value not in scores]
        others_unread = [at for at in self.unread(code) if self.value[at] not in scores]
        for at in self.unread(code):
            del self.whys[at]
        coded = cells[np.isin(values, codes)]
        replied = np.setdiff1d(np.array(others_unread, np.int64), coded)
        questions: list[Question] = []
        reasons: tuple[tuple[Reason, Any], ...] = (("code", coded), ("reply", replied))
        for reason, those in reasons:
            if not len(those):
                continue
            c, at = self.columns, int(those.min())
            place = Location(file=c.files[c.file[at]], line=c.line[at] or None, record=c.items[c.item[at]])
            counted = count_values(np.asarray(self.value)[those])
            questions.append(Question(c.criteria[code], counted, reason, len(cells), place))
        both = np.concatenate([coded, replied])
        self.take(both, FAILED, {at: IN_QUESTION + number(self.value[at]) for at in both.tolist()})
        return questions

    def closed_books(self, modes: Mapping[str, str], ungrounded: Collection[str]) -> None:
        """Grounding of a run without documents is not applicable; a rubric writes 0 there, which is not a score."""
        import numpy as np

        c = self.columns
        grounding = [code for code, name in enumerate(c.criteria) if name in GROUNDING]
        closed = [
            code
            for code, key in enumerate(c.conditions)
            if _mode(key, modes) == CLOSED_BOOK or dict(key).get("condition") in ungrounded
        ]
        if grounding and closed:
            about = np.isin(np.asarray(c.criterion), grounding) & np.isin(np.asarray(c.condition), closed)
            cells = np.flatnonzero(about)
            self.take(cells, NOT_APPLICABLE, dict.fromkeys(cells.tolist(), NO_DOCUMENTS))

    def hold(self, code: int, criterion: Criterion, counts: Mapping[float, int]) -> None:
        """Values off the scale, and truth values on a scale of more than two values, are the judge's failures."""
        import numpy as np

        truths = {
            at: why.removeprefix(TRUTH_VALUE).removeprefix(": ") or ("true" if self.value[at] else "false")
            for at, why in self.whys.items()
            if why.startswith(TRUTH_VALUE) and self.columns.criterion[at] == code
        }
        if criterion.scale == "binary":
            for at in truths:
                del self.whys[at]
        elif truths:
            self.take(list(truths), FAILED, {at: f"{NOT_A_NUMBER}{text}" for at, text in truths.items()})
        if off := [value for value in counts if not holds(criterion, value)]:
            cells = self.cells(code)
            cells = cells[np.isin(np.asarray(self.value)[cells], off)]
            whys = {value: OFF_SCALE + number(value) for value in off}
            self.take(cells, FAILED, {at: whys[self.value[at]] for at in cells.tolist()})


def _certain(
    name: str, counts: Mapping[float, int], declared: Mapping[str, Criterion], known_criteria: Mapping[str, Criterion]
) -> Criterion | None:
    """Return the criterion's scale where it is declared, or is the usual one of its name and the values fit it.

    Codes that the usual scale does not hold say nothing about it: they are set aside before.
    """
    declared_criterion = look_up(name, declared)
    usual = look_up(name, known_criteria)
    if declared_criterion is not None and declared_criterion.scale != "unknown":
        same = (
            usual is not None
            and usual.values == declared_criterion.values
            and (usual.low, usual.high) == (declared_criterion.low, declared_criterion.high)
        )
        if usual and same and not declared_criterion.meanings:
            return replace(declared_criterion, meanings=usual.meanings)
        return declared_criterion
    if usual is None or (
        declared_criterion is not None and not all(holds(usual, value) for value in declared_criterion.scores)
    ):
        return None
    plain = {value: count for value, count in counts.items() if value not in CODES or holds(usual, value)}
    if fits(usual, plain):
        return usual
    return None


def _infer(
    name: str, counts: Mapping[float, int], declared: Mapping[str, Criterion], known_criteria: Mapping[str, Criterion]
) -> tuple[Criterion, Diagnostic]:
    """Return the scale that the values suggest, and the note that says so."""
    declared_criterion = look_up(name, declared)
    usual = look_up(name, known_criteria)
    criterion = inferred(name, counts)
    if declared_criterion is not None:
        criterion = replace(
            criterion,
            direction=declared_criterion.direction,
            unit=declared_criterion.unit,
            meanings=declared_criterion.meanings,
            failed=declared_criterion.failed,
            scores=declared_criterion.scores,
        )
    scale = scale_text(criterion)
    if usual is not None:
        scale = t("scores.usual_scale", scale=scale, usual=scale_text(usual))
    values = {"criterion": name, "scale": scale}
    return criterion, Diagnostic("scr-scale-unknown", values, flagged=name, severity="info")


def _mode(condition: ConditionKey, modes: Mapping[str, str]) -> str | None:
    values = dict(condition)
    return values.get("prompt_mode") or values.get("mode") or modes.get(values.get("condition", ""))


def _off(c: Columns, criteria: Mapping[str, Criterion]) -> Iterator[Diagnostic]:
    """Return a diagnostic for each cell whose content is not a score on its scale."""
    for at, why in sorted(c.whys.items()):
        start = next((start for start in (OFF_SCALE, NOT_A_NUMBER) if why.startswith(start)), None)
        if c.state[at] != FAILED or start is None or why == INFINITE:
            continue
        name, item, judge = c.criteria[c.criterion[at]], c.items[c.item[at]], c.judges[c.judge[at]]
        text = why.removeprefix(start)
        values = {"value": text, "criterion": name, "scale": scale_text(criteria[name]), "item": item}
        place = Location(file=c.files[c.file[at]], line=c.line[at] or None, record=item, judge=judge or None)
        yield Diagnostic("jdg-out-of-range", values, place, flagged=f"{name}|{text}")
