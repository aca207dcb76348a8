"""Who wins how often? Bars of higher, same and lower, with what is the same across the line."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go  # type: ignore[import-untyped]

from readback.scores.charts._chart import Chart, Say, chart
from readback.scores.charts._frame import dress, framed
from readback.scores.charts._look import DARK, LIGHT, ON, Step
from readback.scores.charts._stacked import Part, stacked
from readback.scores.export.plain_table import PlainTable

Votes = tuple[int, int, int]  # wins, ties, losses


def wins(votes: Sequence[Votes], names: Sequence[str], say: Say, dark: bool = False, width: int | None = None) -> Chart:
    """Wins to the right, losses to the left, ties half and half; shares of the items that both were judged on."""
    counts = [
        " · ".join((say("chart_won", wins=w, ties=t, losses=lost), say("n", n=w + t + lost))) for w, t, lost in votes
    ]
    frame = framed(
        names,
        counts,
        [(f"{w:,}/{t:,}/{lost:,}", f"{w + t + lost:,}") for w, t, lost in votes],
        (say("chart_won_short"), say("n_title")),
        width,
    )
    shades = DARK if dark else LIGHT
    looks = (Step(shades[1], "\\", ON[dark]), Step(shades[2], ".", ON[dark]), Step(shades[4], "", ON[dark]))
    keys = ("chart_loss", "chart_tie", "chart_win")
    columns = [tuple(vote[2 - at] for vote in votes) for at in range(3)]
    parts = [
        Part(say(key), column, look, 1 - at / 2)
        for at, (key, column, look) in enumerate(zip(keys, columns, looks, strict=True))
    ]
    figure = go.Figure()
    stacked(figure, frame, parts, dark)
    dress(figure, frame, dark, say("chart_wins_axis"), legend=[say(key) for key in keys])
    said = [f"{name}: {text}." for name, text in zip(names, counts, strict=True)]
    heads = ("condition", "chart_win", "chart_tie", "chart_loss", "n_title")
    body = tuple((name, *vote, sum(vote)) for name, vote in zip(names, votes, strict=True))
    table = PlainTable(tuple(say(head) for head in heads), body)
    return chart(lambda: figure, say("chart_wins"), said, table, say, frame.width)
