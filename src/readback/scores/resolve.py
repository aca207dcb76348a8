"""Every cell of a score table gets its final state: its criterion's scale found, its value held against it."""

from __future__ import annotations

import math
from array import array
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from readback.readers.bounded_diagnostics import bounded
from readback.scores.criteria import fits, holds, inferred, look_up, number, scale_text
from readback.scores.files.cells import INFINITE, NOT_A_NUMBER, TRUTH_VALUE
from readback.scores.join import without_duplicates
from readback.scores.table import FAILED, NOT_APPLICABLE, SCORED, Columns, ConditionKey
from readback.types import Criterion, Diagnostic, Location

CLOSED_BOOK = "instruction"  # the mode without documents
GROUNDING = ("grounding", "grounding_score")
NO_DOCUMENTS = "the run has no documents"
OFF_SCALE = "not on the scale: "


@dataclass(frozen=True, slots=True)
class Resolved:
    """The columns with every cell in its final state, the scales, and which of these were worked out."""

    columns: Columns
    criteria: Mapping[str, Criterion]
    inferred: frozenset[str]
    diagnostics: tuple[Diagnostic, ...]


def resolve_columns(
    joined: Columns,
    declared: Mapping[str, Criterion],
    known: Mapping[str, Criterion],
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
    for code, name in enumerate(c.criteria):
        counts = open_cells.counts(code)
        criteria[name], diagnostic = _scale(name, counts, declared, known)
        if diagnostic:
            guessed.add(name)
            file = 0 if not len(c) else c.file[int(np.argmax(np.asarray(c.criterion) == code))]
            diagnostics.append(replace(diagnostic, place=Location(file=c.files[file] if c.files else None)))
        open_cells.hold(code, criteria[name], counts)
    resolved = replace(c, state=open_cells.state, value=open_cells.value, whys=open_cells.whys)
    diagnostics.extend(bounded(_off(resolved, criteria), c.files[0] if c.files else ""))
    return Resolved(resolved, criteria, frozenset(guessed), tuple(diagnostics))


@dataclass(slots=True)
class _Open:
    """Cells whose state may still change."""

    columns: Columns
    state: bytearray
    value: array[float]
    whys: dict[int, str]

    def take(self, cells: Any, state: int, whys: Mapping[int, str]) -> None:
        """These cells have no value, and why."""
        import numpy as np

        np.frombuffer(self.state, np.uint8)[cells] = state
        np.frombuffer(self.value)[cells] = math.nan
        self.whys.update(whys)

    def cells(self, code: int) -> Any:
        """The scored cells of a criterion, as an array of their numbers."""
        import numpy as np

        of_it = np.asarray(self.columns.criterion) == code
        return np.flatnonzero(of_it & (np.frombuffer(self.state, np.uint8) == SCORED))

    def counts(self, code: int) -> dict[float, int]:
        """How often each value of a criterion was given."""
        import numpy as np

        values, counts = np.unique(np.asarray(self.value)[self.cells(code)], return_counts=True)
        return dict(zip(values.tolist(), counts.tolist(), strict=True))

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
            self.take(list(truths), FAILED, {at: f"{NOT_A_NUMBER}{said}" for at, said in truths.items()})
        if off := [value for value in counts if not holds(criterion, value)]:
            cells = self.cells(code)
            cells = cells[np.isin(np.asarray(self.value)[cells], off)]
            shown = {value: OFF_SCALE + number(value) for value in off}
            self.take(cells, FAILED, {at: shown[self.value[at]] for at in cells.tolist()})


def _scale(
    name: str, counts: Mapping[float, int], declared: Mapping[str, Criterion], known: Mapping[str, Criterion]
) -> tuple[Criterion, Diagnostic | None]:
    """The criterion's scale: declared, else the usual one if the values can be on it, else the one they suggest."""
    said = look_up(name, declared)
    usual = look_up(name, known)
    if said is not None and said.scale != "unknown":
        same = usual is not None and usual.values == said.values and (usual.low, usual.high) == (said.low, said.high)
        return replace(said, meanings=usual.meanings) if usual and same and not said.meanings else said, None
    if usual is not None and fits(usual, counts):
        return usual, None
    found = inferred(name, counts)
    if said is not None:
        found = replace(found, direction=said.direction, unit=said.unit, meanings=said.meanings)
    values = {
        "criterion": name,
        "scale": scale_text(found),
        "usual": "–" if usual is None else scale_text(usual),
    }
    return found, Diagnostic("scr-scale-unknown", values, flagged=name, severity="info")


def _mode(condition: ConditionKey, modes: Mapping[str, str]) -> str | None:
    given = dict(condition)
    return given.get("prompt_mode") or given.get("mode") or modes.get(given.get("condition", ""))


def _off(c: Columns, criteria: Mapping[str, Criterion]) -> Iterator[Diagnostic]:
    """A diagnostic for each cell whose content is not a score on its scale."""
    for at, why in sorted(c.whys.items()):
        start = next((start for start in (OFF_SCALE, NOT_A_NUMBER) if why.startswith(start)), None)
        if c.state[at] != FAILED or start is None or why == INFINITE:
            continue
        name, item, judge = c.criteria[c.criterion[at]], c.items[c.item[at]], c.judges[c.judge[at]]
        shown = why.removeprefix(start)
        values = {"value": shown, "criterion": name, "scale": scale_text(criteria[name]), "item": item}
        place = Location(file=c.files[c.file[at]], line=c.line[at] or None, record=item, judge=judge or None)
        yield Diagnostic("jdg-out-of-range", values, place, flagged=f"{name}|{shown}")
