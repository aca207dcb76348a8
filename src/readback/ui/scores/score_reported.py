"""Means that files state without rows, on the scores page: as a table, with what cannot be computed of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from readback.scores import report
from readback.scores.reported import aggregates
from readback.scores.summary_row import Row
from readback.scores.table import NOT_APPLICABLE, ScoreTable
from readback.types import Workspace
from readback.ui.common import show
from readback.ui.common.draw import table
from readback.ui.common.draw.table import Column
from readback.ui.scores import score_means
from readback.ui.scores.score_view import Chosen
from readback.words import t


def draw(scored: ScoreTable, workspace: Workspace, rows: Sequence[Row], view: Chosen) -> None:
    """The means that files state, where no rows are behind them."""
    table_of(scored)


def table_of(scored: ScoreTable) -> None:
    """Means without rows as a table, with what cannot be computed; they are in no chart and in no comparison."""
    found = aggregates.aggregates(scored)
    if not found:
        show.draw(show.h("<p>{}</p>", t("scores.reported_all_have_rows", n=len(scored.reported))))
        return
    show.draw(show.h("<p>{}</p>", t("scores.reported_said", n=len(found))))
    rows: list[Mapping[str, Any]] = [
        {
            "condition": scored.label(one.reported.condition) if scored.columns.conditions else _named(one),
            "criterion": one.reported.criterion,
            "mean": None if one.reported.mean != one.reported.mean else one.reported.mean,
            "n": one.reported.n, "low": one.span[0] if one.span else None, "high": one.span[1] if one.span else None,
            "cannot": ", ".join(one.cannot), "file": one.reported.place.file, "wrong": "count" in one.cannot,
            "na": one.reported.state == NOT_APPLICABLE,
        }
        for one in found
    ]  # fmt: skip
    columns = (
        Column("condition", t("scores.condition")),
        Column("criterion", t("scores.criterion")),
        Column("mean", t("scores.mean"), number=True, show=_mean),
        Column("n", t("scores.n_title"), number=True),
        Column("low", t("scores.interval_title"), number=True, show=_span),
        Column("cannot", t("scores.cannot")),
        Column("file", t("scores.file")),
    )
    table.table("reported", columns, rows, caption=t("scores.view_reported"))


def _named(one: aggregates.Aggregate) -> str:
    return " · ".join(value for _, value in one.reported.condition)


def _mean(row: Mapping[str, Any]) -> str:
    """The stated mean; a rate that no count gives carries the mark of a warning."""
    if row["na"]:
        return t("scores.na")
    said = score_means.mean(row["mean"])
    return f"{show.SIGNS['warning']} {said}" if row["wrong"] else said


def _span(row: Mapping[str, Any]) -> str:
    if row["low"] is None:
        return "–"
    return t("scores.span", low=report.signed(row["low"]), high=report.signed(row["high"]))
