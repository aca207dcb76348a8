"""The lists behind the drill-downs of the scores page: scores of a mark, pairs of scores of a difference."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import streamlit as st
from markupsafe import Markup

from readback.scores import report
from readback.scores.criteria import MINUS, number
from readback.scores.table import ScoreTable
from readback.types import Workspace
from readback.ui.common import show
from readback.ui.common.draw import table
from readback.ui.common.draw.table import Column
from readback.ui.scores import score_drilldown, score_drilldown_links, score_lengths, score_record
from readback.ui.scores.score_drilldown import SIDES, Pair, ScoresOfMark
from readback.words import t

RECORDS = 2_000  # scores listed behind one number


def draw(scored: ScoreTable, workspace: Workspace, criterion: str, judge: str) -> None:
    """What the open drill-down leads to, with its heading."""
    drilldown = score_drilldown_links.opened()
    if "against" in drilldown:
        pairs(scored, workspace, criterion, judge, drilldown)
    else:
        _scores(scored, workspace, criterion, judge, drilldown)
    score_drilldown_links.close()


def _scores(scored: ScoreTable, workspace: Workspace, criterion: str, judge: str, drilldown: Mapping[str, str]) -> None:
    found = score_drilldown.scores(
        scored, drilldown["of"], criterion, judge, value=drilldown.get("value", ""), state=drilldown.get("state", ""),
        most=RECORDS,
        only=score_lengths.drilldown_items(scored, workspace, drilldown),
    )  # fmt: skip
    name = (
        t("scores.by_all")
        if drilldown["of"] == score_drilldown.EVERY
        else score_drilldown.called(scored, drilldown["of"])
    )
    only = drilldown.get("value", "").replace("-", MINUS)
    state = drilldown.get("state", "")
    called = (
        t("scores.records_value", name=name, value=only) if only
        else t("scores.records_state", name=name, state=t(f"scores.{state}")) if state in score_drilldown.STATE
        else t("scores.records", name=name)
    )  # fmt: skip
    if "long" in drilldown:
        called = t("scores.records_long", called=called, span=drilldown["long"].replace("-", " – "))
    score_drilldown_links.heading(called)
    _table(scored, workspace, found, called)


def of_cells(scored: ScoreTable, workspace: Workspace, cells: Sequence[int], called: str) -> None:
    """The scores of these cells, under that heading."""
    score_drilldown_links.heading(called)
    kept = tuple(scored.scores[at] for at in cells[:RECORDS])
    many = len({one.condition for one in kept})
    _table(scored, workspace, ScoresOfMark(many, kept, all=len(cells)), called)
    score_drilldown_links.close()


def of_items(
    scored: ScoreTable, workspace: Workspace, criterion: str, judge: str, of: str, only: Collection[str], called: str
) -> None:
    """The scores of these items behind a drill-down, under that heading."""
    score_drilldown_links.heading(called)
    _table(scored, workspace, score_drilldown.scores(scored, of, criterion, judge, most=RECORDS, only=only), called)
    score_drilldown_links.close()


def _table(scored: ScoreTable, workspace: Workspace, found: ScoresOfMark, called: str) -> None:
    rows: list[Mapping[str, Any]] = [
        {
            "record": one.item, "condition": scored.label(one.condition), "key": one.condition,
            "score": one.value if one.state == "scored" else None,
            "state": t(f"scores.{'na' if one.state == 'not applicable' else one.state}"),
            "note": one.rationale or one.why, "line": one.place.line,
        }
        for one in found.scores
    ]  # fmt: skip
    rows += [
        {"record": one.item, "condition": scored.label(one.condition), "key": one.condition, "score": None,
         "state": t("scores.missing"), "note": t("scores.no_row"), "line": None}
        for one in found.absent
    ]  # fmt: skip
    columns = (
        _record(),
        *((Column("condition", t("scores.condition")),) if found.conditions > 1 else ()),
        Column(
            "score", t("scores.score"), number=True, show=lambda row: _value(row["score"], mean=scored.pool is not None)
        ),
        Column("state", t("scores.state")),
        Column("note", t("scores.note"), show=score_record.rationale),
        *_messages(workspace, rows),
        Column("line", t("scores.line"), number=True),
    )
    table.table("records", columns, rows, caption=called)
    if len(rows) < found.all:
        st.caption(t("scores.records_more", n=len(rows), all=found.all))


def pairs(
    scored: ScoreTable, workspace: Workspace, criterion: str, judge: str, drilldown: Mapping[str, str],
    called: str = "",
    only: Collection[str] | None = None,
) -> None:  # fmt: skip
    """The records scored under both conditions of the open drill-down, with both scores; `only` some, if given."""
    a, b = score_drilldown.key_of(scored, drilldown["against"]), score_drilldown.key_of(scored, drilldown["of"])
    names = {
        "a": score_drilldown.called(scored, drilldown["against"]),
        "b": score_drilldown.called(scored, drilldown["of"]),
    }
    called = called or t("scores.pairs", **names)
    score_drilldown_links.heading(called)
    found = score_drilldown.pairs(scored, a, b, criterion, judge) if a is not None and b is not None else ()
    found = found if only is None else tuple(one for one in found if one.item in only)
    kept = drilldown.get("kept", "")
    show.draw(_sides(found, kept))
    kept_pairs = [one for one in found if kept not in SIDES or one.side == kept][:RECORDS]
    listed: list[Mapping[str, Any]] = [
        {"record": one.item, "a": one.a, "b": one.b, "difference": one.difference, "key": b or ()} for one in kept_pairs
    ]
    columns = (
        _record(),
        Column("b", names["b"], number=True, show=lambda row: _value(row["b"], mean=True)),
        Column("a", names["a"], number=True, show=lambda row: _value(row["a"], mean=True)),
        Column("difference", t("scores.difference"), number=True, show=lambda row: report.plus(row["difference"])),
        *_messages(workspace, listed),
    )
    table.table("pairs", columns, listed, caption=called)
    if rounded := report.subtraction((one.a, one.b, one.difference) for one in kept_pairs):
        show.draw(show.h('<p class="rb-small">{}</p>', rounded))


def _sides(found: Sequence[Pair], kept: str) -> Markup:
    """Which of the pairs are listed: links, so that the keyboard and the address have them too."""
    counts: dict[str, int] = {"": len(found)}
    counts |= {side: sum(one.side == side for one in found) for side in SIDES}
    parts = [
        show.h('<li{}>{}</li>', Markup(' aria-current="true"') if side == kept else "",
               score_drilldown_links.step(t(f"scores.kept_{side or 'all'}", n=n), kept=side or None))
        for side, n in counts.items()
    ]  # fmt: skip
    return show.h('<ul class="rb-kept" aria-label="{}">{}</ul>', t("scores.kept"), show.join(parts))


def _record() -> Column:
    return Column("record", t("scores.record"), show=_to_record)


def _to_record(row: Mapping[str, Any]) -> Markup:
    condition = " · ".join(value for _, value in row["key"]) if len(row["key"]) == 1 else None
    return score_drilldown_links.step(row["record"], item=row["record"], arm=row.get("condition") or condition)


def _messages(workspace: Workspace, rows: Sequence[Mapping[str, Any]]) -> tuple[Column, ...]:
    """The links to the exact messages, where any can be made."""

    def to(row: Mapping[str, Any]) -> Markup | str:
        return score_record.to_messages(workspace, row["record"], row["key"], t("scores.messages_link")) or "–"

    there = any(score_record.to_messages(workspace, row["record"], row["key"], "") is not None for row in rows[:1])
    return (Column("messages", t("scores.messages"), show=to),) if there else ()


def _value(value: float | None, *, mean: bool) -> str:
    """A score as it is given; a mean of several with two digits."""
    if value is None:
        return "–"
    return number(round(value, 2) if mean else value).replace("-", MINUS)
