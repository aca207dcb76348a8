"""The same two conditions under the other criteria of a judge: whether what one gains another loses."""

from __future__ import annotations

from collections.abc import Iterator

from markupsafe import Markup

from readback.scores.comparing import comparability, difference
from readback.scores.comparing.comparison import Comparison
from readback.scores.table import ScoreTable
from readback.ui import score_lead, show
from readback.ui.score_means import short, signed
from readback.ui.words import t

MOST = 6  # other criteria that a pair is looked at under


def draw(table: ScoreTable, pair: Comparison) -> Markup:
    """The same pair under the other criteria of the same judge, each with its interval: exploratory, and said to be."""
    others = list(_others(table, pair))
    if not others:
        return Markup("")
    both = (pair, *others)
    ups = [one.criterion for one in both if one.verdict == "b is higher"]
    downs = [one.criterion for one in both if one.verdict == "a is higher"]
    split = bool(ups and downs) and all(table.criteria[one.criterion].direction == "up" for one in both)
    said = t("scores.trade_off", up=", ".join(ups), down=", ".join(downs)) if split else ""
    off = show.h("<p>{}</p>", said) if said else ""
    items = [show.h("<li>{}</li>", _traded(table, one)) for one in others]
    name = t("scores.pair", a=short(table, pair.a), b=short(table, pair.b))
    return show.h(
        '<div class="rb-trade"><h3>{}: {} <span class="rb-small">({})</span></h3>{}<ul>{}</ul></div>',
        t("scores.trade"), name, t("scores.exploratory"), off, show.join(items),
    )  # fmt: skip


def _others(table: ScoreTable, pair: Comparison) -> Iterator[Comparison]:
    for name in [name for name in table.columns.criteria if name != pair.criterion][:MOST]:
        if comparability.against(table, pair.a, pair.b, name, pair.judge):
            continue
        made = difference.difference(table, pair.a, pair.b, name, pair.judge)
        if made.n_shared:
            yield difference.judged(made)


def _traded(table: ScoreTable, one: Comparison) -> str:
    if not one.difference:
        return t("scores.trade_line", criterion=one.criterion, said=t("scores.trade_same", n=one.n_shared))
    up = one.difference > 0
    better = one.wins if up is (table.criteria[one.criterion].direction != "down") else one.losses
    said = t(
        "scores.trade_plain", high=short(table, one.b if up else one.a), by=signed(abs(one.difference)),
        interval=score_lead.interval(one if up else None, one), n=one.n_shared, better=better,
        worse=one.wins + one.losses - better, same=one.ties,
    )  # fmt: skip
    return t("scores.trade_line", criterion=one.criterion, said=said)
