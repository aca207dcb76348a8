"""Render the record that is open beside the grid: question, reference, contexts, each answer whole, judges' words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from typing import Any

from markupsafe import Markup

from readback.checks.facts import contexts, stored_prompt
from readback.html.templates import render_template
from readback.prompts import assemble
from readback.records.dataset import Dataset
from readback.scores.table import ConditionKey, ScoreTable, list_item_scores
from readback.scores.workspace_condition import find_named_condition
from readback.types import Answer, Condition, Record, RuleContext, Score, Selection, Workspace
from readback.ui.common import show
from readback.ui.common.draw import score_chip
from readback.ui.common.state import caches, choice
from readback.ui.results import choices, records
from readback.ui.results.choices import View, name_condition
from readback.ui.results.grid import cells, filters, read_row
from readback.ui.results.grid.findings import CheckedFindings
from readback.ui.results.grid.sides import Sides
from readback.ui.results.grid.values import collect_values
from readback.ui.results.record_texts import find_question, find_reference
from readback.words import t

CONTEXT = 400  # characters of a context that are not folded
LONGEST = 100_000  # characters of a text here; the whole is in the record's own view
TITLES = ("title", "name", "source", "url", "document_id", "id")  # of a context that is an object
SIGNS = {"there": "✓", "absent": "✗", "unknown": "?"}


@dataclass(frozen=True, slots=True)
class ContextCard:
    """One context: its number, title and text, and under which conditions it was sent and cited."""

    number: int
    title: str
    text: str
    rest: str
    marks: Sequence[tuple[str, str, str]]  # a kind for the look, a sign, and the words


@dataclass(frozen=True, slots=True)
class SideAnswer:
    """One condition's answer: whole, with its scores."""

    name: str
    chip: Markup
    text: Markup | str
    nothing: str
    scores: Markup | str
    other_scores: Markup | str
    prompt: Markup | str
    dots: Markup


def render_panel(
    table: ScoreTable,
    workspace: Workspace,
    view: View,
    shown_sides: Sides,
    data: Dataset | None,
    checked: CheckedFindings,
    item: str,
) -> Markup:
    """Return the record beside the grid; what is not loaded is said in its place."""
    found_record = read_row.read_record(data, item)
    record = found_record.record
    scores = list_item_scores(choices.get_file_table(table), item)
    conditions = [find_named_condition(workspace, side) for side in shown_sides]
    answers = [read_row.read_answer(workspace, condition, item) for condition in conditions]
    findings = checked.by_answer([found_record.index] if found_record.index is not None else [])
    side_answers = []
    for side, condition, answer in zip(shown_sides, conditions, answers, strict=True):
        if condition is not None:
            about = findings.get((found_record.index, condition.name), ())
        else:
            about = ()
        names = {"record": item, "index": None, "mode": None, "adapter": None, "task": None, "judge": None}
        dots = Markup("")
        if condition is not None:
            dots = cells.render_dots(about, t("grid.findings", n=len(about)), **names, condition=condition.name)
        side_answers.append(
            _build_answer(table, workspace, view, side, shown_sides, scores, item, condition, answer, dots)
        )
    cards: Sequence[ContextCard] = ()
    if record is not None and found_record.index is not None:
        named = [
            (name_condition(table, side), condition, answer)
            for side, condition, answer in zip(shown_sides, conditions, answers, strict=True)
        ]
        cards = build_cards(workspace, record, found_record.index, named)
    if record is not None:
        question = find_question(record.fields)
    else:
        question = None
    if record is not None:
        reference = find_reference(record.fields)
    else:
        reference = None
    nothing = ""
    if not scores:
        nothing = t("scores.record_unknown", item=item)
    elif record is None:
        if data is not None:
            nothing = t("scores.record_not_in_data", item=item)
        else:
            nothing = t("grid.no_dataset")
    label = scores[0].condition if scores else ()
    ways = [filters.link_grid(t("grid.close"))]
    if scores:
        ways.append(filters.link_grid(t("grid.every_score"), item=item, arm=choices.get_file_table(table).label(label)))
    if record is not None:
        ways.append(show.link("results", t("records.see_whole"), record=item, index=None, view="rows"))
    return render_template(
        "ui/results/grid/row_panel.html.jinja",
        t=t,
        item=item,
        ways=ways,
        nothing=nothing,
        question=show.exact_text(question[:LONGEST]) if question else "",
        reference=show.exact_text(reference[:LONGEST]) if reference else "",
        is_masked=record is not None and record.masked,
        cards=cards,
        contexts=t("grid.contexts", n=len(cards)),
        answers=side_answers,
        language=show.spoken_attribute(),
    )


def _build_answer(
    table: ScoreTable,
    workspace: Workspace,
    view: View,
    side: ConditionKey,
    shown_sides: Sides,
    scores: Sequence[Score],
    item: str,
    condition: Condition | None,
    answer: Answer | None,
    dots: Markup,
) -> SideAnswer:
    name = name_condition(table, side)
    grid_values = collect_values(table, shown_sides, view.criterion.name, view.judge)
    chip = Markup("")
    if item in grid_values.items:
        at, column = grid_values.items.index(item), shown_sides.index(side)
        value, state = float(grid_values.values[at, column]), int(grid_values.states[at, column])
        chip = score_chip.render_chip(value, state, view.criterion, is_mean=table.pool is not None)
    text, nothing = "", ""
    if answer is not None and answer.text is not None:
        text = answer.text
    else:
        if condition is not None and condition.answers:
            key = "scores.answer_none"
        else:
            key = "scores.answer_not_loaded"
        nothing = t(key, name=name)
    of_side = [score for score in scores if score.condition == side]
    in_view = [score for score in of_side if score.criterion == view.criterion.name]
    others = [score for score in of_side if score.criterion != view.criterion.name]
    return SideAnswer(
        name=name,
        chip=chip,
        text=_render_whole(text),
        nothing=nothing,
        scores=records.render_judged("", in_view) if in_view else "",
        other_scores=records.render_judged("", others) if others else "",
        prompt=records.link_messages(workspace, item, side, t("grid.see_prompt")) or "",
        dots=dots,
    )


def _render_whole(text: str) -> Markup | str:
    if len(text) <= LONGEST:
        if text:
            return show.exact_text(text)
        return ""
    return show.h("{} {}", show.exact_text(text[:LONGEST]), t("grid.cut", n=len(text) - LONGEST))


Named = tuple[str, Condition | None, Answer | None]


def build_cards(workspace: Workspace, record: Record, index: int, named: Sequence[Named]) -> tuple[ContextCard, ...]:
    """Return the contexts of a record, each with where it was sent and which answer cites it."""
    texts = [read_context(context) for context in contexts.list_contexts(record.fields)]
    if not texts:
        return ()
    sent = [(name, find_sent(workspace, record, index, condition, answer)) for name, condition, answer in named]
    cited: list[tuple[str, set[int]]] = []
    for name, _, answer in named:
        if answer is not None and answer.text:
            numbers = contexts.find_marks(answer.text)
        else:
            numbers = ()
        cited.append((name, {mark.number for mark in numbers}))
    cards = []
    for number, (title, text) in enumerate(texts, 1):
        marks: list[tuple[str, str, str]] = []
        for name, states in sent:
            state = states.get(number)
            if state is not None:
                marks.append((state, SIGNS[state], t(f"grid.context_{state}", name=name)))
        for name, cited_numbers in cited:
            if number in cited_numbers:
                marks.append(("cited", f"[{number}]", t("grid.context_cited", name=name)))
        cards.append(ContextCard(number, title, text[:CONTEXT], text[CONTEXT:LONGEST], marks))
    return tuple(cards)


def read_context(context: Any) -> tuple[str, str]:
    """Return the title and the text of a context; of an object its longest text."""
    if not isinstance(context, Mapping):
        return "", "" if context is None else str(context)
    texts = [value for value in context.values() if isinstance(value, str)]
    text = max(texts, key=len, default="")
    title = next((str(context[name]) for name in TITLES if context.get(name) and context[name] != text), "")
    return title, text


def find_sent(
    workspace: Workspace, record: Record, index: int, condition: Condition | None, answer: Answer | None
) -> Mapping[int, contexts.State]:
    """Return for each context whether a condition's messages have it; nothing where none can be built."""
    if condition is None or not condition.sends:
        return {}
    selection = Selection(condition=condition.name)

    def make() -> Any:
        assembled = assemble.assemble(workspace, record, selection, answer, {})
        if assembled.index is not None:
            return assembled
        return replace(assembled, index=index)

    assembled = caches.assembly(choice.key(), index, astuple(selection), "{}", make)
    if not assembled.messages:
        return {}
    _, prompt = stored_prompt.find_sent_prompt(RuleContext(workspace, assembly=assembled))
    is_whole = prompt is not None and prompt.syntax == "builder"  # a builder writes each context as it is
    messages = [message.segments for message in assembled.messages if message.role != "assistant"]
    return {place.number: place.state for place in contexts.locate_contexts(record.fields, messages, is_whole)}
