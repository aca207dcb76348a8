"""Agreement between judges as lines for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from readback.scores.criteria import number
from readback.words import t

Answer = Mapping[str, Any]
SHOWN = 5  # disputed answers; JSON has twenty


def text(answer: Answer) -> Iterator[str]:
    """A block for each criterion, then those that are left out and why."""
    if answer["synthetic"]:
        yield t("scores.synthetic")
    for one in answer["criteria"]:
        yield f"\n{t('cli.agreement.criterion', criterion=one['criterion'], scale=one['scale'])}"
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
        yield t("cli.agreement.pairs_left", n=shown, all=one["raters"], pairs=len(one["pairs"]))
    yield from (_leniency(judge) for judge in one["leniency"])
    if one["confusion"]:
        yield from _confusion(one["confusion"])
    if one["disagreed"]:
        yield t("cli.agreement.disagreed", n=one["disagreed"])
        yield from (f"  {_disputed(unit)}" for unit in one["disputed"][:SHOWN])
    yield from (_flips(judge) for judge in one["flips"])
    yield from (_corrected(rate) for rate in one["corrected"])


def _headline(one: Answer) -> str:
    others = [
        t("cli.agreement.other_alpha", metric=metric, alpha=alpha)
        for metric, alpha in one["alpha"].items()
        if alpha is not None and metric != one["headline"]
    ]
    ratings = t("cli.agreement.ratings", ratings=one["ratings"], n=one["units"])
    single = t("cli.agreement.single", n=one["single"]) if one["single"] else ""
    return "; ".join(filter(None, (_alpha(one), ", ".join(others), ratings, single)))


def _alpha(one: Answer) -> str:
    found = {"alpha": one["alpha"][one["headline"]], "metric": one["headline"]}
    if found["alpha"] is None:
        return t("cli.agreement.alpha_none")
    if not one["alpha_interval"]:
        return t("cli.agreement.alpha", **found)
    low, high = one["alpha_interval"]
    return t("cli.agreement.alpha_interval", **found, interval=t("cli.agreement.interval", low=low, high=high))


def _in_condition(here: Answer) -> str:
    known = "in_condition_none" if here["alpha"] is None else "in_condition"
    condition = " · ".join(here["condition"].values())
    return t(f"cli.agreement.{known}", condition=condition, alpha=here["alpha"], n=here["units"])


def _states(judge: Answer) -> str:
    name = _name(judge["judge"])
    called = t("cli.agreement.person", judge=name) if judge["person"] else name
    counts = {state: judge[state] for state in ("n", "failed", "missing", "not_applicable")}
    return t("cli.agreement.states", judge=called, **counts)


def _pair(pair: Answer) -> str:
    said = {"a": _name(pair["a"]), "b": _name(pair["b"]), "share": 100 * pair["exact"], "n": pair["n"]}
    if pair["kappa"] is None:
        return t("cli.agreement.pair", **said)
    return t("cli.agreement.pair_kappa", **said, kappa=t(f"cli.agreement.kappa_{pair['weights']}"), value=pair["kappa"])


def _leniency(judge: Answer) -> str:
    numbers = {"mean": judge["mean"], "n": judge["n"], "off": abs(judge["deviation"])}
    side = "above" if judge["deviation"] >= 0 else "below"
    said = t(f"cli.agreement.{side}", judge=_name(judge["judge"]), **numbers)
    if not judge["interval"]:
        return said
    low, high = judge["interval"]
    return t("cli.agreement.off_interval", said=said, low=low, high=high)


def _confusion(found: Answer) -> Iterator[str]:
    yield t("cli.agreement.confusion", a=_name(found["a"]), b=_name(found["b"]))
    heads = [number(value) for value in found["values"]]
    rows = [heads, *([str(cell) for cell in row] for row in found["table"])]
    width = max(len(cell) for row in rows for cell in row) + 2
    for head, row in zip(("", *heads), rows, strict=True):
        yield f"  {head:>{width}}" + "".join(f"{cell:>{width}}" for cell in row)


def _disputed(unit: Answer) -> str:
    given = ", ".join(f"{_name(judge)} {number(value)}" for judge, value in unit["values"].items())
    run = [t("cli.agreement.run", run=unit["run"])] if unit["run"] else []
    place = " · ".join([*unit["condition"].values(), *run])
    at = "disputed_at" if place else "disputed"
    return t(f"cli.agreement.{at}", item=unit["item"], place=place, values=given)


def _flips(judge: Answer) -> str:
    counts = {"n": judge["answers"], "flipped": judge["flipped"], "share": 100 * judge["rate"]}
    said = t("scores.agreement_flips", judge=_name(judge["judge"]), **counts)
    if judge["judge_variance"] is None:
        return said
    within, between = judge["judge_variance"], judge["answer_variance"]
    return f"{said} {t('cli.agreement.variance', within=within, between=between)}"


def _corrected(rate: Answer) -> str:
    condition, person = " · ".join(rate["condition"].values()), rate["person"]
    seen = {"judge": _name(rate["judge"]), "share": 100 * rate["seen"], "n": rate["n"]}
    passes = t(f"cli.agreement.{'passes_in' if condition else 'passes'}", condition=condition, **seen)
    if rate["sensitivity"] is None:
        none = "none_failed" if rate["positives"] else "none_passed"
        return t(f"cli.agreement.{none}", passes=passes, person=person)
    labels = t("cli.agreement.labels", person=person, passed=rate["positives"], failed=rate["negatives"])
    if rate["rate"] is None:
        return t("cli.agreement.chance", passes=passes, labels=labels)
    rates = t("cli.agreement.rates", sensitivity=rate["sensitivity"], specificity=rate["specificity"])
    said = {"passes": passes, "share": 100 * rate["rate"], "labels": labels, "rates": rates}
    if not rate["interval"]:
        return t("cli.agreement.corrected", **said)
    low, high = (100 * end for end in rate["interval"])
    return t("cli.agreement.corrected_interval", **said, low=low, high=high)


def _name(judge: str) -> str:
    return judge or t("scores.no_judge")
