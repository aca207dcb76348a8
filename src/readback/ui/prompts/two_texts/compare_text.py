"""The difference of two messages as HTML: what was removed and added, each character with its origin, the rest folded.

Side by side the text of the first column is A's text, character for character, and that of the second B's; in one
column what is equal appears once. Removed and added stretches are `<del>` and `<ins>`, told apart by sign and line too.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise

from readback.html import exact
from readback.types import Segment
from readback.ui.prompts.two_texts.compare_rows import LONG, Fold, Part, Row, Span
from readback.words import t

Describe = Callable[[Segment], str]
Third = Callable[[Span], str]


class Text:
    """One side's text in its segments; stretches of it as HTML."""

    def __init__(self, segments: Sequence[Segment], describe: Describe, whitespace: bool) -> None:
        self.segments = tuple(segment for segment in segments if segment.text)
        self.text = "".join(segment.text for segment in self.segments)
        self._starts = (0, *accumulate(len(segment.text) for segment in self.segments))
        self._describe, self._whitespace = describe, whitespace

    def cut(self, span: Span) -> Iterator[tuple[int, Segment]]:
        """Yield the segments within a span, with the offset where each begins."""
        start, stop = span
        at = max(bisect_right(self._starts, start) - 1, 0)
        while start < stop and at < len(self.segments):
            segment, begin = self.segments[at], self._starts[at]
            end = min(stop, begin + len(segment.text))
            yield start, replace(segment, text=segment.text[start - begin : end - begin])
            start, at = end, at + 1

    def html(self, span: Span, marked: bool = False) -> str:
        """Format a stretch as HTML; `marked` draws its blanks even where the page does not."""
        cut = (segment for _, segment in self.cut(_bounded(span)))
        white = self._whitespace or marked
        return "".join(exact.stretch(segment, self._describe(segment), white) for segment in cut) + _left_out(span)

    def shared(self, span: Span, other: Text, other_span: Span) -> str:
        """Format a stretch that is equal in both as HTML; where the origins differ it names both."""
        span, other_span = _bounded(span), _bounded(other_span)
        shift = other_span[0] - span[0]
        own_cuts, other_cuts = dict(self.cut(span)), {at - shift: segment for at, segment in other.cut(other_span)}
        cuts = sorted({*own_cuts, *other_cuts, span[1]})
        stretches, own_segment, other_segment = [], Segment("", "unknown"), Segment("", "unknown")
        for start, stop in pairwise(cuts):
            own_segment, other_segment = own_cuts.get(start, own_segment), other_cuts.get(start, other_segment)
            description, other_description = self._describe(own_segment), other._describe(other_segment)
            if description != other_description:
                description = t("compare.both_origins", a=description, b=other_description)
            cut = replace(own_segment, text=self.text[start:stop])
            stretches.append(exact.stretch(cut, description, self._whitespace))
        return "".join(stretches)


def side_by_side(a: Text, b: Text, items: Sequence[Row | Fold], third: Third | None = None) -> str:
    """Rows of two cells; of three where `third` says what is beside a stretch of B."""
    return "".join(
        _fold(item, _both(a, b, (item.part,)) + _third(third, item.part.b))
        if isinstance(item, Fold)
        else _row(a, b, item, third)
        for item in items
    )


def inline(a: Text, b: Text, items: Sequence[Row | Fold]) -> str:
    """One column: what was removed, then what was added instead."""
    columns, open_row = [], False
    for item in items:
        if isinstance(item, Fold):
            folded = _fold(item, f'<div class="rb-cell">{_equal(a, b, item.part)}</div>')
            columns.append(("</div>" if open_row else "") + folded)
            open_row = False
        else:
            cells = "".join(
                _removed(a, b, part) + _added(a, b, part) if part.number else _equal(a, b, part) for part in item.parts
            )
            columns.append(("" if open_row else '<div class="rb-cell">') + cells)
            open_row = True
    return "".join(columns) + ("</div>" if open_row else "")


def _row(a: Text, b: Text, row: Row, third: Third | None) -> str:
    if any(part.number for part in row.parts):
        same = ""
    else:
        same = " rb-same"
    if any(start < stop for start, stop in (part.a for part in row.parts)):
        line_a = row.line_a
    else:
        line_a = 0
    if any(start < stop for start, stop in (part.b for part in row.parts)):
        line_b = row.line_b
    else:
        line_b = 0
    third_cell = _third(third, (row.parts[0].b[0], row.parts[-1].b[1]))
    return f'<div class="rb-row{same}">{_both(a, b, row.parts, line_a, line_b)}{third_cell}</div>'


def _third(third: Third | None, span: Span) -> str:
    if third:
        return f'<div class="rb-cell rb-c-cell">{third(span)}</div>'
    return ""


def _both(a: Text, b: Text, parts: Sequence[Part], line_a: int = 0, line_b: int = 0) -> str:
    left = "".join(_removed(a, b, part) if part.number else a.html(part.a) for part in parts)
    right = "".join(_added(a, b, part) if part.number else b.html(part.b) for part in parts)
    return (
        f'<div class="rb-cell rb-a"{_line(line_a)}>{left}</div><div class="rb-cell rb-b"{_line(line_b)}>{right}</div>'
    )


def _removed(a: Text, b: Text, part: Part) -> str:
    inner = a.html(part.a, _blank(a, b, part) or a.text[slice(*part.a)].isspace())
    if inner:
        return f'<del class="rb-del" data-rb-change="{part.number}" tabindex="-1">{inner}</del>'
    return ""


def _added(a: Text, b: Text, part: Part) -> str:
    inner = b.html(part.b, _blank(a, b, part) or b.text[slice(*part.b)].isspace())
    if inner:
        return f'<ins class="rb-ins" data-rb-change="{part.number}" tabindex="-1">{inner}</ins>'
    return ""


def _equal(a: Text, b: Text, part: Part) -> str:
    return a.shared(part.a, b, part.b) + _left_out(part.a)


def _blank(a: Text, b: Text, part: Part) -> bool:
    """Whether two stretches differ in blanks and line ends only, which nobody would see."""
    return a.text[slice(*part.a)].split() == b.text[slice(*part.b)].split()


def _fold(fold: Fold, inner: str) -> str:
    characters = fold.part.a[1] - fold.part.a[0]
    if fold.lines:
        lines = t("compare.folded_lines", n=fold.lines)
    else:
        lines = ""
    summary = exact.text(t("compare.folded", n=characters) + lines)
    if characters > LONG:
        return f'<p class="rb-fold">{summary} {exact.text(t("compare.too_long"))}</p>'
    return f'<details class="rb-fold"><summary>{summary}</summary><div class="rb-row rb-same">{inner}</div></details>'


def _bounded(span: Span) -> Span:
    return (span[0], min(span[1], span[0] + LONG))


def _left_out(span: Span) -> str:
    left = span[1] - span[0] - LONG
    if left > 0:
        return f'<span class="rb-left-out">{exact.text(t("compare.left_out", n=left))}</span>'
    return ""


def _line(number: int) -> str:
    if number:
        return f' data-line="{number}"'
    return ""
