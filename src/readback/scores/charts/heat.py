"""Draw numbers in a grid, coloured by what they say: two factors, two criteria, two judges, ranges of length."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from readback.scores.charts.cells import Cell, draw_grid
from readback.scores.charts.chart import (
    Chart,
    Say,
    Span,
    build_chart,
    escape,
    find_axis_range,
    format_decimals,
    use_minus,
)
from readback.scores.charts.template import mix_shades, tint_blue
from readback.scores.counts import Counted, Heat
from readback.scores.plain_table import PlainTable
from readback.scores.slices.lengths import Lengths
from readback.scores.values.criteria import scale_text
from readback.types import Criterion

ABSENT = "–"
RANGES = 84  # characters that ranges of length may take beside each other, in the type of a presentation, too


def draw_heat(heat: Heat, criterion: Criterion, say: Say, dark: bool = False, *, whole: bool = True) -> Chart:
    """Draw the mean and n of each pair of values of two factors, in the scale's colours.

    The colours go from one end of the scale to the other. With `whole` false they tell close means apart, from the
    least good to the best; then they are one hue, since none of them may be bad, and the words beside the picture say
    so. Pairs without scores are hatched.
    """
    means = [mean for row in heat.means for mean in row if mean is not None]
    low, high = min(means, default=0.0), max(means, default=1.0)
    if whole:
        low, high = find_axis_range(criterion, means)
    cells, body, sentences = [], [], []
    for row, column in _list_places(heat):
        down, across = heat.rows[row], heat.columns[column]
        mean, n, unscored = heat.means[row][column], heat.counts[row][column], heat.unscored[row][column]
        count = say("n", n=n)
        if unscored:
            rest = f", {say('chart_unscored', n=unscored)}"
        else:
            rest = ""
        pair = f"{heat.titles[0]}: {down}, {heat.titles[1]}: {across}"
        hover = f"{escape(pair)}<br>{format_decimals(mean)} · {count}{rest}"
        if mean is None:
            cells.append(Cell(row, column, (ABSENT,), None, hover))
        else:
            share = _compute_goodness(mean, (low, high), criterion)
            if whole:
                fill = mix_shades(share, dark)
            else:
                fill = tint_blue(0.15 + 0.85 * share, dark)
            cells.append(Cell(row, column, (format_decimals(mean), count), fill, hover))
        body.append((down, across, mean, n, unscored))
        sentences.append(f"{down}, {across}: {format_decimals(mean)}, {count}.")
    title = say(
        "chart_heat",
        criterion=criterion.name,
        rows=heat.titles[0],
        columns=heat.titles[1],
        scale=scale_text(criterion),
    )
    heads = (*heat.titles, say("mean"), say("n_title"), say("chart_lost"))
    return build_chart(
        lambda: draw_grid(cells, heat.rows, heat.columns, heat.titles, title, dark),
        title,
        sentences,
        PlainTable(heads, tuple(body)),
        say,
        [(cell.row, cell.column) for cell in cells],
    )


def draw_joint(counted: Counted, say: Say, dark: bool = False) -> Chart:
    """Draw how often two criteria got each pair of values: counts and shares of all pairs; the fuller, the bluer."""
    title = say("chart_joint", rows=counted.titles[0], columns=counted.titles[1], n=counted.n)
    return _draw_counts(counted, title, say, dark, framed=False)


def draw_confusion(counted: Counted, say: Say, dark: bool = False) -> Chart:
    """Draw what one judge gave where another gave each value; where they agree, on the diagonal, cells have a frame."""
    title = say("chart_confusion", rows=counted.titles[0], columns=counted.titles[1], n=counted.n)
    return _draw_counts(counted, title, say, dark, framed=True)


def draw_kappas(values: Sequence[Sequence[float | None]], judges: Sequence[str], say: Say, dark: bool = False) -> Chart:
    """Draw the agreement of every pair of judges as kappa: 1 is perfect, 0 what chance gives; darker blue is better."""
    cells, body, places = [], [], []
    for row, judge in enumerate(judges):
        for column, second_judge in enumerate(judges):
            kappa = values[row][column]
            text, fill = format_decimals(kappa), None
            if row == column:
                text = ABSENT
            elif kappa is not None:
                fill = tint_blue(max(kappa, 0.0), dark)
            hover = f"{escape(judge)}<br>{escape(second_judge)}<br>{format_decimals(kappa)}"
            cells.append(Cell(row, column, (text,), fill, hover))
            if row < column:
                body.append((judge, second_judge, kappa))
                places.append((row, column))
    title = say("chart_kappas")
    return build_chart(
        lambda: draw_grid(cells, judges, judges, (say("judge"), say("judge")), title, dark),
        title,
        [f"{first}, {second}: {format_decimals(kappa)}." for first, second, kappa in body],
        PlainTable((say("judge"), say("chart_other_judge"), say("chart_kappa")), tuple(body)),
        say,
        places,
    )


def draw_lengths(lengths: Lengths, criterion: Criterion, say: Say, dark: bool = False, *, unit: str = "") -> Chart:
    """Draw for each range of length, from short to long, the mean in the scale's colours and the spread below it.

    A cell's colour is the share within its range, so that full ranges do not drown thin ones; n is at each range.
    The first row of the grid is the mean, the highest value comes next.
    """
    ends = find_axis_range(criterion, lengths.means)
    cells: list[Cell] = []
    columns, body, sentences = [], [], []
    for index, (start, end) in enumerate(lengths.ranges):
        counts, mean = lengths.counts[index], lengths.means[index]
        n = sum(counts)
        cells += _list_length_cells(lengths, index, ends, criterion, say, unit, dark)
        columns.append((*_split_range(start, end, RANGES // len(lengths.ranges)), say("n", n=n)))
        body.append((start, end, mean, n, *counts))
        bounds = {"low": f"{start:,}", "high": f"{end:,}"}
        sentences.append(say("chart_length_row", mean=format_decimals(mean), n=n, **bounds))
    rows = [say("mean"), *map(use_minus, lengths.values[::-1])]
    heads = (*(say(key) for key in ("chart_from", "chart_to", "mean", "n_title")), *map(use_minus, lengths.values))
    title = say("chart_length", criterion=criterion.name, unit=unit)
    return build_chart(
        lambda: draw_grid(cells, rows, columns, (criterion.name, unit), title, dark),
        title,
        sentences,
        PlainTable(heads, tuple(body)),
        say,
        [(0, column) for column in range(len(body))],
    )


def _draw_counts(counted: Counted, title: str, say: Say, dark: bool, *, framed: bool) -> Chart:
    most = max((n for row in counted.counts for n in row), default=0) or 1
    rows, columns = list(map(use_minus, counted.rows)), list(map(use_minus, counted.columns))
    cells, body = [], []
    for row, column in _list_places(counted):
        n = counted.counts[row][column]
        share = n / counted.n if counted.n else 0.0
        hover = "<br>".join(
            (
                escape(f"{counted.titles[0]}: {rows[row]}"),
                escape(f"{counted.titles[1]}: {columns[column]}"),
                f"{n:,} ({share:.1%})",
            )
        )
        lines = (f"{n:,}", f"{share:.0%}" if share >= 0.005 or not n else "<1%")
        agree = counted.rows[row] == counted.columns[column]
        cells.append(Cell(row, column, lines, tint_blue(n / most, dark), hover, framed and agree))
        body.append((rows[row], columns[column], n, round(share, 6)))
    common = sorted((line for line in body if line[2]), key=lambda line: -line[2])
    return build_chart(
        lambda: draw_grid(cells, rows, columns, counted.titles, title, dark),
        title,
        [f"{down}, {across}: {n:,}." for down, across, n, _ in common],
        PlainTable((*counted.titles, say("n_title"), say("chart_share")), tuple(body)),
        say,
        [(cell.row, cell.column) for cell in cells],
    )


def _list_places(grid: Counted | Heat) -> Iterator[tuple[int, int]]:
    for row in range(len(grid.rows)):
        for column in range(len(grid.columns)):
            yield row, column


def _list_length_cells(
    lengths: Lengths, index: int, ends: Span, criterion: Criterion, say: Say, unit: str, dark: bool
) -> Iterator[Cell]:
    """Yield the cells of one range of length: the mean, then the values from the highest."""
    (start, end), counts, mean = lengths.ranges[index], lengths.counts[index], lengths.means[index]
    n = sum(counts)
    count = say("n", n=n)
    where = f"{start:,}–{end:,} {escape(unit)}<br>"
    fill = mix_shades(_compute_goodness(mean, ends, criterion), dark)
    hover = f"{where}{say('mean')} {format_decimals(mean)}, {count}"
    yield Cell(0, index, (format_decimals(mean),), fill, hover)
    for row, (value, times) in enumerate(zip(lengths.values[::-1], counts[::-1], strict=True), 1):
        hover = f"{where}{escape(use_minus(value))}: {times:,} ({times / n:.0%}), {count}"
        yield Cell(row, index, (f"{times:,}",), tint_blue(times / n, dark), hover)


def _split_range(start: int, end: int, width: int) -> tuple[str, ...]:
    """Return a range on one line of `width` characters, or on two."""
    if end > start:
        whole = f"{start:,}–{end:,}"
    else:
        whole = f"{start:,}"
    if len(whole) <= width:
        return (whole,)
    return (f"{start:,}–", f"{end:,}")


def _compute_goodness(mean: float, ends: Span, criterion: Criterion) -> float:
    """Return where a mean lies between the worse end (0) and the better one (1)."""
    low, high = ends
    if high > low:
        share = (mean - low) / (high - low)
    else:
        share = 0.5
    if criterion.direction == "down":
        return 1 - share
    return share
