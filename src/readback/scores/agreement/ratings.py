"""The scores of one criterion seen as ratings: which judges gave which value to the same answer."""

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
    """One entry a rating in `unit`, `judge` and `value`, sorted by unit; one a unit in `item`, `condition`, `run`.

    A unit is one answer: item × condition, and × run where judges scored the same runs. Where they did not, or one of
    them (a person, say) gave each answer one score and no run, each judge's first score of the answer counts, and
    `repeated` says how many further ones do not. Arrays of codes.
    """

    unit: Any
    judge: Any
    value: Any
    item: Any
    condition: Any
    run: Any
    judges: tuple[str, ...]
    repeated: int = 0


def is_person(judge: str, said: Mapping[str, bool] = MappingProxyType({})) -> bool:
    """Whether a judge is a person: as the workspace or a file says, else by its name (`human:7`, `annotator_2`)."""
    return said.get(judge, PEOPLE.match(judge) is not None)


def ratings(table: ScoreTable, criterion: str) -> Ratings:
    """Every scored cell of a criterion, by answer and judge."""
    import numpy as np

    c = table.columns
    cells = scored_cells(c, criterion)
    answer, run = _answers(c, cells), np.asarray(c.run)[cells].astype(np.int64) + 1
    judge = np.asarray(c.judge)[cells]
    runs = answer * (len(c.runs) + 1) + run
    by_run, by_answer = _sharing(runs, judge), _sharing(answer, judge)
    key = runs if len(by_run) >= len(by_answer) else answer
    many = len(c.judges)
    _, first = np.unique(key * many + judge, return_index=True)
    kept = first[np.lexsort((first, key[first]))]
    _, unit_first, unit = np.unique(key[kept], return_index=True, return_inverse=True)
    of_unit = cells[kept][unit_first]
    present = np.unique(judge[kept])
    return Ratings(
        unit=unit.ravel(),
        judge=np.searchsorted(present, judge[kept]),
        value=np.asarray(c.value)[cells][kept],
        item=np.asarray(c.item)[of_unit],
        condition=np.asarray(c.condition)[of_unit],
        run=np.asarray(c.run)[of_unit],
        judges=tuple(c.judges[code] for code in present.tolist()),
        repeated=len(cells) - len(kept),
    )


def shared(found: Ratings) -> Any:
    """For each rating whether another judge rated its unit too."""
    import numpy as np

    return np.bincount(found.unit)[found.unit] > 1 if len(found.unit) else np.zeros(0, bool)


def grid(found: Ratings, judges: Sequence[int]) -> Any:
    """Units × these judges, NaN where a judge gave no score."""
    import numpy as np

    table = np.full((len(found.item), len(judges)), np.nan)
    for column, judge in enumerate(judges):
        here = found.judge == judge
        table[found.unit[here], column] = found.value[here]
    return table


def scored_cells(c: Columns, criterion: str) -> Any:
    """The numbers of a criterion's scored cells."""
    import numpy as np

    of_it = np.asarray(c.criterion) == c.criteria.index(criterion)
    return np.flatnonzero(of_it & (np.frombuffer(c.state, np.uint8) == SCORED))


def _answers(c: Columns, cells: Any) -> Any:
    import numpy as np

    return np.asarray(c.item)[cells].astype(np.int64) * max(len(c.conditions), 1) + np.asarray(c.condition)[cells]


def _sharing(unit: Any, judge: Any) -> Any:
    """The judges who rated a unit that another rated too."""
    import numpy as np

    if not len(unit):
        return np.zeros(0, int)
    pairs = np.unique(np.stack([unit, judge.astype(np.int64)]), axis=1)
    _, back, many = np.unique(pairs[0], return_inverse=True, return_counts=True)
    return np.unique(pairs[1][many[back.ravel()] > 1])
