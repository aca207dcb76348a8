"""Numbers that may stand for no score: the question, a button for each answer, and a way to take an answer back."""

from __future__ import annotations

import streamlit as st

from readback.scores.doubtful_numbers import Question
from readback.scores.table import ScoreTable
from readback.types import Workspace
from readback.ui.common import address, show
from readback.ui.common.state import choice
from readback.words import t
from readback.workspace import number_meanings
from readback.workspace.number_meanings import Meaning, NumberMeaning


def draw(table: ScoreTable, workspace: Workspace, criterion: str) -> None:
    """Ask what the numbers in question under a criterion are, and list the answers of this session."""
    for question in table.asks(criterion):
        given = {"criterion": criterion, "numbers": question.numbers.replace("-", "−"), "n": question.count,
                 "all": question.cells}  # fmt: skip
        show.notice(t(f"scores.asked_{question.reason}", **given), "warning")
        with st.container(horizontal=True):
            for meaning in number_meanings.MEANINGS:
                st.button(
                    t(f"scores.asked_are_{meaning}"), key=f"numbers_{question.reason}_{meaning}", on_click=_answer,
                    args=(question, meaning),
                )  # fmt: skip
    for one in number_meanings.read_choices(workspace.chosen.get(number_meanings.KEY)):
        if one.criterion == criterion:
            _answered(one)


def _answered(one: NumberMeaning) -> None:
    numbers = ", ".join(f"{number:g}" for number in one.numbers)
    given = {"criterion": one.criterion, "numbers": numbers.replace("-", "−")}
    entry = f"criteria: {{{one.criterion}: {{{one.meaning}: [{numbers}]}}}}"
    with st.container(horizontal=True, vertical_alignment="center"):
        show.notice(t(f"scores.answered_{one.meaning}", **given, entry=entry))
        st.button(t("open.unmap"), key=f"not_numbers_{one.criterion}", on_click=_put, args=(one, False))


def _answer(question: Question, meaning: Meaning) -> None:
    _put(NumberMeaning(question.criterion, meaning, tuple(value for value, _ in question.values)), True)


def _put(one: NumberMeaning, wanted: bool) -> None:
    """Change the choice in the address; for callbacks."""
    lines = [line for line in (address.get(number_meanings.KEY) or "").split("\n") if line and line != one.line]
    address.put(numbers="\n".join([*lines, *([one.line] if wanted else [])]) or None, finding=None)
    choice.begin()
