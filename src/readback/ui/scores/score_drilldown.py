"""What is behind a mark of a chart: the drill-downs that the address names, and the scores they lead to."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from readback.scores import summary
from readback.scores.comparing.paired_items import list_members, pair_items
from readback.scores.criteria import number
from readback.scores.table import FAILED, MISSING, NOT_APPLICABLE, SCORED, ConditionKey, ScoreTable
from readback.types import Score

Side = Literal["higher", "lower", "same"]
SIDES: tuple[Side, ...] = ("higher", "lower", "same")
EVERY = "*"  # a drilldown to the scores of all conditions
STATE = {"scored": SCORED, "failed": FAILED, "missing": MISSING, "na": NOT_APPLICABLE}  # as the address says it


def address_of(table: ScoreTable, condition: ConditionKey) -> str:
    """How the address names the scores behind a row: the factors that vary, or the one it was taken by."""
    pairs = tuple(pair for pair in condition if pair[0] in table.varying) or condition
    return " · ".join(f"{factor}={value}" for factor, value in pairs)


def in_drilldown(table: ScoreTable, condition: ConditionKey, of: str) -> bool:
    """Whether a condition is one of those that `of` names; "*" names all."""
    return (
        of == EVERY or of == address_of(table, condition) or of in {f"{factor}={value}" for factor, value in condition}
    )


def key_of(table: ScoreTable, of: str) -> ConditionKey | None:
    """The condition that a drill-down names, or values of factors that some condition has; None where nobody has it."""
    for condition in table.columns.conditions:
        if of == address_of(table, condition):
            return condition
    parts = tuple((factor, value) for part in of.split(" · ") for factor, _, value in [part.partition("=")])
    return parts if of and list_members(table, parts) else None


def called(table: ScoreTable, of: str) -> str:
    """What a drill-down is called on the page: the condition's label, or the value of the factor."""
    found = key_of(table, of)
    if found is None:
        return of
    return table.label(found) if found in table.columns.conditions else " · ".join(value for _, value in found)


@dataclass(frozen=True, slots=True)
class Absent:
    """An item that this judge scored elsewhere, and that has no row here."""

    item: str
    condition: ConditionKey


@dataclass(frozen=True, slots=True)
class ScoresOfMark:
    """The scores behind a mark. `conditions` counts those it takes together, `all` the scores beyond those kept."""

    conditions: int
    scores: tuple[Score, ...]
    absent: tuple[Absent, ...] = ()
    all: int = 0


def scores(
    table: ScoreTable, of: str, criterion: str, judge: str, *, value: str = "", state: str = "", most: int = 2_000,
    only: Collection[str] | None = None,
) -> ScoresOfMark:  # fmt: skip
    """The scores that `of` names, of them those of one value of the distribution, or in one state; the first `most`.

    `only` these items, where it is given: then only what was scored.
    """
    wanted, cells = summary.cells(table, lambda key: in_drilldown(table, key, of), criterion, judge)
    cells = cells if only is None else _of_items(table, cells, only)
    found = _of_value(table, cells, criterion, value) if value else _in_state(table, cells, state) if state else cells
    gone = tuple(_absent(table, of, criterion, judge)) if state == "missing" else ()
    kept = tuple(table.scores[at] for at in found[:most])
    return ScoresOfMark(wanted, kept, gone[: most - len(kept)], len(found) + len(gone))


@dataclass(frozen=True, slots=True)
class Pair:
    """One item under two conditions; a score is the mean where an item has several on a side."""

    item: str
    a: float
    b: float

    @property
    def difference(self) -> float:
        """b − a."""
        return round(self.b - self.a, 12)

    @property
    def side(self) -> Side:
        """Where b is beside a."""
        return "higher" if self.difference > 0 else "lower" if self.difference < 0 else "same"


def pairs(table: ScoreTable, a: ConditionKey, b: ConditionKey, criterion: str, judge: str) -> tuple[Pair, ...]:
    """The items scored on both sides, the largest differences first."""
    found = pair_items(table, a, b, criterion, judge)
    made = (Pair(item, x, y) for item, x, y in zip(found.items, found.a.tolist(), found.b.tolist(), strict=True))
    return tuple(sorted(made, key=lambda pair: -abs(pair.difference)))


def of_item(table: ScoreTable, item: str) -> tuple[Score, ...]:
    """Every score of one item, in the order of the files."""
    import numpy as np

    if item not in table.columns.items:
        return ()
    code = table.columns.items.index(item)
    return tuple(table.scores[at] for at in np.flatnonzero(np.asarray(table.columns.item) == code).tolist())


def _of_value(table: ScoreTable, cells: list[int], criterion: str, value: str) -> list[int]:
    """Those whose score is the value, or lies in the range, as the distribution writes it."""
    import numpy as np

    c, scale = table.columns, table.criteria[criterion]
    here = np.array(cells, np.int64)
    here = here[np.frombuffer(c.state, np.uint8)[here] == SCORED]
    values = np.asarray(c.value)[here]
    low, _, high = value.partition(" to ")
    try:
        first, last = float(low), float(high or low)
    except ValueError:
        return []
    if not high:
        return [at for at, one in zip(here.tolist(), values.tolist(), strict=True) if number(one) == value]
    ends = np.linspace(scale.low or 0.0, scale.high or 0.0, summary.BINS + 1)
    start, end = (float(ends[np.abs(ends - edge).argmin()]) for edge in (first, last))
    inside = (values >= start) & ((values <= end) if end == ends[-1] else (values < end))
    return [int(at) for at in here[inside]]


def _of_items(table: ScoreTable, cells: list[int], only: Collection[str]) -> list[int]:
    c = table.columns
    return [at for at in cells if c.state[at] == SCORED and c.items[c.item[at]] in only]


def _in_state(table: ScoreTable, cells: list[int], state: str) -> list[int]:
    return [at for at in cells if table.columns.state[at] == STATE.get(state)]


def _absent(table: ScoreTable, of: str, criterion: str, judge: str) -> list[Absent]:
    """What has no row: under each condition behind the drill-down the items that the judge saw under another."""
    import numpy as np

    c = table.columns
    here = np.asarray(c.criterion) == c.criteria.index(criterion)
    here &= np.asarray(c.judge) == c.judges.index(judge)
    seen = np.asarray(c.item)[here]
    conditions = np.asarray(c.condition)[here]
    universe = np.unique(seen)
    found: list[Absent] = []
    for code in np.unique(conditions).tolist():
        if in_drilldown(table, c.conditions[code], of):
            gone = np.setdiff1d(universe, seen[conditions == code])
            found += [Absent(c.items[item], c.conditions[code]) for item in gone.tolist()]
    return found
