"""Format comparisons of scores as sentences: those of the plan, trade-offs, and how findings and scores go together."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from readback.cli.common.lines import escape_newlines
from readback.cli.common.terminal import fill
from readback.scores.comparing.comparison import Compared, Comparison
from readback.scores.pooled import JUDGES, PEOPLE
from readback.scores.sentences import report
from readback.scores.sentences.report import Line
from readback.scores.table import ConditionKey
from readback.types import Criterion
from readback.words import t

POOLS = {PEOPLE: "mean over people", JUDGES: "mean over judges"}
B_IS_HIGHER = {"b is higher": True, "a is higher": False}

Answer = Mapping[str, Any]
GetName = Callable[[Answer, str], str]  # from a comparison and its side, a or b, to what the side is called


# Parts of sentences.


def format_number(value: float, places: int = 4) -> str:
    """Return a number, without a minus before nothing but zeros."""
    text = f"{value:.{places}f}"
    if float(text):
        return text
    return text.removeprefix("-")


def format_difference(value: float) -> str:
    """Return a difference with its sign."""
    text = format_number(value)
    if text.startswith("-"):
        return text
    return f"+{text}"


def format_span(span: Sequence[float], places: int = 4) -> str:
    """Return the ends of an interval."""
    low, high = span
    return f"{format_number(low, places)} to {format_number(high, places)}"


def format_interval(span: Sequence[float]) -> str:
    """Return a 95 % interval in words."""
    return f"95 % interval {format_span(span)}"


def add_interval(text: str, span: Sequence[float] | None) -> str:
    """Return the text with its interval in brackets, where there is one."""
    if span:
        return f"{text} ({format_interval(span)})"
    return text


def describe_scores(criterion: str, judge: str | None) -> str:
    """Return the criterion and whose scores they are."""
    if not judge:
        return criterion
    return f"{criterion}, {POOLS.get(judge, f'judge {judge}')}"


def format_p(comparison: Answer) -> str:
    """Return p, for how many comparisons of its kind it is corrected, p before that, and the test; "" without p."""
    if comparison["p"] is None:
        return ""
    p, method = f"{comparison['p']:.2g}", comparison["p_method"]
    text = f"p {p}"
    if comparison["family"] > 1:
        text = fill(
            "p {p}, corrected for {n:,} {kind} {n:comparison|comparisons} ({before} before)",
            p=f"{comparison['p_adjusted']:.2g}",
            n=comparison["family"],
            kind="planned" if comparison["planned"] else "exploratory",
            before=p,
        )
    if comparison["seed"] is not None:
        method = f"{method}, seed {comparison['seed']}"
    return f"{text}; {method}"


def format_caveats(comparison: Answer, get_name: GetName) -> str:
    """Return how many items are scored on one side only, and whether interval and test disagree; "" if neither."""
    text = ""
    counts = [(comparison["only_a"], "a"), (comparison["only_b"], "b")]
    parts = [f"{n:,} scored only under {get_name(comparison, side)}" for n, side in counts if n]
    if parts:
        text = f"; left out: {', '.join(parts)}"
    if comparison["at_odds"]:
        text += "; the interval and the test disagree here"
    return text


# The plan.


def format_plan(answer: Answer, compared: Compared, get_name: GetName) -> Iterator[str]:
    """Yield a sentence for each planned comparison, in the order of the plan, also for those that cannot be made.

    `compared` are the comparisons of `answer`, in the same order.
    """
    entries: list[tuple[int, Answer, str, Line | None]] = []
    for comparison, line in zip(answer["comparisons"], compared.comparisons, strict=True):
        if comparison["planned"]:
            sentence = _format_comparison(comparison, line, get_name, answer["criteria"])
            entries.append((comparison["plan"], comparison, sentence, line))
    for comparison, refusal in zip(answer["blocked"], compared.blocked, strict=True):
        if comparison["planned"]:
            entries.append((comparison["plan"], comparison, _format_refusal(comparison, get_name), refusal))
    for plan, group in groupby(answer["planned_without_scores"], key=lambda comparison: comparison["plan"]):
        missing = list(group)
        names = ", ".join(comparison["without"] for comparison in missing)
        sentence = t("scores.plan_without_scores", a=missing[0]["a"], b=missing[0]["b"], names=names)
        entries.append((plan, missing[0], sentence, None))
    entries.sort(key=lambda entry: entry[0])
    for _, comparison, sentence, entry_line in entries:
        yield f"{comparison['question']} {sentence}" if comparison["question"] else sentence
        if entry_line and comparison.get("expected"):
            name_key = _name_by_key(comparison, entry_line, get_name)
            expected = t("scores.expected", text=escape_newlines(report.expected(entry_line, name_key)))
            yield f"  {expected}; {t('scores.found', text=report.verdict(entry_line, name_key))}"
        winner = comparison.get("winner_by_rule")
        if winner:
            if winner == "tie":
                name = t("scores.tie")
            else:
                name = get_name(comparison, winner)
            yield f"  {t('scores.winner_by_rule', winner=name)}"
    planned = [comparison for comparison in answer["comparisons"] if comparison["planned"]]
    yield from format_trade_offs(answer, planned, get_name)
    families = {comparison["family"] for comparison in planned if comparison["p"] is not None}
    if entries and families:
        yield f"({t('scores.plan_holm', n=max(families))})"


def _name_by_key(comparison: Answer, line: Line, get_name: GetName) -> Callable[[ConditionKey], str]:
    """Return a function from the key of a side to what the side is called."""
    return {line.a: get_name(comparison, "a"), line.b: get_name(comparison, "b")}.__getitem__


def _format_comparison(comparison: Answer, line: Comparison, get_name: GetName, criteria: Answer) -> str:
    """Return the sentence that the page has, and in brackets the numbers that stand beside it there."""
    name = comparison["criterion"]
    criterion = Criterion(name, direction=criteria[name]["direction"])
    sentence = report.sentence(line, _name_by_key(comparison, line, get_name), criterion)
    facts = [describe_scores(name, comparison["judge"])]
    if comparison["interval_clustered"]:
        facts.append(t("scores.over_clusters", n=comparison["clusters"]))
    p = format_p(comparison)
    if p:
        facts.append(p)
    if comparison["p_equivalent"] is not None:
        margin, p = f"{comparison['margin']:g}", report.p_text(comparison["p_equivalent"])
        facts.append(t("scores.equivalence", margin=margin, p=p))
    return f"{sentence} ({'; '.join(facts)}{format_caveats(comparison, get_name)})"


def _format_refusal(comparison: Answer, get_name: GetName) -> str:
    return t(
        "scores.plan_refused",
        a=get_name(comparison, "a"),
        b=get_name(comparison, "b"),
        about=describe_scores(comparison["criterion"], comparison["judge"]),
        why=comparison["why"],
    )


# Trade-offs.


def format_trade_offs(answer: Answer, comparisons: Collection[Answer], get_name: GetName) -> Iterator[str]:
    """Yield a line for each pair of which one judge prefers one side by one criterion, the other by another.

    Only differences that are separated count.
    """
    pairs: dict[tuple[Any, ...], dict[bool, list[Answer]]] = {}
    for comparison in comparisons:
        b_is_higher = B_IS_HIGHER.get(comparison["verdict"])
        if b_is_higher is None:
            continue
        lower_is_better = answer["criteria"][comparison["criterion"]]["direction"] == "down"
        key = (*comparison["a"].items(), *comparison["b"].items(), comparison["judge"])
        pairs.setdefault(key, {}).setdefault(b_is_higher is not lower_is_better, []).append(comparison)
    for sides in pairs.values():
        if len(sides) < 2:
            continue
        better, worse = (", ".join(comparison["criterion"] for comparison in sides[side]) for side in (True, False))
        comparison = sides[True][0]
        a, b = get_name(comparison, "a"), get_name(comparison, "b")
        yield f"a trade-off: {b} is better than {a} in {better}, worse in {worse}"


# Findings and scores.


def format_finding_costs(answer: Answer) -> Iterator[str]:
    """Yield how scores go together with findings; nothing where that was not asked for."""
    if answer.get("fair"):
        yield "\nare the planned comparisons fair?"
    for comparison in answer.get("fair", ()):
        yield f"  {comparison['said']}"
    if answer.get("findings"):
        yield "\nscores with and without a finding; that they differ does not mean that the finding is the cause"
    for cost in answer.get("findings", ()):
        scores = describe_scores(cost["criterion"], cost["judge"])
        line = fill(
            (
                "  {code}, {condition}, {scores}: mean {with_it} on {n:,} {n:record|records} with it, "
                "{without} on {rest:,} without"
            ),
            code=cost["code"],
            condition=_join_values(cost["condition"]),
            scores=scores,
            with_it=_format_mean(cost["mean_with"]),
            n=cost["n_with"],
            without=_format_mean(cost["mean_without"]),
            rest=cost["n_without"],
        )
        yield f"{line}{_format_cost(cost)}"
    if answer.get("prompt_changes"):
        yield "\nthe same records, where only the second condition has the finding"
    for cost in answer.get("prompt_changes", ()):
        line = fill(
            "  {code}, {b} against {a}, {scores}: {n:,} {n:record|records}",
            code=cost["code"],
            a=_join_values(cost["a"]),
            b=_join_values(cost["b"]),
            scores=describe_scores(cost["criterion"], cost["judge"]),
            n=cost["n"],
        )
        yield f"{line}{_format_cost(cost)}"


def _format_cost(cost: Answer) -> str:
    """Return the difference that goes with a finding, its interval and p."""
    if cost["difference"] is None:
        return ""
    text = add_interval(f"difference {format_difference(cost['difference'])}", cost["interval"])
    if cost["p_adjusted"] is None:
        return f"; {text}"
    return f"; {text}, p {cost['p_adjusted']:.2g} by Benjamini and Hochberg"


def _join_values(condition: Mapping[str, str]) -> str:
    return ", ".join(condition.values())


def _format_mean(mean: float | None) -> str:
    if mean is None:
        return "–"
    return format_number(mean)
