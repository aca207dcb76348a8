"""Format agreement between judges as lines for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from readback.cli.common.terminal import fill
from readback.scores.values.criteria import number
from readback.words import t

KAPPAS = {"quadratic": "quadratic kappa", "linear": "linear kappa", "none": "kappa"}
DISPUTED_LISTED = 5  # answers; JSON has twenty

Answer = Mapping[str, Any]


def format_agreement(answer: Answer) -> Iterator[str]:
    """Yield a block for each criterion, then those that are left out and why."""
    if answer["synthetic"]:
        yield t("scores.synthetic")
    for criterion in answer["criteria"]:
        yield f"\n{criterion['criterion']} ({criterion['scale']} scale)"
        yield from (f"  {line}" for line in _format_criterion(criterion))
    skipped = answer["skipped"]
    if isinstance(skipped, str):
        yield skipped
    else:
        yield from (f"\n{name}: {why}" for name, why in skipped.items())


def _format_criterion(criterion: Answer) -> Iterator[str]:
    if criterion["units"]:
        yield _format_headline(criterion)
    if len(criterion["conditions"]) > 1:
        yield from map(_format_condition, criterion["conditions"])
    yield from map(_format_judge, criterion["judges"])
    for pair in criterion["pairs"]:
        if {pair["a"], pair["b"]} <= set(criterion["shown"]):
            yield _format_pair(pair)
    if criterion["judges_left"]:
        yield fill(
            (
                "the pairs of {n:,} of {all:,} raters are shown; --format json or csv has all {pairs:,} "
                "{pairs:pair|pairs}"
            ),
            n=criterion["raters"] - criterion["judges_left"],
            all=criterion["raters"],
            pairs=len(criterion["pairs"]),
        )
    yield from map(_format_leniency, criterion["leniency"])
    if criterion["confusion"]:
        yield from _format_confusion(criterion["confusion"])
    if criterion["disagreed"]:
        yield fill("{n:,} {n:answer|answers} with different values; the most disputed:", n=criterion["disagreed"])
        yield from (f"  {_format_disputed(unit)}" for unit in criterion["disputed"][:DISPUTED_LISTED])
    yield from map(_format_flips, criterion["flips"])
    yield from map(_format_corrected_rate, criterion["corrected"])


def _format_headline(criterion: Answer) -> str:
    further_alphas = [
        f"{metric} {alpha:.3f}"
        for metric, alpha in criterion["alpha"].items()
        if alpha is not None and metric != criterion["headline"]
    ]
    ratings = fill(
        "{ratings:,} {ratings:rating|ratings} of {n:,} {n:answer|answers}",
        ratings=criterion["ratings"],
        n=criterion["units"],
    )
    single = ""
    if criterion["single"]:
        single = fill("{n:,} more {n:answer was|answers were} scored by one judge only", n=criterion["single"])
    return "; ".join(filter(None, (_format_alpha(criterion), ", ".join(further_alphas), ratings, single)))


def _format_alpha(criterion: Answer) -> str:
    metric = criterion["headline"]
    alpha = criterion["alpha"][metric]
    if alpha is None:
        return "Krippendorff's alpha is not defined, because all ratings are equal"
    if not criterion["alpha_interval"]:
        return f"Krippendorff's alpha {alpha:.3f} ({metric})"
    low, high = criterion["alpha_interval"]
    return f"Krippendorff's alpha {alpha:.3f} ({metric}, 95 % interval {low:.3f} to {high:.3f})"


def _format_condition(row: Answer) -> str:
    name = " · ".join(row["condition"].values())
    alpha = "alpha is not defined, because all ratings are equal"
    if row["alpha"] is not None:
        alpha = f"alpha {row['alpha']:.3f}"
    return fill("in {condition}: {alpha}; {n:,} {n:answer|answers}", condition=name, alpha=alpha, n=row["units"])


def _format_judge(row: Answer) -> str:
    name = _get_judge_name(row["judge"])
    if row["person"]:
        name = f"{name} (a person)"
    return (
        f"{name}: {row['n']:,} scored, {row['failed']:,} failed, {row['missing']:,} missing, "
        f"{row['not_applicable']:,} not applicable"
    )


def _format_pair(pair: Answer) -> str:
    line = fill(
        "{a} and {b}: the same value in {share:.1f} % of {n:,} shared {n:answer|answers}",
        a=_get_judge_name(pair["a"]),
        b=_get_judge_name(pair["b"]),
        share=100 * pair["exact"],
        n=pair["n"],
    )
    if pair["kappa"] is None:
        return line
    return f"{line}, {KAPPAS[pair['weights']]} {pair['kappa']:.3f}"


def _format_leniency(row: Answer) -> str:
    line = fill(
        "{judge}: mean {mean:.3f} on {n:,} shared {n:answer|answers}, {off:.3f} {side} the mean of the others",
        judge=_get_judge_name(row["judge"]),
        mean=row["mean"],
        n=row["n"],
        off=abs(row["deviation"]),
        side="above" if row["deviation"] >= 0 else "below",
    )
    if not row["interval"]:
        return line
    low, high = row["interval"]
    return f"{line} (95 % interval of the difference {low:.3f} to {high:.3f})"


def _format_confusion(confusion: Answer) -> Iterator[str]:
    yield f"rows {_get_judge_name(confusion['a'])}, columns {_get_judge_name(confusion['b'])}:"
    heads = [number(value) for value in confusion["values"]]
    rows = [heads, *([str(cell) for cell in row] for row in confusion["table"])]
    width = max(len(cell) for row in rows for cell in row) + 2
    for head, row in zip(("", *heads), rows, strict=True):
        yield f"  {head:>{width}}" + "".join(f"{cell:>{width}}" for cell in row)


def _format_disputed(unit: Answer) -> str:
    values = ", ".join(f"{_get_judge_name(judge)} {number(value)}" for judge, value in unit["values"].items())
    parts = list(unit["condition"].values())
    if unit["run"]:
        parts.append(f"run {unit['run']}")
    place = f" ({' · '.join(parts)})" if parts else ""
    return f"{unit['item']}{place}: {values}"


def _format_flips(row: Answer) -> str:
    counts = {"n": row["answers"], "flipped": row["flipped"], "share": 100 * row["rate"]}
    line = t("scores.agreement_flips", judge=_get_judge_name(row["judge"]), **counts)
    if row["judge_variance"] is None:
        return line
    within, between = row["judge_variance"], row["answer_variance"]
    return f"{line} Variance within an answer {within:.3f}, between answers {between:.3f}."


def _format_corrected_rate(row: Answer) -> str:
    """Return a judge's rate of passes, and what it is once corrected with a person's labels, or why it is not."""
    judge = _get_judge_name(row["judge"])
    if row["condition"]:
        judge = f"{judge} in {' · '.join(row['condition'].values())}"
    passes = fill(
        "{judge} passes {share:.1f} % of {n:,} {n:answer|answers}", judge=judge, share=100 * row["seen"], n=row["n"]
    )
    if row["sensitivity"] is None:
        verb = "failed" if row["positives"] else "passed"
        return f"{passes}; not corrected, because {row['person']} {verb} none of the answers that both scored"
    labels = f"by {row['person']}: {row['positives']:,} passed, {row['negatives']:,} failed"
    if row["rate"] is None:
        return (
            f"{passes}; not corrected, because the judge separates passes from fails no better than chance ({labels})"
        )
    rates = f"sensitivity {row['sensitivity']:.3f}, specificity {row['specificity']:.3f}"
    corrected = f"corrected {100 * row['rate']:.1f} %"
    if row["interval"]:
        low, high = (100 * end for end in row["interval"])
        corrected += f", 95 % interval {low:.1f} to {high:.1f} %"
    return f"{passes}; {corrected} ({labels}; {rates})"


def _get_judge_name(judge: str) -> str:
    return judge or t("scores.no_judge")
