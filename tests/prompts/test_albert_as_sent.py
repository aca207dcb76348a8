"""What the Albert programs send, mistakes included, and what is said of those that look like mistakes."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readback import cli, workspace
from readback.checks.run import engine
from readback.serving.named_formats import build_model_input
from readback.types import Message, Segment

Write = Callable[[Mapping[str, Any]], Path]
Turn = dict[str, str]


def turns(*roles: str) -> list[Turn]:
    return [{"role": role, "content": f"{role[0]}{n}"} for n, role in enumerate(roles)]


def folder(write: Write, top: str, history: list[Turn], options: str = "", more: str = "") -> Path:
    return write(
        {
            "readback.yml": f"dataset: d.jsonl\nprompts: [prompt_config.yml]\noptions: {{{options}}}\n{more}",
            "prompt_config.yml": f"{top}\nprompts: [{{mode: a, template: t.jinja}}]\n",
            "t.jinja": "Q: {{ query }}\n",
            "d.jsonl": [{"id": "1", "query": "q", "history": history}],
        }
    )


def rendered(capsys: pytest.CaptureFixture[str], root: Path, *more: str) -> dict[str, Any]:
    cli.main(["render", str(root), "--wire", "--format", "json", "--fail-on", "never", *more])
    answer: dict[str, Any] = json.loads(capsys.readouterr().out)
    return answer


def told(answer: Mapping[str, Any]) -> list[str]:
    return [one["code"] for one in answer["findings"]]


@pytest.mark.parametrize(
    ("roles", "messages"),
    [
        (("assistant",), ["a0", "Q: q"]),
        (("user", "assistant", "assistant"), ["u0", "a1", "a2", "Q: q"]),
        (("user", "tool"), ["u0", "t1", "Q: q"]),
        (("system",), ["s0", "Q: q"]),
        (("user", "assistant"), ["Q: q", "a1"]),
        (("user", "assistant", "user"), ["u0", "a1", "Q: q"]),
    ],
)
def test_a8_without_a_format_the_rendered_text_is_sent_whatever_the_history_is(
    write: Write, capsys: pytest.CaptureFixture[str], roles: tuple[str, ...], messages: list[str]
) -> None:
    answer = rendered(capsys, folder(write, "prompt_format: null", turns(*roles)))
    assert [one["text"] for one in answer["messages"]] == messages
    assert answer["wire"]["text"] == "Q: q"
    assert told(answer).count("alb-history-dropped") <= 1
    assert "alb-history-shape" not in told(answer)


def test_a8_with_a_format_the_rendered_text_is_lost_as_in_the_program(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = rendered(capsys, folder(write, "prompt_format: llama3-chat", turns("assistant")))
    assert [one["text"] for one in answer["messages"]] == ["a0"]
    assert "alb-history-shape" in told(answer)


def test_a_loss_by_the_format_is_told_once(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    root = folder(write, "system_prompt: S", turns("user", "assistant", "user"))
    codes = told(rendered(capsys, root))
    assert sorted(codes) == sorted(set(codes))
    assert {"alb-history-dropped", "alb-system-dropped"} <= set(codes)


SERVED = "models: {m: {serving: {format: chatml}}}\nconditions: [{name: c, mode: a, model: m}]\n"
ASKED = "<|im_start|>user\nQ: q<|im_end|>\n"
ANSWER = "<|im_start|>assistant\n"


@pytest.mark.parametrize(
    ("options", "text", "codes"),
    [
        ("albert_dialect: current", ASKED * 2 + ANSWER, {"alb-user-duplicated"}),
        ("albert_dialect: current, chatml_bug: reproduce", ASKED * 2 + ANSWER, {"alb-user-duplicated"}),
        ("albert_dialect: current, chatml_bug: fixed", ASKED + ANSWER, set()),
        ("chatml_bug: reproduce", ASKED + ANSWER, set()),
    ],
)
def test_a9_the_later_programs_chatml_is_shown_as_it_is_sent(
    write: Write, capsys: pytest.CaptureFixture[str], options: str, text: str, codes: set[str]
) -> None:
    root = folder(write, "", [], options, SERVED)
    answer = rendered(capsys, root)
    assert answer["wire"]["text"] == text
    assert {"alb-user-duplicated"} & set(told(answer)) == codes
    assert {"alb-user-duplicated"} & set(engine.check(workspace.open(root)).counts) == codes
    training = rendered(capsys, root, "--wire-form", "training")
    assert training["wire"]["text"] == ASKED


def test_a9_only_an_albert_mode_is_written_by_the_albert_program(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    more = SERVED.replace("mode: a", "mode: own") + 'modes: [{mode: own, system: " S ", template: "{{ query }}"}]\n'
    answer = rendered(capsys, folder(write, "", [], "albert_dialect: current", more))
    system = "<|im_start|>system\n S <|im_end|>\n"
    assert answer["wire"]["text"] == system + ASKED.replace("Q: q", "q") + ANSWER


def test_a9_the_option_is_one_of_a_comparison(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    root = folder(write, "", [], "albert_dialect: current", SERVED)
    sides = ["--a", "layer=wire", "--b", "layer=wire,chatml_bug=fixed"]
    assert cli.main(["diff", str(root), *sides, "--format", "json"]) in (0, 1)
    assert "Q: q" in capsys.readouterr().out


def test_a9_openai_stops_the_program_of_the_documents_date(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    root = folder(write, "prompt_format: openai", [])
    assert rendered(capsys, root)["wire"]["text"] == '[{"role":"user","content":"Q: q"}]'
    (found,) = [one for one in engine.check(workspace.open(root)).findings if one.code == "alb-format-stops"]
    assert "TypeError" in found.message
    current = folder(write, "prompt_format: openai", [], "albert_dialect: current")
    assert "alb-format-stops" not in engine.check(workspace.open(current)).counts


def test_a9_llama_chat_writes_a_last_answer_once_more_as_the_users(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    root = folder(write, "prompt_format: llama-chat", turns("user", "assistant"))
    answer = rendered(capsys, root)
    assert answer["wire"]["text"] == "<s>[INST] Q: q [/INST] a1 </s><s>[INST] a1 [/INST]"
    assert told(answer).count("alb-turn-repeated") == 1
    assert engine.check(workspace.open(root)).counts["alb-turn-repeated"] == 1
    training = rendered(capsys, root, "--wire-form", "training")
    assert training["wire"]["text"] == "<s>[INST] Q: q [/INST] a1 </s>"


def by_hand(said: list[tuple[str, str]], form: str, later: bool) -> str:
    """The two formats written down again: pairs and then the last turn; each turn and then the last once more."""
    if form == "chatml":
        return "".join(f"<|im_start|>{r}\n{t.strip()}<|im_end|>\n" for r, t in said + said[-1:] * later) + ANSWER
    pairs = [said[n : n + 2] for n in range(0, len(said) - 1, 2)]
    text = "".join(f"<s>[INST] {one[1].strip()} [/INST] {two[1].strip()} </s>" for one, two in pairs)
    return f"{text}<s>[INST] {said[-1][1].strip()} [/INST]"


SAID = st.lists(st.tuples(st.sampled_from(["user", "assistant"]), st.text(" ab\n", max_size=4)), min_size=1, max_size=7)


@given(SAID, st.sampled_from(["llama-chat", "chatml"]), st.booleans())
def test_a9_any_conversation_is_written_as_the_program_writes_it(
    said: list[tuple[str, str]], form: str, later: bool
) -> None:
    sent = build_model_input(
        [Message(role, (Segment(text, "variable"),)) for role, text in said],  # type: ignore[arg-type]
        form,
        dialect="current" if later else "classic",
    )
    assert sent.text == by_hand(said, form, later)
    repeated = (form == "chatml" and later) or (form == "llama-chat" and len(said) % 2 == 0)
    assert repeated == bool(
        {"alb-user-duplicated", "alb-turn-repeated"} & {diagnostic.code for diagnostic in sent.diagnostics}
    )
