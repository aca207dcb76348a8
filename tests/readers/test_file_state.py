"""When a file is another one: also with as many bytes and the same time, wherever something is remembered."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from readback import workspace
from readback.readers.files import checksum
from readback.readers.files.checksum import EDGE, state
from readback.records.dataset import open_dataset
from readback.scores import loading
from readback.ui.common.state.stamp import stamp

Write = Callable[[Mapping[str, Any]], Path]


def rewritten(path: Path, text: str) -> None:
    """Write as many bytes, and set the time back."""
    before = path.stat()
    assert len(text.encode()) == before.st_size
    path.write_bytes(text.encode())
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert (path.stat().st_size, path.stat().st_mtime_ns) == (before.st_size, before.st_mtime_ns)


@pytest.mark.parametrize("at", [0, 100, 2 * EDGE - 1])
def test_c9_a_rewrite_of_the_same_size_and_time_is_another_state(tmp_path: Path, at: int) -> None:
    path = tmp_path / "a.txt"
    text = "x" * (2 * EDGE)
    path.write_text(text)
    before = state(path)
    assert state(path) == before
    rewritten(path, text[:at] + "y" + text[at + 1 :])
    assert state(path) != before


def test_c9_the_ends_of_a_large_file_count(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    text = "x" * (5 * EDGE)
    path.write_text(text)
    seen = {state(path)}
    for at in (0, EDGE - 1, 4 * EDGE, 5 * EDGE - 1):
        rewritten(path, text[:at] + "y" + text[at + 1 :])
        seen.add(state(path))
    assert len(seen) == 5


def test_c9_a_file_that_stays_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.txt"
    path.write_text("x")
    read: list[object] = []
    edges = checksum._hash_edges
    monkeypatch.setattr(checksum, "_hash_edges", lambda *asked: read.append(asked) or edges(*asked))
    monkeypatch.setattr(checksum, "CERTAIN_AFTER", 0)
    assert len({state(path) for _ in range(50)}) == 1
    assert len(read) == 1


def test_c9_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert state(tmp_path / "pipe").content == ""


def test_c9_a_link_out_of_the_folder_is_not_read_for_its_stamp(write: Write, tmp_path_factory: Any) -> None:
    root = write({"a.txt": "a"})
    outside = tmp_path_factory.mktemp("outside") / "b.txt"
    outside.write_text("b")
    (root / "out").symlink_to(outside)
    (root / "in").symlink_to("a.txt")
    before = stamp(root)
    outside.write_text("longer")
    assert stamp(root) == before
    rewritten(root / "a.txt", "c")
    assert {name for name, mark in stamp(root).files.items() if before.files[name] != mark} == {"a.txt", "in"}


def test_c9_a_rewritten_dataset_is_read_again(write: Write) -> None:
    root = write({"readback.yml": "dataset: d.jsonl\n", "d.jsonl": '{"id": "1", "q": "one"}\n'})
    opened = workspace.open(root)
    data = open_dataset(opened.root, opened.dataset)
    before = stamp(root)
    assert (data.record(0).fields["q"], data.written) == ("one", False)
    rewritten(root / "d.jsonl", '{"id": "2", "q": "two"}\n')
    assert data.written
    again = open_dataset(opened.root, opened.dataset)
    assert (again.record(0).id, again.record(0).fields["q"], again.written) == ("2", "two", False)
    assert stamp(root).key != before.key


def test_c9_a_rewritten_text_file_is_another_stamp(write: Write) -> None:
    root = write({"readback.yml": "modes: [{mode: m, template_file: t.txt}]\n", "t.txt": "one {{ q }}"})
    before = stamp(root)
    rewritten(root / "t.txt", "two {{ q }}")
    assert [name for name in before.files if before.files[name] != stamp(root).files[name]] == ["t.txt"]


def test_c9_rewritten_scores_are_read_again(write: Write) -> None:
    rows = [{"record": str(n), "condition": "a", "criterion": "c", "score": 1} for n in range(3)]
    root = write({"readback.yml": "scores: [s.jsonl]\n", "s.jsonl": rows})
    opened = workspace.open(root)
    before = loading.fingerprint(opened)
    rewritten(root / "s.jsonl", "".join(json.dumps({**row, "score": 2}) + "\n" for row in rows))
    assert loading.fingerprint(opened) != before


def test_c9_the_stamp_of_a_folder_of_many_files_is_cheap(tmp_path: Path) -> None:
    for number in range(200):
        (tmp_path / f"{number}.txt").write_bytes(bytes(6_000))
    stamp(tmp_path)
    began = time.process_time()
    for _ in range(5):
        stamp(tmp_path)
    assert (time.process_time() - began) / 5 < 0.2  # 4 ms where nothing else runs
