"""How many answers are nothing but their prompt, in a sentence: values in and out."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from readback import workspace
from readback.checks.repeated_answers import count_repeated, describe_repeated
from readback.checks.run import engine
from readback.cli import main
from readback.project_files import EXAMPLES

Write = Callable[[Mapping[str, Any]], Path]
END = "and add nothing, so their scores do not tell how a model answers."


def write_study(write: Write, names: str, repeated: Mapping[str, int], rest: str = "", rows: int = 20) -> Path:
    """Write a study of `rows` records; of each condition `repeated` says how many answers are only the prompt."""
    conditions = [{"name": name, "mode": "m", "answers": f"answers_{name}.jsonl"} for name in names]
    prompts = [f"Answer in a few short words.\\nQ: Why {n}?\\nA:" for n in range(rows)]
    files: dict[str, Any] = {
        "readback.yml": {
            "dataset": "d.jsonl",
            "modes": [{"mode": "m", "template": "Answer in a few short words.\nQ: {{ q }}\nA:"}],
            "conditions": conditions,
        },
        "d.jsonl": [{"id": str(n), "q": f"Why {n}?"} for n in range(rows)],
    }
    for name in names:
        answers = [
            {"id": str(n), "response": prompt.replace("\\n", "\n") + rest if n < repeated.get(name, 0) else f"So {n}."}
            for n, prompt in enumerate(prompts)
        ]
        files[f"answers_{name}.jsonl"] = "".join(f"{json.dumps(answer)}\n" for answer in answers)
    return write(files)


@pytest.mark.parametrize(
    ("names", "repeated", "sentence"),
    [
        ("ab", {}, ""),
        ("ab", {"a": 1}, ""),  # fewer than one of ten: its finding says it
        ("ab", {"a": 2}, f"2 answers of “a” repeat their prompts {END}"),
        ("ab", {"a": 20, "b": 1}, f"20 answers of “a” repeat their prompts {END}"),
        ("ab", {"a": 20, "b": 3}, f"23 answers of all 2 conditions repeat their prompts {END}"),
        ("abcde", dict.fromkeys("abcd", 5), f"20 answers of 4 of 5 conditions repeat their prompts {END}"),
        (
            "ab",
            {"a": 20, "b": 20},
            "All 40 answers repeat their prompts and add nothing, so no score tells how a model answers.",
        ),
    ],
)
def test_answers_that_are_only_their_prompts_are_told_from_a_tenth_on(
    write: Write, names: str, repeated: dict[str, int], sentence: str
) -> None:
    audit = engine.check(workspace.open(write_study(write, names, repeated)))
    assert dict(count_repeated(audit)) == {name: n for name, n in repeated.items() if n}
    assert describe_repeated(audit) == sentence


def test_an_answer_that_goes_on_after_its_prompt_is_not_counted(write: Write) -> None:
    audit = engine.check(workspace.open(write_study(write, "ab", {"a": 20}, rest=" Because of this.")))
    assert "fmt-answer-repeats-prompt" in audit.counts
    assert (dict(count_repeated(audit)), describe_repeated(audit)) == ({}, "")


def test_a_sample_is_not_called_all_answers(write: Write) -> None:
    opened = workspace.open(write_study(write, "ab", {"a": 20, "b": 20}))
    audit = engine.check(opened, engine.CheckOptions(sample=5))
    assert audit.sample is not None
    assert describe_repeated(audit) == f"10 answers of all 2 conditions repeat their prompts {END}"


def test_nothing_is_counted_where_not_all_findings_were_kept(write: Write) -> None:
    audit = engine.check(workspace.open(write_study(write, "ab", {"a": 20})))
    code = "fmt-answer-repeats-prompt"
    cut = replace(audit, counts={**audit.counts, code: audit.counts[code] + 1})
    assert (describe_repeated(audit) != "", describe_repeated(cut)) == (True, "")


def test_the_command_says_it_too(capsys: pytest.CaptureFixture[str]) -> None:
    main(["check", str(EXAMPLES / "copied-prompts"), "--fail-on", "never"])
    assert "All 264 answers repeat their prompts and add nothing" in capsys.readouterr().out
