"""Mutated tasks of lm-eval: never a traceback, and every document is answered for."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from counts import many

from readback.projects.lm_eval import export_task, import_task, render_row
from readback.projects.lm_eval.project import Run, read_documents, read_task
from readback.readers.yaml.yaml_file import format_flow

TASK: dict[str, Any] = {
    "task": "t",
    "dataset_path": "json",
    "dataset_kwargs": {"data_files": {"test": "test.jsonl", "train": "train.jsonl"}},
    "test_split": "test",
    "fewshot_split": "train",
    "output_type": "multiple_choice",
    "doc_to_text": "{{q}}",
    "doc_to_target": "g",
    "doc_to_choice": "c",
    "description": "d",
    "fewshot_config": {"sampler": "first_n", "samples": [{"q": "x"}]},
    "num_fewshot": 1,
    "gen_prefix": "A",
    "metric_list": [{"metric": "acc"}],
}  # fmt: skip
ROWS: list[Any] = [{"q": "Who?", "g": 0, "c": ["a", "b"]}, {"q": "Y", "g": 1, "c": ["a", "b"]}]
ODD: tuple[Any, ...] = (
    None, 1, -1, 2.5, True, "", "x", [], [1], ["a"], {}, {"a": [{}]}, "{{", "{% for %}", "{{ q.x.y }}", "{{ 1/0 }}",
    "q", "g", "[1", "..", [[]], [None], {"test": None}, {"test": [1]}, {"test": []}, "first_n", "default", 10**9,
)  # fmt: skip
SIGNS = "{}[]:\"'\n é!&*%"


def mutate(value: Any, random: Random) -> Any:
    """Return a copy of a value in which some part is another one."""
    value = json.loads(json.dumps(value))
    for _ in range(random.choice([1, 1, 2, 3])):
        node = value
        while node:
            key = random.choice(list(node) if isinstance(node, dict) else range(len(node)))
            if isinstance(node[key], dict | list) and node[key] and random.random() < 0.5:
                node = node[key]
                continue
            node[key] = json.loads(json.dumps(random.choice(ODD)))
            break
    return value


@pytest.mark.parametrize("seed", range(many(2000, 60)))
def test_a_mutated_task_is_read_or_has_a_reason(seed: int, tmp_path: Path) -> None:
    random = Random(seed)
    text = "\n".join(f"{key}: {format_flow(value)}" for key, value in mutate(TASK, random).items())
    if random.random() < 0.2:
        letters = list(text)
        for _ in range(random.randint(1, 5)):
            letters[random.randrange(len(letters))] = random.choice(SIGNS)
        text = "".join(letters)
    (tmp_path / "t.yaml").write_text(text, encoding="utf-8")
    for name in ("test", "train"):
        rows = [mutate(row, random) if random.random() < 0.2 else row for row in ROWS]
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    runs = [Run("r.json", {"t": random.choice([0, 1, 2])}, random.random() < 0.5, seed=random.choice([None, 3]))]
    task = import_task(
        json.loads(json.dumps(export_task(read_task(tmp_path / "t.yaml", tmp_path, runs, with_documents=True))))
    )
    rows, drawn = read_documents(tmp_path / "t.yaml", tmp_path, runs)
    assert task.refused or task.diagnostics or task.members or task.rows == len(rows)
    for mode in task.modes:
        for index, row in enumerate(rows):
            about = {"shots": {name: each[index] for name, each in drawn.items()}}
            answer = render_row([{**mode.settings, "mode": mode.name}, about, row])
            ways = (answer["error"], answer.get("hidden"), answer["text"], answer["messages"])
            assert sum(each is not None for each in ways) == 1
