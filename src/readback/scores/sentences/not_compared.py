"""What is said first of a criterion under which no two conditions can be compared, and why.

Either its scores are on different scales, or one condition was scored. Of several judges of one condition their
agreement is what can be said.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from readback.scores import pooled, summary
from readback.scores.agreement.measures import measure_pool
from readback.scores.comparing.comparison import DISPUTED
from readback.scores.sentences import report
from readback.scores.summary_row import Row
from readback.scores.table import ScoreTable
from readback.scores.values.criteria import scale_text
from readback.words import t

SCALES, ALONE = "two scales", "one condition"
STRAY = 0.1  # of all scores: up to this share on another scale is a slip, which its finding names
NAMED = 3  # conditions that are named; of more their number is


@dataclass(frozen=True, slots=True)
class NotCompared:
    """Why conditions are not compared under a criterion; `answer` says it in a few words.

    `apart` says that no comparison is made at all; otherwise each scale is compared by itself.
    """

    criterion: str
    judge: str
    verdict: str
    conditions: int
    answer: str
    apart: bool = True

    @property
    def headline(self) -> str:
        """The answer with its criterion, as a whole sentence."""
        return t("scores.conclusion", criterion=self.criterion, text=self.answer)


def find_scales(table: ScoreTable, criterion: str) -> NotCompared | None:
    """Return that the scores of a criterion are on several scales; None where they are on one, or but for slips.

    `criterion` may be any of the names that the scores have been given by their scales.
    """
    name = table.on_other_scale.get(criterion, criterion)
    names = [name, *(other for other, base_name in table.on_other_scale.items() if base_name == name)]
    rows_by_name: dict[str, list[Row]] = {}
    for row in summary.rows(table):
        if row.criterion in names and row.n:
            rows_by_name.setdefault(row.criterion, []).append(row)
    counts = {name_on_scale: sum(row.n for row in rows) for name_on_scale, rows in rows_by_name.items()}
    if len(rows_by_name) < 2 or sum(counts.values()) - max(counts.values()) <= STRAY * sum(counts.values()):
        return None
    conditions = {
        name_on_scale: list(dict.fromkeys(row.condition for row in rows))
        for name_on_scale, rows in rows_by_name.items()
    }
    parts = [
        t(
            "scores.on_scale_part",
            scale=scale_text(table.criteria[name_on_scale]),
            names=_names(table, [report.short(table, key) for key in conditions[name_on_scale]]),
            n=counts[name_on_scale],
        )
        for name_on_scale in rows_by_name
    ]
    apart = all(len(keys) == 1 for keys in conditions.values())
    answer = t(
        "scores.not_compared_scales" if apart else "scores.not_compared_whole", parts=t("scores.and").join(parts)
    )
    all_conditions = {key for keys in conditions.values() for key in keys}
    return NotCompared(name, next(iter(rows_by_name.values()))[0].judge, SCALES, len(all_conditions), answer, apart)


def describe_one(table: ScoreTable, criterion: str) -> str:
    """Return, of a criterion that one condition is scored under, how far its judges agree; "" where none are several.

    `table` is that of the files, not one of means over judges.
    """
    parts = []
    for pool in pooled.pools(table, criterion):
        members = pooled.members(table, criterion, pool)
        agreement = measure_pool(table, criterion, members)
        who = t(f"scores.{pool.removeprefix('*')}", n=len(members))
        placeholders = {
            "who": who,
            "metric": agreement.metric,
            "alpha": report.signed(agreement.alpha),
            "n": agreement.units,
        }
        if agreement.alpha is None:
            parts.append(t("scores.alone_same", **placeholders))
        elif agreement.alpha < DISPUTED:
            parts.append(t("scores.alone_disputed", **placeholders))
        else:
            parts.append(t("scores.alone_agreed", **placeholders))
    return "; ".join(parts)


def find_alone(table: ScoreTable, criterion: str) -> NotCompared | None:
    """Return that one condition is scored by several judges, and how far they agree; None for anything else."""
    rows = [row for row in summary.rows(table, criterion=criterion) if row.n and row.condition not in table.apart]
    if len({row.condition for row in rows}) != 1:
        return None
    agreed = describe_one(table, criterion)
    if not agreed:
        return None
    judge = next(iter(pooled.pools(table, criterion)), "")
    return NotCompared(criterion, judge, ALONE, 1, t("scores.alone_answer", agreed=agreed))


@dataclass(frozen=True, slots=True)
class Dispute:
    """That several judges of a criterion agree too little for a conclusion: `who`, in words, and their alpha."""

    criterion: str
    who: str
    alpha: float


def find_dispute(table: ScoreTable, criterion: str, judge: str) -> Dispute | None:
    """Return that the judges of a pool agree too little for a conclusion; None where they do, or where it is one."""
    if judge not in (pooled.PEOPLE, pooled.JUDGES):
        return None
    members = pooled.members(table, criterion, judge)
    alpha = measure_pool(table, criterion, members).alpha
    if alpha is None or alpha >= DISPUTED:
        return None
    return Dispute(criterion, t(f"scores.{judge.removeprefix('*')}", n=len(members)), alpha)


def as_json(not_compared: NotCompared) -> dict[str, Any]:
    """Return the same for scripts, in the form of a conclusion."""
    return {
        "criterion": not_compared.criterion,
        "judge": not_compared.judge or None,
        "a": None,
        "b": None,
        "conditions": not_compared.conditions,
        "verdict": not_compared.verdict,
        "better": None,
        "fairness": "not checked",
        "answer": not_compared.answer,
    }


def _names(table: ScoreTable, names: Sequence[str]) -> str:
    if len(names) > NAMED:
        return t("scores.so_many_conditions", n=len(names))
    return t("scores.and_of_names").join(t("scores.quoted", name=name) for name in names)
