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
from readback.scores import chart_sentences, conclusion, criterion_kinds, drawn_pairs, in_view, summary
from readback.scores import charts as drawn
from readback.scores.comparing import compare
from readback.scores.comparing.compare import list_planned
from readback.scores.comparing.comparison import Comparison
from readback.scores.drawn_pairs import Concluded
from readback.scores.in_view import Line
from readback.scores.output import answer
from readback.scores.plain_table import PlainTable
from readback.scores.reported.counted_failures import find_summarised_failures
from readback.scores.sentences import report
from readback.scores.summary_row import Row
from readback.scores.table import ScoreTable
from readback.types import Criterion
from readback.words import t

FIRST_VALUE = 5  # the column of the spread's table with which the values of the scale begin


def list_rows(table: ScoreTable | None) -> list[dict[str, Any]]:
    """Every row of the scores, as `readback scores --format json` has it, in an order of its own."""
    if table is not None and len(table.columns):
        score_rows = answer.as_rows(table)
    else:
        score_rows = []
    return sorted(score_rows, key=lambda row: as_json.dumps(row))


def build_charts(meeting: Meeting) -> dict[str, Any] | None:
    """Build the first criterion's spread and differences, the planned comparisons under every criterion, and all rows;
    None where no score can be read.
    """
    opened, table = meeting.opened, meeting.table
    if table is not None:
        first = in_view.first(table, opened)
    else:
        first = None
    if table is None or first is None:
        return None
    name, judge = first
    view = in_view.get_judge_table(table, judge)
    criterion = view.criteria[name]
    ranked = in_view.better_first(in_view.ranked(view, None, name, judge), criterion)
    by = in_view.find_first_factor(view, name, judge)
    concluded = conclusion.conclude_criterion(view, opened, name, judge, partial(_find_verdict_kind, meeting, view), by)
    compared: Sequence[Line] = drawn_pairs.list_pairs(concluded)
    if by is None and not list_planned(opened):
        compared = _compare_with_baseline(meeting, view, ranked, name, judge)
    return {
        "criterion": name,
        "judge": in_view.judge_name(table, name, judge) if judge else None,
        "synthetic": table.synthetic,
        "low": criterion.low,
        "high": criterion.high,
        "direction": criterion.direction,
        "spread": _build_spread(view, ranked, criterion),
        "differences": _build_differences(view, compared, criterion, concluded) if compared else None,
        "planned": list(_list_planned(meeting, table)),
        "left_out": [
            failures.line(table.label(failures.row.condition))
            for failures in find_summarised_failures(table, summary.rows(table))
        ],
        "rows": [_shorten_row(row, table) for row in list_rows(table)],
    }


def _build_spread(table: ScoreTable, ranked: Sequence[Row], criterion: Criterion) -> dict[str, Any]:
    """How the scores are spread: parts of a bar where the scale has few steps, else means with their intervals."""
    names = [table.label(row.condition) for row in ranked]
    steps = drawn.has_few_values(ranked, criterion)
    if steps:
        make = drawn.draw_distribution
    else:
        make = drawn.draw_means
    chart = make(ranked, names, criterion, _say)
    means = drawn.draw_means(ranked, names, criterion, _say).table
    return {
        "kind": "steps" if steps else "means",
        "said": chart_sentences.distribution(table, ranked, criterion),
        "how": chart_sentences.counted(ranked) if steps else chart_sentences.of_means(ranked),
        "alt": chart.alt,
        "table": _build_table(chart.table),
        "shades": _choose_shades(ranked, criterion) if steps else [],
        "means": _build_table(means),
    }


def _choose_shades(ranked: Sequence[Row], criterion: Criterion) -> list[list[str]]:
    """Choose the colours of the values, on light and on dark paper."""
    values = list(dict.fromkeys(value for row in ranked for value, _ in row.distribution))
    both = (drawn.choose_steps(values, criterion, dark) for dark in (False, True))
    return [[light.shade, dark.shade] for light, dark in zip(*both, strict=True)]


def _build_differences(
    table: ScoreTable, compared: Sequence[Line], criterion: Criterion, concluded: Concluded
) -> dict[str, Any]:
    """Build the differences that are drawn, each in a sentence; first which of several conditions is best, where
    nothing was planned.
    """
    name = partial(report.short, table)
    names = [t("report.minus", a=name(line.a), b=name(line.b)) for line in compared]
    chart = drawn.draw_forest(compared, names, criterion, _say, explain=lambda why: build_finding(why).message)
    tested = [line for line in compared if isinstance(line, Comparison)]
    margins = {line.margin for line in tested if line.margin}
    fairness = drawn_pairs.list_fairness(concluded)
    sentences = []
    if isinstance(concluded, conclusion.BestOf) and concluded.headline:
        sentences.append(concluded.headline)
    for line in tested:
        kind = fairness.get(frozenset((line.a, line.b)), "")
        if kind in conclusion.AGAINST:
            below = kind
        else:
            below = None
        sentences.append(report.sentence(line, name, criterion, below))
    return {
        "said": sentences,
        "how": chart_sentences.how(tested),
        "alt": chart.alt,
        "table": _build_table(chart.table),
        "margin": margins.pop() if len(margins) == 1 else None,
    }


def _compare_with_baseline(
    meeting: Meeting, table: ScoreTable, ranked: Sequence[Row], criterion: str, judge: str
) -> tuple[Line, ...]:
    """Without a plan each condition against the one that Scores begins with: of several the best one."""
    sides = {row.condition for row in ranked}
    base = drawn_pairs.find_baseline(table, meeting.opened, criterion, judge)
    if base is None or len(sides) < 2:
        return ()
    compared = compare.compare(table, (), baseline=table.label(base), criterion=criterion, judge=judge)
    pairs = [line if line.a == base else line.swap_sides() for line in compared.comparisons if base in (line.a, line.b)]
    order = {row.condition: at for at, row in enumerate(ranked)}
    return tuple(sorted((line for line in pairs if line.b in sides), key=lambda line: order[line.b]))


def _find_verdict_kind(meeting: Meeting, table: ScoreTable, comparison: Comparison) -> str:
    """Return the kind of the verdict on the prompts of a pair, "" where none can be given."""
    if not meeting.opened.conditions:
        return conclusion.NO_PROMPTS
    data = open_dataset(meeting.opened.root, meeting.opened.dataset)
    fair = fair_pairs.fairness(meeting.opened, data, meeting.audit, table, comparison)
    if fair:
        return fair.verdict.kind
    return conclusion.NO_PROMPTS


def _list_planned(meeting: Meeting, table: ScoreTable) -> Iterator[dict[str, Any]]:
    """Each planned comparison under each criterion: its question, what was found, whether it is fair."""
    plan, data = list_planned(meeting.opened), open_dataset(meeting.opened.root, meeting.opened.dataset)
    for criterion in criterion_kinds.order_of(table, meeting.opened) if plan else ():
        judge = next(iter(in_view.judges(table, criterion)), None)
        if judge is not None:
            view = in_view.get_judge_table(table, judge)
        else:
            view = None
        if judge is None or view is None:
            continue
        name = partial(report.short, view)
        for line in in_view.of_plan(view, plan, criterion, judge):
            heading = {
                "criterion": criterion,
                "a": name(line.a),
                "b": name(line.b),
                "question": line.planned.question or line.planned.name or None if line.planned else None,
                "expected": report.expected(line, name) or None,
            }
            if not isinstance(line, Comparison):
                blocked = " ".join(build_finding(why).message for why in line.why)
                yield {
                    **heading,
                    "said": blocked,
                    "tested": None,
                    "fair": None,
                    "untouched": None,
                    "headline": conclusion.conclude(view, line, "").headline,
                    "numbers": None,
                }
                continue
            if meeting.opened.conditions:
                fair = fair_pairs.fairness(meeting.opened, data, meeting.audit, view, line)
            else:
                fair = None
            rest = None
            if fair and fair.verdict.faults:
                same = fair.verdict.kind == "same"
                rest = report.untouched(line, fair.touched, fair.untouched, name, same=same)
            scale, kind = view.criteria[criterion], fair.verdict.kind if fair else ""
            concluded = conclusion.conclude(view, line, kind)
            parts = (
                concluded.headline,
                concluded.sentence,
                report.not_shown(line, name, scale, kind),
                report.doubtful(line, kind),
                report.power(line, kind),
            )
            yield {
                **heading,
                "said": " ".join(filter(None, parts)),
                "tested": report.tested(line) or None,
                "fair": kind or None,
                "untouched": rest,
                "headline": concluded.headline,
                "numbers": _build_numbers(line),
            }


def _build_numbers(line: Comparison) -> dict[str, Any] | None:
    """Return the difference of a comparison (b minus a) with its interval and its number of items; None without one."""
    if line.difference is None:
        return None
    low, high = line.interval_clustered or line.interval or (None, None)
    return {"difference": line.difference, "low": low, "high": high, "n": line.n_shared}


def _shorten_row(row: dict[str, Any], table: ScoreTable) -> dict[str, Any]:
    """Shorten a row for the table of all."""
    key = tuple(row["condition"].items())
    labels = {condition: table.label(condition) for condition in table.columns.conditions}
    names = ("criterion", "judge", "n", "failed", "missing", "not_applicable", "mean", "interval_used")
    return {
        "condition": labels.get(key, ", ".join(map(str, row["condition"].values()))),
        **{name: row[name] for name in names},
    }


def _build_table(table: PlainTable) -> dict[str, Any]:
    return {"columns": list(table.columns), "rows": [list(row) for row in table.rows]}


def _say(key: str, /, **values: Any) -> str:
    return t(f"scores.{key}", **values)
