"""Pair the equal parts of two sequences: parts that occur once in both as anchors, a bounded search between them."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

Pairs = list[tuple[int, int, int]]  # start in a, start in b, how many parts match there

STEPS = 400_000  # of the search over a whole text: about a tenth of a second
DEPTH = 700  # changes between two anchors beyond which the stretch is shown as one change
LOOK = 16  # parts looked through for anchors at the price of one step of the search
MANY = 20_000  # anchors of which the longest chain is taken and not the heaviest
SHARED = 0.35  # share of the characters of a stretch that must be in the other, else they have nothing in common


@dataclass(slots=True)
class Budget:
    """Hold what may still be spent on one text; `spent` says that a stretch was not looked into."""

    steps: int = STEPS
    spent: bool = False

    def take(self, steps: int) -> bool:
        """Take so many steps, and tell whether they were left."""
        self.steps -= steps
        self.spent = self.spent or self.steps < 0
        return self.steps >= 0


@dataclass(frozen=True, slots=True)
class Stretch:
    """Hold parts [i, i_end) of one sequence against [j, j_end) of the other."""

    i: int
    i_end: int
    j: int
    j_end: int

    def __bool__(self) -> bool:
        return self.i < self.i_end and self.j < self.j_end

    def __len__(self) -> int:
        return self.i_end - self.i + self.j_end - self.j


def align(a: Sequence[str], b: Sequence[str], budget: Budget, *, search: bool = True) -> Pairs:
    """Pair the parts that match, in the order of both. Without `search` only anchors and their neighbours are
    paired.
    """
    pairs: Pairs = []
    stretches = [Stretch(0, len(a), 0, len(b))]
    while stretches:
        stretch = stretches.pop()
        ends, inner = _trim(a, b, stretch)
        pairs += ends
        if not inner or not budget.take(len(inner) // LOOK):
            continue
        if anchors := _find_anchors(a, b, inner):
            pairs += [(x, y, 1) for x, y in anchors]
            around = [(inner.i - 1, inner.j - 1), *anchors, (inner.i_end, inner.j_end)]
            stretches += [Stretch(x + 1, x_end, y + 1, y_end) for (x, y), (x_end, y_end) in pairwise(around)]
        elif search and are_similar(a[inner.i : inner.i_end], b[inner.j : inner.j_end]):
            pairs += _find_shortest_script(a, b, inner, budget)
    return _merge_runs(sorted(pairs))


def _trim(a: Sequence[str], b: Sequence[str], at: Stretch) -> tuple[Pairs, Stretch]:
    """Return what matches at both ends of a stretch, and what is left of it."""
    i, i_end, j, j_end = at.i, at.i_end, at.j, at.j_end
    while i < i_end and j < j_end and a[i] == b[j]:
        i, j = i + 1, j + 1
    while i < i_end and j < j_end and a[i_end - 1] == b[j_end - 1]:
        i_end, j_end = i_end - 1, j_end - 1
    return [(at.i, at.j, i - at.i), (i_end, j_end, at.i_end - i_end)], Stretch(i, i_end, j, j_end)


def _merge_runs(pairs: Pairs) -> Pairs:
    runs: Pairs = []
    for i, j, n in pairs:
        if runs and runs[-1][0] + runs[-1][2] == i and runs[-1][1] + runs[-1][2] == j:
            runs[-1] = (*runs[-1][:2], runs[-1][2] + n)
        elif n:
            runs.append((i, j, n))
    return runs


def _find_anchors(a: Sequence[str], b: Sequence[str], at: Stretch) -> list[tuple[int, int]]:
    """Find parts that occur once in both stretches; of those in the same order the ones that weigh most together."""
    where = _list_unique(b, at.j, at.j_end)
    pairs = [
        (x, where[part]) for part, x in _list_unique(a, at.i, at.i_end).items() if part in where and not part.isspace()
    ]
    return _find_heaviest(sorted(pairs), a)


def _list_unique(parts: Sequence[str], start: int, end: int) -> dict[str, int]:
    positions: dict[str, int] = {}
    for at in range(start, end):
        part = parts[at]
        positions[part] = -1 if part in positions else at
    return {part: at for part, at in positions.items() if at >= 0}


def _find_heaviest(pairs: list[tuple[int, int]], a: Sequence[str]) -> list[tuple[int, int]]:
    """Choose of pairs sorted by their first number those whose second grows, too, with the most characters in all.

    So of two blocks that changed places the longer one stays and the shorter one is seen to move.
    """
    if len(pairs) > MANY:
        return _find_longest(pairs)
    order = sorted(y for _, y in pairs)
    best = [(0, -1)] * (len(order) + 1)  # a Fenwick tree of the heaviest chains: (weight, number of its last pair)
    before: list[int] = []
    top = (0, -1)
    for number, (x, y) in enumerate(pairs):
        rank = bisect_left(order, y) + 1
        best_before, at = (0, -1), rank - 1
        while at:
            best_before, at = max(best_before, best[at]), at & (at - 1)
        before.append(best_before[1])
        chain = (best_before[0] + len(a[x]), number)
        top, at = max(top, chain), rank
        while at <= len(order):
            best[at], at = max(best[at], chain), at + (at & -at)
    return _follow_chain(pairs, before, top[1])


def _find_longest(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Choose the chain with the most pairs: one search in C for each."""
    ends: list[int] = []  # the lowest end of a chain of each length
    last: list[int] = []  # which pair that is
    before: list[int] = []
    for number, (_, y) in enumerate(pairs):
        at = bisect_left(ends, y)
        before.append(last[at - 1] if at else -1)
        if at == len(ends):
            ends.append(y)
            last.append(number)
        else:
            ends[at], last[at] = y, number
    return _follow_chain(pairs, before, last[-1])


def _follow_chain(pairs: list[tuple[int, int]], before: list[int], at: int) -> list[tuple[int, int]]:
    chain = []
    while at >= 0:
        chain.append(pairs[at])
        at = before[at]
    return chain[::-1]


def are_similar(a: Sequence[str], b: Sequence[str]) -> bool:
    """Tell whether enough of the shorter one is in the other to be worth pairing; scraps such as `of the` are not."""
    parts_a = Counter(part for part in a if not part.isspace())
    parts_b = Counter(part for part in b if not part.isspace())
    least = min(sum(len(part) * n for part, n in counts.items()) for counts in (parts_a, parts_b))
    return least == 0 or sum(len(part) * n for part, n in (parts_a & parts_b).items()) >= SHARED * least


def _find_shortest_script(
    a: Sequence[str], b: Sequence[str], at: Stretch, budget: Budget
) -> Iterator[tuple[int, int, int]]:
    """Yield the pairs of a shortest edit script (Myers, 1986); none where that takes more than DEPTH changes."""
    wide, high = at.i_end - at.i, at.j_end - at.j
    parts_a, parts_b = a[at.i : at.i_end], b[at.j : at.j_end]
    reach = {1: 0}  # by diagonal (x - y): how far along `one`
    trail: list[dict[int, int]] = []
    for depth in range(min(wide + high, DEPTH) + 1):
        if not budget.take(depth + 1):
            return
        trail.append(dict(reach))
        for line in range(-depth, depth + 1, 2):
            x = _find_start(reach, line, depth)
            y = x - line
            while x < wide and y < high and parts_a[x] == parts_b[y]:
                x, y = x + 1, y + 1
            reach[line] = x
            if x >= wide and y >= high:
                yield from ((at.i + i, at.j + j, 1) for i, j in _trace_back(trail, wide, high))
                return
    budget.spent = True


def _find_start(reach: dict[int, int], line: int, depth: int) -> int:
    """Return where a diagonal begins: one part of `b` added, or one of `a` removed, whichever gets further."""
    if line == -depth or (line != depth and reach[line - 1] < reach[line + 1]):
        return reach[line + 1]
    return reach[line - 1] + 1


def _trace_back(trail: list[dict[int, int]], x: int, y: int) -> Iterator[tuple[int, int]]:
    """Yield the matched pairs on the way to the end, from the last to the first."""
    for depth in range(len(trail) - 1, -1, -1):
        line = x - y
        start = _find_start(trail[depth], line, depth)
        while x > start and y > 0:
            x, y = x - 1, y - 1
            yield x, y
        added = line == -depth or (line != depth and trail[depth][line - 1] < trail[depth][line + 1])
        x, y = (x, y - 1) if added else (x - 1, y)
