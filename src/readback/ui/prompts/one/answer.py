"""What the model answered, and its scores, beside the messages: the text at once, the scores when they are read."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from readback.scores import loading
from readback.scores.table import ScoreTable
from readback.types import Answer, Assembly, Condition, Finding, Score
from readback.ui.common import show
from readback.ui.common.draw.text import cited, message
from readback.ui.common.state import caches, choice, hits
from readback.ui.common.state.work import look
from readback.ui.results import record_answers
from readback.words import t

LINES = 12  # of an answer that are not folded
# Everything else stands by then, so scores that have just begun to be read are waited for a little longer than
# elsewhere: drawing how far they are takes a further run of the page, which would meet the next key.
SECONDS, LOOK = 2.0, 0.1


@dataclass(frozen=True, slots=True)
class ScoresPlace:
    """Where the scores of an answer go; `has_text` says whether an answer stands there."""

    block: DeltaGenerator
    condition: Condition
    has_text: bool


def draw(assembly: Assembly, answer: Answer | None, findings: Sequence[Finding] = ()) -> ScoresPlace | None:
    """Draw the answer to the record in view, or that there is none; return the place for its scores. Those of the
    `findings` that are in its text are marked there.

    None where what is sent is no condition, so that nothing was answered under it.
    """
    workspace = choice.workspace()
    if assembly.choice.condition:
        condition = workspace.condition(assembly.choice.condition)
    else:
        condition = None
    if condition is None:
        return None
    text = answer.text if answer is not None else None
    if text is None and not any(other.answers for other in workspace.conditions):
        return ScoresPlace(st.container(key="answer_scores"), condition, False)
    size = show.h('<span class="rb-small">{}</span>', t("messages.characters", n=len(text))) if text is not None else ""
    show.draw(show.h('<div class="rb-head"><h3>{}</h3>{}</div>', t("replies.answer"), size))
    block = st.container(key="answer_scores")
    if answer is None or text is None:
        show.draw(show.h('<p class="rb-small">{}</p>', t("replies.no_answer")))
        return ScoresPlace(block, condition, False)
    title = t("replies.answer_of", condition=condition.name)
    if cited.on():
        source = cited.source(assembly)
    else:
        source = None
    numbered = [(n, finding) for n, finding in enumerate(findings, 1) if _is_in(finding, answer)]
    marks_of_findings = message.marks([finding for _, finding in numbered], [n for n, _ in numbered])
    marks = (*marks_of_findings, *hits.marks(text), *cited.marked(text, source))
    record_answers.draw_text(title, answer, marks, LINES)
    return ScoresPlace(block, condition, True)


def _is_in(finding: Finding, answer: Answer) -> bool:
    """Return whether a finding has its place in the text of an answer."""
    place = finding.place
    return (place.file, place.line, place.field) == (answer.place.file, answer.place.line, answer.reply)


def take(answer: Answer | None) -> None:
    """Draw the ways to take the answer along, in the menu of the page."""
    if answer is not None and answer.text is not None:
        title = t("replies.answer_of", condition=answer.condition)
        show.draw(show.h('<p class="rb-menu-title">{}</p>', title))
        message.ways_to_take("answer", title, answer.text, answer.masked)


def fill(place: ScoresPlace | None) -> None:
    """Draw the scores in their place, with the way to the record in Results; a large file is read in the background."""
    item = choice.record().id
    if place is None or item is None:
        return
    with place.block:
        if choice.workspace().scores:
            scores = _draw_scores(item, place.condition)
        else:
            scores = ()
        if place.has_text and scores == ():
            show.draw(show.h('<p class="rb-small">{}</p>', show.link("results", t("replies.in_results"), view="rows")))


def _draw_scores(item: str, condition: Condition) -> tuple[Score, ...] | None:
    """Draw the scores of an item under a condition and return them; None while they are not read."""
    workspace = choice.workspace()
    job = caches.scores(loading.fingerprint(workspace), workspace)
    place = st.empty()
    while not job.ready.wait(LOOK) and time.monotonic() - job.began < SECONDS:
        place.empty()  # where somebody has gone on to another record meanwhile, this run ends here
    if not look(job, "scores.reading", "answer_scores", patience=0):
        return None
    if job.result is None:  # somebody stopped it
        show.draw(show.h('<p class="rb-small">{}</p>', show.link("results", t("scores.again"))))
        return None
    table: ScoreTable = job.result
    scores = record_answers.list_scores(table, workspace, item, condition)
    if scores:
        link = show.link("results", t("replies.in_results"), item=item, arm=table.label(scores[0].condition))
        show.draw(record_answers.render_scores(table, scores, link))
    return scores
