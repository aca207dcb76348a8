"""A batch asks with the settings that the files state: those of a model, a mode, an Albert configuration, a judge."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from readback.cli import main

Write = Callable[[Mapping[str, Any]], Path]
Output = pytest.CaptureFixture[str]
DATA = '{"id": "a1", "question": "Who mends the nets?", "answer": "The sailmaker."}\n'
JUDGE = "You judge.\n\nQuestion: {question}\nAnswer: {answer}\nReply as JSON with faithfulness from 0 to 1."


def bodies(capsys: Output, folder: Path, *words: str) -> tuple[list[dict[str, Any]], str]:
    code = main(["export", str(folder), "--as", "openai-batch", *words])
    said = capsys.readouterr()
    assert code == 0, said.err
    return [json.loads(line)["body"] for line in said.out.splitlines()], said.err


def settings(body: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in body.items() if name != "messages"}


def rendered(capsys: Output, folder: Path, *words: str) -> dict[str, Any]:
    main(["render", str(folder), "--index", "0", "--format", "json", *words])
    made: dict[str, Any] = json.loads(capsys.readouterr().out)
    return made


def test_a_models_settings_are_sent_and_shown(write: Write, capsys: Output) -> None:
    folder = write(
        {
            "readback.yml": "dataset: d.jsonl\nmodes: [{mode: ask, template: '{{ question }}'}]\n"
            "models: {m: {settings: {model: net-mender, temperature: 0, max_new_tokens: 64, top_k: 5, "
            "stop_sequences: [END]}}}\nconditions: [{name: c, mode: ask, model: m}]\n",
            "d.jsonl": DATA,
        }
    )
    ((body,), said) = bodies(capsys, folder)
    assert settings(body) == {"model": "net-mender", "temperature": 0, "max_tokens": 64, "stop": ["END"]}
    assert "chat completions has no name for it: top_k" in said
    made = rendered(capsys, folder, "--condition", "c")
    assert made["sampling"] == {"temperature": 0, "max_new_tokens": 64, "top_k": 5, "stop_sequences": ["END"]}
    assert made["sampling_places"]["temperature"]["level"] == "model"


def test_a_judges_settings_and_the_model_of_its_run_are_sent(write: Write, capsys: Output) -> None:
    folder = write(
        {
            "d.jsonl": DATA,
            "runs/a.jsonl": '{"id": "a1", "response": "The sailmaker."}\n',
            "judge.yaml": f"prompt: {json.dumps(JUDGE)}\ncriteria: [{{id: faithfulness}}]\n"
            "inference: {model: strict-judge, temperature: 0.3, max_tokens: 128}\n",
            "readback.yml": "dataset: {path: d.jsonl, id: id}\nmodes: [{mode: ask, template: '{{ question }}'}]\n"
            "judges: {grader: {prompts: {file: judge.yaml}}}\n"
            "conditions: [{name: c, mode: ask, judge: grader, answers: runs/a.jsonl}]\n",
        }
    )
    ((body,), _) = bodies(capsys, folder, "--judge", "grader")
    assert settings(body) == {"model": "strict-judge", "temperature": 0.3, "max_tokens": 128}
    assert rendered(capsys, folder, "--condition", "c", "--judge", "grader")["sampling"]["temperature"] == 0.3


def test_an_albert_modes_sampling_is_sent(write: Write, capsys: Output) -> None:
    folder = write(
        {
            "readback.yml": "dataset: d.jsonl\nprompts: [prompt_config.yml]\n",
            "d.jsonl": '{"id": "a1", "query": "Who mends the nets?"}\n',
            "prompt_config.yml": "prompt_format: chatml\ntemperature: 20\nmax_tokens: 4096\n"
            "prompts: [{mode: simple, template: t.jinja, temperature: 0.2}]\n",
            "t.jinja": "{{ query }}\n",
        }
    )
    ((body,), _) = bodies(capsys, folder, "--mode", "simple", "--model", "albert-light")
    assert settings(body) == {"model": "albert-light", "temperature": 0.2, "max_tokens": 4096}


def test_the_judge_of_a_plan_is_asked_as_its_inference_file_says(shared: Path, capsys: Output) -> None:
    folder = shared / "checkouts" / "beyond-the-cutoff-later"
    main(["export", str(folder), "--as", "openai-batch", "--judge", "instruction"])
    said = capsys.readouterr()
    assert "a request names its model, and none is known" not in said.err
