"""Find what only changed its place in a message: lines that go in one place and come again in another."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from readback.compare.parts import HALF, QUOTED, Part, find_holder, list_inside
from readback.compare.texts import Change, make_change

WORDS = 2  # of a line that may be seen to move
REWORDED = 4  # words of a line that may be seen to move with other words
LIKE = 0.7  # share of words in common from which a line is the same in other words
TITLE = 2  # words before and after a part that only say what it is
LINES = 1_000  # lines that go and come up to which it is asked whether they moved
MAX_LINES = 30  # lines on each side that are compared for their words

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Move:
    """What B puts elsewhere: a part's name or the beginning of a line, and which side of the anchor it is on now."""

    name: str
    quoted: bool
    side: str  # before, after
    anchor: str
    anchor_quoted: bool
    reworded: bool


def find_moved(
    a: str, b: str, changes: Sequence[Change], parts_a: Sequence[Part], parts_b: Sequence[Part]
) -> tuple[tuple[Move, ...], list[Change]]:
    """Return the moves, and the changes that remain without them."""
    gone = [span for change in changes if change.kind != "equal" for span in _list_lines(a, change.a)]
    come = [span for change in changes if change.kind != "equal" for span in _list_lines(b, change.b)]
    if len(gone) + len(come) > LINES:
        return (), [change for change in changes if change.kind != "equal"]
    moves: list[Move] = []
    last: tuple[Span, Span] | None = None  # the line before, where it moved to the same side of the same anchor
    for line_a, line_b, same in _match_lines(a, b, tuple(gone), tuple(come)):
        where = _find_relation(a, b, line_a, line_b, changes, parts_a, parts_b)
        if where is None:
            continue
        gone.remove(line_a)
        come.remove(line_b)
        name, quoted = _name_stretch(b, line_b, parts_b)
        if quoted and same:
            name, quoted = _name_stretch(a, line_a, parts_a)
        move = Move(name, quoted, *where, not same)
        goes_on = last and moves and quoted and (moves[-1].side, moves[-1].anchor) == (move.side, move.anchor)
        if move not in moves and not (goes_on and last and _is_next_line(a, b, last, (line_a, line_b))):
            moves.append(move)
        last = (line_a, line_b)
    if not moves:
        return (), [change for change in changes if change.kind != "equal"]
    return tuple(moves), list(_list_remaining(changes, gone, come, a, b))


def _is_next_line(a: str, b: str, last: tuple[Span, Span], now: tuple[Span, Span]) -> bool:
    """Return whether two lines follow each other in both texts."""
    between = a[last[0][1] : now[0][0]] + b[last[1][1] : now[1][0]]
    return last[0][1] <= now[0][0] and last[1][1] <= now[1][0] and not between.strip()


def _list_lines(text: str, span: Span) -> Iterator[Span]:
    """Yield the spans of the lines of a stretch, without blanks around them."""
    at = span[0]
    for line in text[span[0] : span[1]].splitlines(keepends=True):
        stripped = line.strip()
        if stripped:
            start = at + line.index(stripped)
            yield start, start + len(stripped)
        at += len(line)


def _match_lines(a: str, b: str, gone: Sequence[Span], come: Sequence[Span]) -> Iterator[tuple[Span, Span, bool]]:
    """Yield pairs of lines, and whether they are the same: first the equal ones, then the most similar."""
    texts: dict[str, list[Span]] = defaultdict(list)
    for span in come:
        texts[b[slice(*span)]].append(span)
    unmatched = list(gone)
    matched: set[Span] = set()
    for span in gone:
        line = a[slice(*span)]
        if texts.get(line) and len(line.split()) >= WORDS:
            partner = texts[line].pop(0)
            unmatched.remove(span)
            matched.add(partner)
            yield span, partner, True
    rest = [span for span in come if span not in matched]
    if len(unmatched) > MAX_LINES or len(rest) > MAX_LINES:
        return
    scored = [(_compute_similarity(a[slice(*x)], b[slice(*y)]), x, y) for x, y in product(unmatched, rest)]
    used: set[tuple[str, Span]] = set()
    for score, x, y in sorted(scored, reverse=True):
        if score >= LIKE and not {("a", x), ("b", y)} & used:
            used |= {("a", x), ("b", y)}
            yield x, y, False


def _compute_similarity(a: str, b: str) -> float:
    words_a, words_b = Counter(a.split()), Counter(b.split())
    if min(words_a.total(), words_b.total()) < REWORDED:
        return 0.0
    return 2 * (words_a & words_b).total() / (words_a.total() + words_b.total())


def _find_relation(
    a: str,
    b: str,
    line_a: Span,
    line_b: Span,
    changes: Sequence[Change],
    parts_a: Sequence[Part],
    parts_b: Sequence[Part],
) -> tuple[str, str, bool] | None:
    """Return (side, anchor, quoted) of a line that is now on another side of an anchor than before; else None."""
    inside = {part.name for part in list_inside(parts_b, *line_b)}
    for part in sorted(parts_b, key=lambda part: min(abs(part.start - line_b[1]), abs(line_b[0] - part.end))):
        before = next((candidate for candidate in parts_a if candidate.name == part.name), None)
        if before is None or part.name in inside:
            continue
        if line_a[1] <= before.start and part.end <= line_b[0]:
            return "after", part.name, False
        if before.end <= line_a[0] and line_b[1] <= part.start:
            return "before", part.name, False
    equal_changes = [change for change in changes if change.kind == "equal" and a[slice(*change.a)].strip()]
    over = [change for change in equal_changes if (line_a[1] <= change.a[0]) != (line_b[1] <= change.b[0])]
    if not over:
        return None
    longest = max(over, key=lambda change: change.a[1] - change.a[0])
    name, quoted = _name_stretch(b, longest.b, parts_b)
    if quoted:
        name, quoted = _name_stretch(a, longest.a, parts_a)
    return ("after" if line_a[1] <= longest.a[0] else "before"), name, quoted


def _name_stretch(text: str, span: Span, parts: Sequence[Part]) -> tuple[str, bool]:
    """Return the name of the part that fills a stretch, else the beginning of its text, to be quoted."""
    inside = max(list_inside(parts, *span), key=lambda part: part.end - part.start, default=None)
    if inside:
        around = text[span[0] : inside.start] + " " + text[inside.end : span[1]]
        if len(around.split()) <= TITLE or (inside.end - inside.start) * HALF >= span[1] - span[0]:
            return inside.name, False
    holder = find_holder(parts, *span)
    if holder:
        return (holder.name, False)
    return (_cut_beginning(text[slice(*span)]), True)


def _cut_beginning(text: str) -> str:
    plain = " ".join(text.split())
    if len(plain) <= QUOTED:
        return plain
    cut = plain[:QUOTED].rpartition(" ")[0] or plain[:QUOTED]
    return f"{cut} …"


def _list_remaining(
    changes: Sequence[Change], gone: Sequence[Span], come: Sequence[Span], a: str, b: str
) -> Iterator[Change]:
    """Yield what of each change is no move; the blanks around moved lines are left out with them."""
    for change in changes:
        if change.kind == "equal":
            continue
        left_a, left_b = _cover_lines(change.a, gone), _cover_lines(change.b, come)
        if left_a[0] < left_a[1] or left_b[0] < left_b[1]:
            yield make_change(False, left_a, left_b)
        elif not (a[slice(*change.a)] + b[slice(*change.b)]).strip():
            yield change


def _cover_lines(span: Span, lines: Sequence[Span]) -> Span:
    inside = [line for line in lines if span[0] <= line[0] and line[1] <= span[1]]
    if inside:
        return (inside[0][0], inside[-1][1])
    return (span[0], span[0])
