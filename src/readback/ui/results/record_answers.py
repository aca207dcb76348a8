"""The answers to one record: all of them whole, or the text and the scores of one."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st
from markupsafe import Markup

from readback.html import exact
from readback.html.templates import render_template
from readback.scores.table import STATES, ScoreTable, list_item_scores
from readback.scores.values.criteria import MINUS, number
from readback.types import Answer, Condition, Record, Score, Segment, Workspace
from readback.ui.common import show
from readback.ui.common.draw import score_chip
from readback.ui.common.draw.text import message
from readback.ui.common.state import caches, choice
from readback.words import t

MOST = 12  # conditions whose answers are drawn; the view of scores and Prompts have all
WIDTH = 46  # characters that count as one line of a text that is folded, as wide as the column beside a message
SPARE = 3  # lines that are too few to fold
SCORES = 12  # chips at once


def draw(record: Record, workspace: Workspace) -> None:
    """Draw each answer under the name of its condition; nothing where no condition has answers."""
    answered = [condition for condition in workspace.conditions if condition.answers]
    if not answered:
        return
    st.subheader(t("records.answers"), anchor=False)
    rows = []
    for condition in answered[:MOST]:
        answer = caches.answers(*choice.key(), condition.name, workspace).get(record.id)
        text = show.h('<span class="rb-small">{}</span>', t("grid.no_answer"))
        if answer is not None and answer.text is not None:
            text = show.exact_text(answer.text)
        rows.append(show.h('<dt><strong>{}</strong></dt><dd dir="auto">{}</dd>', condition.name, text))
    show.draw(show.h('<dl class="rb-fields rb-whole">{}</dl>', show.join(rows)))
    if len(answered) > MOST:
        show.draw(show.h('<p class="rb-small">{}</p>', t("records.more_answers", n=len(answered) - MOST)))


def draw_text(title: str, answer: Answer, marks: Sequence[exact.Mark] = (), lines: int | None = None) -> None:
    """Draw the exact text of an answer, as `draw_reply` does."""
    draw_reply("answer", title, Segment(answer.text or "", "variable", "answer", answer.place), marks, lines)


def draw_reply(
    name: str, title: str, segment: Segment, marks: Sequence[exact.Mark] = (), lines: int | None = None
) -> None:
    """Draw the exact text of an answer, or of the one that is expected; with `lines` what is beyond them is folded,
    open where a mark is in it.

    `name` is unique on the page, and `title` names the text for who does not see it. A text that is folded stands
    beside others: Tab does not stop at it.
    """
    text, segments = segment.text, (segment,)
    end = len(text)
    if lines is not None and exact.find_fold(text, 0, lines + SPARE, WIDTH) < end:
        end = exact.find_fold(text, 0, lines, WIDTH)
    if end == len(text):
        text_markup = message.markup(name, title, segments, marks, is_stop=lines is None)
        st.html(f'<div class="rb">{text_markup}</div>')
        return
    last = min(len(text), end + exact.SHOWN)
    above = [mark for mark in marks if mark.start < end]
    below = [exact.shift_mark(mark, -end) for mark in marks if mark.end > end and mark.start < last]
    top = message.markup(f"{name}-top", title, exact.cut(segments, 0, end), above, is_stop=False)
    rest_title = t("replies.rest", title=title)
    rest = message.markup(f"{name}-rest", rest_title, exact.cut(segments, end, last), below, start=end, is_stop=False)
    folded = render_template(
        "ui/results/folded_answer.html.jinja",
        name=name,
        top=Markup(top),  # noqa: S704 (escaped there)
        rest=Markup(rest),  # noqa: S704 (escaped there)
        summary=_count_rest(text, end),
        is_open=bool(below),
        left_out=t("cells.left_out", n=len(text) - last) if last < len(text) else "",
    )
    st.html(f'<div class="rb">{folded}</div>')


def _count_rest(text: str, end: int) -> str:
    """Say how much of a text is folded: in lines, where it is folded between two of them."""
    rest = text[end:]
    if text[end - 1] == "\n":
        return t("replies.more_lines", n=rest.count("\n") + (not rest.endswith("\n")))
    return t("replies.more_characters", n=len(rest))


def list_scores(table: ScoreTable, workspace: Workspace, item: str, condition: Condition) -> tuple[Score, ...]:
    """Return the scores of an item under a condition of the workspace, in the order of the files."""
    names = {condition.name, *condition.aliases}
    return tuple(score for score in list_item_scores(table, item) if dict(score.condition).get("condition") in names)


def render_scores(table: ScoreTable, scores: Sequence[Score], link: Markup) -> Markup:
    """Return scores as chips, each after its criterion, and the link to all of them.

    Judge and run are named where there are several.
    """
    judges, runs = {score.judge for score in scores}, {score.run for score in scores}
    chips = []
    for score in scores[:SCORES]:
        names = [score.judge] if len(judges) > 1 else []
        if len(runs) > 1 and score.run is not None:
            names.append(t("replies.run", run=score.run))
        chip = score_chip.render_chip(score.value, STATES.index(score.state), table.criteria[score.criterion])
        if score.state == "scored":
            whole = number(score.value)
        else:
            whole = score.why
        scale = _describe_ends(table, score.criterion) if score.state == "scored" else ""
        names_and_whole = {"names": ", ".join(names), "whole": whole}
        chips.append({"criterion": score.criterion, "chip": chip, "scale": scale, **names_and_whole})
    return render_template(
        "ui/results/score_chips.html.jinja", t=t, chips=chips, more=len(scores) - len(chips), link=link
    )


def _describe_ends(table: ScoreTable, name: str) -> str:
    """Say the ends of the scale of a criterion: `of 5` where it begins at 0 or 1, else both; "" where none is known.

    Of a scale that is worked out from the scores only the ends of those are known.
    """
    criterion = table.criteria[name]
    low, high = criterion.low, criterion.high
    if low is None or high is None or low >= high:
        return ""
    ends = {"low": number(low).replace("-", MINUS), "high": number(high).replace("-", MINUS)}
    if name in table.inferred and criterion.scale != "binary":
        words = t("replies.given_scale", **ends)
    elif low in (0, 1):
        words = t("replies.of_scale", **ends)
    else:
        words = t("replies.on_scale", **ends)
    if criterion.direction == "down":
        return t("replies.lower_is_better", scale=words)
    return words
