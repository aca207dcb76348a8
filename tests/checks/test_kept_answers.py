"""A check that nothing changed since is answered from what was kept; anything else is worked out again."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from counts import some

from readback import as_json, workspace
from readback.checks import engine, kept_answers
from readback.checks.rules import Fault
from readback.checks.summary import Audit, Progress
from readback.cli import main
from readback.prompts import model_input
from readback.readers import cache_folder, checksum
from readback.sandbox.frozen import plain
from readback.types import Finding, Workspace

Write = Callable[[Mapping[str, Any]], Path]
FILE = """dataset: data.jsonl
models: {m: {type: base, tokenizer: qwen3, context: 20}}
modes: [{mode: m, system: Be brief., template_file: m.jinja}]
conditions: [{name: one, mode: m, model: m}, {name: two, mode: m}]
ignore: [{code: dat-crlf, why: so it is}]
"""
FILES = {
    "readback.yml": FILE,
    "m.jinja": "{{ q }} Answer:",
    "data.jsonl": "".join(json.dumps({"id": str(n), "q": f"Be brief. Why {n}?\ud800"}) + "\n" for n in range(30)),
    "scores.csv": "item,condition,criterion,score\n1,one,good,1\n1,two,good,0\n",
}


@pytest.fixture(autouse=True)
def kept(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of answers, empty; every check is worth keeping."""
    monkeypatch.setenv("READBACK_CACHE", str(tmp_path_factory.mktemp("cache")))
    monkeypatch.setattr(kept_answers, "SLOW", -1.0)
    return cache_folder.cache_folder(kept_answers.KIND)


def asked(folder: Path, **more: Any) -> tuple[list[Any], bool]:
    """Findings and summary as JSON values, and whether they were worked out."""
    steps = list(engine.stream(workspace.open(folder), **more))
    said = [as_json.finding(one) if isinstance(one, Finding) else plain(one.unpacked())
            for one in steps if not isinstance(one, Progress)]  # fmt: skip
    assert isinstance(steps[-1], Audit)
    return json.loads(json.dumps(said)), any(isinstance(one, Progress) for one in steps)


def test_the_second_time_the_same_is_told_and_nothing_worked_out(write: Write) -> None:
    folder = write(FILES)
    first, worked = asked(folder)
    again, anew = asked(folder)
    assert (worked, anew) == (True, False)
    assert again == first
    assert len(first) > 60
    audit = engine.check(workspace.open(folder))
    assert json.loads(json.dumps(plain(audit))) == first[-1]


def test_an_answer_of_many_blocks_is_the_same(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_answers, "BLOCK", 64)
    folder = write(FILES)
    first, _ = asked(folder)
    assert asked(folder) == (first, False)


def over(path: Path, old: str, new: str) -> None:
    """Change some bytes, so that size and time stay those of before."""
    before = path.stat()
    text = path.read_text("utf-8")
    assert old in text
    assert len(old.encode()) == len(new.encode())
    path.write_text(text.replace(old, new), "utf-8")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("data.jsonl", "Why 7?", "Why 9?"),
        ("m.jinja", "Answer", "answer"),
        ("readback.yml", "context: 20", "context: 21"),
        ("scores.csv", "good,0", "good,1"),
    ],
)
def test_a_byte_of_any_file_makes_it_anew_though_size_and_time_are_the_same(
    file: str, old: str, new: str, write: Write
) -> None:
    folder = write(FILES)
    asked(folder)
    over(folder / file, old, new)
    assert asked(folder)[1]
    assert not asked(folder)[1]


def test_a_file_more_or_less_makes_it_anew(write: Write) -> None:
    folder = write(FILES)
    asked(folder)
    (folder / "sub").mkdir()
    (folder / "sub" / "Modelfile").write_text("FROM x\n")
    assert asked(folder)[1]
    (folder / "scores.csv").unlink()
    assert asked(folder)[1]


@pytest.mark.parametrize("more", [{"select": ["dat"]}, {"ignore": ["fmt"]}, {"conditions": ["one"]}, {"baseline": "b"}])
def test_another_question_has_an_answer_of_its_own(more: dict[str, Any], write: Write) -> None:
    folder = write(FILES)
    first, _ = asked(folder)
    if "baseline" in more:
        more = {"baseline": {first[0]["key"]}}
    other, worked = asked(folder, **more)
    assert worked
    assert other[-1] != first[-1]
    assert asked(folder, **more) == (other, False)
    assert asked(folder) == (first, False)


def test_another_version_another_day_or_another_language_makes_it_anew(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write(FILES)
    asked(folder)
    for name in ("package", "_installed", "language"):
        with monkeypatch.context() as patch:
            patch.setattr(kept_answers, name, lambda: "another")
            assert asked(folder)[1], name
        assert asked(folder)[1], name  # one answer is kept for each question

    today = model_input.today(workspace.open(folder))
    assert not list(progress(replace(workspace.open(folder), today=today)))
    assert list(progress(replace(workspace.open(folder), today="2030-01-01")))


def progress(opened: Workspace) -> Iterator[Progress]:
    return (one for one in engine.stream(opened) if isinstance(one, Progress))


def test_a_damaged_answer_is_not_believed(write: Write, kept: Path) -> None:
    folder = write(FILES)
    first, _ = asked(folder)
    (path,) = kept.iterdir()
    whole, chance = path.read_bytes(), random.Random(3)
    for _ in range(some(50)):
        at = chance.randrange(len(whole))
        path.write_bytes(whole[:at] + bytes([whole[at] ^ chance.randint(1, 255)]) + whole[at + 1 :])
        assert asked(folder) == (first, True)
    for damaged in (b"", whole[:-1], whole + b"\0", b"\0" * 40):
        path.write_bytes(damaged)
        assert asked(folder) == (first, True)
    assert asked(folder) == (first, False)


@pytest.mark.usefixtures("hurried")
def test_what_failed_was_stopped_or_met_a_limit_is_not_kept(
    write: Write, monkeypatch: pytest.MonkeyPatch, kept: Path
) -> None:
    folder = write(FILES)
    assert engine.check(workspace.open(folder), progress=lambda done, total: done < 3).stopped
    with monkeypatch.context() as patch:
        patch.setattr(engine.workspace_check, "found", lambda *asked: iter([Fault("fmt-markers", "it broke")]))
        assert engine.check(workspace.open(folder)).faults
    hangs = FILES | {"m.jinja": "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"}
    audit = engine.check(workspace.open(write(hangs)))
    assert (audit.limited, "dat-limit" in audit.counts) == (True, True)
    ignored = engine.check(workspace.open(folder), baseline={one.key for one in audit.findings})
    assert (ignored.limited, "dat-limit" in ignored.counts) == (True, False)
    assert list(kept.iterdir()) == []


def test_a_sample_and_a_folder_with_a_link_are_not_kept(write: Write, kept: Path, tmp_path_factory: Any) -> None:
    folder = write(FILES)
    list(engine.stream(workspace.open(folder), sample=5))
    (elsewhere := tmp_path_factory.mktemp("elsewhere") / "x.csv").write_text("a,b\n1,2\n")
    (folder / "x.csv").symlink_to(elsewhere)
    list(engine.stream(workspace.open(folder)))
    assert list(kept.iterdir()) == []


def test_what_changed_while_it_was_checked_is_not_kept(write: Write, kept: Path) -> None:
    folder = write(FILES)
    for step in engine.stream(workspace.open(folder)):
        if isinstance(step, Progress) and step.done == 1:
            (folder / "notes.txt").write_text("a file that nobody reads")
    assert list(kept.iterdir()) == []


def test_a_file_that_cannot_be_read_now_is_left_to_the_check(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(path: Path, start: int, end: int) -> str:
        raise PermissionError(13, "Permission denied")

    folder = write(FILES)
    first, _ = asked(folder)
    monkeypatch.setattr(checksum, "of_part", gone)
    assert asked(folder) == (first, True)


def test_all_answers_together_have_a_bound(write: Write, kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write(FILES)
    asked(folder)
    (first,) = kept.iterdir()
    os.utime(first, (1, 1))
    monkeypatch.setattr(kept_answers, "MOST", first.stat().st_size + 100)
    asked(folder, select=["fmt"])
    assert first not in set(kept.iterdir())
    monkeypatch.setattr(kept_answers, "LARGEST", 10)
    asked(folder, select=["asm"])
    assert asked(folder, select=["asm"])[1]


def test_without_room_on_the_disk_or_a_folder_the_answer_is_told_all_the_same(
    write: Write, monkeypatch: pytest.MonkeyPatch, kept: Path
) -> None:
    def full(*args: Any, **more: Any) -> Any:
        raise OSError(28, "No space left on device")

    folder = write(FILES)
    monkeypatch.setattr(kept_answers.tempfile, "mkstemp", full)
    first, _ = asked(folder)
    assert asked(folder) == (first, True)
    assert list(kept.iterdir()) == []
    monkeypatch.setattr(kept_answers, "cache_folder", full)
    assert asked(folder) == (first, True)


def test_the_command_shows_what_is_kept_and_removes_it(write: Write, kept: Path, capsys: Any) -> None:
    folder = write(FILES)
    words = ["check", str(folder), "--fail-on", "never", "--format", "jsonl"]
    assert main(words) == 0
    first = capsys.readouterr().out
    assert main(words) == 0
    assert capsys.readouterr().out == first
    assert main(["cache", "--format", "json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["folder"], said["kept"]["checks"]["entries"]) == (str(kept.parent), 1)
    assert said["kept"]["checks"]["bytes"] == sum(one.stat().st_size for one in kept.iterdir())
    assert main(["cache", "--clear"]) == 0
    assert "answers of checks: 0 (0.0 MB)" in capsys.readouterr().out
    assert list(kept.iterdir()) == []
    assert main(words) == 0
    assert capsys.readouterr().out == first
