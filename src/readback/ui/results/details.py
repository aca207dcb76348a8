"""Draw the foot of Results: questions about doubtful numbers, what judging cost, how numbers were computed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import streamlit as st
from markupsafe import Markup

from readback.html.templates import render_template
from readback.scores.comparing.comparison import Comparison
from readback.scores.sentences import report
from readback.scores.summary_row import Row
from readback.scores.table import ScoreTable, SourceRead
from readback.scores.values.criteria import scale_text
from readback.scores.values.doubtful_numbers import Question
from readback.stats.interval import SEED
from readback.types import Criterion, Workspace
from readback.ui.common import address, show
from readback.ui.common.draw import table
from readback.ui.common.draw.table import Column
from readback.ui.common.state import choice
from readback.words import t
from readback.workspace.dataset_choices import MEANINGS, NUMBERS_KEY, Meaning, NumberMeaning, read_number_meanings

PACKAGES = ("readback", "numpy", "scipy")  # whose versions decide the numbers


# Numbers that may stand for no score: the question, a button for each answer, and a way to take an answer back.


def draw_questions(scored: ScoreTable, workspace: Workspace, criterion: str) -> None:
    """Ask what the numbers in question under a criterion are, and list the answers of this session."""
    for question in scored.asks(criterion):
        numbers = {"numbers": question.numbers.replace("-", "−"), "n": question.count, "all": question.cells}
        show.notice(t(f"scores.asked_{question.reason}", criterion=criterion, **numbers), "warning")
        with st.container(horizontal=True):
            for meaning in MEANINGS:
                st.button(
                    t(f"scores.asked_are_{meaning}"),
                    key=f"numbers_{question.reason}_{meaning}",
                    on_click=_answer_question,
                    args=(question, meaning),
                )
    for answer in read_number_meanings(workspace.chosen.get(NUMBERS_KEY)):
        if answer.criterion == criterion:
            _draw_answer(answer)


def _draw_answer(answer: NumberMeaning) -> None:
    numbers = ", ".join(f"{number:g}" for number in answer.numbers)
    entry = f"criteria: {{{answer.criterion}: {{{answer.meaning}: [{numbers}]}}}}"
    values = {"criterion": answer.criterion, "numbers": numbers.replace("-", "−"), "entry": entry}
    with st.container(horizontal=True, vertical_alignment="center"):
        show.notice(t(f"scores.answered_{answer.meaning}", **values))
        key = f"not_numbers_{answer.criterion}"
        st.button(t("open.unmap"), key=key, on_click=_keep_answer, args=(answer, False))


def _answer_question(question: Question, meaning: Meaning) -> None:
    _keep_answer(NumberMeaning(question.criterion, meaning, tuple(value for value, _ in question.values)), True)


def _keep_answer(answer: NumberMeaning, wanted: bool) -> None:
    """Put an answer into the address, or take it out; for callbacks."""
    lines = (address.get(NUMBERS_KEY) or "").split("\n")
    lines = [line for line in lines if line and line != answer.line]
    if wanted:
        lines.append(answer.line)
    address.put(numbers="\n".join(lines) or None, finding=None)
    choice.begin()


# What judging cost: money and tokens by condition and judge.


def draw_expenses(scored: ScoreTable) -> None:
    """Draw a folded table of expenses; nothing where no file says what anything cost."""
    if not scored.expenses:
        return
    money = dict.fromkeys(name for expense in scored.expenses for name in expense.cost)
    tokens = dict.fromkeys(name for expense in scored.expenses for name in expense.tokens)
    rows: list[Mapping[str, Any]] = []
    for expense in scored.expenses:
        rows.append(
            {
                "condition": report.short(scored, expense.condition),
                "judge": expense.judge or t("scores.no_judge"),
                "n": expense.rows,
                **{f"m_{name}": value for name, value in expense.cost.items()},
                **{f"t_{name}": int(value) for name, value in expense.tokens.items()},
            }
        )
    columns = (
        Column("condition", t("scores.condition")),
        Column("judge", t("scores.judge")),
        Column("n", t("scores.expenses_rows"), number=True),
        *(_build_sum_column(f"m_{name}", name, ",.6g") for name in money),
        *(_build_sum_column(f"t_{name}", name, ",") for name in tokens),
    )
    with st.expander(t("scores.expenses"), key="expenses_open"):
        table.table("expenses", columns, rows, caption=t("scores.expenses"))


def _build_sum_column(key: str, title: str, number_format: str) -> Column:
    def format_sum(row: Mapping[str, Any]) -> str:
        if row.get(key) is None:
            return "–"
        return format(row[key], number_format)

    return Column(key, title, number=True, show=format_sum)


# How the page came by its numbers: the files and what was left out of them, methods, seed, versions, scales.


def render_computation(
    scored: ScoreTable, criterion: Criterion, rows: Sequence[Row], comparisons: Sequence[Comparison]
) -> Markup:
    """Return everything somebody needs to come to the same numbers."""
    if criterion.name in scored.inferred:
        key = "scores.scale_inferred"
    else:
        key = "scores.scale_declared"
    return render_template(
        "ui/results/computation.html.jinja",
        t=t,
        methods=list(_list_methods(rows, comparisons)),
        scale=t(key, criterion=criterion.name, scale=scale_text(criterion)),
        sources=[(_format_source(scored, source), list(_list_roles_and_losses(source))) for source in scored.sources],
        versions=", ".join(_list_versions()),
    )


def _list_versions() -> Iterator[str]:
    """Yield the packages whose versions decide the numbers."""
    for name in PACKAGES:
        try:
            yield f"{name} {version(name)}"
        except PackageNotFoundError:
            yield name


def _list_methods(rows: Sequence[Row], comparisons: Sequence[Comparison]) -> Iterator[str]:
    """Yield what the intervals and tests on the page were computed with, by what they are for."""
    methods = {
        "intervals": _join_distinct(row.method for row in rows),
        "clustered": "",
        "on_scale": "",
        "differences": _join_distinct(comparison.span_method for comparison in comparisons),
        "tests": _join_distinct(comparison.p_method for comparison in comparisons),
        "seed": _join_distinct(
            str(comparison.seed) if comparison.seed is not None else "" for comparison in comparisons
        ),
    }
    if any(row.interval_clustered for row in rows):
        methods["clustered"] = t("scores.method_clustered")
    if any(row.interval_on_scale for row in rows):
        methods["on_scale"] = t("scores.method_on_scale", seed=SEED)
    for key, text in methods.items():
        if text:
            yield t(f"scores.method_{key}_is", text=text)
    exploratory = [comparison.family for comparison in comparisons if comparison.planned is None]
    if exploratory:
        yield t("scores.holm_exploratory", n=max(exploratory))


def _join_distinct(texts: Iterable[str | None]) -> str:
    return ", ".join(dict.fromkeys(text for text in texts if text))


def _format_source(scored: ScoreTable, source: SourceRead) -> str:
    """Return what a file was taken for."""
    key = "scores.source_means"
    if source.cells or source.path in scored.columns.files:
        key = "scores.source"
    return t(key, path=source.path, what=source.what, rows=source.rows, cells=source.cells)


def _list_roles_and_losses(source: SourceRead) -> Iterator[str]:
    """Yield the roles of a file's columns, and every row that is not in a number, by reason."""
    for role, columns in source.columns.items():
        if columns:
            yield t("scores.source_columns", role=t(f"scores.role_{role}"), columns=", ".join(columns))
    for group, n in source.failures.items():
        if n:
            yield t(f"scores.failure_{group}", n=n)
    for what, n in source.left_out.items():
        yield t("scores.left_out", n=n, what=what)
    for name, n in (("refused", source.refused), ("doubled", source.doubled), ("texts_left", source.texts_left)):
        if n:
            yield t(f"scores.source_{name}", n=n)
