"""Count judges who share the work together: what none of them scored is lost, what another one scored is not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from readback.scores.summary import BY_LINE
from readback.scores.summary_row import Row
from readback.scores.table import FAILED, MISSING, NOT_APPLICABLE, SCORED, ScoreTable

NEARLY_ALL = 0.95  # share of the answers from which a judge was to see every one
FEWEST = 2  # judges who did not: of two, one that lacks rows has lost them


def pool_rows(table: ScoreTable, rows: Sequence[Row]) -> tuple[Row, ...]:
    """Return the rows; of a criterion whose judges share the work, one row a condition that counts items.

    An answer (an item under a condition) of such a criterion is scored where any judge scored it, failed where none did
    and one failed, missing where it has no value by anybody. The row has no judge, no mean and no distribution.
    """
    by_criterion: dict[str, list[Row]] = {}
    for row in rows:
        by_criterion.setdefault(row.criterion, []).append(row)
    pooled: list[Row] = []
    for criterion, criterion_rows in by_criterion.items():
        judges = {row.judge for row in criterion_rows}
        if len(judges) >= FEWEST:
            answers = _number_answers(table, criterion)
        else:
            answers = None
        if answers is None or not _is_shared_work(answers, len(table.columns.judges)):
            pooled.extend(criterion_rows)
        else:
            pooled.extend(_pool_criterion(table, criterion, answers))
    return tuple(pooled)


def _number_answers(table: ScoreTable, criterion: str) -> Mapping[str, Any]:
    """Return the answers of a criterion (condition << 32 | item, ascending); of each cell its answer, judge, state."""
    import numpy as np

    columns = table.columns
    cells = np.flatnonzero(np.asarray(columns.criterion) == columns.criteria.index(criterion))
    pairs = np.asarray(columns.condition)[cells].astype(np.int64) << 32 | np.asarray(columns.item)[cells]
    answers, of_cell = np.unique(pairs, return_inverse=True)
    states = np.frombuffer(columns.state, np.uint8)[cells]
    return {"answers": answers, "of_cell": of_cell, "judge": np.asarray(columns.judge)[cells], "state": states}


def _is_shared_work(answers: Mapping[str, Any], judges: int) -> bool:
    """Return whether at least two judges left answers to others, and at most one saw nearly all."""
    import numpy as np

    every = len(answers["answers"])
    seen_by_judge = np.unique(answers["judge"].astype(np.int64) * every + answers["of_cell"]) // max(every, 1)
    counts = np.bincount(seen_by_judge, minlength=judges)
    counts = counts[counts > 0]
    complete = int((counts >= NEARLY_ALL * every).sum())
    return complete < FEWEST and len(counts) - complete >= FEWEST


def _pool_criterion(table: ScoreTable, criterion: str, answers: Mapping[str, Any]) -> Iterator[Row]:
    """Yield one row a condition of a criterion, which counts the answers of all judges together."""
    import numpy as np

    columns = table.columns
    size = len(answers["answers"])

    def with_state(state: int) -> Any:
        present = np.zeros(size, bool)
        present[answers["of_cell"][answers["state"] == state]] = True
        return present

    scored = with_state(SCORED)
    failed = with_state(FAILED) & ~scored
    missing = with_state(MISSING) & ~scored & ~failed
    excluded = with_state(NOT_APPLICABLE) & ~scored & ~failed & ~missing
    conditions = answers["answers"] >> 32
    items = len(np.unique(answers["answers"] & 0xFFFFFFFF))
    by_line = all(map(BY_LINE.fullmatch, columns.items))
    for code in np.unique(conditions).tolist():
        in_condition = conditions == code
        if by_line:
            absent = 0
        else:
            absent = items - int(in_condition.sum())
        yield Row(
            condition=columns.conditions[code],
            criterion=criterion,
            judge="",
            n=int(scored[in_condition].sum()),
            failed=int(failed[in_condition].sum()),
            missing=int(missing[in_condition].sum()) + absent,
            not_applicable=int(excluded[in_condition].sum()),
            mean=None,
            distribution=(),
        )
