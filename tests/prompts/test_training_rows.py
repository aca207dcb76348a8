"""What a model was trained on for a record is read from its training file where that has it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from readback import workspace
from readback.checks.run import engine
from readback.cli import main
from readback.prompts import training_rows
from readback.prompts.training_text import find_source_row, find_training_messages
from readback.records.dataset import Dataset, open_dataset
from readback.types import Record, Workspace
from readback.workspace import open as open_workspace

Write = Callable[[Mapping[str, Any]], Path]
FILE = "dataset: eval.jsonl\nprompts: [builtin:prompt-formats]\nmodels: {m: {type: instruction_only, \
training: {messages: train.jsonl}}}\nconditions: [{name: c, mode: instruction, model: m}]\n"
OTHER = {
    "messages": [{"role": "user", "content": "Question: How?\n\nAnswer:"}, {"role": "assistant", "content": "Thus."}]
}


def opened(write: Write, row: Mapping[str, Any]) -> tuple[Workspace, Record]:
    asked = {"id": "q7", "instruction": "Why?", "expected_response": "So.", "rag": {"prompt": "Context: c"}}
    opened = workspace.open(write({"readback.yml": FILE, "eval.jsonl": [asked], "train.jsonl": [OTHER, row]}))
    return opened, open_dataset(opened.root, opened.dataset).record(0)


@pytest.mark.parametrize(
    "asked",
    ["Question: Why?\n\nAnswer:", "Question: Why?\nAnswer:", " Why? ", "Context: c"],
    ids=["the layout of the formats", "other blanks", "the instruction alone", "the stored prompt"],
)
def test_the_row_that_asks_the_same_is_found(write: Write, asked: str) -> None:
    row = {"messages": [{"role": "system", "content": "Be."}, {"role": "user", "content": asked}]}
    row["messages"].append({"role": "assistant", "content": "So!"})
    made = find_training_messages(*opened(write, row), "m")
    assert made is not None
    assert [(m.role, m.text) for m in made.messages] == [("system", "Be."), ("user", asked), ("assistant", "So!")]
    place = find_source_row(made)
    assert place is not None
    assert (place.file, place.line, place.field) == ("train.jsonl", 2, "messages[0].content")


def test_a_row_of_the_same_id_is_found_where_none_asks_the_same(write: Write) -> None:
    other, row = ({"id": name, "prompt": f"{name}?", "completion": "So!"} for name in ("q1", "q7"))
    workspace, record = opened(write, row)
    write({"train.jsonl": [other, row]})
    made = find_training_messages(workspace, record, "m")
    assert made is not None
    assert [m.text for m in made.messages] == ["q7?", "So!"]


def test_of_a_pair_the_chosen_answer_was_trained_on(write: Write) -> None:
    made = find_training_messages(*opened(write, {"prompt": "Why?", "chosen": "So!", "rejected": "No!"}), "m")
    assert made is not None
    assert [(m.role, m.text) for m in made.messages] == [("user", "Why?"), ("assistant", "So!")]


def test_without_such_a_row_the_layout_says_what_it_was(write: Write) -> None:
    made = find_training_messages(*opened(write, {"prompt": "When?", "completion": "So!"}), "m")
    assert made is not None
    assert find_source_row(made) is None
    assert [m.text for m in made.messages if m.role != "system"] == ["Question: Why?\n\nAnswer:", "So."]


def test_a_file_that_changed_is_looked_through_again(write: Write) -> None:
    workspace, record = opened(write, OTHER)
    assert training_rows.find_row(workspace, record, "train.jsonl") is None
    (workspace.root / "train.jsonl").write_text(json.dumps({"prompt": "Why?", "completion": "So!"}) + "\n", "utf-8")
    found = training_rows.find_row(workspace, record, "train.jsonl")
    assert found is not None
    assert found[0].place.line == 1


def test_the_file_is_read_once_for_all_records(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace, record = opened(write, {"prompt": "Why?", "completion": "So!"})
    training_rows.index_training_files(workspace)
    read: list[int] = []
    whole = Dataset.record

    def counted(data: Dataset, index: int) -> Record:
        read.append(index)
        return whole(data, index)

    monkeypatch.setattr(Dataset, "record", counted)
    for _ in range(3):
        assert training_rows.find_row(workspace, record, "train.jsonl") is not None
    assert read == [1, 1, 1]


def test_a_missing_file_has_no_row(write: Write) -> None:
    workspace, record = opened(write, OTHER)
    assert training_rows.find_row(workspace, record, "gone.jsonl") is None


def test_the_check_finds_in_its_children_what_was_kept_for_them(write: Write) -> None:
    workspace, _ = opened(write, {"prompt": "Question: Why?\n\nAnswer:", "completion": "So!"})
    assert engine.check(workspace).faults == ()


STATED = "Be brief."
TYPED = f"models: {{m: {{type: instruction_only, training: {{messages: train.jsonl, system: {STATED}}}}}}}"
NO_SYSTEM = {"messages": [{"role": "user", "content": "Why?"}, {"role": "assistant", "content": "So."}]}
WITH_SYSTEM = {"messages": [{"role": "system", "content": "Be long."}, *NO_SYSTEM["messages"]]}
ASKED = {"id": "q7", "instruction": "Why?", "expected_response": "So."}


def workspace_of(write: Write, models: str, row: Mapping[str, Any], **files: Any) -> tuple[Workspace, Record]:
    config = "dataset: eval.jsonl\nmodes: [{mode: instruction, template: '{{ instruction }}'}]\n" + models
    config += "\nconditions: [{name: c, mode: instruction, model: m}]\n"
    opened = workspace.open(write({"readback.yml": config, "eval.jsonl": [ASKED], "train.jsonl": [row], **files}))
    return opened, open_dataset(opened.root, opened.dataset).record(0)


@pytest.mark.parametrize(
    ("models", "name", "file"),
    [
        (TYPED, "typed", "readback.yml"),
        (TYPED.replace(STATED, "{from: train.py, constant: SYSTEM}"), "training", "train.py"),
    ],
    ids=["typed", "read from the training code"],
)
def test_a7_a_row_without_a_system_message_has_the_one_that_training_states(
    write: Write, models: str, name: str, file: str
) -> None:
    workspace, record = workspace_of(write, models, NO_SYSTEM, **{"train.py": f'SYSTEM = "{STATED}"\n'})
    made = find_training_messages(workspace, record, "m")
    assert made is not None
    assert [(m.role, m.text) for m in made.messages] == [("system", STATED), ("user", "Why?"), ("assistant", "So.")]
    said = made.messages[0].segments[0]
    assert (said.origin, said.name, said.place.file) == ("system", name, file)
    place = find_source_row(made)
    assert place is not None
    assert (place.file, place.line) == ("train.jsonl", 1)


def test_a7_a_rows_own_system_message_goes_before_what_training_states(write: Write) -> None:
    made = find_training_messages(*workspace_of(write, TYPED, WITH_SYSTEM), "m")
    assert made is not None
    assert [m.text for m in made.messages] == ["Be long.", "Why?", "So."]


def test_a7_what_other_rows_of_the_file_say_is_not_put_into_a_row_without_it(write: Write) -> None:
    models = "models: {m: {training: {messages: train.jsonl}}}"
    workspace, record = workspace_of(write, models, WITH_SYSTEM)
    write(
        {
            "train.jsonl": [
                {"messages": [{"role": "system", "content": "Be."}, {"role": "user", "content": "How?"}]},
                NO_SYSTEM,
            ]
        }
    )
    workspace = open_workspace(workspace.root)
    assert workspace.models["m"].training is not None
    made = find_training_messages(workspace, record, "m")
    assert made is not None
    assert [m.role for m in made.messages] == ["user", "assistant"]


def test_a7_the_diff_of_the_training_layer_reports_no_difference_that_the_trainer_does_not_make(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    models = TYPED.replace("training: {", "serving: {modelfile: Modelfile}, training: {format: chatml-plain, ")
    template = (
        "{{ range .Messages }}<|im_start|>{{ .Role }}\n{{ .Content }}<|im_end|>\n{{ end }}<|im_start|>assistant\n"
    )
    modelfile = f'FROM x\nSYSTEM "{STATED}"\nTEMPLATE """{template}"""\n'
    workspace, _ = workspace_of(write, models, NO_SYSTEM, Modelfile=modelfile)
    sides = ["--a", "condition=c,layer=training", "--b", "layer=wire"]
    assert main(["diff", str(workspace.root), *sides]) == 0
    assert "equal byte for byte" in capsys.readouterr().out
    assert main(["diff", str(workspace.root), *sides, "--records"]) == 0
    assert "0 of 1 record differs" in capsys.readouterr().out
