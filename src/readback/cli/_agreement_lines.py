"""Agreement between judges as lines for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from readback.cli._sentence import fill
from readback.scores.criteria import number
from readback.words import t

SENTENCES_AGREEMENT = {
    "criterion": "{criterion} ({scale} scale)",
    "interval": "95 % interval {low:.3f} to {high:.3f}",
    "alpha": "Krippendorff's alpha {alpha:.3f} ({metric})",
    "alpha_interval": "Krippendorff's alpha {alpha:.3f} ({metric}, {interval})",
    "ratings": "{ratings:,} {ratings:rating|ratings} of {n:,} {n:answer|answers}",
    "single": "{n:,} more {n:answer was|answers were} scored by one judge only",
    "in_condition": "in {condition}: alpha {alpha:.3f}; {n:,} {n:answer|answers}",
    "in_condition_none": (
        "in {condition}: alpha is not defined, because all ratings are equal; {n:,} {n:answer|answers}"
    ),
    "person": "{judge} (a person)",
    "kappa_quadratic": "quadratic kappa",
    "kappa_linear": "linear kappa",
    "kappa_none": "kappa",
    "above": ("{judge}: mean {mean:.3f} on {n:,} shared {n:answer|answers}, {off:.3f} above the mean of the others"),
    "below": ("{judge}: mean {mean:.3f} on {n:,} shared {n:answer|answers}, {off:.3f} below the mean of the others"),
    "confusion": "rows {a}, columns {b}:",
    "disagreed": "{n:,} {n:answer|answers} with different values; the most disputed:",
    "disputed": "{item}: {values}",
    "disputed_at": "{item} ({place}): {values}",
    "run": "run {run}",
    "passes": "{judge} passes {share:.1f} % of {n:,} {n:answer|answers}",
    "passes_in": "{judge} in {condition} passes {share:.1f} % of {n:,} {n:answer|answers}",
    "none_passed": ("{passes}; not corrected, because {person} passed none of the answers that both scored"),
    "none_failed": ("{passes}; not corrected, because {person} failed none of the answers that both scored"),
    "labels": "by {person}: {passed:,} passed, {failed:,} failed",
    "rates": "sensitivity {sensitivity:.3f}, specificity {specificity:.3f}",
    "corrected": "{passes}; corrected {share:.1f} % ({labels}; {rates})",
}

Answer = Mapping[str, Any]
SHOWN = 5  # disputed answers; JSON has twenty


def text(answer: Answer) -> Iterator[str]:
    """A block for each criterion, then those that are left out and why."""
    if answer["synthetic"]:
        yield t("scores.synthetic")
    for one in answer["criteria"]:
        yield fill("\n{criterion} ({scale} scale)", criterion=one["criterion"], scale=one["scale"])
        yield from (f"  {line}" for line in _criterion(one))
    skipped = answer["skipped"]
    if isinstance(skipped, str):
        yield skipped
    else:
        yield from (f"\n{name}: {why}" for name, why in skipped.items())


def _criterion(one: Answer) -> Iterator[str]:
    if one["units"]:
        yield _headline(one)
    if len(one["conditions"]) > 1:
        yield from (_in_condition(here) for here in one["conditions"])
    yield from (_states(judge) for judge in one["judges"])
    for pair in (pair for pair in one["pairs"] if {pair["a"], pair["b"]} <= set(one["shown"])):
        yield _pair(pair)
    if one["judges_left"]:
        shown = one["raters"] - one["judges_left"]
        yield fill(
            (
                "the pairs of {n:,} of {all:,} raters are shown; --format json or csv has all {pairs:,} "
                "{pairs:pair|pairs}"
            ),
            n=shown,
            all=one["raters"],
            pairs=len(one["pairs"]),
        )
    yield from (_leniency(judge) for judge in one["leniency"])
    if one["confusion"]:
        yield from _confusion(one["confusion"])
    if one["disagreed"]:
        yield fill("{n:,} {n:answer|answers} with different values; the most disputed:", n=one["disagreed"])
        yield from (f"  {_disputed(unit)}" for unit in one["disputed"][:SHOWN])
    yield from (_flips(judge) for judge in one["flips"])
    yield from (_corrected(rate) for rate in one["corrected"])


def _headline(one: Answer) -> str:
    others = [
        fill("{metric} {alpha:.3f}", metric=metric, alpha=alpha)
        for metric, alpha in one["alpha"].items()
        if alpha is not None and metric != one["headline"]
    ]
    ratings = fill(
        "{ratings:,} {ratings:rating|ratings} of {n:,} {n:answer|answers}", ratings=one["ratings"], n=one["units"]
    )
    single = (
        fill("{n:,} more {n:answer was|answers were} scored by one judge only", n=one["single"])
        if one["single"]
        else ""
    )
    return "; ".join(filter(None, (_alpha(one), ", ".join(others), ratings, single)))


def _alpha(one: Answer) -> str:
    found = {"alpha": one["alpha"][one["headline"]], "metric": one["headline"]}
    if found["alpha"] is None:
        return "Krippendorff's alpha is not defined, because all ratings are equal"
    if not one["alpha_interval"]:
        return fill("Krippendorff's alpha {alpha:.3f} ({metric})", **found)
    low, high = one["alpha_interval"]
    return fill(
        "Krippendorff's alpha {alpha:.3f} ({metric}, {interval})",
        **found,
        interval=fill("95 % interval {low:.3f} to {high:.3f}", low=low, high=high),
    )


def _in_condition(here: Answer) -> str:
    known = "in_condition_none" if here["alpha"] is None else "in_condition"
    condition = " · ".join(here["condition"].values())
    return fill(SENTENCES_AGREEMENT[known], condition=condition, alpha=here["alpha"], n=here["units"])


def _states(judge: Answer) -> str:
    name = _name(judge["judge"])
    called = fill("{judge} (a person)", judge=name) if judge["person"] else name
    counts = {state: judge[state] for state in ("n", "failed", "missing", "not_applicable")}
    return fill(
        ("{judge}: {n:,} scored, {failed:,} failed, {missing:,} missing, {not_applicable:,} not applicable"),
        judge=called,
        **counts,
    )


def _pair(pair: Answer) -> str:
    said = {"a": _name(pair["a"]), "b": _name(pair["b"]), "share": 100 * pair["exact"], "n": pair["n"]}
    if pair["kappa"] is None:
        return fill("{a} and {b}: the same value in {share:.1f} % of {n:,} shared {n:answer|answers}", **said)
    return fill(
        ("{a} and {b}: the same value in {share:.1f} % of {n:,} shared {n:answer|answers}, {kappa} {value:.3f}"),
        **said,
        kappa=SENTENCES_AGREEMENT[f"kappa_{pair['weights']}"],
        value=pair["kappa"],
    )


def _leniency(judge: Answer) -> str:
    numbers = {"mean": judge["mean"], "n": judge["n"], "off": abs(judge["deviation"])}
    side = "above" if judge["deviation"] >= 0 else "below"
    said = fill(SENTENCES_AGREEMENT[side], judge=_name(judge["judge"]), **numbers)
    if not judge["interval"]:
        return said
    low, high = judge["interval"]
    return fill("{said} (95 % interval of the difference {low:.3f} to {high:.3f})", said=said, low=low, high=high)


def _confusion(found: Answer) -> Iterator[str]:
    yield fill("rows {a}, columns {b}:", a=_name(found["a"]), b=_name(found["b"]))
    heads = [number(value) for value in found["values"]]
    rows = [heads, *([str(cell) for cell in row] for row in found["table"])]
    width = max(len(cell) for row in rows for cell in row) + 2
    for head, row in zip(("", *heads), rows, strict=True):
        yield f"  {head:>{width}}" + "".join(f"{cell:>{width}}" for cell in row)


def _disputed(unit: Answer) -> str:
    given = ", ".join(f"{_name(judge)} {number(value)}" for judge, value in unit["values"].items())
    run = [fill("run {run}", run=unit["run"])] if unit["run"] else []
    place = " · ".join([*unit["condition"].values(), *run])
    at = "disputed_at" if place else "disputed"
    return fill(SENTENCES_AGREEMENT[at], item=unit["item"], place=place, values=given)


def _flips(judge: Answer) -> str:
    counts = {"n": judge["answers"], "flipped": judge["flipped"], "share": 100 * judge["rate"]}
    said = t("scores.agreement_flips", judge=_name(judge["judge"]), **counts)
    if judge["judge_variance"] is None:
        return said
    within, between = judge["judge_variance"], judge["answer_variance"]
    return f"{said}" + fill(
        " Variance within an answer {within:.3f}, between answers {between:.3f}.", within=within, between=between
    )


def _corrected(rate: Answer) -> str:
    condition, person = " · ".join(rate["condition"].values()), rate["person"]
    seen = {"judge": _name(rate["judge"]), "share": 100 * rate["seen"], "n": rate["n"]}
    passes = fill(SENTENCES_AGREEMENT["passes_in" if condition else "passes"], condition=condition, **seen)
    if rate["sensitivity"] is None:
        none = "none_failed" if rate["positives"] else "none_passed"
        return fill(SENTENCES_AGREEMENT[none], passes=passes, person=person)
    labels = fill(
        "by {person}: {passed:,} passed, {failed:,} failed",
        person=person,
        passed=rate["positives"],
        failed=rate["negatives"],
    )
    if rate["rate"] is None:
        return fill(
            ("{passes}; not corrected, because the judge separates passes from fails no better than chance ({labels})"),
            passes=passes,
            labels=labels,
        )
    rates = fill(
        "sensitivity {sensitivity:.3f}, specificity {specificity:.3f}",
        sensitivity=rate["sensitivity"],
        specificity=rate["specificity"],
    )
    said = {"passes": passes, "share": 100 * rate["rate"], "labels": labels, "rates": rates}
    if not rate["interval"]:
        return fill("{passes}; corrected {share:.1f} % ({labels}; {rates})", **said)
    low, high = (100 * end for end in rate["interval"])
    return fill(
        ("{passes}; corrected {share:.1f} %, 95 % interval {low:.1f} to {high:.1f} % ({labels}; {rates})"),
        **said,
        low=low,
        high=high,
    )


def _name(judge: str) -> str:
    return judge or t("scores.no_judge")
