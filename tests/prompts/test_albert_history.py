"""An Albert call with a history: what the classic and the later program send, and what is said of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from readback import workspace
from readback.checks.run import engine
from readback.prompts import model_input
from readback.prompts.assemble import assemble
from readback.records.dataset import open_dataset
from readback.types import Assembly, Selection

Write = Callable[[Mapping[str, Any]], Path]
SYSTEM = {"role": "system", "content": " own "}
USER = {"role": "user", "content": "u1"}


def made(folder: Path) -> tuple[Assembly, str | None, list[str]]:
    opened = workspace.open(folder)
    (record,) = open_dataset(opened.root, opened.dataset).records()
    assembly = assemble(opened, record, Selection(mode="a"))
    read = model_input.build_model_input(opened, record, assembly, None, False)
    return assembly, read.text if read and read.segments else None, list(engine.check(opened).counts)


def albert(fmt: str, history: list[Any], query: str = "Q", system: str = "SYS", top: str = "") -> dict[str, Any]:
    mode = f"{{mode: a, template: t.j, system_prompt: {system}}}" if system else "{mode: a, template: t.j}"
    rows = [{"id": "1", "query": query, "history": history}]
    config = f"prompt_format: {fmt}\n{top}prompts: [{mode}]\n"
    return {"prompt_config.yml": config, "t.j": "{{ query }}", "d.jsonl": rows}


def test_a_system_message_of_the_history_is_a_turn_behind_the_modes_own(write: Write) -> None:
    assembly, text, codes = made(write(albert("chatml", [SYSTEM, USER])))
    assert [(one.role, one.text) for one in assembly.messages] == [
        ("system", "SYS"),
        ("system", " own "),
        ("user", "Q"),
    ]
    turns = "<|im_start|>system\nown<|im_end|>\n<|im_start|>user\nQ<|im_end|>\n<|im_start|>assistant\n"
    assert text == f"<|im_start|>system\nSYS<|im_end|>\n{turns}"
    assert "alb-history-system" in codes


def test_without_a_system_prompt_it_is_a_turn_like_any_other_and_nothing_is_said(write: Write) -> None:
    _, text, codes = made(write(albert("chatml", [SYSTEM, USER], system="")))
    assert text == "<|im_start|>system\nown<|im_end|>\n<|im_start|>user\nQ<|im_end|>\n<|im_start|>assistant\n"
    assert "alb-history-system" not in codes


def test_the_later_program_sends_the_historys_system_message_alone(write: Write) -> None:
    files = albert("chatml", [SYSTEM, USER])
    setup = "dataset: d.jsonl\nprompts: [prompt_config.yml]\noptions: {albert_dialect: current}\n"
    assembly, _, codes = made(write({**files, "readback.yml": setup}))
    assert [(one.role, one.text) for one in assembly.messages] == [("system", " own "), ("user", "Q")]
    assert "alb-history-system" in codes


@pytest.mark.parametrize("query", ["", "Q"])
def test_without_a_format_the_text_alone_is_sent_and_an_empty_one_is_a_text(write: Write, query: str) -> None:
    assembly, text, _ = made(write(albert("null", [], query)))
    assert [one.role for one in assembly.messages] == ["system", "user"]
    assert text == query


WORDS = "word " * 8  # ten tokens by the program's count


@pytest.mark.parametrize(
    ("most", "texts", "turns"),
    [
        (70, ["u1", "a1", "u2", "a2"], None),  # five messages of 10 are 50, and 0.8 of 70 is 56
        (60, ["u2", "a2"], 2),
        (30, [], 4),
        (10, [], 4),
    ],
)
def test_turns_are_left_out_two_at_a_time_until_the_prompt_fits_or_none_is_left(
    write: Write, most: int, texts: list[str], turns: int | None
) -> None:
    names = ["u1", "a1", "u2", "a2", "u3"]
    history = [
        {"role": "user" if name[0] == "u" else "assistant", "content": f"{name} {'word ' * 7}"} for name in names
    ]
    folder = write(albert("chatml", history, WORDS, system="", top=f"max_tokens: {most}\n"))
    assembly, _, _ = made(folder)
    assert [one.text.split()[0] for one in assembly.messages] == [*texts, "word"]
    found = [one for one in engine.check(workspace.open(folder)).findings if one.code == "alb-over-budget"]
    assert [one.values["turns"] for one in found] == ([] if turns is None else [turns])
