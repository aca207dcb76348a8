"""Where two texts that went through chat templates part: named, counted, and reaching from end to end."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from readback.compare.first_difference import (
    compare_self_test,
    describe_difference,
    describe_halves,
    find_first_differences,
    format_place,
)
from readback.compare.marker_alignment import align_marked
from readback.compare.sentence import format_first_difference
from readback.compare.spelling import spell_out
from readback.types import ModelInput, Segment, SelfTest

PIECES = ["<|im_start|>", "<|im_end|>", "\n", "\n\n", " ", "system", "user", "Be brief.", "Why?", "<s>", "\u200b", "x"]
texts = some.lists(some.sampled_from(PIECES), max_size=14).map("".join)


def by(*parts: tuple[str, Any]) -> tuple[Segment, ...]:
    return tuple(Segment(text, origin) for text, origin in parts)


def one(text: str) -> tuple[Segment, ...]:
    return (Segment(text, "serving"),) if text else ()


@pytest.mark.parametrize(
    ("a", "b", "expected", "where"),
    [
        ("<|im_end|>\n<|im_start|>", "<|im_end|><|im_start|>", "after `<|im_end|>` A has a newline, B has none", 11),
        ("<|im_end|><|im_start|>", "<|im_end|>\n<|im_start|>", "after `<|im_end|>` A has no newline, B has one", 11),
        ("<s>a b", "<s><s>a b", "after `<s>` B has `<s>` once more, A has not", 4),
        ("<s>a", "a", "at the start A has `<s>`, B has not", 1),
        ("a\n\nAnswer:", "a\nAnswer:", "after `a` A has 2 newlines, B has a newline", 3),
        ("A: b", "A:b", "after `A:` A has a space, B has none", 3),
        ("Answer:\n", "Answer:", "at the end, after `Answer:`, A has a newline, B has none", 8),
        ("a brief one", "a brisk one", "after `a` A has `brief`, B has `brisk`", 6),
        ("café\u200bx", "caféx", "after `café` A has U+200B ZERO WIDTH SPACE, B has none", 5),
        ("a\u00a0?", "a?", "after `a` A has a no-break space, B has none", 2),
        ("a\u00a0?", "a ?", "after `a` A has a no-break space, B has a space", 2),
        ("a\r\nb", "a\nb", "after `a` A has a carriage return and a newline, B has a newline", 2),
        ("", "x", "at the start B has `x`, A has not", 1),
        ("is high water?", "is the tide?", "after `is` A has `high water`, B has `the tide`", 4),
        ("[INST] a [/INST]", "[INST]a [/INST]", "after `[INST]` A has a space, B has none", 7),
    ],
)
def test_the_first_difference_is_named_by_what_stands_before_it(a: str, b: str, expected: str, where: int) -> None:
    found = find_first_differences(one(a), one(b))
    assert describe_difference(found[0]) == expected
    assert format_place(found[0]).startswith(f"character {where}, ")
    assert len(found) == 1


def test_equal_texts_do_not_part() -> None:
    assert find_first_differences(one("<s>a"), by(("<s>", "serving"), ("a", "variable"))) == ()


def test_a_doubled_system_message_and_two_lost_newlines_are_two_differences() -> None:
    system, user = ("You are a tide table.", "system"), ("Why?\n\nAnswer:", "variable")
    trained = by(("<|im_start|>system\n", "serving"), system, ("<|im_end|>\n<|im_start|>user\n", "serving"), user,
                 ("<|im_end|>\n<|im_start|>assistant\n", "serving"))  # fmt: skip
    asks = ("<|im_end|><|im_start|>assistant\n", "serving")
    served = by(("<|im_start|>system\n", "serving"), system, ("<|im_end|><|im_start|>system\n", "serving"), system,
                ("<|im_end|><|im_start|>user\n", "serving"), user, asks)  # fmt: skip
    first, second = find_first_differences(trained, served)
    assert first.again
    assert describe_halves(first) == (
        "a newline",
        "none and goes on with `<|im_start|>system⏎You are a tide table.<|im_end|>`, the system message once more",
    )
    assert (
        describe_difference(second, "training", "serving")
        == "after `<|im_end|>` training has a newline, serving has none"
    )
    assert (second.a.line, second.b.line) == (6, 6)
    assert format_first_difference((first, second)).endswith("(character 51, line 2 of A); 1 more difference.")


def test_both_sides_say_who_wrote_what_stands_there() -> None:
    found = find_first_differences(
        by(("a", "variable"), ("\n", "serving"), ("b", "template")), by(("a", "variable"), ("b", "template"))
    )
    assert [one.origin for one in found[0].a.segments] == ["serving"]
    assert [one.origin for one in found[0].b.segments] == ["template"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "nothing"),
        ("\n\n ", "2 newlines and a space"),
        ("\n \n \n ", "6 characters of white space"),
        ("\u200b\u200b", "2 times U+200B ZERO WIDTH SPACE"),
        ("a\tb\u200b", "`a→b[U+200B]`"),
        ("x" * 90, f"`{'x' * 44}…{'x' * 16}`"),
    ],
)
def test_a_stretch_is_spelled_out(text: str, expected: str) -> None:
    assert spell_out(text) == expected


@given(texts, texts)
def test_what_differs_and_what_is_equal_make_up_both_texts(a: str, b: str) -> None:
    changes = align_marked(a, b)
    assert "".join(a[slice(*change.a)] for change in changes) == a
    assert "".join(b[slice(*change.b)] for change in changes) == b
    assert all(a[slice(*change.a)] == b[slice(*change.b)] for change in changes if change.kind == "equal")


@given(texts, texts)
def test_putting_the_second_sides_stretches_into_the_first_gives_the_second(a: str, b: str) -> None:
    made, at = [], 0
    for found in find_first_differences(one(a), one(b)):
        assert found.a.text != found.b.text
        assert describe_difference(found)
        made += [a[at : found.a.start], found.b.text]
        at = found.a.end
    assert "".join([*made, a[at:]]) == b


@given(some.text(max_size=60), some.text(max_size=60))
def test_any_two_texts_are_told_apart_in_words(a: str, b: str) -> None:
    found = find_first_differences(one(a), one(b))
    assert bool(found) == (a != b)
    assert all(describe_difference(one) and "\n" not in describe_difference(one) for one in found)


def test_texts_that_are_too_long_to_align_differ_between_their_shared_ends() -> None:
    a, b = "start" + "a " * 130_000 + "end", "start" + "b " * 130_000 + "end"
    found = find_first_differences(one(a), one(b))
    assert [(one.a.start, one.a.end) for one in found] == [(5, len(a) - 4)]


def test_a_probe_parts_up_to_its_answer() -> None:
    trained = ModelInput("t", by(("<u>Q</u>\n", "serving"), ("The reply", "variable"), ("</a>", "serving")))
    served = ModelInput("s", by(("<u>Q</u>", "serving")))
    found = compare_self_test(SelfTest("m", "", "Q", "The reply", served, served, trained))
    assert [describe_difference(one) for one in found] == ["at the end, after `</u>`, A has a newline, B has none"]
    assert compare_self_test(SelfTest("m", "", "Q", "The reply", served, served, None)) == ()
    assert compare_self_test(SelfTest("m", "", "Q", "The reply", ModelInput("s", ()), served, trained)) == ()
