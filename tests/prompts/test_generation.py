"""The call that answers the question: the model's own system prompt, and the turns before the question."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from readback.prompts.assemble import assemble
from readback.types import Adapter, Condition, Model, Prompt, Record, Selection, Workspace

ASK = {"role": "user", "content": "One?"}
SAID = {
    "role": "assistant",
    "content": [{"type": "text", "text": "a"}, {"type": "tool_use"}, {"type": "text", "text": "b"}],
}
TOLD = {"role": "system", "content": "From before."}


def made(history: Any = None, *, system: str | None = None, instruction: str | None = "I", adapter: str = "plain",
         prompt: str | None = "M", task: str = "generation") -> Any:  # fmt: skip
    workspace = Workspace(
        Path(),
        "asking",
        tasks={task: Prompt(task, "{{ question }}", system)},
        adapters={"plain": Adapter("plain"), "folds": Adapter("folds", system_prompt=False)},
        instructions={task: instruction},
        models={"m": Model("m", settings={"system_prompt": prompt})},
        conditions=(Condition("c", task=task, adapter=adapter, model="m"),),
    )
    fields = {"question": "Two?"} | ({} if history is None else {"history": history})
    return assemble(workspace, Record("1", fields), Selection(condition="c"))


def texts(assembly: Any) -> list[tuple[str, str]]:
    return [(message.role, message.text) for message in assembly.messages]


TURNS = [("user", "One?"), ("assistant", "a\nb")]
LAST = ("user", "Two?")


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, [("system", "M\n\nI"), LAST]),
        ({"instruction": None}, [("system", "M"), LAST]),
        ({"prompt": None}, [("system", "I"), LAST]),
        ({"prompt": "", "instruction": None}, [LAST]),
        ({"system": "T"}, [("system", "T\n\nI"), LAST]),
        ({"history": []}, [("system", "M\n\nI"), LAST]),
        ({"history": [ASK, SAID]}, [("system", "M\n\nI"), *TURNS, LAST]),
        ({"history": [TOLD, ASK, SAID]}, [("system", "I"), ("system", "From before."), *TURNS, LAST]),
        ({"history": [TOLD], "instruction": None}, [("system", "From before."), LAST]),
        ({"history": [ASK, SAID], "adapter": "folds"}, [*TURNS, ("user", "M\n\nI\n\nTwo?")]),
        ({"history": [ASK], "task": "parsing"}, [("system", "I"), LAST]),
    ],
    ids=str,
)
def test_what_is_sent(given: dict[str, Any], expected: list[tuple[str, str]]) -> None:
    assembly = made(**given)
    assert expected == texts(assembly)
    assert {diagnostic.code for diagnostic in assembly.diagnostics} <= {"asm-system-folded"}


@pytest.mark.parametrize(
    ("history", "where"),
    [
        ("One?", "history[0]"),
        ([ASK, {"role": "narrator", "content": "x"}], "history[1]"),
        ([{"content": "x"}], "history[0]"),
        ([{"role": "user", "content": [1]}], "history[0]"),
        ({"role": "user"}, "history[0]"),
    ],
)
def test_a_history_that_is_none_is_said_and_left_out(history: Any, where: str) -> None:
    assembly = made(history)
    assert texts(assembly) == [("system", "M\n\nI"), LAST]
    assert [(diagnostic.code, diagnostic.values["where"]) for diagnostic in assembly.diagnostics] == [
        ("dat-wrong-value", where)
    ]


def test_turns_say_which_part_of_the_record_they_are() -> None:
    assembly = made([ASK, SAID])
    assert [(s.origin, s.name) for m in assembly.messages[1:3] for s in m.segments] == [
        ("variable", "history[0].content"),
        ("variable", "history[1].content"),
    ]
