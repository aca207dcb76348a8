"""Do longer prompts score differently? The mean, and the shares of each value, by range of length."""

from __future__ import annotations

from readback.scores.charts._cells import Cell, grid
from readback.scores.charts._chart import Chart, Say, decimals, extent, minus, safe, told
from readback.scores.charts._look import shade, tint
from readback.scores.copies.plain_table import PlainTable
from readback.scores.counts import Lengths
from readback.types import Criterion


def against_length(
    counted: Lengths, criterion: Criterion, say: Say, dark: bool = False, *, unit: str = "", width: int | None = None
) -> Chart:
    """For each range of length, from short to long: the mean in the scale's colours, below it how scores are spread.

    A cell's colour is the share within its range, so that full ranges do not drown thin ones; n stands at each range.
    The first row of the grid is the mean, the highest value comes next.
    """
    low, high = extent(criterion, [mean for mean in counted.means if mean is not None])
    cells = [
        one
        for to in range(len(counted.ranges))
        for one in _column(counted, to, (low, high), criterion, say, unit, dark)
    ]
    columns = [
        (f"{start:,}–", f"{end:,}", say("n", n=n)) for (start, end), n in zip(counted.ranges, counted.n, strict=True)
    ]
    rows = [say("mean"), *(minus(value) for value in counted.values[::-1])]
    figure = grid(cells, rows, columns, (criterion.name, unit), dark, width)
    each = list(zip(counted.ranges, counted.means, counted.n, counted.counts, strict=True))
    said = [
        say("chart_length_row", low=f"{start:,}", high=f"{end:,}", mean=decimals(mean), n=n)
        for (start, end), mean, n, _ in each
    ]
    heads = (*(say(key) for key in ("chart_from", "chart_to", "mean", "n_title")), *map(minus, counted.values))
    body = tuple((start, end, mean, n, *counts) for (start, end), mean, n, counts in each)
    opening = say("chart_length", criterion=criterion.name, unit=unit)
    return Chart(figure, told(opening, said, say), PlainTable(heads, body))


def _column(
    counted: Lengths, to: int, ends: tuple[float, float], criterion: Criterion, say: Say, unit: str, dark: bool
) -> list[Cell]:
    """The cells of one range of length: the mean, then the values from the highest."""
    (start, end), n, mean = counted.ranges[to], counted.n[to], counted.means[to]
    where = f"{start:,}–{end:,} {safe(unit)}<br>"
    if mean is None:
        return [Cell(0, to, ("–",), None, where)]
    place = (mean - ends[0]) / (ends[1] - ends[0])
    fill = shade(1 - place if criterion.direction == "down" else place, dark)
    cells = [Cell(0, to, (decimals(mean),), fill, f"{where}{say('mean')} {decimals(mean)}, {say('n', n=n)}")]
    for at, (value, count) in enumerate(zip(counted.values[::-1], counted.counts[to][::-1], strict=True), 1):
        said = f"{where}{safe(minus(value))}: {count:,} ({count / n:.0%}), {say('n', n=n)}"
        cells.append(Cell(at, to, (f"{count:,}",), tint(count / n, dark), said))
    return cells
