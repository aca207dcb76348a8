"""What judging cost, on the scores page: money and tokens by condition and judge."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from readback.scores import report
from readback.scores.table import ScoreTable
from readback.ui.common.draw import table
from readback.ui.common.draw.table import Column
from readback.words import t


def draw(scored: ScoreTable) -> None:
    """A table in a part that is folded up; nothing where no file says what anything cost."""
    if not scored.expenses:
        return
    money = tuple(dict.fromkeys(name for one in scored.expenses for name in one.cost))
    tokens = tuple(dict.fromkeys(name for one in scored.expenses for name in one.tokens))
    rows: list[Mapping[str, Any]] = [
        {
            "condition": report.short(scored, one.condition), "judge": one.judge or t("scores.no_judge"),
            "n": one.rows, **{f"m_{name}": value for name, value in one.cost.items()},
            **{f"t_{name}": int(value) for name, value in one.tokens.items()},
        }
        for one in scored.expenses
    ]  # fmt: skip

    def sums(key: str, form: str, name: str) -> Column:
        return Column(
            f"{key}_{name}", name, number=True,
            show=lambda row: "–" if row.get(f"{key}_{name}") is None else format(row[f"{key}_{name}"], form),
        )  # fmt: skip

    columns = (
        Column("condition", t("scores.condition")),
        Column("judge", t("scores.judge")),
        Column("n", t("scores.expenses_rows"), number=True),
        *(sums("m", ",.6g", name) for name in money),
        *(sums("t", ",", name) for name in tokens),
    )
    with st.expander(t("scores.expenses"), key="expenses_open"):
        table.table("expenses", columns, rows, caption=t("scores.expenses"))
