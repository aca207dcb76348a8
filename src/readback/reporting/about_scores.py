"""The scores of a report: the two main charts of the page as the tables that they are drawn from, and their sentences.

One criterion is shown, by the judge (or judges together) that the page begins with; every other one as its rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from readback import as_json
from readback.checks import fair_pairs
from readback.checks.rules import build_finding
from readback.records.dataset import open_dataset
from readback.review.agenda import Meeting
from readback.scores import answer, chart_sentences, conclusion, criterion_kinds, drawn_pairs, in_view, report, summary
from readback.scores import charts as drawn
from readback.scores.comparing import compare
from readback.scores.comparing.compare import list_planned
from readback.scores.comparing.comparison import Comparison
from readback.scores.drawn_pairs import Concluded
from readback.scores.in_view import Line
from readback.scores.plain_table import PlainTable
from readback.scores.reported.matching_rows import find_left_out
from readback.scores.summary_row import Row
from readback.scores.table import ScoreTable
from readback.types import Criterion
from readback.words import t

FIRST_VALUE = 5  # the column of the spread's table with which the values of the scale begin


def rows(table: ScoreTable | None) -> list[dict[str, Any]]:
    """Every row of the scores, as `readback scores --format json` has it, in an order of its own."""
    found = answer.as_rows(table) if table is not None and len(table.columns) else []
    return sorted(found, key=lambda row: as_json.dumps(row))


def charts(made: Meeting) -> dict[str, Any] | None:
    """The first criterion's spread and differences, the planned comparisons under every criterion, and all rows; None
    where no score can be read.
    """
    opened, table = made.opened, made.table
    first = in_view.first(table, opened) if table is not None else None
    if table is None or first is None:
        return None
    name, judge = first
    seen = in_view.get_judge_table(table, judge)
    criterion = seen.criteria[name]
    ranked = in_view.better_first(in_view.ranked(seen, None, name, judge), criterion)
    concluded = conclusion.conclude_criterion(seen, opened, name, judge, partial(_fair, made, seen))
    compared: Sequence[Line] = drawn_pairs.list_pairs(concluded)
    if not list_planned(opened):
        compared = _against_baseline(made, seen, ranked, name, judge)
    return {
        "criterion": name,
        "judge": in_view.judge_name(table, name, judge) if judge else None,
        "synthetic": table.synthetic,
        "low": criterion.low,
        "high": criterion.high,
        "direction": criterion.direction,
        "spread": _spread(seen, ranked, criterion),
        "differences": _differences(seen, compared, criterion, concluded) if compared else None,
        "planned": list(_planned(made, table)),
        "left_out": [one.line(table.label(one.row.condition)) for one in find_left_out(table, summary.rows(table))],
        "rows": [_row(row, table) for row in rows(table)],
    }


def _spread(table: ScoreTable, ranked: Sequence[Row], criterion: Criterion) -> dict[str, Any]:
    """How the scores are spread: parts of a bar where the scale has few steps, else means with their intervals."""
    names = [table.label(row.condition) for row in ranked]
    steps = drawn.has_few_values(ranked, criterion)
    make = drawn.draw_distribution if steps else drawn.draw_means
    chart = make(ranked, names, criterion, _say)
    means = drawn.draw_means(ranked, names, criterion, _say).table
    return {
        "kind": "steps" if steps else "means",
        "said": chart_sentences.distribution(table, ranked, criterion),
        "how": chart_sentences.counted(ranked) if steps else chart_sentences.of_means(ranked),
        "alt": chart.alt,
        "table": _table(chart.table),
        "shades": _shades(ranked, criterion) if steps else [],
        "means": _table(means),
    }


def _shades(ranked: Sequence[Row], criterion: Criterion) -> list[list[str]]:
    """The colours of the values, on light and on dark paper."""
    values = list(dict.fromkeys(value for row in ranked for value, _ in row.distribution))
    both = (drawn.choose_steps(values, criterion, dark) for dark in (False, True))
    return [[light.shade, dark.shade] for light, dark in zip(*both, strict=True)]


def _differences(
    table: ScoreTable, compared: Sequence[Line], criterion: Criterion, concluded: Concluded
) -> dict[str, Any]:
    """The differences that are drawn, each in a sentence; first which of several conditions is best, where nothing was
    planned.
    """
    name = partial(report.short, table)
    names = [t("report.minus", a=name(one.a), b=name(one.b)) for one in compared]
    chart = drawn.draw_forest(compared, names, criterion, _say, explain=lambda why: build_finding(why).message)
    tested = [one for one in compared if isinstance(one, Comparison)]
    margins = {one.margin for one in tested if one.margin}
    fairness = drawn_pairs.list_fairness(concluded)
    sentences = []
    if isinstance(concluded, conclusion.BestOf) and concluded.headline:
        sentences.append(concluded.headline)
    for one in tested:
        kind = fairness.get(frozenset((one.a, one.b)), "")
        below = kind if kind in conclusion.AGAINST else None
        sentences.append(report.sentence(one, name, criterion, below))
    return {
        "said": sentences,
        "how": chart_sentences.how(tested),
        "alt": chart.alt,
        "table": _table(chart.table),
        "margin": margins.pop() if len(margins) == 1 else None,
    }


def _against_baseline(
    made: Meeting, table: ScoreTable, ranked: Sequence[Row], criterion: str, judge: str
) -> tuple[Line, ...]:
    """Without a plan each condition against the one that Scores begins with: of several the best one."""
    sides = {row.condition for row in ranked}
    base = drawn_pairs.find_baseline(table, made.opened, criterion, judge)
    if base is None or len(sides) < 2:
        return ()
    compared = compare.compare(table, (), baseline=table.label(base), criterion=criterion, judge=judge)
    pairs = [one if one.a == base else one.swap_sides() for one in compared.comparisons if base in (one.a, one.b)]
    order = {row.condition: at for at, row in enumerate(ranked)}
    return tuple(sorted((one for one in pairs if one.b in sides), key=lambda one: order[one.b]))


def _fair(made: Meeting, table: ScoreTable, one: Comparison) -> str:
    """Return the kind of the verdict on the prompts of a pair, "" where none can be given."""
    if not made.opened.conditions:
        return conclusion.NO_PROMPTS
    data = open_dataset(made.opened.root, made.opened.dataset)
    fair = fair_pairs.fairness(made.opened, data, made.audit, table, one)
    return fair.verdict.kind if fair else conclusion.NO_PROMPTS


def _planned(made: Meeting, table: ScoreTable) -> Iterator[dict[str, Any]]:
    """Each planned comparison under each criterion: its question, what was found, whether it is fair."""
    plan, data = list_planned(made.opened), open_dataset(made.opened.root, made.opened.dataset)
    for criterion in criterion_kinds.order_of(table, made.opened) if plan else ():
        judge = next(iter(in_view.judges(table, criterion)), None)
        seen = in_view.get_judge_table(table, judge) if judge is not None else None
        if judge is None or seen is None:
            continue
        name = partial(report.short, seen)
        for one in in_view.of_plan(seen, plan, criterion, judge):
            said = {"criterion": criterion, "a": name(one.a), "b": name(one.b),
                    "question": one.planned.question or one.planned.name or None if one.planned else None,
                    "expected": report.expected(one, name) or None}  # fmt: skip
            if not isinstance(one, Comparison):
                yield {**said, "said": " ".join(build_finding(why).message for why in one.why), "tested": None,
                       "fair": None, "untouched": None}  # fmt: skip
                continue
            fair = fair_pairs.fairness(made.opened, data, made.audit, seen, one) if made.opened.conditions else None
            rest = None
            if fair and fair.verdict.faults:
                same = fair.verdict.kind == "same"
                rest = report.untouched(one, fair.touched, fair.untouched, name, same=same)
            scale, kind = seen.criteria[criterion], fair.verdict.kind if fair else ""
            concluded = conclusion.conclude(seen, one, kind)
            parts = (concluded.headline, concluded.sentence, report.not_shown(one, name, scale, kind),
                     report.doubtful(one, kind), report.power(one, kind))  # fmt: skip
            yield {**said, "said": " ".join(filter(None, parts)), "tested": report.tested(one) or None,
                   "fair": kind or None, "untouched": rest}  # fmt: skip


def _row(row: dict[str, Any], table: ScoreTable) -> dict[str, Any]:
    """A row in short, for the table of all."""
    key = tuple(row["condition"].items())
    known = {one: table.label(one) for one in table.columns.conditions}
    names = ("criterion", "judge", "n", "failed", "missing", "not_applicable", "mean", "interval_used")
    return {"condition": known.get(key, ", ".join(map(str, row["condition"].values()))),
            **{name: row[name] for name in names}}  # fmt: skip


def _table(made: PlainTable) -> dict[str, Any]:
    return {"columns": list(made.columns), "rows": [list(row) for row in made.rows]}


def _say(key: str, /, **values: Any) -> str:
    return t(f"scores.{key}", **values)
