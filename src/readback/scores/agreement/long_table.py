"""Agreement as one long table, a number in each row: what a spreadsheet or a data frame takes in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

COLUMNS = ("criterion", "condition", "measure", "judge", "other", "value", "low", "high", "n")
STATES = ("n", "failed", "missing", "not_applicable")
NAMES = {"n": "scored", "not_applicable": "not applicable"}

Answer = Mapping[str, Any]
Line = Sequence[Any]


def rows(answer: Answer) -> Iterator[Line]:
    """Every number of the answer but the disputed answers; `n` is what the number is made of, `low` and `high` its
    95 % interval. Empty is what does not apply or cannot be computed."""
    for one in answer["criteria"]:
        yield from (_line(one["criterion"], **given) for given in _measures(one))


def _measures(one: Answer) -> Iterator[dict[str, Any]]:
    for metric, value in one["alpha"].items():
        if metric == one["headline"] or value is not None:
            span = one["alpha_interval"] if metric == one["headline"] else None
            yield {"measure": f"alpha {metric}", "value": value, "span": span, "n": one["units"]}
    for here in one["conditions"] if len(one["conditions"]) > 1 else ():
        about = {"condition": _named(here["condition"]), "measure": f"alpha {one['headline']}"}
        yield {**about, "value": here["alpha"], "n": here["units"]}
    for judge in one["judges"]:
        for state in STATES:
            yield {"measure": NAMES.get(state, state), "judge": judge["judge"], "value": judge[state]}
    for pair in one["pairs"]:
        two = {"judge": pair["a"], "other": pair["b"], "n": pair["n"]}
        yield {**two, "measure": "same value", "value": pair["exact"]}
        if pair["kappa"] is not None:
            weights = "" if pair["weights"] == "none" else f"{pair['weights']} "
            yield {**two, "measure": f"{weights}kappa", "value": pair["kappa"]}
        yield {**two, "measure": f"alpha {one['headline']}", "value": pair["alpha"]}
    for judge in one["leniency"]:
        about = {"judge": judge["judge"], "n": judge["n"]}
        yield {**about, "measure": "mean", "value": judge["mean"]}
        yield {**about, "measure": "above the others", "value": judge["deviation"], "span": judge["interval"]}
    yield from _confusion(one["confusion"])
    for judge in one["flips"]:
        yield {"measure": "flip rate", "judge": judge["judge"], "value": judge["rate"], "n": judge["answers"]}
    for rate in one["corrected"]:
        about = {"judge": rate["judge"], "other": rate["person"], "condition": _named(rate["condition"] or {})}
        yield {**about, "measure": "pass rate", "value": rate["seen"], "n": rate["n"]}
        yield {**about, "measure": "corrected rate", "value": rate["rate"], "span": rate["interval"], "n": rate["n"]}


def _confusion(found: Answer | None) -> Iterator[dict[str, Any]]:
    """How often the one gave this value and the other that."""
    if not found:
        return
    for value, line in zip(found["values"], found["table"], strict=True):
        for other, count in zip(found["values"], line, strict=True):
            two = {"judge": found["a"], "other": found["b"]}
            yield {**two, "measure": f"gave {value:g} and {other:g}", "value": count}


def _line(
    criterion: str, *, measure: str, value: Any, condition: str = "", judge: str = "", other: str = "",
    span: Sequence[float] | None = None, n: Any = None,
) -> Line:  # fmt: skip
    low, high = span or (None, None)
    return criterion, condition, measure, judge, other, value, low, high, n


def _named(condition: Mapping[str, str]) -> str:
    return " · ".join(condition.values())
