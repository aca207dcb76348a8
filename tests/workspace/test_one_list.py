"""What the pages, `check` and a notebook say of a workspace's files is one list."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from looking import page, words

import readback
from readback import cli, workspace
from readback.checks import rules, workspace_check
from readback.records.dataset import open_dataset
from readback.scores import loading
from readback.types import Finding

Write = Callable[[dict[str, Any]], Path]
SCORES = "item,condition,criterion,score\n1,a,facts,1\n2,a,facts,oops\n3,a,facts,0\n1,a,facts,0\n"
FILES: dict[str, Any] = {
    "readback.yml": "dataset: d.jsonl\nmodes: [{mode: m, template: '{{ q }}'}]\nscores: [s.csv, gone.csv]\n"
    "conditions: [{name: a, mode: m, answers: a.jsonl}]\nsent: [log.jsonl]\ntraining: {test: t.jsonl}\ntypo: 1\n",
    "d.jsonl": '{"id": "1", "q": "x"}\nnot json\n{"id": "1", "q": "y"}\n',
    "s.csv": SCORES,
    "a.jsonl": '{"id": "1", "response": "x"}\nnot json\n',
    "log.jsonl": '{"id": "9", "messages": [{"role": "user", "content": "x"}]}\n',
    "t.jsonl": '{"prompt": "a", "completion": "b"}\nnot json\n',
}


def found_on_loading(root: Path) -> tuple[Finding, ...]:
    opened = workspace.open(root)
    return workspace_check.list_findings(opened, open_dataset(opened.root, opened.dataset))


def listed(root: Path, capsys: pytest.CaptureFixture[str]) -> Counter[str]:
    cli.main(["check", str(root), "--format", "json"])
    return Counter(one["key"] for one in json.loads(capsys.readouterr().out)["findings"])


def test_b6_loading_says_what_check_and_a_notebook_say(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    root = write(FILES)
    noticed = found_on_loading(root)
    checked = listed(root, capsys)
    assert not Counter(one.key for one in noticed) - checked
    told = {"dat-bad-line", "dat-duplicate-id", "dat-file-missing", "dat-unknown-key", "dat-request-unmatched"}
    assert told <= {one.code for one in noticed}
    assert "gone.csv" in [one.values.get("path") for one in noticed]
    assert "s.csv" in [one.place.file for one in noticed]
    files = {one.place.file for one in noticed if one.code == "dat-bad-line"}
    assert {"d.jsonl", "a.jsonl", "t.jsonl"} == files
    everything = readback.open(root).audit().findings
    assert checked == Counter(one.key for one in everything)
    of_files = [one for one in everything if rules.RULES()[one.code].on == ("load",) and one.place.index is None]
    assert not Counter(one.key for one in of_files) - Counter(one.key for one in noticed)


def test_b6_the_page_open_lists_an_error_of_a_score_file(serving: Any) -> None:
    root = serving({"d.jsonl": [{"id": "1", "question": "x"}], "s.csv": SCORES})
    wrong = [one for one in found_on_loading(root) if one.place.file == "s.csv"]
    assert wrong
    said = words(page("open"))
    assert "No problems while loading" not in said
    assert all(one.code in said for one in wrong)


def test_b6_what_the_workspace_ignores_is_on_no_list(write: Write) -> None:
    root = write(
        {**FILES, "readback.yml": f"{FILES['readback.yml']}ignore: [{{code: dat-duplicate-id, why: known}}]\n"}
    )
    assert "dat-duplicate-id" not in {one.code for one in found_on_loading(root)}


def test_b6_scores_are_read_once_for_all_of_them(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write({"d.jsonl": [{"id": "1", "question": "x"}], "s.csv": SCORES})
    read: list[Path] = []
    first = loading.score_files.read_scores
    monkeypatch.setattr(loading.score_files, "read_scores", lambda path, *rest: read.append(path) or first(path, *rest))
    found_on_loading(root)
    readback.open(root).findings()
    readback.open(root).scores()
    assert len(read) == 1
