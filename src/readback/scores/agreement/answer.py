"""What `readback agreement --format json` answers: a stable shape for scripts."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from readback.scores.agreement.measured import Agreement, agreement, every_pair, named
from readback.scores.table import ScoreTable

WHY = {
    "one judge": "one judge only: agreement needs a second judge, or a person, who scored the same answers",
    "nothing shared": "no answer was scored by two judges: agreement needs judges who scored the same answers",
}
NO_SCORES = "there are no scores: agreement needs two judges, or a judge and a person, who scored the same answers"


def as_json(table: ScoreTable, criterion: str | None = None) -> dict[str, Any]:
    """{"criteria": [...], "skipped": {criterion: why} or why}. Raises LookupError for a criterion that is not there.

    A criterion of one judge who scored no answer twice is only under `skipped`.
    """
    names = table.columns.criteria if criterion is None else (named(table, criterion),)
    made = [agreement(table, name) for name in names]
    skipped = {one.criterion.name: WHY[one.why] for one in made if one.why}
    return {
        "criteria": [_criterion(table, one) for one in made if not one.why or one.flips],
        "skipped": skipped if names else NO_SCORES,
        "synthetic": table.synthetic,
    }


def shown(one: Agreement) -> list[str]:
    """The judges whose pairs are shown where people read; all of them where there are few."""
    return list(dict.fromkeys(name for pair in one.pairs for name in (pair.a, pair.b)))


def _criterion(table: ScoreTable, one: Agreement) -> dict[str, Any]:
    every = every_pair(table, one.criterion.name) if one.judges_left else one.pairs
    return {
        "criterion": one.criterion.name,
        "scale": one.criterion.scale,
        "values": list(one.criterion.values) or None,
        "judges": [asdict(counts) for counts in one.judges],
        "units": one.units,
        "ratings": one.ratings,
        "single": one.single,
        "repeated": one.repeated,
        "alpha": {metric: one.alpha.get(metric) for metric in ("nominal", "ordinal", "interval")},
        "headline": one.headline,
        "alpha_interval": one.interval,
        "method": one.method,
        "seed": one.seed,
        "pairs": [asdict(pair) for pair in every],
        "raters": one.raters,
        "judges_left": one.judges_left,
        "shown": shown(one),
        "confusion": asdict(one.confusion) if one.confusion else None,
        "leniency": [asdict(judge) for judge in one.leniency],
        "disagreed": one.disagreed,
        "disputed": [
            {**asdict(unit), "condition": dict(unit.condition), "values": dict(unit.values)} for unit in one.disputed
        ],
        "conditions": [{**asdict(here), "condition": dict(here.condition)} for here in one.conditions],
        "flips": [asdict(judge) for judge in one.flips],
        "corrected": [
            {**asdict(rate), "condition": None if rate.condition is None else dict(rate.condition)}
            for rate in one.corrected
        ],
    }
