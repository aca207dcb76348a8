"""What is behind a number of the head to head on the scores page: the outcomes, record by record."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from readback.scores import report
from readback.scores.table import Outcome, ScoreTable
from readback.ui.common import show
from readback.ui.common.draw import table
from readback.ui.common.draw.table import Column
from readback.ui.scores import score_drilldown_links
from readback.ui.scores.score_drilldown import address_of
from readback.words import t

KEPT = {"first": "a", "tie": "tie", "second": "b"}  # as the address says it


def draw(scored: ScoreTable) -> None:
    """The outcomes behind a number of the table, for the drill-down that is open."""
    opened = score_drilldown_links.opened()
    pair = (opened.get("of", ""), opened.get("against", ""))
    known = frozenset(scored.columns.items)
    rows = [_outcome(scored, one, pair[0], known) for one in scored.outcomes if _of(scored, one, pair)]
    name = t("scores.pairwise_drilldown" if pair[1] else "scores.pairwise_drilldown_one", a=_called(scored, pair[0]),
             b=_called(scored, pair[1]))  # fmt: skip
    score_drilldown_links.heading(name)
    kept = KEPT.get(opened.get("kept", ""), "")
    show.draw(_sides(rows, opened.get("kept", "") if kept else ""))
    placed = any(row["first"] for row in rows)
    columns = (
        Column("item", t("scores.record"), show=_to_record),
        Column("winner", t("scores.pairwise_winner")),
        *((Column("judge", t("scores.judge")),) if any(row["judge"] for row in rows) else ()),
        *((Column("first", t("scores.pairwise_first")),) if placed else ()),
        Column("file", t("scores.file")),
        Column("line", t("scores.line"), number=True),
    )
    table.table("outcomes", columns, [row for row in rows if not kept or row["side"] == kept], caption=name)
    score_drilldown_links.close()


def _outcome(scored: ScoreTable, one: Outcome, first: str, known: Collection[str]) -> Mapping[str, Any]:
    """A row of the list, seen from the side that the drill-down names first."""
    turned = address_of(scored, one.a) != first
    sides = {"a": one.a, "b": one.b}
    winner = t("scores.tie") if one.outcome == "tie" else report.short(scored, sides[one.outcome])
    side = {"a": "b", "b": "a"}.get(one.outcome, "tie") if turned else one.outcome
    shown_first = report.short(scored, sides[one.first]) if one.first else ""
    return {"item": one.item, "winner": winner, "side": side, "judge": one.judge, "first": shown_first,
            "file": one.place.file or "", "line": one.place.line, "known": one.item in known}  # fmt: skip


def _of(scored: ScoreTable, one: Outcome, pair: tuple[str, str]) -> bool:
    """Whether an outcome is of the pair; of everybody one met, where the drill-down names no other."""
    both = {address_of(scored, one.a), address_of(scored, one.b)}
    judge = score_drilldown_links.opened().get("value", "")
    return (both == set(pair) if pair[1] else pair[0] in both) and judge in ("", one.judge)


def _sides(rows: Sequence[Mapping[str, Any]], kept: str) -> Markup:
    counts = {"": len(rows), **{side: sum(row["side"] == code for row in rows) for side, code in KEPT.items()}}
    parts = [
        show.h("<li{}>{}</li>", Markup(' aria-current="true"') if side == kept else "",
               score_drilldown_links.step(t(f"scores.pairwise_kept_{side or 'all'}", n=n), kept=side or None))
        for side, n in counts.items()
    ]  # fmt: skip
    return show.h('<ul class="rb-kept" aria-label="{}">{}</ul>', t("scores.kept"), show.join(parts))


def _called(scored: ScoreTable, of: str) -> str:
    known = (key for one in scored.outcomes for key in (one.a, one.b))
    return next((report.short(scored, key) for key in known if address_of(scored, key) == of), of)


def _to_record(row: Mapping[str, Any]) -> Markup | str:
    return score_drilldown_links.step(row["item"], item=row["item"], arm=None) if row["known"] else str(row["item"])
