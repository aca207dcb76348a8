"""The scores page's tables: conditions in numbers, the scores behind a number, and where the numbers come from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st
from markupsafe import Markup

from readback.scores import stats
from readback.scores.criteria import MINUS, number
from readback.scores.stats import Row
from readback.scores.table import ConditionKey, ScoreTable
from readback.types import Workspace
from readback.ui import show
from readback.ui.table import Column
from readback.ui.words import t

RECORDS = 2_000  # scores listed behind one number
LONGEST_NOTE = 160  # characters of a judge's note in the list; the rest unfolds
OWN = ("criterion", "scored_by", "by")  # what the address of this page says besides what all pages share


def door(table: ScoreTable, condition: ConditionKey) -> str:
    """How the address names the scores behind a row: the factors that vary, or the one it was taken by."""
    pairs = tuple(pair for pair in condition if pair[0] in table.varying) or condition
    return " · ".join(f"{factor}={value}" for factor, value in pairs)


def behind(table: ScoreTable, condition: ConditionKey, of: str) -> bool:
    """Whether a condition is one of those that `of` names."""
    return of == door(table, condition) or of in {f"{factor}={value}" for factor, value in condition}


def numbers(table: ScoreTable, rows: Sequence[Row]) -> tuple[tuple[Column, ...], list[Mapping[str, Any]]]:
    """The table: the factors that vary, the counts, the mean, and how often each value was given."""
    factors = _factors(table, rows)
    values = list(dict.fromkeys(value for row in rows for value, _ in row.distribution))
    named = tuple(Column(f"f_{name}", t("scores.condition") if name == "condition" else name) for name in factors)
    counts = (
        Column("mean", t("scores.mean"), number=True, show=lambda row: mean(row["mean"])),
        Column("n", t("scores.n_title"), number=True, show=_to_records),
        Column("failed", t("scores.failed"), number=True),
        Column("missing", t("scores.missing"), number=True),
        Column("na", t("scores.na"), number=True),
    )
    each = tuple(Column(f"v_{v}", t("scores.value", value=v.replace("-", MINUS)), number=True) for v in values)
    # with several factors the numbers come first: a narrow screen would hide them behind the names
    columns = (*named, *counts, *each) if len(named) == 1 else (*counts, *named, *each)
    body: list[Mapping[str, Any]] = [
        {
            **{f"f_{name}": dict(row.condition).get(name, "") for name in factors},
            "mean": row.mean, "n": row.n, "failed": row.failed, "missing": row.missing, "na": row.not_applicable,
            **{f"v_{value}": n for value, n in row.distribution},
            "of": door(table, row.condition),
        }
        for row in rows
    ]  # fmt: skip
    return columns, body


def records(
    table: ScoreTable, of: str, criterion: str, judge: str, shop: Workspace
) -> tuple[tuple[Column, ...], list[Mapping[str, Any]]]:
    """The scores behind one row: each record with its value or why it has none, and the judge's note."""
    wanted, cells = stats.cells(table, lambda key: behind(table, key, of), criterion, judge)
    found = [table.scores[at] for at in cells[:RECORDS]]
    body: list[Mapping[str, Any]] = [
        {
            "record": one.item,
            "condition": table.label(one.condition),
            "score": one.value if one.state == "scored" else None,
            "state": t(f"scores.{'na' if one.state == 'not applicable' else one.state}"),
            "note": one.note or one.why,
            "line": one.place.line,
            "to": dict(one.condition).get("condition"),
        }
        for one in found
    ]
    linked = bool(shop.conditions and shop.dataset)
    columns = (
        Column("record", t("scores.record"), show=lambda row: _to_message(row, shop) if linked else row["record"]),
        *((Column("condition", t("scores.condition")),) if wanted > 1 else ()),
        Column("score", t("scores.score"), number=True, show=lambda row: _value(row["score"])),
        Column("state", t("scores.state")),
        Column("note", t("scores.note"), show=_note),
        Column("line", t("scores.line"), number=True),
    )
    return columns, body


def computed(table: ScoreTable) -> Markup:
    """Where the numbers come from: files, the role of their columns, what was left out, stated means."""
    parts = [show.h("<p>{}</p>", t("scores.computed_text"))]
    for source in table.sources:
        key = "source" if source.cells or source.path in table.columns.files else "source_means"
        said = t(f"scores.{key}", path=source.path, what=source.what, rows=source.rows, cells=source.cells)
        roles = [
            t("scores.source_columns", role=t(f"scores.role_{role}"), columns=", ".join(columns))
            for role, columns in source.columns.items()
            if columns
        ]
        left = [t("scores.left_out", n=n, what=what) for what, n in source.left_out.items()]
        items = show.join([show.h("<li>{}</li>", text) for text in (*roles, *left)])
        parts.append(show.h("<p>{}</p><ul>{}</ul>", said, items))
    if table.reported:
        pairs = [(stated, row) for stated, row in stats.beside(table, stats.rows(table)) if row]
        same = sum(stats.agrees(stated, row) for stated, row in pairs)
        if pairs:
            parts.append(show.h("<p>{}</p>", t("scores.stated", same=same, all=len(pairs))))
    return show.join(parts)


def mean(value: float | None) -> str:
    """A mean as it is shown everywhere."""
    return show.number(value).replace("-", MINUS)


def _factors(table: ScoreTable, rows: Sequence[Row]) -> list[str]:
    there = list(dict.fromkeys(name for row in rows for name, _ in row.condition))
    varying = [name for name in there if len({dict(row.condition).get(name) for row in rows}) > 1]
    return varying or there[:1]


def _to_records(row: Mapping[str, Any]) -> Markup | str:
    return show.link("scores", show.number(row["n"]), **_here(of=row["of"]))


def _here(**changes: str | None) -> dict[str, str | None]:
    """The settings of this page as they stand in the address, with changes: a link to it keeps them."""
    return {**{key: value for key, value in st.query_params.to_dict().items() if key in OWN}, **changes}


def _to_message(row: Mapping[str, Any], shop: Workspace) -> Markup | str:
    condition = shop.condition(str(row["to"]))
    return row["record"] if condition is None else show.link(
        "messages", row["record"], record=row["record"], index=None, condition=condition.name, mode=None, adapter=None,
        task=None, judge=None,
    )  # fmt: skip


def _note(row: Mapping[str, Any]) -> Markup:
    text = str(row["note"])
    if len(text) <= LONGEST_NOTE:
        return show.h('<span class="rb-note">{}</span>', text)
    return show.h(
        '<details class="rb-note"><summary>{}…</summary>{}</details>', text[:LONGEST_NOTE], text[LONGEST_NOTE:]
    )


def _value(value: float | None) -> str:
    return "–" if value is None else number(value).replace("-", MINUS)
