"""The planned comparisons as sentences: the study's question, what was found, and beside it what was expected."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import groupby
from typing import Any

from readback.cli import _lines, _trade_lines
from readback.cli._sentence import fill
from readback.scores import report
from readback.scores.comparing.comparison import Compared, Comparison
from readback.scores.pooled import JUDGES, PEOPLE
from readback.scores.report import Line
from readback.scores.table import ConditionKey
from readback.types import Criterion
from readback.words import t

SENTENCES_SCORES = {
    "about_people": "{criterion}, mean over people",
    "about_judges": "{criterion}, mean over judges",
    "about_judge": "{criterion}, judge {judge}",
    "blocked": "must not be compared",
    "clusters": "{interval}, {n:,} {n:cluster|clusters}",
    "p": "p {p}",
    "p_planned": "p {p}, corrected for {n:,} planned {n:comparison|comparisons} ({before} before)",
    "p_exploratory": ("p {p}, corrected for {n:,} exploratory {n:comparison|comparisons} ({before} before)"),
    "seed": "{method}, seed {seed}",
    "at_odds": "the interval and the test disagree here",
    "lacking_spread": "the spread",
}

Answer = Mapping[str, Any]
POOLS = {PEOPLE: "about_people", JUDGES: "about_judges"}
Name = Callable[[Answer, str], str]  # a comparison and its side, a or b, as the side is called


def text(answer: Answer, made: Compared, name: Name) -> Iterator[str]:
    """One sentence for each planned comparison, in the order of the plan, also for those that cannot be made.

    `made` are the comparisons that `answer` tells of, in the same order.
    """
    told: list[tuple[int, Answer, str, Line | None]] = []
    for one, pair in zip(answer["comparisons"], made.comparisons, strict=True):
        if one["planned"]:
            told.append((one["plan"], one, _sentence(one, pair, _called(one, pair, name), answer["criteria"]), pair))
    for one, refused in zip(answer["blocked"], made.blocked, strict=True):
        if one["planned"]:
            told.append((one["plan"], one, _refused(one, name), refused))
    for at, found in groupby(answer["planned_without_scores"], key=lambda one: one["plan"]):
        told.append((at, *_absent(list(found)), None))
    told.sort(key=lambda entry: entry[0])
    for _, one, said, line in told:
        yield f"{one['question']} {said}" if one["question"] else said
        if line and one.get("expected"):
            called = _called(one, line, name)
            meant = t("scores.expected", text=_lines.unbroken(report.expected(line, called)))
            yield f"  {meant}; {t('scores.found', text=report.verdict(line, called))}"
        if rule := one.get("winner_by_rule"):
            yield f"  {t('scores.winner_by_rule', winner=t('scores.tie') if rule == 'tie' else name(one, rule))}"
    yield from _trade_lines.text(answer, [one for one in answer["comparisons"] if one["planned"]], name)
    tested = {one["family"] for one in answer["comparisons"] if one["planned"] and one["p"] is not None}
    if told and tested:
        yield f"({t('scores.plan_holm', n=max(tested))})"


def ends(span: Any, places: int = 4) -> dict[str, str]:
    """The ends of an interval: {"low", "high"}."""
    return {"low": number(span[0], places), "high": number(span[1], places)}


def interval(span: Any) -> str:
    """A 95 % interval in words."""
    return fill("95 % interval {low} to {high}", **ends(span))


def number(value: float, places: int = 4) -> str:
    """A number, never a minus before nothing."""
    said = f"{value:.{places}f}"
    return said.removeprefix("-") if not float(said) else said


def plus(value: float) -> str:
    """A difference with its sign."""
    said = number(value)
    return said if said.startswith("-") else f"+{said}"


def p_of(one: Answer) -> str:
    """p, for how many comparisons of its kind it is corrected, p before, and the test."""
    if one["p"] is None:
        return ""
    before, method = f"{one['p']:.2g}", one["p_method"]
    if one["family"] > 1:
        kind = "p_planned" if one["planned"] else "p_exploratory"
        said = fill(SENTENCES_SCORES[kind], p=f"{one['p_adjusted']:.2g}", n=one["family"], before=before)
    else:
        said = fill("p {p}", p=before)
    if one["seed"] is not None:
        method = fill("{method}, seed {seed}", method=method, seed=one["seed"])
    return f"{said}; {method}"


def left_out(one: Answer, name: Name) -> str:
    """How many items are scored on one side only."""
    gone = [
        fill("{n:,} scored only under {name}", n=one[key], name=name(one, side))
        for key, side in (("only_a", "a"), ("only_b", "b"))
        if one[key]
    ]
    return fill("; left out: {parts}", parts=", ".join(gone)) if gone else ""


def at_odds(one: Answer) -> str:
    """That the interval leaves no difference out and the test does not, or the other way round."""
    return "; the interval and the test disagree here" if one["at_odds"] else ""


def _called(one: Answer, line: Line, name: Name) -> Callable[[ConditionKey], str]:
    """What the sides of a comparison are called, by their keys."""
    return {line.a: name(one, "a"), line.b: name(one, "b")}.__getitem__


def _sentence(one: Answer, line: Comparison, called: Callable[[ConditionKey], str], criteria: Answer) -> str:
    """The sentence that the page has, and in brackets the numbers that are beside it there."""
    said = report.sentence(line, called, _criterion(one["criterion"], criteria))
    over = [t("scores.over_clusters", n=one["clusters"])] if one["interval_clustered"] else []
    equal = [] if one["p_equivalent"] is None else [
        t("scores.equivalence", margin=f"{one['margin']:g}", p=report.p_text(one["p_equivalent"]))
    ]  # fmt: skip
    more = [about(one), *over, *filter(None, [p_of(one)]), *equal]
    left = left_out(one, lambda _, side: called(line.a if side == "a" else line.b))
    return f"{said} ({'; '.join(more)}{left}{at_odds(one)})"


def _criterion(name: str, criteria: Answer) -> Criterion:
    return Criterion(name, direction=criteria[name]["direction"])


def about(one: Answer) -> str:
    """The criterion and whose scores they are."""
    criterion, judge = str(one["criterion"]), one["judge"]
    return (
        fill(SENTENCES_SCORES[POOLS.get(judge, "about_judge")], criterion=criterion, judge=judge)
        if judge
        else criterion
    )


def _refused(one: Answer, name: Name) -> str:
    return t("scores.plan_refused", a=name(one, "a"), b=name(one, "b"), about=about(one), why=one["why"])


def _absent(found: list[Answer]) -> tuple[Answer, str]:
    one = found[0]
    gone = ", ".join(entry["without"] for entry in found)
    return one, t("scores.plan_without_scores", a=one["a"], b=one["b"], names=gone)
