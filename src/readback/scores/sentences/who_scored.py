"""Say who gave the scores in view, how many answers have one, and what their scale is: the line below an answer."""

from __future__ import annotations

from collections.abc import Sequence

from readback.scores import pooled
from readback.scores.agreement.ratings import is_person
from readback.scores.criterion_kinds import is_metric, is_program
from readback.scores.summary_row import Row
from readback.scores.table import ScoreTable
from readback.scores.values.criteria import scale_text
from readback.words import t


def describe(table: ScoreTable, rows: Sequence[Row], criterion: str, judge: str) -> str:
    """Return in two short sentences who scored these rows and how many answers, and the scale with its better end.

    `table` is the one in view for `judge`, which is a judge, a pool of several, or "" where the files name none.
    """
    scored, every = sum(row.n for row in rows), sum(row.all for row in rows)
    who = _name_scorer(table, criterion, judge)
    if scored == every:
        key = "scores.who_all"
    else:
        key = "scores.who_some"
    scale = scale_text(table.criteria[criterion])
    if criterion in table.inferred:
        scale = t("scores.lead_inferred", scale=scale)
    direction = t(f"scores.direction_{table.criteria[criterion].direction}")
    return f"{t(key, who=who, n=scored, all=every)} {t('scores.who_scale', scale=scale, direction=direction)}"


def describe_raters(table: ScoreTable, criterion: str, pool: str) -> tuple[str, str]:
    """Return how many judges or people a pool has, and how many of them scored each answer: `5 judges` and `2 to 3`."""
    raters = pooled.raters(table, criterion, pool)
    each = str(raters.most)
    if raters.fewest != raters.most:
        each = t("scores.span", low=raters.fewest, high=raters.most)
    return t(f"scores.{pool.removeprefix('*')}", n=raters.judges), each


def _name_scorer(table: ScoreTable, criterion: str, judge: str) -> str:
    if judge in (pooled.PEOPLE, pooled.JUDGES):
        who, each = describe_raters(table, criterion, judge)
        return t("scores.who_pool", who=who, each=each)
    if is_program(judge):
        return t("scores.who_named_program", judge=judge)
    if is_metric(criterion) and not is_person(judge, table.people):
        if judge:
            return t("scores.who_named_program", judge=judge)
        return t("scores.who_program")
    if not judge:
        return t("scores.who_unnamed")
    if table.synthetic:
        return t("scores.who_synthetic", judge=judge)
    return t("scores.who_person" if is_person(judge, table.people) else "scores.who_judge", judge=judge)
