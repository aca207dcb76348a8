"""Read the scores of one criterion as ratings: which judges gave which value to the same answer."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from readback.scores.table import SCORED, Columns, ScoreTable

PEOPLE = re.compile(r"(human|person|people|annotator|expert)s?\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True, eq=False)
class Ratings:
    """Hold one entry for each rating in `unit`, `judge` and `value`, sorted by unit; one for each unit in the rest.

    `item`, `condition` and `run` belong to the unit. A unit is one answer: item × condition, and × run where judges
    scored the same runs. Where they did not, or one of them (a person, say) gave each answer one score and no run, each
    judge's first score of the answer counts, and `repeated` says how many further ones do not. Arrays of codes.
    """

    unit: Any
    judge: Any
    value: Any
    item: Any
    condition: Any
    run: Any
    judges: tuple[str, ...]
    repeated: int = 0


def is_person(judge: str, people: Mapping[str, bool] = MappingProxyType({})) -> bool:
    """Return whether a judge is a person, by what the workspace or a file says, else by its name (`human:7`)."""
    return people.get(judge, PEOPLE.match(judge) is not None)


def collect_ratings(table: ScoreTable, criterion: str) -> Ratings:
    """Return every scored cell of a criterion, by answer and judge."""
    import numpy as np

    columns = table.columns
    cells = find_scored_cells(columns, criterion)
    answer = number_answers(columns, cells)
    run = np.asarray(columns.run)[cells].astype(np.int64) + 1
    judge = np.asarray(columns.judge)[cells]
    answer_and_run = answer * (len(columns.runs) + 1) + run
    sharing_runs, sharing_answers = _find_sharing_judges(answer_and_run, judge), _find_sharing_judges(answer, judge)
    if len(sharing_runs) >= len(sharing_answers):
        key = answer_and_run
    else:
        key = answer
    # A judge's first score of a unit counts; then sorted by unit, in the order of the files
    _, first = np.unique(key * len(columns.judges) + judge, return_index=True)
    counted = first[np.lexsort((first, key[first]))]
    _, unit_start, unit = np.unique(key[counted], return_index=True, return_inverse=True)
    unit_cells = cells[counted][unit_start]
    present = np.unique(judge[counted])
    return Ratings(
        unit=unit.ravel(),
        judge=np.searchsorted(present, judge[counted]),
        value=np.asarray(columns.value)[cells][counted],
        item=np.asarray(columns.item)[unit_cells],
        condition=np.asarray(columns.condition)[unit_cells],
        run=np.asarray(columns.run)[unit_cells],
        judges=tuple(columns.judges[code] for code in present.tolist()),
        repeated=len(cells) - len(counted),
    )


def mark_shared(ratings: Ratings) -> Any:
    """Return for each rating whether another judge rated its unit too."""
    import numpy as np

    if not len(ratings.unit):
        return np.zeros(0, bool)
    return np.bincount(ratings.unit)[ratings.unit] > 1


def build_grid(ratings: Ratings, judges: Sequence[int]) -> Any:
    """Return a matrix of units × these judges, NaN where a judge gave no score."""
    import numpy as np

    grid = np.full((len(ratings.item), len(judges)), np.nan)
    for column, judge in enumerate(judges):
        by_judge = ratings.judge == judge
        grid[ratings.unit[by_judge], column] = ratings.value[by_judge]
    return grid


def find_scored_cells(columns: Columns, criterion: str) -> Any:
    """Return the numbers of a criterion's scored cells."""
    import numpy as np

    of_criterion = np.asarray(columns.criterion) == columns.criteria.index(criterion)
    return np.flatnonzero(of_criterion & (np.frombuffer(columns.state, np.uint8) == SCORED))


def number_answers(columns: Columns, cells: Any) -> Any:
    """Return a number for the answer (item × condition) of each cell."""
    import numpy as np

    return (
        np.asarray(columns.item)[cells].astype(np.int64) * max(len(columns.conditions), 1)
        + np.asarray(columns.condition)[cells]
    )


def _find_sharing_judges(unit: Any, judge: Any) -> Any:
    """Return the judges who rated a unit that another rated too."""
    import numpy as np

    if not len(unit):
        return np.zeros(0, int)
    pairs = np.unique(np.stack([unit, judge.astype(np.int64)]), axis=1)
    _, position, raters = np.unique(pairs[0], return_inverse=True, return_counts=True)
    return np.unique(pairs[1][raters[position.ravel()] > 1])
