"""A chart: a figure, the same in words, and its numbers as a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from readback.scores.charts._look import CHARACTER
from readback.scores.criteria import MINUS, number
from readback.scores.export.plain_table import PlainTable
from readback.scores.summary_row import Row
from readback.types import Criterion

Say = Callable[..., str]  # the sentence of a key under `scores.`, with its places filled
Span = tuple[float, float]

TOOLBAR = 76  # pixels that the air of a title and the toolbar beside it take
TITLE_LINE, TITLE_AIR = 18.2, 8  # pixels of a line of the title, and below it
LONG = 160  # characters of a name when pointed at
TOLD = 12  # marks that the words beside a picture tell one by one; the table has all


@dataclass(frozen=True)
class Chart:
    """A figure, the same in words for those who do not see it, and its numbers.

    The first entry of every mark's `customdata` is the place of what it stands for in the sequence that was given (in
    a chart with rows and columns: the places of both). The figure is made when it is first asked for: a report takes
    the words and the numbers alone.
    """

    draw: Callable[[], Any]
    alt: str
    table: PlainTable
    width: int  # pixels that it needs at least
    places: tuple[tuple[int, ...], ...]  # of each row of the table, what its mark's `customdata` begins with

    @cached_property
    def figure(self) -> Any:
        """The Plotly figure."""
        return self.draw()


def chart(
    draw: Callable[[], Any],
    title: str,
    said: Sequence[str],
    table: PlainTable,
    say: Say,
    width: int,
    places: Sequence[tuple[int, ...]] | None = None,
) -> Chart:
    """The figure that `draw` makes under its title, which a downloaded picture keeps; `said` tells the marks one
    by one.

    Without `places` each row of the table is of the mark of the same place.
    """
    there = [(at,) for at in range(len(table.rows))] if places is None else places
    return Chart(lambda: _titled(draw(), title, width), told(title, said, say), table, width, tuple(there))


def _titled(figure: Any, title: str, width: int) -> Any:
    lines = wrapped(title.removesuffix("."), int((width - TOOLBAR) / CHARACTER), 4)
    high = len(lines) * TITLE_LINE + TITLE_AIR
    layout = figure.layout.to_plotly_json()
    whole, margin = round(layout["height"] + high), {**layout["margin"], "t": layout["margin"]["t"] + high}
    about = {
        "text": "<br>".join(map(safe, lines)),
        "align": "left",
        "showarrow": False,
        "borderpad": 0,
        "x": 0,
        "xref": "paper",
        "xanchor": "left",
        "xshift": 12 - margin["l"],
        "y": 1,
        "yref": "paper",
        "yanchor": "top",
        "yshift": margin["t"] - 4,
    }
    figure.layout = {
        **layout,
        "height": whole,
        "margin": margin,
        "legend": {**layout.get("legend", {}), "y": 1 - high / whole},
        "annotations": [*layout.get("annotations", ()), about],
    }
    return figure


def told(opening: str, sentences: Sequence[str], say: Say) -> str:
    """The words beside a picture."""
    more = [say("chart_more", n=len(sentences) - TOLD)] if len(sentences) > TOLD else []
    return " ".join((opening, *sentences[:TOLD], *more))


def counted(row: Row, say: Say) -> str:
    """n, and whatever is not scored, in words: on every mark."""
    return ", ".join((say("n", n=row.n), *lost(row, say)))


def lost(row: Row, say: Say) -> list[str]:
    """What is not scored, by its kind."""
    kinds = (("n_failed", row.failed), ("n_missing", row.missing), ("n_na", row.not_applicable))
    return [say(name, n=n) for name, n in kinds if n]


def extent(criterion: Criterion, seen: Sequence[float]) -> Span:
    """The axis: the whole scale, or what was seen where no scale is known."""
    low, high = criterion.low, criterion.high
    if low is not None and high is not None and low < high:
        return low, high
    ends = (*seen, *(value for value in (low, high) if value is not None)) or (0.0,)
    return (min(ends), max(ends)) if min(ends) < max(ends) else (min(ends) - 1, max(ends) + 1)


def cut(name: str, most: int = LONG) -> str:
    """A name as a figure shows it: short, on one line, and never read as markup."""
    flat = " ".join(name.split()) or "–"
    return safe(flat if len(flat) <= most else f"{flat[: most - 1]}…")


def wrapped(name: str, width: int, lines: int) -> list[str]:
    """A name on at most `lines` lines of about `width` characters, broken where words, factors or parts end.

    What does not fit is cut, with an ellipsis. Not yet safe for a figure: see `safe`.
    """
    out: list[str] = []
    rest = " ".join(name.split()) or "–"
    while rest and len(out) < lines - 1 and len(rest) > width:
        head, gap, _ = rest[: width + 3].rpartition(" · ")
        if gap and 2 * len(head) >= width:
            out.append(head)
            rest = rest[len(head) + 3 :]
            continue
        at = max(rest.rfind(mark, 1, width) + 1 for mark in (" ", "_", "-", "/")) or width
        out.append(rest[:at].rstrip())
        rest = rest[at:].lstrip()
    return [*out, rest if len(rest) <= width else f"{rest[: max(width - 1, 1)]}…"]


def safe(text: str) -> str:
    """Text that plotly does not take for markup."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def minus(text: str) -> str:
    """A number's text with a real minus sign."""
    return text.replace("-", MINUS)


def value_text(value: float) -> str:
    """A value of a scale as it is written."""
    return minus(number(value))


def decimals(value: float | None, places: int = 2) -> str:
    """A mean or a rate as it is written; a dash where there is none."""
    return "–" if value is None else minus(f"{value:.{places}f}")


def signed(value: float | None, places: int = 2) -> str:
    """A difference with its sign."""
    return "–" if value is None else minus(f"{value:+.{places}f}") if round(value, places) else f"{0:.{places}f}"


def ranged(span: Span | None, say: Say, places: int = 2) -> str:
    """An interval in brackets, or nothing."""
    return "" if span is None else say("chart_span", low=decimals(span[0], places), high=decimals(span[1], places))


def tidy(values: Sequence[float]) -> list[float]:
    """Numbers as exactly as a picture needs them: a fifth of the bytes."""
    return [round(value, 4) for value in values]


def with_unscored(
    cells: Sequence[tuple[str, ...]], heads: tuple[str, ...], rows: Sequence[Row], say: Say
) -> tuple[Sequence[tuple[str, ...]], tuple[str, ...]]:
    """The counts behind the marks with what is not scored, where anything is not."""
    lost = [unscored(row) for row in rows]
    if not any(lost):
        return cells, heads
    return [(*one, more) for one, more in zip(cells, lost, strict=True)], (*heads, say("chart_unscored_short"))


def unscored(row: Row) -> str:
    """What is not scored, in a compact row: failed, missing and inapplicable ones; nothing where all is scored."""
    kinds = (row.failed, row.missing, row.not_applicable)
    return "/".join(f"{n:,}" for n in kinds) if any(kinds) else ""
