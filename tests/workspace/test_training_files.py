"""Which files of a workspace hold training rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from readback import workspace
from readback.records.dataset import open_dataset
from readback.types import Workspace
from readback.workspace.training import name_split

Write = Callable[[Mapping[str, Any]], Path]
PAIR = {"prompt": "Why?", "chosen": "So.", "rejected": "No."}
CHAT = {"messages": [{"role": "user", "content": "Why?"}, {"role": "assistant", "content": "So."}]}


def files(workspace: Workspace) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(one.path, one.split, one.models) for one in workspace.training]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("training: a.jsonl\n", [("a.jsonl", "train", ())]),
        ("training: [a.jsonl, b.jsonl]\n", [("a.jsonl", "train", ()), ("b.jsonl", "train", ())]),
        ("training: {train: '*.jsonl'}\n", [("a.jsonl", "train", ()), ("b.jsonl", "train", ())]),
        ("training: {train: [a.jsonl], test: b.jsonl}\n", [("a.jsonl", "train", ()), ("b.jsonl", "test", ())]),
        ("dataset: a.jsonl\n", [("a.jsonl", "dataset", ())]),
        ("dataset: a.jsonl\ntraining: {test: b.jsonl}\n", [("b.jsonl", "test", ()), ("a.jsonl", "dataset", ())]),
        ("models: {m: {training: {messages: b.jsonl}}}\n", [("b.jsonl", "train", ("m",))]),
        ("training: b.jsonl\nmodels: {m: {training: {messages: b.jsonl}}}\n", [("b.jsonl", "train", ("m",))]),
    ],
)
def test_a_workspace_names_its_training_files(
    write: Write, said: str, expected: list[tuple[str, str, tuple[str, ...]]]
) -> None:
    root = write({"readback.yml": said, "a.jsonl": [PAIR], "b.jsonl": [CHAT]})
    assert files(workspace.open(root)) == expected


def test_a_training_file_that_is_not_there_is_a_note(write: Write) -> None:
    opened = workspace.open(write({"readback.yml": "training: {test: [gone.jsonl, '../x.jsonl']}\n"}))
    assert files(opened) == []
    assert sorted(diagnostic.code for diagnostic in opened.diagnostics) == ["dat-file-missing", "dat-path-outside"]


def test_where_nothing_else_is_named_the_first_file_is_looked_at(write: Write) -> None:
    opened = workspace.open(
        write({"readback.yml": "training: [a.jsonl, b.jsonl]\n", "a.jsonl": [PAIR], "b.jsonl": [CHAT]})
    )
    assert opened.dataset is not None
    assert opened.dataset.path == "a.jsonl"
    assert [(one.path, one.detail) for one in opened.recognised[1:]] == [
        ("a.jsonl", "train; preference pairs: prompt, chosen, rejected"),
        ("b.jsonl", "train; conversations: messages"),
    ]


def test_a_folder_of_training_files_is_a_workspace_with_the_splits_of_their_names(write: Write) -> None:
    root = write({"my_test.jsonl": [PAIR], "train-1.jsonl": [PAIR], "more.jsonl": [CHAT]})
    assert files(workspace.open(root)) == [
        ("more.jsonl", "train", ()),
        ("my_test.jsonl", "test", ()),
        ("train-1.jsonl", "train", ()),
    ]


@pytest.mark.parametrize(
    "said",
    [
        "training: [a.jsonl, b.jsonl]\n",
        "training: {train: a.jsonl, test: b.jsonl}\n",
        "dataset: a.jsonl\ntraining: {test: b.jsonl}\n",
        "dataset: a.jsonl\n",
    ],
)
def test_what_is_written_back_opens_to_the_same_files(write: Write, said: str) -> None:
    root = write({"readback.yml": said, "a.jsonl": [PAIR], "b.jsonl": [CHAT]})
    before = workspace.open(root)
    write({"readback.yml": workspace.init_text(before)})
    after = workspace.open(root)
    assert files(before) == files(after)
    assert (before.dataset and before.dataset.path) == (after.dataset and after.dataset.path)


@pytest.mark.parametrize(
    ("name", "split"),
    [
        ("train.jsonl", "train"),
        ("data/my-validation_set.jsonl", "valid"),
        ("dev.jsonl", "valid"),
        ("test-00001-of-2.jsonl", "test"),
        ("contest.jsonl", "train"),
        ("rows.jsonl", "train"),
    ],
)
def test_the_name_of_a_file_tells_its_split(name: str, split: str) -> None:
    assert name_split(name) == split


def test_rows_are_counted_by_kind(write: Write) -> None:
    root = write({"train.jsonl": [PAIR, PAIR, CHAT, {"text": "x"}]})
    opened = workspace.open(root / "train.jsonl")
    data = open_dataset(opened.root, opened.dataset)
    assert dict(data.kinds) == {"dpo": 2, "chat_sft": 1}
    assert [diagnostic.code for diagnostic in data.training_diagnostics] == ["trn-mixed-format"] * 2
