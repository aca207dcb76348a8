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
    """What moved, and the changes that are left without it."""
    gone = [span for one in changes if one.kind != "equal" for span in _list_lines(a, one.a)]
    come = [span for one in changes if one.kind != "equal" for span in _list_lines(b, one.b)]
    if len(gone) + len(come) > LINES:
        return (), [one for one in changes if one.kind != "equal"]
    found: list[Move] = []
    last: tuple[Span, Span] | None = None  # the line before, where it moved to the same side of the same anchor
    for one, other, same in _match_lines(a, b, tuple(gone), tuple(come)):
        where = _find_relation(a, b, one, other, changes, parts_a, parts_b)
        if where is None:
            continue
        gone.remove(one)
        come.remove(other)
        name, quoted = _name_stretch(b, other, parts_b)
        if quoted and same:
            name, quoted = _name_stretch(a, one, parts_a)
        move = Move(name, quoted, *where, not same)
        goes_on = last and found and quoted and (found[-1].side, found[-1].anchor) == (move.side, move.anchor)
        if move not in found and not (goes_on and last and _is_next_line(a, b, last, (one, other))):
            found.append(move)
        last = (one, other)
    if not found:
        return (), [one for one in changes if one.kind != "equal"]
    return tuple(found), list(_list_remaining(changes, gone, come, a, b))


def _is_next_line(a: str, b: str, last: tuple[Span, Span], now: tuple[Span, Span]) -> bool:
    """Whether two lines are below each other in both texts."""
    between = a[last[0][1] : now[0][0]] + b[last[1][1] : now[1][0]]
    return last[0][1] <= now[0][0] and last[1][1] <= now[1][0] and not between.strip()


def _list_lines(text: str, span: Span) -> Iterator[Span]:
    """The lines of a stretch, without blanks around them."""
    at = span[0]
    for line in text[span[0] : span[1]].splitlines(keepends=True):
        if kept := line.strip():
            start = at + line.index(kept)
            yield start, start + len(kept)
        at += len(line)


def _match_lines(a: str, b: str, gone: Sequence[Span], come: Sequence[Span]) -> Iterator[tuple[Span, Span, bool]]:
    """Lines that stand for each other, and whether they are the same: first the equal ones, then the most alike."""
    texts: dict[str, list[Span]] = defaultdict(list)
    for span in come:
        texts[b[slice(*span)]].append(span)
    left = list(gone)
    taken: set[Span] = set()
    for span in gone:
        line = a[slice(*span)]
        if texts.get(line) and len(line.split()) >= WORDS:
            other = texts[line].pop(0)
            left.remove(span)
            taken.add(other)
            yield span, other, True
    rest = [span for span in come if span not in taken]
    if len(left) > MAX_LINES or len(rest) > MAX_LINES:
        return
    scored = [(_compute_similarity(a[slice(*x)], b[slice(*y)]), x, y) for x, y in product(left, rest)]
    used: set[tuple[str, Span]] = set()
    for score, x, y in sorted(scored, reverse=True):
        if score >= LIKE and not {("a", x), ("b", y)} & used:
            used |= {("a", x), ("b", y)}
            yield x, y, False


def _compute_similarity(a: str, b: str) -> float:
    one, other = Counter(a.split()), Counter(b.split())
    if min(one.total(), other.total()) < REWORDED:
        return 0.0
    return 2 * (one & other).total() / (one.total() + other.total())


def _find_relation(
    a: str, b: str, one: Span, other: Span, changes: Sequence[Change], parts_a: Sequence[Part], parts_b: Sequence[Part]
) -> tuple[str, str, bool] | None:
    """On which side of what a line is now, where that is the other side than before: (side, anchor, quoted)."""
    inside = {part.name for part in list_inside(parts_b, *other)}
    for part in sorted(parts_b, key=lambda part: min(abs(part.start - other[1]), abs(other[0] - part.end))):
        before = next((was for was in parts_a if was.name == part.name), None)
        if before is None or part.name in inside:
            continue
        if one[1] <= before.start and part.end <= other[0]:
            return "after", part.name, False
        if before.end <= one[0] and other[1] <= part.start:
            return "before", part.name, False
    kept = [same for same in changes if same.kind == "equal" and a[slice(*same.a)].strip()]
    over = [same for same in kept if (one[1] <= same.a[0]) != (other[1] <= same.b[0])]
    if not over:
        return None
    longest = max(over, key=lambda same: same.a[1] - same.a[0])
    name, quoted = _name_stretch(b, longest.b, parts_b)
    if quoted:
        name, quoted = _name_stretch(a, longest.a, parts_a)
    return ("after" if one[1] <= longest.a[0] else "before"), name, quoted


def _name_stretch(text: str, span: Span, named: Sequence[Part]) -> tuple[str, bool]:
    """The name of the part that makes up a stretch, else the beginning of its text, to be quoted."""
    inside = max(list_inside(named, *span), key=lambda part: part.end - part.start, default=None)
    if inside:
        around = text[span[0] : inside.start] + " " + text[inside.end : span[1]]
        if len(around.split()) <= TITLE or (inside.end - inside.start) * HALF >= span[1] - span[0]:
            return inside.name, False
    holder = find_holder(named, *span)
    return (holder.name, False) if holder else (_cut_beginning(text[slice(*span)]), True)


def _cut_beginning(text: str) -> str:
    plain = " ".join(text.split())
    if len(plain) <= QUOTED:
        return plain
    cut = plain[:QUOTED].rpartition(" ")[0] or plain[:QUOTED]
    return f"{cut} …"


def _list_remaining(
    changes: Sequence[Change], gone: Sequence[Span], come: Sequence[Span], a: str, b: str
) -> Iterator[Change]:
    """What of each change is no move; the blanks around lines that moved went with them."""
    for one in changes:
        if one.kind == "equal":
            continue
        left_a, left_b = _cover_lines(one.a, gone), _cover_lines(one.b, come)
        if left_a[0] < left_a[1] or left_b[0] < left_b[1]:
            yield make_change(False, left_a, left_b)
        elif not (a[slice(*one.a)] + b[slice(*one.b)]).strip():
            yield one


def _cover_lines(span: Span, lines: Sequence[Span]) -> Span:
    inside = [line for line in lines if span[0] <= line[0] and line[1] <= span[1]]
    return (inside[0][0], inside[-1][1]) if inside else (span[0], span[0])
