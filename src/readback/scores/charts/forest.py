"""Draw how far conditions are apart on the same items: paired differences, each with its interval."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import plotly.graph_objects as go  # type: ignore[import-untyped]

from readback.scores.charts.chart import (
    Chart,
    Say,
    Span,
    build_chart,
    build_table,
    escape,
    format_interval,
    format_signed,
    shorten_name,
)
from readback.scores.charts.marks import Dot, Kind, draw_dots
from readback.scores.charts.rows import FEW, MARK, Rows, arrange_rows, draw_vertical_line, finish_rows
from readback.scores.charts.template import BETTER, INK, PAPER, PLAIN, SIZE, SOFT, WORSE, build_halo, build_hatching
from readback.scores.comparing.comparison import Blocked, Comparison
from readback.scores.plain_table import Cell, PlainTable
from readback.scores.sentences.report import is_clear
from readback.scores.values.criteria import scale_text
from readback.types import Criterion, Diagnostic

SIDE = 0.2  # of the longer side of the axis that the other side of zero has at least
LOOKS = {  # of each verdict: its name, its shape, and the side that is higher
    "b is higher": ("chart_higher", "triangle-right", 1),
    "a is higher": ("chart_lower", "triangle-left", -1),
    "not separated": ("chart_open", "circle-open", 0),
    "incomplete": ("chart_incomplete", "hourglass-open", 0),
    "equivalent": ("chart_equal", "square", 0),
    "too few": ("chart_few", "x-thin", 0),
    "in question": ("chart_question", "cross-thin", 0),
    "disputed": ("chart_disputed", "diamond-cross-open", 0),
    "constant": ("chart_constant", "diamond-open", 0),
}
UNSURE = {  # a difference that the words call not certain
    "b is higher": ("chart_higher_unsure", "triangle-right-open", 1),
    "a is higher": ("chart_lower_unsure", "triangle-left-open", -1),
}
Line = Comparison | Blocked
Explain = Callable[[Diagnostic], str]  # a few words on why a comparison is not made


def draw_forest(
    lines: Sequence[Line],
    names: Sequence[str],
    criterion: Criterion,
    say: Say,
    dark: bool = False,
    *,
    baseline: str = "",
    explain: Explain = lambda diagnostic: diagnostic.code,
) -> Chart:
    """Draw b − a of each comparison with its interval: right of the line b scores higher; the mark says the verdict.

    `names` calls the rows, `baseline` the one they are all compared with (empty where they differ). A margin is
    shaded around zero. What may not be compared is in its row, without a mark, with the reason.
    """
    counts = [_format_counts(line, say, explain) for line in lines]
    heads: tuple[str, ...] = ("chart_by", "chart_votes_short", "n_title", "chart_left_out")
    cells = [_format_cells(line, say, len(lines) <= FEW) for line in lines]
    if not any(left_out for *_, left_out in cells):
        heads, cells = heads[:-1], [cell[:-1] for cell in cells]
    rows = arrange_rows(names, counts, cells, [say(head) for head in heads])
    places = {"criterion": criterion.name, "scale": scale_text(criterion), "baseline": baseline}
    title = say("chart_forest" if baseline else "chart_pairs", **places)

    def draw() -> go.Figure:
        figure = go.Figure()
        comparisons = {index: line for index, line in enumerate(lines) if isinstance(line, Comparison)}
        dots = []
        for index, comparison in comparisons.items():
            if comparison.difference is not None:
                kind = _choose_kind(comparison, criterion, say, dark)
                dots.append(Dot(index, comparison.difference, comparison.span, kind, rows.format_hover(index)))
        draw_dots(figure, rows, dots)
        ends = find_difference_range(list(comparisons.values()), criterion)
        _draw_blocked(figure, rows, lines, ends, say, explain, dark)
        figure.update_xaxes(range=ends)
        margins = {comparison.margin for comparison in comparisons.values() if comparison.margin}
        if len(margins) == 1:
            edge = margins.pop()
            shade = {"fillcolor": PLAIN[dark], "opacity": 0.18, "line": {"width": 0}}
            figure.add_shape(type="rect", x0=-edge, x1=edge, y0=-0.5, y1=rows.bottom, layer="below", **shade)
        draw_vertical_line(figure, rows, 0, dark)
        return finish_rows(figure, rows, dark, title, say("chart_forest_axis", **places))

    sentences = [f"{name}: {text}." for name, text in zip(names, counts, strict=True)]
    return build_chart(draw, title, sentences, _build_table(lines, names, say, explain), say)


def find_difference_range(comparisons: Sequence[Comparison], criterion: Criterion) -> Span:
    """Return the ends of an axis of differences: zero always inside and with room on both sides.

    Differences are drawn in points of the scale; a twentieth of the scale is the least that is shown to each side, so
    that nothing is blown up.
    """
    least = 0.0
    if criterion.high is not None and criterion.low is not None:
        least = (criterion.high - criterion.low) / 20
    ends = [-least, least]
    for comparison in comparisons:
        margin = comparison.margin or 0.0
        ends += [comparison.difference or 0.0, *(comparison.span or ()), margin, -margin]
    longer = max(map(abs, ends)) or 1.0
    return min(min(ends), -SIDE * longer) * 1.06, max(max(ends), SIDE * longer) * 1.06


def _choose_kind(comparison: Comparison, criterion: Criterion, say: Say, dark: bool) -> Kind:
    key, symbol, side = find_look(comparison)
    good = side * (-1 if criterion.direction == "down" else 1)
    colours = BETTER if good > 0 else WORSE
    if not good or criterion.direction == "none":
        colours = INK if symbol == "x-thin" else PLAIN
    return Kind(say(key), symbol, colours[dark])


def find_look(comparison: Comparison) -> tuple[str, str, int]:
    """Return the key of the words, the shape and the side of a mark; clear only where the words call it so."""
    if comparison.verdict in UNSURE and not is_clear(comparison):
        return UNSURE[comparison.verdict]
    return LOOKS[comparison.verdict]


def _format_counts(line: Line, say: Say, explain: Explain) -> str:
    if isinstance(line, Blocked):
        return say("chart_blocked", why=_format_reason(line, explain))
    unpaired = line.only_a + line.only_b
    if line.difference is None:
        parts = [say(find_look(line)[0])]
    else:
        votes = say("chart_votes", wins=line.wins, ties=line.ties, losses=line.losses)
        parts = [f"{format_signed(line.difference)} {format_interval(line.span, say)}".strip(), votes]
    parts.append(say("n_shared", n=line.n_shared))
    if unpaired:
        parts.append(say("chart_out", n=unpaired))
    return " · ".join(parts)


def _format_cells(line: Line, say: Say, few: bool) -> tuple[str, ...]:
    """Return the cells behind a mark; few rows have room for the interval."""
    if isinstance(line, Blocked):
        return "", "", "", ""  # the mark says it, pointing at it the reason
    unpaired = line.only_a + line.only_b
    if line.difference is not None:
        votes = f"{line.wins:,}/{line.ties:,}/{line.losses:,}"
    else:
        votes = ""
    difference = format_signed(line.difference)
    if few:
        difference = f"{difference} {format_interval(line.span, say)}".strip()
    return difference, votes, f"{line.n_shared:,}", f"{unpaired:,}" if unpaired else ""


def _format_reason(line: Blocked, explain: Explain) -> str:
    return "; ".join(dict.fromkeys(explain(diagnostic) for diagnostic in line.why))


def _draw_blocked(
    figure: go.Figure, rows: Rows, lines: Sequence[Line], ends: Span, say: Say, explain: Explain, dark: bool
) -> None:
    """Draw a grey word where the mark would be."""
    blocked = {index: line for index, line in enumerate(lines) if isinstance(line, Blocked)}
    if not blocked:
        return
    hovers = []
    for index, line in blocked.items():
        hovers.append([index, f"{shorten_name(rows.names[index])}<br>{escape(_format_reason(line, explain))}"])
    figure.add_bar(
        x=[ends[1] - ends[0]] * len(blocked),
        base=ends[0],
        y=list(blocked),
        width=MARK * 0.7,
        orientation="h",
        showlegend=False,
        marker={**build_hatching(dark), "line": {"width": 0}},
        text=[say("chart_not_compared")] * len(blocked),
        constraintext="none",
        insidetextfont={"color": SOFT[dark], "size": SIZE, "shadow": build_halo(PAPER[dark])},
        customdata=hovers,
        hovertemplate="%{customdata[1]}<extra></extra>",
    )


def _build_table(lines: Sequence[Line], names: Sequence[str], say: Say, explain: Explain) -> PlainTable:
    heads = (
        "condition",
        "chart_difference",
        "chart_low",
        "chart_high",
        "chart_method",
        "chart_higher",
        "chart_same",
        "chart_lower",
        "n_title",
        "chart_left_out",
        "chart_p",
        "chart_verdict",
    )
    body: list[tuple[Cell, ...]] = []
    for name, line in zip(names, lines, strict=True):
        if isinstance(line, Blocked):
            body.append((name, *[None] * 10, _format_counts(line, say, explain)))
            continue
        low, high = line.span or (None, None)
        votes = line.wins, line.ties, line.losses
        unpaired = line.only_a + line.only_b
        if line.p_adjusted is None:
            p = line.p
        else:
            p = line.p_adjusted
        verdict = say(find_look(line)[0])
        body.append((name, line.difference, low, high, line.span_method, *votes, line.n_shared, unpaired, p, verdict))
    return build_table(heads, body, say)
