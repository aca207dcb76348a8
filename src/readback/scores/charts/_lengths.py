"""Do longer prompts score differently? The mean, and the shares of each value, by range of length."""

from __future__ import annotations

from readback.scores.charts._cells import Cell, grid
from readback.scores.charts._chart import Chart, Say, chart, decimals, extent, minus, safe
from readback.scores.charts._frame import NARROW
from readback.scores.charts._look import CHARACTER, shade, tint
from readback.scores.export.plain_table import PlainTable
from readback.scores.slices.lengths import Lengths
from readback.types import Criterion

BESIDE = 80  # pixels that the names of the values take


def against_length(
    counted: Lengths, criterion: Criterion, say: Say, dark: bool = False, *, unit: str = "", width: int | None = None
) -> Chart:
    """For each range of length, from short to long: the mean in the scale's colours, below it how scores are spread.

    A cell's colour is the share within its range, so that full ranges do not drown thin ones; n is at each range.
    The first row of the grid is the mean, the highest value comes next.
    """
    low, high = extent(criterion, counted.means)
    cells = [
        one
        for to in range(len(counted.ranges))
        for one in _column(counted, to, (low, high), criterion, say, unit, dark)
    ]
    room = ((width or NARROW) - BESIDE) / max(len(counted.ranges), 1)
    columns = [
        (*_named(span, room), say("n", n=sum(counts)))
        for span, counts in zip(counted.ranges, counted.counts, strict=True)
    ]
    rows = [say("mean"), *(minus(value) for value in counted.values[::-1])]
    figure = grid(cells, rows, columns, (criterion.name, unit), dark, width)
    each = [
        (span, mean, sum(counts), counts)
        for span, mean, counts in zip(counted.ranges, counted.means, counted.counts, strict=True)
    ]
    said = [
        say("chart_length_row", low=f"{start:,}", high=f"{end:,}", mean=decimals(mean), n=n)
        for (start, end), mean, n, _ in each
    ]
    heads = (*(say(key) for key in ("chart_from", "chart_to", "mean", "n_title")), *map(minus, counted.values))
    body = tuple((start, end, mean, n, *counts) for (start, end), mean, n, counts in each)
    opening = say("chart_length", criterion=criterion.name, unit=unit)
    places = [(0, to) for to in range(len(body))]
    return chart(lambda: figure, opening, said, PlainTable(heads, body), say, width or NARROW, places)


def _named(span: tuple[int, int], room: float) -> tuple[str, ...]:
    """A range on one line where its column has the room, else on two."""
    start, end = span
    whole = f"{start:,}–{end:,}" if end > start else f"{start:,}"
    return (whole,) if len(whole) * CHARACTER <= room else (f"{start:,}–", f"{end:,}")


def _column(
    counted: Lengths, to: int, ends: tuple[float, float], criterion: Criterion, say: Say, unit: str, dark: bool
) -> list[Cell]:
    """The cells of one range of length: the mean, then the values from the highest."""
    (start, end), n, mean = counted.ranges[to], sum(counted.counts[to]), counted.means[to]
    where = f"{start:,}–{end:,} {safe(unit)}<br>"
    place = (mean - ends[0]) / (ends[1] - ends[0])
    fill = shade(1 - place if criterion.direction == "down" else place, dark)
    cells = [Cell(0, to, (decimals(mean),), fill, f"{where}{say('mean')} {decimals(mean)}, {say('n', n=n)}")]
    for at, (value, count) in enumerate(zip(counted.values[::-1], counted.counts[to][::-1], strict=True), 1):
        said = f"{where}{safe(minus(value))}: {count:,} ({count / n:.0%}), {say('n', n=n)}"
        cells.append(Cell(at, to, (f"{count:,}",), tint(count / n, dark), said))
    return cells
