"""Draw one record below the first picture: its question, both answers and both scores, where the two conditions of the
first difference are farthest apart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from readback.checks.repeated_answers import is_repeated
from readback.html.templates import render_template
from readback.records.dataset import Dataset
from readback.scores.comparing.comparison import Comparison
from readback.scores.comparing.widest_items import Widest, find_widest, measure_shared_words
from readback.scores.sentences import report
from readback.scores.sentences.report import Line
from readback.scores.table import SCORED, ConditionKey, ScoreTable
from readback.scores.values.criteria import number
from readback.scores.workspace_condition import find_named_condition
from readback.types import Answer, Criterion, Record, Workspace
from readback.ui.common import show
from readback.ui.common.draw import score_chip
from readback.ui.common.state import caches, choice
from readback.ui.results import choices, drilldown, lead
from readback.ui.results.choices import View
from readback.ui.results.drilldown import format_address
from readback.ui.results.grid import cells, read_row, sides
from readback.ui.results.record_texts import find_question, find_reference
from readback.words import t

READ = 24  # records whose answers are read to choose one
QUESTION, ANSWER, REFERENCE = 160, 220, 120  # characters in sight


@dataclass(frozen=True, slots=True)
class Side:
    """What one condition answered: its name, its score as a chip and whether that is an end of the scale, the beginning
    of the answer, and that this is nothing but the prompt where it is.
    """

    name: str
    chip: Markup
    end: str
    text: Markup | str
    fault: str = ""


def find_example(lines: Sequence[Line], table: ScoreTable) -> tuple[Comparison, Widest] | None:
    """Return the first difference of the picture with the records on which it is largest; None where there is none."""
    for line in lines:
        if isinstance(line, Comparison) and line.difference is not None:
            widest = find_widest(table, line)
            if widest is not None:
                return line, widest
    return None


def draw_example(example: tuple[Comparison, Widest], table: ScoreTable, workspace: Workspace, view: View) -> None:
    """Draw the record of the largest difference: of several that differ as much, the one whose answers share the fewest
    words. Where no score differs, nothing is drawn unless both answers are there to read.
    """
    line, widest = example
    keys = (line.b, line.a)
    data = _get_dataset(workspace)
    answers = _read_answers(table, workspace, keys, widest.items[:READ])
    item = _choose_item(widest, answers)
    both = answers.get(item, ())
    if not widest.difference and len(both) < len(keys):
        return
    record = read_row.read_record(data, item).record
    question = find_question(record.fields) if record is not None else None
    reference = find_reference(record.fields) if record is not None else None
    label = question or t("grid.open_record", item=item)
    scores = widest.scores[item][::-1]
    show.draw(
        render_template(
            "ui/results/widest.html.jinja",
            t=t,
            title=t("scores.widest" if widest.difference else "scores.widest_none", n=line.n_shared),
            about=_name_pair(table, line),
            link=link_record(cells.cut_short(label, QUESTION), item, table, line),
            rest=cells.render_rest(label, QUESTION),
            item=item if question else "",
            count=_link_others(table, line, widest),
            reference=cells.render_cut(reference, REFERENCE) if reference else "",
            sides=[
                _build_side(
                    table,
                    key,
                    score,
                    view.criterion,
                    "" if len({*scores}) == 1 else _name_end(score, view.criterion),
                    both[at] if both else None,
                    t("scores.widest_repeated") if _is_repeated(workspace, key, record) else "",
                )
                for at, (key, score) in enumerate(zip(keys, scores, strict=True))
            ],
        )
    )


def _name_pair(table: ScoreTable, line: Comparison) -> str:
    """Return the plan's words for a pair, else both names."""
    plan = line.planned
    if plan is not None and (plan.question or plan.name):
        return plan.question or plan.name
    return t("overview.with", a=report.short(table, line.b), b=report.short(table, line.a))


def link_record(label: object, item: str, table: ScoreTable, line: Comparison) -> Markup:
    """Return the way to a record with the answers of both sides beside each other."""
    params = {"item": item}
    if {line.a, line.b} <= set(table.columns.conditions):
        params[sides.KEY] = sides.write_names([format_address(table, key) for key in (line.a, line.b)])
    return drilldown.link(label, **params)


def _get_dataset(workspace: Workspace) -> Dataset | None:
    """Return the dataset where it is open already; the picture does not wait for a large one."""
    if workspace.dataset is None:
        return None
    job = caches.dataset(*choice.key(), workspace)
    if not job.ready.is_set():
        return None
    data: Dataset | None = job.result
    return data


def _read_answers(
    table: ScoreTable, workspace: Workspace, keys: Sequence[ConditionKey], items: Sequence[str]
) -> Mapping[str, tuple[Answer, ...]]:
    """Return the answers of all sides to each item that all have one to; nothing for values of a factor."""
    if not set(keys) <= set(table.columns.conditions):
        return {}
    conditions = [find_named_condition(workspace, key) for key in keys]
    answers = {}
    for item in items:
        both = [read_row.read_answer(workspace, condition, item) for condition in conditions]
        there = tuple(answer for answer in both if answer is not None and answer.text is not None)
        if len(there) == len(keys):
            answers[item] = there
    return answers


def _choose_item(widest: Widest, answers: Mapping[str, tuple[Answer, ...]]) -> str:
    """Return the item whose answers share the fewest words, the first of equals; the first item without answers."""
    shared = {item: measure_shared_words(both[0].text or "", both[-1].text or "") for item, both in answers.items()}
    if not shared:
        return widest.items[0]
    return min(shared, key=lambda item: shared[item])


def _build_side(
    table: ScoreTable,
    key: ConditionKey,
    score: float,
    criterion: Criterion,
    end: str,
    answer: Answer | None,
    fault: str,
) -> Side:
    chip = score_chip.render_chip(score, SCORED, criterion, is_mean=table.pool is not None)
    text = cells.render_cut(answer.text, ANSWER) if answer is not None and answer.text is not None else ""
    return Side(choices.name_condition(table, key), chip, end, text, fault)


def _is_repeated(workspace: Workspace, key: ConditionKey, record: Record | None) -> bool:
    """Tell whether the check says that this answer to a record is nothing but its prompt."""
    audit, condition = lead.get_audit(), find_named_condition(workspace, key)
    if audit is None or condition is None or record is None or record.place.index is None:
        return False
    return is_repeated(audit, condition.name, record.place.index)


def _name_end(score: float, criterion: Criterion) -> str:
    """Return in words that a score is the best or the worst that its scale has; "" for any other."""
    step = score_chip.find_step(score, criterion)
    if step is None or score not in (criterion.low, criterion.high):
        return ""
    if step:
        return t("scores.end_best")
    return t("scores.end_worst")


def _link_others(table: ScoreTable, line: Comparison, widest: Widest) -> Markup | str:
    """Return how many records differ as much, as the way to the list that begins with them."""
    if not widest.difference:
        return ""
    text = t("scores.widest_count", n=widest.count, by=number(round(widest.difference, 2)))
    first = widest.scores[widest.items[0]]
    return drilldown.link(
        text,
        of=format_address(table, line.b),
        against=format_address(table, line.a),
        kept="higher" if first[1] > first[0] else "lower",
    )
