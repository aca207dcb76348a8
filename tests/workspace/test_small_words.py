"""Small things that people stumble over: what is called unread, what is cut, which ids there are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from readback import cli, workspace
from readback.checks.run import engine

Write = Callable[[Mapping[str, Any]], Path]
TURNS = [{"role": "user", "content": "u"}, {"role": "assistant", "content": "a"}, {"role": "user", "content": "q"}]


@pytest.mark.parametrize(
    "files",
    [
        {"readback.yml": 'dataset: d.jsonl\ntasks: {generation: {user: "{{ question }}"}}\n'},
        {"prompt_config.yml": "prompt_format: chatml\nprompts: [{mode: a, template: t.j}]\n", "t.j": "{{ question }}"},
    ],
)
def test_b16_a_history_that_is_sent_is_not_called_unread(write: Write, files: dict[str, str]) -> None:
    row = {"id": "1", "question": "q", "query": "q", "history": TURNS, "spare": 1, "system_prompt": "S"}
    audit = engine.check(workspace.open(write({**files, "d.jsonl": [row]})))
    unread = {one.name for one in audit.unused}
    assert "history" not in unread
    assert "spare" in unread
    assert ("system_prompt" in unread) == ("readback.yml" in files)


@pytest.mark.parametrize(
    ("turns", "expected"), [(1, "no turn of a history that"), (3, "leaves out 2 turns"), (7, "leaves out 6 turns")]
)
def test_b16_what_the_program_would_leave_out_is_said_in_words(write: Write, turns: int, expected: str) -> None:
    history = [{"role": "assistant" if i % 2 else "user", "content": "word " * 10} for i in range(turns)]
    root = write(
        {
            "prompt_config.yml": "prompt_format: chatml\nmax_tokens: 10\nprompts: [{mode: a, template: t.j}]\n",
            "t.j": "{{ query }}",
            "d.jsonl": [{"id": "1", "query": "word " * 10, "history": history}],
        }
    )
    (found,) = [one for one in engine.check(workspace.open(root)).findings if one.code == "alb-over-budget"]
    assert expected in found.message


@pytest.mark.parametrize(
    ("prompt", "said"),
    [("Q\\n", "Question: and Answer: are missing"), ("Question: Q\\n", "Answer: is missing")],
)
def test_b16_one_marker_is_and_two_markers_are_not_there(write: Write, prompt: str, said: str) -> None:
    row = {"id": "1", "instruction": "Q", "rag": {"contexts": ["c"], "prompt": prompt.replace("\\n", "\n")}}
    audit = engine.check(workspace.open(write({"d.jsonl": [row]})))
    assert any(said in one.message for one in audit.findings if one.code == "fmt-markers")


@pytest.mark.parametrize(
    ("rows", "asked", "said"),
    [
        ([{"q": "a"}, {"q": "b"}], "t1", "their ids are their lines: 'line_1', 'line_2'"),
        ([{"id": "t11"}, {"id": "b"}], "t1", "did you mean 't11'?; the ids of id are 't11', 'b'"),
        ([{"q": str(n)} for n in range(9)], "t1", "'line_1', 'line_2', 'line_3', 'line_4', 'line_5' … 'line_9'"),
    ],
)
def test_b16_an_id_that_is_not_there_is_answered_with_those_that_are(
    write: Write, capsys: pytest.CaptureFixture[str], rows: list[Any], asked: str, said: str
) -> None:
    root = write({"readback.yml": 'dataset: d.jsonl\nmodes: [{mode: m, template: "x"}]\n', "d.jsonl": rows})
    assert cli.main(["render", str(root), "--record", asked]) == 2
    assert said in capsys.readouterr().err


def test_b16_one_record_is_one_record(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    root = write({"readback.yml": 'dataset: d.jsonl\nmodes: [{mode: m, template: "x"}]\n', "d.jsonl": [{"id": "1"}]})
    cli.main(["check", str(root)])
    said = capsys.readouterr().out
    assert "1 record read; 0 of 1 line could not be read and 0 were blank" in said
    assert "1 records" not in said
