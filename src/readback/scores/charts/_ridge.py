"""Small histograms, one for each row, on the scale of a measured criterion."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from readback.scores.charts._chart import cut, extent, tidy, value_text
from readback.scores.charts._frame import Frame
from readback.scores.charts._look import BETTER, PAPER
from readback.scores.stats import Row
from readback.types import Criterion

HEIGHT = 44  # pixels of a histogram
BINS = 40  # ranges into which more distinct values than that are put together
Bin = tuple[float, float, int]  # from, to, how many


def ridge(figure: Any, frame: Frame, rows: Sequence[Row], criterion: Criterion, dark: bool) -> None:
    """One bar for each range or value of each row, as high as its share of the row's fullest one."""
    seen = [end for row in rows for low, high, _ in bins(row.distribution) for end in (low, high)]
    low, high = extent(criterion, seen)
    thin = (high - low) / 60  # how wide the bar of a single value is
    for at, row in enumerate(rows):
        found = [one for one in bins(row.distribution, low, high) if one[2]]
        most = max((n for _, _, n in found), default=1)
        figure.add_bar(
            x=tidy([(a + b) / 2 for a, b, _ in found]),
            y=tidy([-frame.mark * n / most for _, _, n in found]),
            base=round(frame.y(at) + frame.mark / 2, 1),
            width=tidy([(b - a) or thin for a, b, _ in found]),
            marker={"color": BETTER[dark], "line": {"color": PAPER[dark], "width": 1}},
            customdata=[
                [at, n, value_text(a) if a == b else f"{value_text(a)} … {value_text(b)}"] for a, b, n in found
            ],
            hovertemplate=f"{cut(frame.names[at])}<br>%{{customdata[2]}}: %{{customdata[1]:,}}<extra></extra>",
            showlegend=False,
        )
    figure.update_layout(barmode="overlay", bargap=0)
    figure.update_xaxes(range=[low - thin, high + thin])


def bins(distribution: Iterable[tuple[str, int]], low: float | None = None, high: float | None = None) -> list[Bin]:
    """The ranges that a row's distribution names; single values, where they are many, in equal ranges."""
    parts = ((text.partition(" to "), n) for text, n in distribution)
    found = [(float(start), float(end or start), n) for (start, _, end), n in parts]
    if len(found) <= BINS or low is None or high is None or not low < high:
        return found
    step = (high - low) / BINS
    counts = [0] * BINS
    for a, b, n in found:
        counts[min(max(int(((a + b) / 2 - low) / step), 0), BINS - 1)] += n
    return [(low + at * step, low + (at + 1) * step, n) for at, n in enumerate(counts)]
