"""A message in short: what is shown is a part of it, what is left out is counted, and new words are marked."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readback.checks.run.prompt_lengths import Excerpt
from readback.types import Origin, Segment
from readback.ui.prompts.every.outline import Gap, Stretch, list_stretches


def excerpt(
    *segments: Segment, differs: int | None = None, start: int = 0, length: int | None = None, end: int = 0
) -> Excerpt:
    text = "".join(segment.text for segment in segments)
    if length is None:
        length = start + len(text)
    return Excerpt("user", segments, start, length, text.count("\n") + 1, differs, same_end=end)


def template(text: str) -> Segment:
    return Segment(text, "template")


def value(text: str, name: str) -> Segment:
    return Segment(text, "variable", name)


def test_a_short_value_is_whole_and_of_a_long_one_its_beginning_with_what_is_left_out() -> None:
    instruction = f"Do {'x' * 190}. "
    parts = template(instruction), value("Why?", "q"), value("word " * 40, "text"), template(" Go.")
    assert list_stretches(excerpt(*parts), None) == (
        Stretch(instruction, "yours"),
        Stretch("Why?", "data"),
        Stretch("word " * 8, "data"),
        Gap(160, "text"),
        Stretch(" Go.", "yours"),
    )


def test_a_value_that_is_most_of_its_message_is_shown_longer() -> None:
    shown = list_stretches(excerpt(value("word " * 100, "prompt")), None)
    assert shown == (Stretch("word " * 32, "data"), Gap(340, "prompt"))


def test_the_values_of_a_list_are_one_with_what_little_is_between_them() -> None:
    values = [part for n in range(4) for part in (template(f"\n[{n}] "), value("fact " * 20, f"contexts[{n}].text"))]
    first, *others = list_stretches(excerpt(template("Read this, all of it."), *values, template("\n\nAnswer:")), None)
    assert first == Stretch("Read this, all of it.\n[0] ", "yours")
    assert others[1] == Gap(415 - len(others[0].text), "contexts", 4)  # type: ignore[union-attr]
    assert others[2] == Stretch("\n\nAnswer:", "yours")


def test_two_values_that_are_no_list_stay_two() -> None:
    shown = list_stretches(excerpt(value("one", "a"), template("\n"), value("two", "a")), None)
    assert [stretch.text for stretch in shown if isinstance(stretch, Stretch)] == ["one", "\n", "two"]


def test_sentences_that_the_other_message_does_not_have_are_new() -> None:
    shown = list_stretches(excerpt(template("Be kind. Be short.\nAnswer:"), differs=9), "Be kind. Be long.\nAnswer:")
    assert shown == (
        Stretch("Be kind. ", "yours"),
        Stretch("Be short.\n", "yours", True),
        Stretch("Answer:", "yours"),
    )


def test_of_a_long_value_what_the_other_message_does_not_have_is_new_and_its_end_is_there() -> None:
    facts = "".join(f"Fact {number} of many.\n" for number in range(30))
    own = f"Use these facts.\n{facts}Question: Why?\nAnswer:"
    shown = list_stretches(excerpt(value(own, "prompt"), differs=0), f"Question: Why?\n{facts}Answer:")
    assert shown[0] == Stretch("Use these facts.\n", "data", True)
    assert isinstance(shown[2], Gap) and not shown[2].is_shared  # noqa: PT018 (its sentences stand in another order)
    assert shown[3].text.endswith("\nQuestion: Why?\nAnswer:")  # type: ignore[union-attr]


def test_what_stands_in_the_other_message_in_one_piece_is_the_same() -> None:
    facts = "".join(f"Fact {number} of many.\n" for number in range(30))
    shown = list_stretches(excerpt(value(facts, "prompt"), differs=0), f"Be kind.\n{facts}")
    assert [gap.is_shared for gap in shown if isinstance(gap, Gap)] == [True]


def test_a_part_of_a_longer_word_is_not_the_word() -> None:
    assert list_stretches(excerpt(template("Give 5"), differs=6), "Give 50") == (Stretch("Give 5", "yours", True),)


def test_a_sentence_of_another_message_is_moved() -> None:
    shown = list_stretches(excerpt(template("Be kind.\n\nBe short.\nWhy?"), differs=0), "Why?", elsewhere="Be kind.")
    assert shown == (
        Stretch("Be kind.\n\n", "yours", True, True),
        Stretch("Be short.\n", "yours", True),
        Stretch("Why?", "yours"),
    )


def test_between_what_two_messages_share_is_shown_with_what_is_left_out_counted() -> None:
    end = "the end " * 20
    begin = "at the start " * 20
    own, other = f"{begin}New words. {end}", f"{begin}Old words. {end}"
    same = len(f" words. {end}")
    shown = list_stretches(excerpt(template(own), differs=len(begin), end=same), other, True)
    assert isinstance(shown[0], Gap) and shown[0].is_shared  # noqa: PT018
    assert isinstance(shown[-1], Gap) and shown[-1].is_shared  # noqa: PT018
    assert "".join(stretch.text for stretch in shown if isinstance(stretch, Stretch)).endswith(" New")


ORIGINS: tuple[Origin, ...] = ("template", "variable", "joiner", "adapter", "default", "unknown")
segments = st.builds(
    Segment,
    st.one_of(st.text(max_size=60), st.text("ab. \n", max_size=600)),
    st.sampled_from(ORIGINS),
    st.sampled_from([None, "q", "c[0]", "c[1].text"]),
)


@pytest.mark.parametrize("is_window", [False, True])
@given(st.lists(segments, max_size=8), st.text("ab. \n", max_size=600), st.integers(0, 50), st.integers(0, 50))
def test_what_is_shown_and_what_is_left_out_are_the_whole_message(
    is_window: bool, parts: list[Segment], other: str, start: int, after: int
) -> None:
    text = "".join(part.text for part in parts)
    shared = 0
    while shared < min(len(text), len(other)) and text[shared] == other[shared]:
        shared += 1
    differs = start + shared if text != other else None
    whole = excerpt(*parts, differs=differs, start=start, length=start + len(text) + after)
    rest = "?" * start + text + "?" * after
    for stretch in list_stretches(whole, other, is_window):
        if isinstance(stretch, Gap):
            assert 0 < stretch.length <= len(rest)
            rest = rest[stretch.length :]
        else:
            assert rest.startswith(stretch.text)
            rest = rest[len(stretch.text) :]
    assert rest == ""
