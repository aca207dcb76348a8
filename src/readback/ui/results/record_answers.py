"""The answers to one record whole, under each condition that has some."""

from __future__ import annotations

import streamlit as st

from readback.types import Record, Workspace
from readback.ui.common import show
from readback.ui.common.state import caches, choice
from readback.words import t

MOST = 12  # conditions whose answers are drawn; the view of scores and Prompts have all


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
