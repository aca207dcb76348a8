"""Each named chat format gives the text that the server sends, and every stretch of it still has its origin."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readback.serving.merge_roles import merge_roles
from readback.serving.named_formats import FORMATS, build_model_input, cut_segments, strip_segments
from readback.types import Message, Origin, Segment


def message(role: str, *texts: str, origin: Origin = "template") -> Message:
    return Message(role, tuple(Segment(text, origin) for text in texts))


SYSTEM, QUESTION, ANSWER = message("system", "SYS"), message("user", "  q", " \n"), message("assistant", " a2 ")
RENDERED = message("user", "RQ")
HISTORY = [{"role": "user", "content": "u1"}, {"role": "assistant", "content": "a1"}, {"role": "user", "content": "u2"}]
LLAMA3 = "<|start_header_id|>{}<|end_header_id|>\n\n{}<|eot_id|>"
PAIR = "<s>[INST] <<SYS>>\nSYS\n<</SYS>>\n\nu1 [/INST] a1 </s><s>[INST] RQ [/INST]"
MADE = LLAMA3.format("user", "u1") + LLAMA3.format("assistant", "a1") + LLAMA3.format("user", "RQ")


@pytest.mark.parametrize(
    ("format", "expected"),
    [
        ("llama-chat", "<s>[INST] <<SYS>>\nSYS\n<</SYS>>\n\n  q [/INST]"),
        ("llama2-chat", "<s>[INST] <<SYS>>\nSYS\n<</SYS>>\n\n  q [/INST]"),
        (
            "llama3-chat",
            "<|begin_of_text|>" + LLAMA3.format("system", "SYS") + LLAMA3.format("user", "q")
            + "<|start_header_id|>assistant<|end_header_id|>\n\n",
        ),
        (
            "chatml",
            "<|im_start|>system\nSYS<|im_end|>\n<|im_start|>user\nq<|im_end|>\n<|im_start|>assistant\n",
        ),
        ("openai", '[{"role":"user","content":"  q \\n"}]'),
        (None, "  q \n"),
    ],
)  # fmt: skip
def test_a_single_turn_with_a_system_prompt(format: str | None, expected: str) -> None:  # noqa: A002
    assert build_model_input((SYSTEM, QUESTION), format).text == expected


@pytest.mark.parametrize(
    ("format", "expected"),
    [
        ("llama2-chat", "<s>[INST] q [/INST]"),
        ("chatml", "<|im_start|>user\nq<|im_end|>\n<|im_start|>assistant\n"),
    ],
)
def test_a_single_turn_without_one_is_stripped_at_both_ends(format: str, expected: str) -> None:  # noqa: A002
    assert build_model_input((QUESTION,), format).text == expected
    assert build_model_input((message("system", ""), QUESTION), format).text == expected


@pytest.mark.parametrize(
    ("format", "asking", "training"),
    [
        ("llama-chat", PAIR, PAIR + " a2 </s>"),
        (
            "llama3-chat",
            f"<|begin_of_text|>{LLAMA3.format('system', 'SYS')}{MADE}<|start_header_id|>assistant<|end_header_id|>\n\n",
            f"<|begin_of_text|>{LLAMA3.format('system', 'SYS')}{MADE}{LLAMA3.format('assistant', 'a2')}<|end_of_text|>",
        ),
    ],
)
def test_earlier_turns_come_first_and_training_ends_with_the_answer(
    format: str,  # noqa: A002
    asking: str,
    training: str,
) -> None:
    assert build_model_input((SYSTEM, RENDERED), format, history=HISTORY).text == asking
    assert build_model_input((SYSTEM, RENDERED, ANSWER), format, history=HISTORY, training=True).text == training
    whole = [*HISTORY, {"role": "assistant", "content": "a2"}]
    assert build_model_input((SYSTEM, RENDERED), format, history=whole, training=True).text == training


def test_chatml_training_ends_after_the_answers_last_line() -> None:
    sent = build_model_input((RENDERED, ANSWER), "chatml", training=True).text
    assert sent == "<|im_start|>user\nRQ<|im_end|>\n<|im_start|>assistant\na2<|im_end|>\n"


def test_turns_that_are_part_of_the_messages_are_sent_like_a_history() -> None:
    turns = (message("user", "u1"), message("assistant", "a1"), RENDERED)
    assert build_model_input((SYSTEM, *turns), "llama2-chat").text == PAIR


@pytest.mark.parametrize(
    ("format", "history", "codes"),
    [
        ("chatml", [], []),
        ("openai", [], ["alb-system-dropped"]),
        (None, [], ["alb-system-dropped"]),
        (None, HISTORY, ["alb-system-dropped", "alb-history-dropped"]),
        ("chatml", HISTORY[:2] + HISTORY[1:2], ["alb-history-shape"]),
        ("mistral", [], ["alb-format-unknown"]),
    ],
)
def test_what_a_format_loses_is_noted(format: str | None, history: list[Any], codes: list[str]) -> None:  # noqa: A002
    assert [
        diagnostic.code for diagnostic in build_model_input((SYSTEM, RENDERED), format, history=history).diagnostics
    ] == codes


def test_an_unknown_format_gives_no_text() -> None:
    assert build_model_input((SYSTEM, RENDERED), "mistral").segments == ()


def test_the_later_program_strips_the_system_prompt_and_keeps_it_for_openai() -> None:
    system = message("system", " SYS\n")
    assert build_model_input((system, RENDERED), "chatml").text.startswith("<|im_start|>system\n SYS\n<|im_end|>")
    assert build_model_input((system, RENDERED), "chatml", dialect="current").text.startswith(
        "<|im_start|>system\nSYS<|im_end|>"
    )
    sent = json.loads(build_model_input((system, RENDERED), "openai", dialect="current").text)
    assert sent == [{"role": "system", "content": " SYS\n"}, {"role": "user", "content": "RQ"}]


def test_roles_are_merged_as_gemma_wants_them() -> None:
    assert [(m.role, m.text) for m in merge_roles((SYSTEM, message("user", "q")))] == [("user", "SYS\n\n---\n\nq")]
    turns = (SYSTEM, message("assistant", "a"), message("user", "x"), message("user", "y"))
    assert [(m.role, m.text) for m in merge_roles(turns, system_role=True)] == [
        ("system", "SYS"),
        ("user", ""),
        ("assistant", "a"),
        ("user", "x\n\n---\n\ny"),
    ]


def test_a_stretch_keeps_the_origin_of_who_wrote_it() -> None:
    asked = Message("user", (Segment("  Q: ", "template"), Segment("why? ", "variable", "query")))
    sent = build_model_input((SYSTEM, asked), "chatml").segments
    assert [(s.text, s.origin, s.name) for s in sent if s.origin != "serving"] == [
        ("SYS", "template", None),
        ("Q: ", "template", None),
        ("why?", "variable", "query"),
    ]


TEXTS = st.text(alphabet=' \t\n\u00a0\u2028abé"\\', max_size=6)
SEGMENTS = st.lists(TEXTS, max_size=5).map(lambda texts: tuple(Segment(text, "template") for text in texts))


@given(SEGMENTS)
def test_stripping_segments_is_stripping_their_text(segments: tuple[Segment, ...]) -> None:
    text = "".join(segment.text for segment in segments)
    assert "".join(segment.text for segment in strip_segments(segments)) == text.strip()
    assert all(segment.text for segment in strip_segments(segments))


@given(SEGMENTS, st.integers(0, 12), st.integers(0, 12))
def test_cutting_segments_is_cutting_their_text(segments: tuple[Segment, ...], start: int, end: int) -> None:
    text = "".join(segment.text for segment in segments)
    assert "".join(segment.text for segment in cut_segments(segments, start, end)) == text[start:end]


@given(SEGMENTS, SEGMENTS, SEGMENTS, st.sampled_from(FORMATS))
def test_every_format_equals_its_definition(
    system: tuple[Segment, ...],
    user: tuple[Segment, ...],
    answer: tuple[Segment, ...],
    format: str,  # noqa: A002
) -> None:
    said, asked, told = ("".join(s.text for s in part) for part in (system, user, answer))
    sent = build_model_input(
        (Message("system", system), Message("user", user), Message("assistant", answer)), format, training=True
    )
    block = f"<<SYS>>\n{said}\n<</SYS>>\n\n" if said else ""
    turns = [("user", asked.strip()), ("assistant", told.strip())]
    expected = {
        "llama3-chat": "<|begin_of_text|>"
        + "".join(LLAMA3.format(*turn) for turn in ([("system", said)] if said else []) + turns)
        + "<|end_of_text|>",
        "chatml": "".join(
            f"<|im_start|>{role}\n{text}<|im_end|>\n" for role, text in ([("system", said)] if said else []) + turns
        ),
        "openai": json.dumps(
            [{"role": "user", "content": asked}, {"role": "assistant", "content": told}],
            ensure_ascii=False,
            separators=(",", ":"),
        ),
    }
    llama2 = f"<s>[INST] {(block + asked).strip()} [/INST] {told.strip()} </s>"
    assert sent.text == expected.get(format, llama2)
