"""`dataset_info.json` of LLaMA-Factory: the file that it names is read, with its names of columns and roles."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from readback import workspace
from readback.records.dataset import Dataset, open_dataset
from readback.records.training import training_reader
from readback.types import DatasetSource

Write = Callable[[Mapping[str, Any]], Path]
MINE = [{"frage": "  Où ?\n", "text": "ctx 007", "antwort": "Là.", "id": "a"}]
CHAT = [{"chat": [{"who": "kunde", "says": "  Où ?\n"}, {"who": "bot", "says": "Là."}], "sys": "Sois bref.\n"}]
OPENAI = [{"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Ho"}]}]
INFO = {
    "hub": {"hf_hub_url": "someone/somewhere"},
    "gone": {"file_name": "gone.json"},
    "mine": {"file_name": "mine.json", "columns": {"prompt": "frage", "query": "text", "response": "antwort"}},
    "chat": {
        "file_name": "sub/chat.jsonl",
        "formatting": "sharegpt",
        "columns": {"messages": "chat", "system": "sys"},
        "tags": {"role_tag": "who", "content_tag": "says", "user_tag": "kunde", "assistant_tag": "bot"},
    },
    "plain": {"file_name": "plain.json"},
    "openai": {
        "file_name": "openai.json",
        "formatting": "sharegpt",
        "columns": {"messages": "messages"},
        "tags": {"role_tag": "role", "content_tag": "content", "user_tag": "user", "assistant_tag": "assistant"},
    },
}
FILES = {
    "dataset_info.json": json.dumps(INFO, indent=2),
    "mine.json": json.dumps(MINE),
    "sub/chat.jsonl": "\n".join(map(json.dumps, CHAT)),
    "plain.json": json.dumps([{"instruction": "Say.", "input": "", "output": "So."}]),
    "openai.json": json.dumps(OPENAI),
}


def open_info(root: Path, table: str | None = None) -> Dataset:
    return open_dataset(root, DatasetSource("dataset_info.json", table=table))


def read_rows(data: Dataset) -> list[dict[str, Any]]:
    return [dict(record.fields) for record in data.records()]


@pytest.mark.parametrize(
    ("table", "row"),
    [
        (None, {"instruction": "  Où ?\n", "input": "ctx 007", "output": "Là.", "id": "a"}),
        ("mine", {"instruction": "  Où ?\n", "input": "ctx 007", "output": "Là.", "id": "a"}),
        (
            "chat",
            {
                "conversations": [
                    {"from": "system", "value": "Sois bref.\n"},
                    {"from": "human", "value": "  Où ?\n"},
                    {"from": "gpt", "value": "Là."},
                ]
            },
        ),
        ("plain", {"instruction": "Say.", "input": "", "output": "So."}),
        ("openai", OPENAI[0]),
    ],
)
def test_rows_come_under_their_usual_names(write: Write, table: str | None, row: dict[str, Any]) -> None:
    data = open_info(write(FILES), table)
    assert read_rows(data) == [row]
    training = training_reader.read(row)
    assert training is not None
    assert not training.wrong


def test_a_folder_opens_by_its_list_and_the_datasets_are_named(write: Write) -> None:
    root = write(FILES)
    opened = workspace.open(root)
    assert opened.dataset is not None
    assert opened.dataset.path == "dataset_info.json"
    assert {file.path for file in opened.recognised if file.used} == set(FILES)
    (told,) = [one for one in open_info(root).diagnostics if one.code == "dat-several-tables"]
    assert (told.values["taken"], told.values["others"]) == ("mine", ["chat", "plain", "openai"])
    chosen = workspace.open(root, chosen={"table": "chat"})
    assert "conversations" in open_dataset(root, chosen.dataset).record(0).fields


@pytest.mark.parametrize(
    ("info", "code"),
    [
        ({"a": {"hf_hub_url": "x/y"}}, "dat-bad-line"),
        ({"a": {"file_name": "../outside.json"}}, "dat-bad-line"),
        ({"a": {"file_name": "/etc/passwd"}}, "dat-bad-line"),
        ({"a": {"file_name": "gone.json"}}, "dat-bad-line"),
        ({"a": {"file_name": "bad.json"}}, "dat-bad-line"),
        ({"a": {"file_name": 3}}, "dat-bad-line"),
        ({"a": {"file_name": "plain.json", "columns": 3, "tags": ["x"], "formatting": {}}}, ""),
    ],
)
def test_a_list_that_leads_nowhere_is_a_finding(write: Write, info: Any, code: str) -> None:
    root = write({"dataset_info.json": json.dumps(info), "plain.json": FILES["plain.json"], "bad.json": "[{"})
    data = open_info(root)
    assert (code in [one.code for one in data.diagnostics]) or not code
    assert len(data) == (not code)


def test_a_changed_file_is_read_anew(write: Write) -> None:
    root = write(FILES)
    assert len(open_info(root)) == 1
    (root / "mine.json").write_text(json.dumps(MINE * 3), "utf-8")
    assert len(open_info(root)) == 3
