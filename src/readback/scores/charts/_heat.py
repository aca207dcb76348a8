"""Two factors, two criteria, two judges: numbers in a grid, coloured by what they say."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from readback.scores.charts._cells import Cell, grid
from readback.scores.charts._chart import Chart, Say, chart, decimals, extent, minus, safe
from readback.scores.charts._frame import NARROW
from readback.scores.charts._look import shade, tint
from readback.scores.counts import Counted, Heat
from readback.scores.criteria import scale_text
from readback.scores.export.plain_table import PlainTable
from readback.types import Criterion

ABSENT = "–"


def heat(
    counted: Heat, criterion: Criterion, say: Say, dark: bool = False, *, whole: bool = True, width: int | None = None
) -> Chart:
    """The mean and n of each pair of values of two factors, in the scale's colours.

    The colours go from one end of the scale to the other. With `whole` false they tell close means apart, from the
    least good to the best; then they are one hue, since none of them may be bad, and the words beside the picture say
    so. Pairs without scores are hatched.
    """
    seen = [mean for row in counted.means for mean in row if mean is not None]
    low, high = extent(criterion, seen) if whole else (min(seen, default=0.0), max(seen, default=1.0))
    cells, body = [], []
    for at, down in enumerate(counted.rows):
        for to, across in enumerate(counted.columns):
            mean, n, lost = counted.means[at][to], counted.counts[at][to], counted.lost[at][to]
            more = [say("chart_unscored", n=lost)] if lost else []
            pair = f"{counted.titles[0]}: {down}, {counted.titles[1]}: {across}"
            hover = f"{safe(pair)}<br>{decimals(mean)} · {', '.join((say('n', n=n), *more))}"
            lines = (ABSENT,) if mean is None else (decimals(mean), say("n", n=n))
            share = None if mean is None else _place(mean, low, high, criterion)
            fill = None if share is None else shade(share, dark) if whole else tint(0.15 + 0.85 * share, dark)
            cells.append(Cell(at, to, lines, fill, hover))
            body.append((down, across, mean, n, lost))
    figure = grid(cells, counted.rows, counted.columns, counted.titles, dark, width)
    said = [f"{r}, {c}: {decimals(mean)}, {say('n', n=n)}." for r, c, mean, n, _ in body]
    opening = say(
        "chart_heat",
        criterion=criterion.name,
        rows=counted.titles[0],
        columns=counted.titles[1],
        scale=scale_text(criterion),
    )
    heads = (*counted.titles, say("mean"), say("n_title"), say("chart_lost"))
    places = [(cell.row, cell.column) for cell in cells]
    return chart(lambda: figure, opening, said, PlainTable(heads, tuple(body)), say, width or NARROW, places)


def joint(counted: Counted, say: Say, dark: bool = False, width: int | None = None) -> Chart:
    """How often two criteria got each pair of values: counts and shares of all pairs; the fuller, the bluer."""
    return _matrix(
        counted, say("chart_joint", rows=counted.titles[0], columns=counted.titles[1], n=counted.n), say, dark, width
    )


def confusion(counted: Counted, say: Say, dark: bool = False, width: int | None = None) -> Chart:
    """What one judge gave where another gave each value; where they agree, on the diagonal, cells have a frame."""
    opening = say("chart_confusion", rows=counted.titles[0], columns=counted.titles[1], n=counted.n)
    return _matrix(counted, opening, say, dark, width, framed=True)


def kappas(
    values: Sequence[Sequence[float | None]],
    judges: Sequence[str],
    say: Say,
    dark: bool = False,
    width: int | None = None,
) -> Chart:
    """Agreement of every pair of judges as kappa: 1 is perfect, 0 what chance gives; the darker blue, the better."""
    pairs = [(at, to, values[at][to]) for at in range(len(judges)) for to in range(len(judges))]
    cells = [
        Cell(
            at,
            to,
            (ABSENT if at == to else decimals(kappa),),
            None if kappa is None or at == to else tint(max(kappa, 0.0), dark),
            f"{safe(judges[at])}<br>{safe(judges[to])}<br>{decimals(kappa)}",
        )
        for at, to, kappa in pairs
    ]
    figure = grid(cells, judges, judges, (say("judge"), say("judge")), dark, width)
    upper = [(judges[at], judges[to], kappa) for at, to, kappa in pairs if at < to]
    said = [f"{a}, {b}: {decimals(kappa)}." for a, b, kappa in upper]
    heads = (say("judge"), say("chart_other_judge"), say("chart_kappa"))
    places = [(at, to) for at, to, _ in pairs if at < to]
    return chart(
        lambda: figure, say("chart_kappas"), said, PlainTable(heads, tuple(upper)), say, width or NARROW, places
    )


def _matrix(counted: Counted, opening: str, say: Say, dark: bool, width: int | None, *, framed: bool = False) -> Chart:
    most = max((n for row in counted.counts for n in row), default=0) or 1
    cells, body = [], []
    for at, down, to, across, n in _each(counted):
        share = n / counted.n if counted.n else 0.0
        pair = f"{counted.titles[0]}: {minus(down)}", f"{counted.titles[1]}: {minus(across)}"
        hover = "<br>".join((*map(safe, pair), f"{n:,} ({share:.1%})"))
        lines = (f"{n:,}", f"{share:.0%}" if share >= 0.005 or not n else "<1%")
        cells.append(Cell(at, to, lines, tint(n / most, dark), hover, framed and down == across))
        body.append((minus(down), minus(across), n, round(share, 6)))
    figure = grid(
        cells, [minus(v) for v in counted.rows], [minus(v) for v in counted.columns], counted.titles, dark, width
    )
    said = [f"{down}, {across}: {n:,}." for down, across, n, _ in sorted(body, key=lambda row: -row[2]) if n]
    heads = (*counted.titles, say("n_title"), say("chart_share"))
    places = [(cell.row, cell.column) for cell in cells]
    return chart(lambda: figure, opening, said, PlainTable(heads, tuple(body)), say, width or NARROW, places)


def _each(counted: Counted) -> Iterable[tuple[int, str, int, str, int]]:
    for at, down in enumerate(counted.rows):
        for to, across in enumerate(counted.columns):
            yield at, down, to, across, counted.counts[at][to]


def _place(mean: float, low: float, high: float, criterion: Criterion) -> float:
    """Where a mean lies between the worse end (0) and the better one (1)."""
    share = (mean - low) / (high - low) if high > low else 0.5
    return 1 - share if criterion.direction == "down" else share
