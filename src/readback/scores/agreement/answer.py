"""Build the answer of `readback agreement --format json`, whose shape is stable for scripts, and its long table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from readback.scores.agreement.corrected_rates import CorrectedRate
from readback.scores.agreement.measures import Agreement, find_criterion, list_pairs, measure_agreement
from readback.scores.table import ScoreTable

WHY = {
    "one judge": "one judge only: agreement needs a second judge, or a person, who scored the same answers",
    "nothing shared": "no answer was scored by two judges: agreement needs judges who scored the same answers",
}
NO_SCORES = "there are no scores: agreement needs two judges, or a judge and a person, who scored the same answers"


def build_answer(table: ScoreTable, criterion: str | None = None) -> dict[str, Any]:
    """Return {"criteria": [...], "skipped": {criterion: reason} or reason, "synthetic": bool}.

    A criterion of one judge who scored no answer twice is only under `skipped`. Raises LookupError for a criterion
    that is not in the table.
    """
    if criterion is None:
        names = table.columns.criteria
    else:
        names = (find_criterion(table, criterion),)
    agreements = [measure_agreement(table, name) for name in names]
    skipped = {agreement.criterion.name: WHY[agreement.why] for agreement in agreements if agreement.why}
    return {
        "criteria": [_describe_criterion(table, result) for result in agreements if not result.why or result.flips],
        "skipped": skipped if names else NO_SCORES,
        "synthetic": table.synthetic,
    }


def list_listed_judges(agreement: Agreement) -> list[str]:
    """Return the judges whose pairs are listed, in the order of their pairs."""
    return list(dict.fromkeys(name for pair in agreement.pairs for name in (pair.a, pair.b)))


def _describe_criterion(table: ScoreTable, agreement: Agreement) -> dict[str, Any]:
    if agreement.judges_left:
        pairs = list_pairs(table, agreement.criterion.name)
    else:
        pairs = agreement.pairs
    return {
        "criterion": agreement.criterion.name,
        "scale": agreement.criterion.scale,
        "values": list(agreement.criterion.values) or None,
        "judges": [asdict(counts) for counts in agreement.judges],
        "units": agreement.units,
        "ratings": agreement.ratings,
        "single": agreement.single,
        "repeated": agreement.repeated,
        "alpha": {metric: agreement.alpha.get(metric) for metric in ("nominal", "ordinal", "interval")},
        "headline": agreement.headline,
        "alpha_interval": agreement.interval,
        "method": agreement.method,
        "seed": agreement.seed,
        "pairs": [asdict(pair) for pair in pairs],
        "raters": agreement.raters,
        "judges_left": agreement.judges_left,
        "shown": list_listed_judges(agreement),
        "confusion": asdict(agreement.confusion) if agreement.confusion else None,
        "leniency": [asdict(judge) for judge in agreement.leniency],
        "disagreed": agreement.disagreed,
        "disputed": [
            {**asdict(answer), "condition": dict(answer.condition), "values": dict(answer.values)}
            for answer in agreement.disputed
        ],
        "conditions": [
            {**asdict(condition), "condition": dict(condition.condition)} for condition in agreement.conditions
        ],
        "flips": [asdict(judge) for judge in agreement.flips],
        "corrected": [_describe_rate(rate) for rate in agreement.corrected],
    }


def _describe_rate(rate: CorrectedRate) -> dict[str, Any]:
    return {
        "judge": rate.judge,
        "person": rate.person,
        "condition": None if rate.condition is None else dict(rate.condition),
        "n": rate.n,
        "seen": rate.pass_rate,
        "positives": rate.positives,
        "negatives": rate.negatives,
        "sensitivity": rate.sensitivity,
        "specificity": rate.specificity,
        "rate": rate.rate,
        "interval": rate.interval,
    }


COLUMNS = ("criterion", "condition", "measure", "judge", "other", "value", "low", "high", "n")
STATES = ("n", "failed", "missing", "not_applicable")
NAMES = {"n": "scored", "not_applicable": "not applicable"}

Answer = Mapping[str, Any]
Line = Sequence[Any]


def list_rows(answer: Answer) -> Iterator[Line]:
    """Yield every number of the answer as a row of COLUMNS, but for the disputed answers.

    `n` counts what the number is computed from, `low` and `high` are its 95 % interval. A cell is empty where it does
    not apply or cannot be computed.
    """
    for criterion in answer["criteria"]:
        for measure in _list_measures(criterion):
            yield _build_row(criterion["criterion"], **measure)


def _list_measures(criterion: Answer) -> Iterator[dict[str, Any]]:
    headline = criterion["headline"]
    for metric, value in criterion["alpha"].items():
        if metric == headline:
            span = criterion["alpha_interval"]
        elif value is not None:
            span = None
        else:
            continue
        yield {"measure": f"alpha {metric}", "value": value, "span": span, "n": criterion["units"]}
    if len(criterion["conditions"]) > 1:
        for condition in criterion["conditions"]:
            row = {"condition": _name_condition(condition["condition"]), "measure": f"alpha {headline}"}
            yield {**row, "value": condition["alpha"], "n": condition["units"]}
    for judge in criterion["judges"]:
        for state in STATES:
            yield {"measure": NAMES.get(state, state), "judge": judge["judge"], "value": judge[state]}
    for pair in criterion["pairs"]:
        judges = {"judge": pair["a"], "other": pair["b"], "n": pair["n"]}
        yield {**judges, "measure": "same value", "value": pair["exact"]}
        if pair["kappa"] is not None:
            if pair["weights"] == "none":
                weights = ""
            else:
                weights = f"{pair['weights']} "
            yield {**judges, "measure": f"{weights}kappa", "value": pair["kappa"]}
        yield {**judges, "measure": f"alpha {headline}", "value": pair["alpha"]}
    for judge in criterion["leniency"]:
        row = {"judge": judge["judge"], "n": judge["n"]}
        yield {**row, "measure": "mean", "value": judge["mean"]}
        yield {**row, "measure": "above the others", "value": judge["deviation"], "span": judge["interval"]}
    yield from _list_confusion(criterion["confusion"])
    for judge in criterion["flips"]:
        yield {"measure": "flip rate", "judge": judge["judge"], "value": judge["rate"], "n": judge["answers"]}
    for rate in criterion["corrected"]:
        row = {"judge": rate["judge"], "other": rate["person"], "n": rate["n"]}
        row["condition"] = _name_condition(rate["condition"] or {})
        yield {**row, "measure": "pass rate", "value": rate["seen"]}
        yield {**row, "measure": "corrected rate", "value": rate["rate"], "span": rate["interval"]}


def _list_confusion(confusion: Answer | None) -> Iterator[dict[str, Any]]:
    """Yield how often the first judge gave one value where the second gave another, a row for each cell."""
    if not confusion:
        return
    judges = {"judge": confusion["a"], "other": confusion["b"]}
    values = confusion["values"]
    for value, counts in zip(values, confusion["table"], strict=True):
        for other_value, count in zip(values, counts, strict=True):
            yield {**judges, "measure": f"gave {value:g} and {other_value:g}", "value": count}


def _build_row(
    criterion: str,
    *,
    measure: str,
    value: Any,
    condition: str = "",
    judge: str = "",
    other: str = "",
    span: Sequence[float] | None = None,
    n: Any = None,
) -> Line:
    low, high = span or (None, None)
    return criterion, condition, measure, judge, other, value, low, high, n


def _name_condition(condition: Mapping[str, str]) -> str:
    return " · ".join(condition.values())
