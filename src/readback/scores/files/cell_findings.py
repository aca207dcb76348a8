"""Cells and rows that are used, or not, with a word about them: numbers written as text, NaN, absent clusters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from readback.records.record_ids import BY_LINE, BY_NUMBER
from readback.scores.files.cells import SAYS, TRUTH_VALUE, Cell, legible
from readback.scores.files.intake import Intake
from readback.scores.files.layout import ITEM
from readback.scores.table import NONE, SCORED
from readback.types import Diagnostic, Location, ScoreSource

NOT_FINITE = f"{SAYS}nan"


@dataclass(slots=True)
class ScoreTexts:
    """Numbers that a file with types gives as texts: by criterion, how many and which was the first."""

    first: dict[str, tuple[str, int]] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)

    def see(self, criterion: str, raw_value: Any, parsed: Cell, line: int) -> None:
        """One cell: what is in it, and what it was read as."""
        if isinstance(raw_value, str) and parsed[1] == SCORED and not parsed[2].startswith(TRUTH_VALUE):
            self.first.setdefault(criterion, (raw_value, line))
            self.counts[criterion] = self.counts.get(criterion, 0) + 1

    def diagnostics(self, file: str) -> Iterator[Diagnostic]:
        """One diagnostic for each criterion."""
        for criterion, (text, line) in self.first.items():
            values = {"criterion": criterion, "value": text, "count": self.counts[criterion], "where": f"line {line}"}
            yield Diagnostic("jdg-score-text", values, Location(file=file, line=line), criterion)


def list_oddities(intake: Intake, cluster: str | None, source: ScoreSource, typed: bool) -> Iterator[Diagnostic]:
    """Yield what is odd in the cells of one file, once all are read. `cluster` is the column of clusters."""
    if not typed:  # of JSON the row reader has said it
        yield from _not_numbers(intake)
    if source.cluster and not cluster and len(intake.value):
        yield _no_cluster(intake.file, source.cluster, "every row", Location(file=intake.file))
    elif cluster:
        yield from _without_cluster(intake, cluster)


def without_id(intake: Intake, columns: Sequence[str]) -> Iterator[Diagnostic]:
    """Each row whose id is empty; one diagnostic for a file that has no column of ids."""
    if not columns and intake.unnamed:
        values = {"field": ", ".join(ITEM), "called": f"{BY_NUMBER if intake.labels else BY_LINE}{{n}}"}
        yield Diagnostic("dat-missing-id", values, Location(file=intake.file), severity="info")
        return
    for at, line in enumerate(intake.unnamed):
        called = intake.labels.get(at) or f"line_{line}"
        values = {"field": legible(", ".join(columns)), "called": called}
        yield Diagnostic("dat-missing-id", values, Location(file=intake.file, line=line, record=called), called)


def _not_numbers(intake: Intake) -> Iterator[Diagnostic]:
    """NaN written into cells, once for each criterion: how often, and where first."""
    cells_by_criterion: dict[int, list[int]] = {}
    for at, why in intake.whys.items():
        if why.lower() == NOT_FINITE:
            cells_by_criterion.setdefault(intake.criterion[at], []).append(at)
    names = tuple(intake.criteria.codes)
    for code, cells in cells_by_criterion.items():
        if len(cells) > 1:
            more = f" (and in {len(cells) - 1} more cells)"
        else:
            more = ""
        values = {"field": names[code], "value": f"{intake.whys[cells[0]].removeprefix(SAYS)}{more}"}
        yield Diagnostic("dat-nan", values, Location(file=intake.file, line=intake.line[cells[0]]), names[code])


def _without_cluster(intake: Intake, column: str) -> Iterator[Diagnostic]:
    """Each row whose cluster is not said; one diagnostic for a file where none is."""
    import numpy as np

    cells = np.flatnonzero(np.asarray(intake.cluster) == NONE).tolist()
    if not cells:
        return
    if not intake.clusters.codes:
        yield _no_cluster(intake.file, column, "every row", Location(file=intake.file))
        return
    items = tuple(intake.items.codes)
    last = 0
    for at in cells:
        if intake.line[at] != last:
            last = intake.line[at]
            item = items[intake.item[at]]
            yield _no_cluster(intake.file, column, item, Location(file=intake.file, line=last, record=item))


def _no_cluster(file: str, column: str, item: str, place: Location) -> Diagnostic:
    return Diagnostic("scr-cluster-missing", {"item": item, "column": legible(column), "path": file}, place, item)
