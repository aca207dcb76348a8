"""The longest and the shortest prompts, and where two differ most: the same however records are counted together."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from readback.checks.tallies import Extremes, Lengths, Widest
from readback.types import Selection

CHOICES = (Selection(condition="a"), Selection(condition="b"), Selection(condition="b", judge="j"), Selection(mode="m"))
KEYS = [(str(number),) for number in range(len(CHOICES))]
Row = tuple[int, ...]


def counted(rows: list[Row], cuts: set[int]) -> Lengths:
    made = Lengths()
    ends = sorted({0, len(rows), *(cut for cut in cuts if cut < len(rows))})
    for start, stop in pairwise(ends):
        made.take(KEYS, CHOICES, [*zip(*rows[start:stop], strict=True)], range(start, stop))
    return made


def by_definition(rows: list[Row], number: int) -> Extremes | None:
    there = [(row[number], at) for at, row in enumerate(rows) if row[number]]
    if not there:
        return None
    longest, shortest = max(there, key=lambda one: (one[0], -one[1])), min(there)
    return Extremes(*longest, *shortest, len(there))


def widest(rows: list[Row]) -> Widest | None:
    found = None
    for at, row in enumerate(rows):
        there = [(n, choice) for n, choice in zip(row, CHOICES, strict=True) if n and choice.judge is None]
        if len(there) > 1:
            low, high = min(n for n, _ in there), max(n for n, _ in there)
            if found is None or high - low > found.characters[0] - found.characters[1]:
                short = next(choice for n, choice in there if n == low)
                long = next(choice for n, choice in reversed(there) if n == high)
                found = Widest(at, long, short, (high, low))
    return found


@given(st.lists(st.tuples(*[st.integers(0, 3)] * len(CHOICES)), min_size=1, max_size=12), st.sets(st.integers(1, 11)))
def test_records_may_be_counted_one_by_one_or_together(rows: list[Row], cuts: set[int]) -> None:
    made = counted(rows, cuts)
    expected = {key: by_definition(rows, number) for number, key in enumerate(KEYS)}
    assert made.conditions == {key: one for key, one in expected.items() if one}
    assert made.widest == widest(rows)
    one_by_one = counted(rows, set(range(len(rows))))
    assert list(made.conditions.items()) == list(one_by_one.conditions.items())
