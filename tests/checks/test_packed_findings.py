"""Findings that are held packed are those that were given, in their order, as objects and as JSON."""

from readback import as_json
from readback.checks.finding_lines import line
from readback.checks.packed_findings import BLOCK, OneByOne, PackedFindings, Pile
from readback.types import Finding, Location

MANY = 2 * BLOCK + 3


def found(number: int) -> Finding:
    text = f"“{number}” \ud800\n"
    place = Location(file="data.jsonl", index=number)
    return Finding("fmt-markers", "error", {"n": [number]}, text, "", place, f"{number:016x}")


def piled(numbers: range) -> Pile:
    pile = Pile()
    for number in numbers:
        pile.add(number, line(found(number)))
    return pile


def test_findings_of_several_rules_come_in_the_order_of_their_numbers() -> None:
    packed = PackedFindings([piled(range(0, MANY, 2)), piled(range(1, MANY, 2))])
    every = tuple(map(found, range(MANY)))
    assert tuple(packed) == every
    assert (len(packed), packed[0], packed[-1], packed[3:6]) == (MANY, every[0], every[-1], every[3:6])
    assert packed == every
    assert [*packed.numbers()] == [*range(MANY)]


def test_the_last_ones_are_taken_away_and_others_come_after_the_rest() -> None:
    pile = piled(range(MANY))
    for _ in range(BLOCK + 5):
        pile.pop()
    left = MANY - BLOCK - 5
    pile.add(MANY, line(found(MANY)))
    assert tuple(PackedFindings([pile])) == (*map(found, range(left)), found(MANY))


def test_they_are_written_as_a_list_of_objects_is() -> None:
    for numbers in (range(0), range(3)):
        packed = PackedFindings([piled(numbers)])
        value = {"findings": [as_json.finding(one) for one in packed], "truncated": False}
        lazily = {**value, "findings": OneByOne(packed, as_json.finding)}
        assert "".join(as_json.pieces(lazily, 1)) == as_json.dumps(value, 1)
