"""Two texts compared by words and white space: nothing lost, read well, never slow."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import pairwise

import pytest
from counts import part
from hypothesis import given
from hypothesis import strategies as some
from in_time import in_time

from readback.compare.texts import Change, compare_texts, differ_in_blanks, is_blank_change, list_changes

texts = some.text(alphabet="ab .\n\r\t\u00a0é\u0301\ud800", max_size=80)
lines = some.lists(some.sampled_from(["one two\n", "two\n", "\n", "three. ", "four", " "]), max_size=12).map("".join)


def told(a: str, b: str) -> list[tuple[str, str, str]]:
    return [(one.kind, a[slice(*one.a)], b[slice(*one.b)]) for one in list_changes(a, b)]


def altered(a: str, b: str) -> list[tuple[str, str]]:
    return [(old, new) for kind, old, new in told(a, b) if kind != "equal"]


def consistent(found: Sequence[Change], a: str, b: str) -> bool:
    """Spans follow each other from end to end, kinds are what the spans say, and no two neighbours could be one."""
    ends = [(0, 0), *((one.a[1], one.b[1]) for one in found)]
    starts = [*((one.a[0], one.b[0]) for one in found), (len(a), len(b))]
    kinds = ["equal" if one.kind == "equal" else "other" for one in found]
    return (
        ends == starts
        and all((one.kind == "equal") == (a[slice(*one.a)] == b[slice(*one.b)]) for one in found)
        and all((one.a[0] < one.a[1]) == (one.kind != "added") for one in found)
        and all((one.b[0] < one.b[1]) == (one.kind != "removed") for one in found)
        and all(one != other for one, other in pairwise(kinds))
    )


@given(texts | lines, texts | lines)
def test_the_changes_cover_both_texts_and_equal_is_equal(a: str, b: str) -> None:
    assert consistent(list_changes(a, b), a, b)


@given(texts | lines)
def test_a_text_is_equal_to_itself(a: str) -> None:
    assert list_changes(a, a) == ((Change("equal", (0, len(a)), (0, len(a))),) if a else ())


@given(some.lists(some.integers(0, 99), unique=True, min_size=3, max_size=30), some.data())
def test_words_that_are_put_in_between_are_one_addition(numbers: list[int], data: some.DataObject) -> None:
    start = data.draw(some.integers(1, len(numbers) - 2))
    end = data.draw(some.integers(start + 1, len(numbers) - 1))
    words = [f"w{number:02}" for number in numbers]  # none begins with another: that could be added in two ways
    a, b = " ".join(words[:start] + words[end:]), " ".join(words)
    assert altered(a, b) == [("", " ".join(words[start:end]) + " ")]
    assert altered(b, a) == [(" ".join(words[start:end]) + " ", "")]


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("the fox", "the red fox", [("", "red ")]),
        ("One. Three.", "One. Two. Three.", [("", "Two. ")]),
        ("Q: a\n\nAnswer:", "Q: a\n\nUse it.\n\nAnswer:", [("", "Use it.\n\n")]),
        ("a\nb\nc\n", "a\nc\n", [("b\n", "")]),
        ("Answer:\n", "Answer:", [("\n", "")]),
        ("a  b", "a b", [("  ", " ")]),
        ("a\r\nb", "a\nb", [("\r\n", "\n")]),
        ("snippets. If", "snippets.\nIf", [(" ", "\n")]),
        ("limit 512 tokens", "limit 1024 tokens", [("512", "1024")]),
        ("café", "cafe\u0301", [("café", "cafe\u0301")]),
        ("a red old fox", "a big new fox", [("red old", "big new")]),
        ("say (now), please", "say [now], please", [("(", "["), (")", "]")]),
        ("A first.\nB second one.\n", "B second one.\nA first.\n", [("A first.\n", ""), ("", "A first.\n")]),
        ("", "x", [("", "x")]),
        ("x", "", [("x", "")]),
        ("chat", "chatty", [("chat", "chatty")]),
    ],
)
def test_changes_stand_where_a_reader_would_put_them(a: str, b: str, expected: list[tuple[str, str]]) -> None:
    assert altered(a, b) == expected


def test_the_longer_of_two_blocks_stays_and_the_shorter_one_moves() -> None:
    question, context = "Question: why?\n", "Context: " + "many words of a source " * 20 + "\n"
    assert altered(question + context, context + question) == [(question, ""), ("", question)]


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [("a b", "a\nb", True), ("a b", "a  b\n", True), ("a b", "a c", False), ("a", "a", False), ("a", " a", True)],
)
def test_a_difference_of_white_space_only_is_known(a: str, b: str, expected: bool) -> None:
    assert differ_in_blanks(a, b) is expected
    assert (a != b and all(is_blank_change(one, a, b) for one in list_changes(a, b) if one.kind != "equal")) is expected


def words(n: int, kinds: int, seed: int, prefix: str = "w", end: str = " ") -> str:
    pick = random.Random(seed)
    return end.join(f"{prefix}{pick.randrange(kinds)}" for _ in range(n))[:20_000]


NASTY = {
    "few changes": (words(4500, 900, 1), words(4500, 900, 1).replace("w7 ", "changed ")),
    "everything different": (words(4500, 3000, 1), words(4500, 3000, 2, "v")),
    "the same words shuffled": (words(4500, 3000, 1), words(4500, 3000, 2)),
    "three words": (words(9000, 3, 1), words(9000, 3, 2)),
    "one word": ("the " * 5000, "the " * 4000 + "a " + "the " * 900),
    "lines of few words": (words(9000, 9, 1, end="\n"), words(9000, 9, 2, end="\n")),
    "signs": ("!?.,;:-" * 2800, "?!,.;-:" * 2800),
    "blanks": (" \n" * 10_000, "\n " * 10_000),
    "one long word": ("x" * 20_000, "y" * 20_000),
    "lone surrogates": ("\ud800 " * 10_000, "\udfff " * 10_000),
}


@pytest.mark.parametrize("name", NASTY)
def test_two_texts_of_20000_characters_take_no_time(name: str) -> None:
    a, b = NASTY[name]
    found = in_time(0.3, lambda: list_changes(a, b))
    assert consistent(found, a, b)


HUGE = {
    "a line changed": ("some line of text\n" * 280_000, "some line of text\n" * 279_999 + "another\n"),
    "all different": (words(1, 1, 1) + "abc def " * 620_000, "ghi jkl " * 620_000),
    "lines shuffled": (
        "\n".join(f"line {n}" for n in range(400_000)),
        "\n".join(f"line {n * 7 % 400_000}" for n in range(400_000)),
    ),
}


@pytest.mark.parametrize("name", part(list(HUGE), 2))
def test_five_megabytes_are_bounded_and_still_exact(name: str) -> None:
    a, b = HUGE[name]
    found = in_time(8, lambda: compare_texts(a, b))
    assert consistent(found.changes, a, b)


def test_what_is_not_looked_into_is_said() -> None:
    assert not compare_texts("a b c", "a x c").coarse
    a, b = HUGE["all different"]
    assert compare_texts(a, b).coarse
