"""Checking outside the pages: baselines of every kind, and the examples of docs/checking.md, each run as written."""

from __future__ import annotations

import contextlib
import json
import re
import shlex
import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from readback import cli
from readback.checks import rules, summary
from readback.project_files import PROJECT

Write = Callable[[Mapping[str, Any]], Path]
Output = pytest.CaptureFixture[str]
FILE = "dataset: data.jsonl\nmodes: [{mode: m, system: 'Be brief.', template: '{{ q }}'}]\n"
ROWS = [{"id": "1", "q": "Be brief. Why?"}, {"id": "2", "q": "Why?"}]
DOCUMENT = (PROJECT / "docs" / "checking.md").read_text("utf-8")
FORMS = ("text", "json", "jsonl")


@pytest.fixture
def folder(write: Write) -> Path:
    return write({"readback.yml": FILE, "data.jsonl": ROWS})


GIT = ("-c", "user.name=a", "-c", "user.email=a@example.org")


def answer(output: Output, *words: Any) -> tuple[int, str, str]:
    code = cli.main(["check", *map(str, words)])
    said = output.readouterr()
    return code, said.out, said.err


@pytest.mark.parametrize("after", FORMS)
@pytest.mark.parametrize("before", FORMS)
def test_a_baseline_of_any_form_lets_only_what_is_new_through(
    before: str, after: str, folder: Path, tmp_path: Path, capsys: Output
) -> None:
    known = tmp_path / "known"
    known.write_text(answer(capsys, folder, "--format", before)[1], "utf-8")
    assert answer(capsys, folder, "--baseline", known, "--format", after)[0] == 0
    (folder / "data.jsonl").write_text("\n".join(json.dumps(row) for row in [*ROWS, {"id": "3", "q": "Be brief."}]))
    code, text, _ = answer(capsys, folder, "--baseline", known, "--format", after)
    assert code == 1
    new = {
        line for line in text.splitlines() if "fmt-system-text-in-user" in line and ("key" in line or "code" in line)
    }
    assert len(new) == 1


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
def test_a_baseline_written_by_another_shell_is_read(
    encoding: str, folder: Path, tmp_path: Path, capsys: Output
) -> None:
    known = tmp_path / "known.txt"
    known.write_bytes(answer(capsys, folder)[1].replace("\n", "\r\n").encode(encoding))
    assert answer(capsys, folder, "--baseline", known)[0] == 0


@pytest.mark.parametrize("form", FORMS)
def test_an_answer_without_findings_is_a_baseline_too(form: str, folder: Path, tmp_path: Path, capsys: Output) -> None:
    known = tmp_path / "known"
    known.write_text(answer(capsys, folder, "--select", "scr", "--format", form)[1], "utf-8")
    code, _, said = answer(capsys, folder, "--baseline", known)
    assert (code, said) == (1, "")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("just a text\n", "not the output of readback check"),
        ('{"findings": 7}', "not the output of readback check"),
        (None, "no such file or directory"),
    ],
)
def test_what_is_no_baseline_is_refused(
    content: str | None, said: str, folder: Path, tmp_path: Path, capsys: Output
) -> None:
    known = tmp_path / "known"
    if content is not None:
        known.write_text(content, "utf-8")
    code, out, err = answer(capsys, folder, "--baseline", known)
    assert (code, out) == (2, "")
    assert said in err


def test_a_baseline_that_was_cut_off_is_refused(
    folder: Path, tmp_path: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "data.jsonl").write_text("".join(json.dumps({**ROWS[0], "id": str(n)}) + "\n" for n in range(4)))
    monkeypatch.setattr(summary, "KEPT", 2)
    known = tmp_path / "known.json"
    known.write_text(answer(capsys, folder, "--format", "json")[1], "utf-8")
    code, _, err = answer(capsys, folder, "--baseline", known)
    assert code == 2
    assert "--format jsonl" in err
    known.write_text(answer(capsys, folder, "--format", "jsonl")[1], "utf-8")
    assert answer(capsys, folder, "--baseline", known)[0] == 0


def test_an_unknown_code_names_the_areas_and_not_every_rule(folder: Path, capsys: Output) -> None:
    code, _, err = answer(capsys, folder, "--select", "nonsense")
    assert code == 2
    assert "areas are dat, fmt" in err
    assert len(err) < 200


def test_a_rule_that_fails_is_named_once_and_the_others_run(
    folder: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(case: Any) -> Iterator[Any]:
        raise ZeroDivisionError("\x1b[31m no")
        yield

    monkeypatch.setattr(rules.RULES()["fmt-system-varies"].logic, "check", broken)
    code, out, err = answer(capsys, folder)
    assert code == 1
    assert "fmt-system-text-in-user" in out
    assert err.count("our mistake: rule fmt-system-varies failed") == 1
    assert "\x1b" not in err


def test_a_suppression_that_is_needed_no_more_is_said_when_everything_was_looked_at(
    folder: Path, capsys: Output
) -> None:
    lines = "ignore: [{code: fmt-markers, why: old}, {code: fmt-system-text-in-user, why: meant}]\n"
    (folder / "readback.yml").write_text(FILE + lines)
    text = answer(capsys, folder)[1]
    assert "ignored: 0 fmt-markers (old); this entry of readback.yml matches nothing now" in text
    assert "ignored: 1 fmt-system-text-in-user (meant)\n" in text
    assert "ignore nothing now" not in answer(capsys, folder, "--select", "scr")[1]


def blocks(language: str) -> list[str]:
    """The examples of the document in that language."""
    return [text for name, text in re.findall(r"^```(\w*)\n(.*?)^```", DOCUMENT, re.M | re.S) if name == language]


def commands(value: Any) -> Iterator[str]:
    """Every command of ours in a configuration."""
    if isinstance(value, dict):
        for each in value.values():
            yield from commands(each)
    elif isinstance(value, list):
        for each in value:
            yield from commands(each)
    elif isinstance(value, str) and value.startswith("readback check "):
        yield value


def examples() -> list[str]:
    typed = [line for block in blocks("") for line in block.splitlines() if line.startswith("readback check")]
    typed = [line for line in typed if "--cluster" not in line]  # these run in test_cluster.py
    return [*typed, *(one for block in blocks("yaml") for one in commands(yaml.safe_load(block)))]


def hooked() -> list[str]:
    """What pre-commit would run: the hook's own entry with the arguments of the example."""
    (hook,) = yaml.safe_load((PROJECT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    asked = [one for block in blocks("yaml") for one in (yaml.safe_load(block).get("repos") or [])]
    args = [each["args"] for repo in asked for each in repo["hooks"] if each["id"] == hook["id"] and "args" in each]
    return [f"{hook['entry']} {shlex.join(words)}" for words in (hook["args"], *args)]


def run(command: str, folder: Path) -> int:
    """Run a line of the document as a shell would, with its `> file`."""
    words = shlex.split(command)
    target = folder / words[words.index(">") + 1] if ">" in words else folder / "said"
    words = words[: words.index(">")] if ">" in words else words
    with target.open("w", encoding="utf-8") as said, contextlib.chdir(folder), contextlib.redirect_stdout(said):
        return cli.main(words[1:])


def test_every_command_of_the_document_runs(write: Write) -> None:
    folder = write({"prompts/readback.yml": FILE, "prompts/data.jsonl": ROWS})
    for words in ("init -q -b main", "add -A", "commit -q -m one", "update-ref refs/remotes/origin/main HEAD"):
        subprocess.run(["git", *GIT, *words.split()], cwd=folder, check=True)
    assert len(examples()) >= 10
    assert run("readback check prompts --format jsonl > prompts/known.jsonl", folder) == 1
    for command in [*examples(), *hooked()]:
        new = not re.search("--baseline|--since|never", command)
        assert run(command, folder / "prompts" if command.endswith(" .") else folder) == int(new), command
    assert all((folder / name).stat().st_size for name in re.findall(r"> ([\w.]+)$", "\n".join(examples()), re.M))
    assert "did not change, byte for byte" in (folder / "comment.md").read_text("utf-8")


def test_the_lines_to_ignore_in_the_document_are_read(write: Write) -> None:
    (lines,) = (block for block in blocks("yaml") if block.startswith("ignore:"))
    from readback import workspace

    opened = workspace.open(write({"readback.yml": FILE + lines, "data.jsonl": ROWS}))
    assert [(one.code, one.date, dict(one.where)) for one in opened.ignore] == [
        ("fmt-markers", "2026-01-31", {"condition": "gateway"})
    ]


def test_the_hook_wakes_for_the_files_of_a_workspace() -> None:
    (hook,) = yaml.safe_load((PROJECT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    names = ("readback.yml", "a/rag.jinja", "data.jsonl.gz", "ollama/Modelfile.rag_trained", "judge.py")
    assert all(re.search(hook["files"], name) for name in names)
    assert not re.search(hook["files"], "photo.png")
    assert hook["pass_filenames"] is False
