"""What of a message its cell shows at once: all of a short one, of a long one the lines around its first difference."""

from __future__ import annotations

from dataclasses import dataclass

from readback.checks.run.prompt_lengths import Excerpt
from readback.html import exact

LINES = 30  # of a text that are shown without a click
WIDTH = 100  # characters that count as one line, since a line that is longer is drawn as several
ALIKE = 8  # lines of a message that is as in the first text, where the whole text is longer than `LINES`
ABOVE = 3  # lines that are shown before the first difference
MARKED = 240  # characters that are marked of a line

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Cut:
    """Offsets in the text of an excerpt: what is shown, and in it the marked line (None: none); the rest is folded."""

    visible: Span
    marked: Span | None


def cut(excerpts: tuple[Excerpt, ...]) -> tuple[Cut, ...]:
    """Return what is shown of each message of a text."""
    texts = ["".join(segment.text for segment in excerpt.segments) for excerpt in excerpts]
    heights = [_count_lines(text) for text in texts]
    if sum(heights) <= LINES and all(
        excerpt.length == len(text) for excerpt, text in zip(excerpts, texts, strict=True)
    ):
        return tuple(Cut((0, len(text)), _mark(text, excerpt)) for excerpt, text in zip(excerpts, texts, strict=True))
    left, cuts = LINES, []
    differing = any(excerpt.differs is not None or excerpt.alone for excerpt in excerpts)
    for excerpt, text, height in zip(excerpts, texts, heights, strict=True):
        same = differing and excerpt.differs is None and not excerpt.alone
        share = min(height, ALIKE if same else max(left, ALIKE))
        left -= share
        cuts.append(_cut(text, excerpt, share))
    return tuple(cuts)


def _cut(text: str, excerpt: Excerpt, lines: int) -> Cut:
    marked = _mark(text, excerpt)
    start = 0
    if marked is not None and _count_lines(text[: marked[1]]) > lines:
        start = marked[0]
        for _ in range(ABOVE):
            start = max(text.rfind("\n", 0, max(start - 1, 0)) + 1, 0)
        if marked[0] - start > ABOVE * WIDTH:  # a long line before it
            start = marked[0] - WIDTH
    stop = exact.find_fold(text, start, lines, WIDTH)
    return Cut((start, max(stop, marked[1] if marked else 0)), marked)


def _mark(text: str, excerpt: Excerpt) -> Span | None:
    """Return the line that is the first to differ: of a long line the part around the difference."""
    if excerpt.differs is None or not text:
        return None
    at = min(excerpt.differs - excerpt.start, len(text))
    if at == len(text):  # it ends where the first text goes on: its last line is marked
        at -= 1
    start, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
    end = end + 1 if end >= 0 else len(text)
    if end - start > MARKED:
        start = max(start, text.rfind(" ", start, at) + 1, at - MARKED // 2)
        end = min(end, start + MARKED)
    return start, end


def _count_lines(text: str) -> int:
    return sum(max(1, -(-len(line) // WIDTH)) for line in text.split("\n"))
