"""Every file of a folder is used, or not used for a reason, and every way of asking says the same."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from support.counts import many

import readback
from readback import workspace
from readback.checks.run import engine
from readback.cli import main
from readback.workspace.left_out import count_files, count_unread, list_files

Write = Callable[[Mapping[str, Any]], Path]
Output = pytest.CaptureFixture[str]

ROWS = "id,question\n1,Why?\n2,When?\n"
CONTENTS: Mapping[str, str | bytes] = {
    "rows.csv": ROWS,
    "rows.jsonl": '{"id": "1", "question": "Why?"}\n',
    "broken.jsonl": '{"id": "1", "quest\n',
    "scores.csv": "item,criterion,judge,score\n1,good,j,3\n2,good,j,4\n",
    "train.jsonl": '{"prompt": "a", "completion": "b"}\n',
    "answers.jsonl": '{"id": "1", "response": "So."}\n',
    "user.txt": "Tell me: {question}",
    "system.md": "Be kind.",
    "notes.md": "Met at ten.",
    "README.md": "# A study",
    "p.jinja": "Q: {{ question }}",
    "chat.prompty": "---\nname: x\n---\n{{question}}",
    "sheet.xlsx": b"PK\x03\x04",
    "rows.sqlite": b"SQLite format 3\0",
    "rows.arrow": b"ARROW1\0\0",
    "rows.csv.zst": b"\x28\xb5\x2f\xfd",
    "promptfooconfig.yaml": "prompts: ['{{q}}']\ntests: [{vars: {q: x}}]\n",
    "log.json": '{"version": 2, "eval": {"task": "t"}, "plan": {}, "samples": []}',
    "batch.jsonl": '{"custom_id": "1", "method": "POST", "url": "/v1", "body": {"messages": []}}\n',
    "squad.json": '{"data": [{"question": "Why?", "answer": "So."}, {"question": "Who?", "answer": "Me."}]}',
    "package.json": '{"name": "x", "version": "1"}',
    "train.yaml": "model: m\ndevice: cuda\nlr: 1\nepochs: 2\nseed: 3\n",
    "Modelfile": "FROM tern:1b\n",
    "picture.png": b"\x89PNG\r\n",
    "main.py": "print('hello')\n",
    "empty.txt": "",
    ".hidden": "x",
    "LICENSE": "MIT",
}


def _folder(write: Write, seed: int) -> Path:
    """A random folder: some of the files, some of them again in folders, deep ones and a workspace file sometimes."""
    draw = random.Random(seed)
    files: dict[str, str | bytes] = {}
    for name in draw.sample(sorted(CONTENTS), draw.randint(1, 9)):
        home = draw.choice(["", "", "", "a/", "prompts/", "a/b/c/d/e/f/", ".git/"])
        files[home + name] = CONTENTS[name]
    if draw.random() < 0.3:
        files["readback.yml"] = draw.choice(
            ["name: x\n", "dataset: rows.csv\n", "prompts: [p.jinja]\n", "options: {}\n"]
        )
    root = write({})
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


@pytest.mark.long
@pytest.mark.parametrize("seed", range(many(150, 12)))
def test_each_file_stands_in_the_account_once_and_every_way_of_asking_says_the_same(
    write: Write, capsys: Output, seed: int
) -> None:
    root = _folder(write, seed)
    there = sorted(path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())
    try:
        opened = workspace.open(root)
    except workspace.NothingRead:
        assert main(["check", str(root)]) == 2
        return
    account = list(list_files(opened.recognised))
    assert sorted(one.path for one in account) == there
    assert sum(count_files(opened.recognised)) == len(there)
    assert all(one.detail for one in account if not one.used), account
    code = main(["check", str(root), "--format", "json"])
    told = json.loads(capsys.readouterr().out)
    facts = [(one.path, one.what, one.used, one.detail, one.looks) for one in account]
    assert [(f["path"], f["what"], f["used"], f["detail"], f["looks"]) for f in told["files"]] == facts
    study = readback.open(root)
    assert [(f["path"], f["what"], f["used"], f["detail"], f["looks"]) for f in study.files()] == facts
    codes = {one["code"] for one in told["findings"]}
    assert codes == {one.code for one in study.audit().findings}
    assert (code == 2) == ("dat-nothing-read" in codes)
    assert codes or not count_unread(opened.recognised)  # what lies unread is never without a finding
    main(["check", str(root), "--format", "sarif"])
    run = json.loads(capsys.readouterr().out)["runs"][0]
    assert [one["properties"]["looks"] for one in run["artifacts"]] == [one.looks for one in account]
    main(["check", str(root)])
    text = capsys.readouterr().out
    if count_unread(opened.recognised):
        assert f"{count_unread(opened.recognised)} that" in text


CREW = "a:\n  role: clerk\n  goal: file\n  backstory: long\n"


@pytest.mark.parametrize(
    "files",
    [
        {"agents.yaml": CREW},
        {
            "agents.yaml": "a:\n  role: clerk\n  goal: file\n  backstory: long\n",
            "README.md": "# x",
            "data/cases.txt": "a",
        },
        {"logs/log.json": CONTENTS["log.json"]},
        {"sheet.xlsx": b"PK\x03\x04"},
        {"deep/rows.duckdb": b"DUCK"},
        {"readback.yml": "name: x\n", "sheet.xlsx": b"PK\x03\x04"},
    ],
)
@pytest.mark.parametrize("form", ["text", "json", "sarif", "jsonl", "junit", "github"])
def test_a_check_of_nothing_ends_with_2_and_a_finding_in_every_form(
    write: Write, capsys: Output, files: Mapping[str, Any], form: str
) -> None:
    root = write(files)
    assert main(["check", str(root), "--format", form]) == 2
    assert "dat-nothing-read" in capsys.readouterr().out


def test_a_check_of_an_export_of_ones_own_says_that_nothing_of_it_is_read(write: Write, capsys: Output) -> None:
    root = write({"rows.csv": ROWS, "user.txt": "Tell me: {question}"})
    batch = root.parent / "batch.jsonl"
    main(["export", str(root), "--as", "openai-batch", "--model", "m", "-o", str(batch)])
    assert batch.exists()
    folder = root.parent / "sent"
    folder.mkdir()
    batch.rename(folder / "batch.jsonl")
    capsys.readouterr()
    assert main(["check", str(folder)]) == 2
    assert "requests of an OpenAI batch" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("rows.xlsx", "a spreadsheet of a format that Readback does not read"),
        ("rows.sqlite", "a database that is not SQLite"),
        ("rows.duckdb", "a database that is not SQLite"),
        ("rows.arrow", "a table of a format that Readback does not read"),
        ("rows.jsonl.zst", "it is packed in a way that Readback does not open"),
        ("rows.pkl", "stored objects of a program, which are never loaded"),
    ],
)
def test_rows_that_cannot_be_read_beside_a_template_are_a_warning(write: Write, name: str, said: str) -> None:
    opened = workspace.open(write({"user.jinja": "Answer {{ q }}", name: b"\x01\x02\x03"}))
    (found,) = [one for one in opened.diagnostics if one.code == "dat-unread"]
    assert (found.severity, found.values["reason"], found.values["files"]) == ("warning", said, [name])
    assert count_unread(opened.recognised) == 1


def test_rows_that_cannot_be_read_beside_rows_that_are_read_are_for_information(write: Write) -> None:
    opened = workspace.open(write({"user.jinja": "Answer {{ question }}", "q.csv": ROWS, "old.xlsx": b"PK"}))
    assert [(one.code, one.severity) for one in opened.diagnostics if one.place.file == "old.xlsx"] == [
        ("dat-unread", "info")
    ]


def test_what_lies_too_deep_is_named(write: Write) -> None:
    root = write({"user.jinja": "Answer {{ question }}", "q.csv": ROWS})
    (root / "a/b/c/d/e/f").mkdir(parents=True)
    (root / "a/b/c/d/e/f/rows.csv").write_text(ROWS, "utf-8")
    (found,) = [one for one in workspace.open(root).diagnostics if one.code == "dat-unread"]
    assert found.values["files"] == ["a/b/c/d/e/f/rows.csv"]
    assert "more than 4 folders deep" in found.values["reason"]


def test_a_folder_of_nothing_is_refused_with_its_files_how_deep_it_looked_and_the_next_step(write: Write) -> None:
    root = write({"LICENSE": "MIT", "x.png": b"\x89PNG\0", "src/main.c": "int main;", "y.gif": b"GIF"})
    with pytest.raises(workspace.NothingRead) as refused:
        workspace.open(root)
    assert refused.value.reason.partition("; it holds ")[2] == (
        "4 files (LICENSE, src/main.c, x.png, 1 more), looked for 4 folders deep; "
        "put a template and rows (.jsonl, .csv, .parquet) into it, or open the folder that holds them"
    )


def test_furniture_of_projects_looks_like_nothing(write: Write) -> None:
    quiet = {
        "package.json": '{"scripts": {"a": "b"}, "x": [{"input": 1}]}',
        "tsconfig.base.json": '{"paths": [{"input": "x"}]}',
        "tokenizer.json": '{"added_tokens": [{"content": "x"}]}',
        "poetry.lock": "x",
        "LICENSE": "MIT",
        "notes.md": "Met at ten.",
        "CHANGELOG.md": "{{ version }}",
        "k8s.yaml": "spec:\n  template: {}\n",
    }
    opened = workspace.open(write({"user.jinja": "{{ question }}", "q.csv": ROWS, **quiet}))
    assert count_unread(opened.recognised) == 0
    assert [one.code for one in opened.diagnostics if one.code == "dat-unread"] == []


@pytest.mark.parametrize(
    "text",
    [
        "name: My study\n",
        "options: {}\n",
        "acronyms: {IJ: internal journal}\n",
        "ignore: [{code: dat-missing-id}]\n",
        "criteria: {good: {scale: [0, 1]}}\n",
        "leaks: {}\nlanguage: de\n",
        "",
    ],
)
def test_a_workspace_file_of_settings_alone_leaves_recognition_as_it_is(write: Write, text: str) -> None:
    files = {"rows.csv": ROWS, "prompts/user.txt": "Tell me: {question}", "scores/s.csv": CONTENTS["scores.csv"]}
    plain, settings = write(files), write({**files, "readback.yml": text})
    opened = workspace.open(settings)
    without = workspace.open(plain)
    assert opened.dataset is not None
    assert opened.dataset.path == "rows.csv"
    assert list(opened.prompts) == list(without.prompts) == ["prompts"]
    assert [one.path for one in opened.scores] == ["scores/s.csv"]
    if text.startswith("name"):
        assert opened.name == "My study"


def test_answers_of_no_record_are_counted_with_their_first_ids(write: Write, capsys: Output) -> None:
    yml = "dataset: d.jsonl\nmodes: {m: {user: '{{ q }}'}}\nconditions: [{name: c, mode: m, answers: a.jsonl}]\n"
    rows = [{"id": f"r{n}", "q": "Why?"} for n in range(5)]
    replies = [{"id": f"r{n}", "response": "So."} for n in (0, 1, 7, 8, 9, 10)] + [{"response": "nameless"}]
    root = write({"readback.yml": yml, "d.jsonl": rows, "a.jsonl": replies})
    main(["check", str(root), "--format", "json"])
    told = json.loads(capsys.readouterr().out)
    (found,) = [one for one in told["findings"] if one["code"] == "dat-answers-without-record"]
    assert (found["severity"], found["place"]["file"]) == ("warning", "a.jsonl")
    assert found["message"] == "5 of the 7 answers of c belong to no record; the first ids are r7, r8, r9"


@pytest.mark.parametrize(
    ("files", "tool"),
    [
        ({"a.yaml": "h: {prompt_template: p.txt, fn_completions: x}\n", "rows.jsonl": '{"q": "Why?"}\n'}, "AlpacaEval"),
    ],
)
def test_the_fix_for_a_project_of_another_tool_names_the_tool(write: Write, files: dict[str, str], tool: str) -> None:
    (found,) = [one for one in engine.check(workspace.open(write(files))).findings if one.code == "dat-nothing-read"]
    assert found.fix is not None
    assert tool in found.fix
    assert "put a template and rows" not in found.fix


def test_the_prompt_beside_an_annotator_of_alpaca_eval_is_not_guessed(write: Write) -> None:
    configs = "house:\n  prompt_template: house/prompt.txt\n  fn_completions: openai_completions\n"
    opened = workspace.open(write({"house/configs.yaml": configs, "house/prompt.txt": "Rank {a} and {b}.\n"}))
    assert not opened.prompts


def test_the_step_for_an_unnamed_template_has_it_read_beside_the_others(write: Write) -> None:
    files = {
        "prompt_config.yml": "prompts:\n  - {mode: simple, template: simple.jinja}\n",
        "simple.jinja": "{{ query }}\n",
        "other.jinja": "Say {{ query }}\n",
    }
    root = write(files)
    (found,) = [one for one in workspace.open(root).diagnostics if one.code == "dat-unread"]
    line = str(found.values["step"]).removeprefix("write ").removesuffix(" in readback.yml")
    (root / "readback.yml").write_text(f"{line}\n")
    opened = workspace.open(root)
    assert {"simple", "other"} <= set(opened.prompts)
    assert not [one for one in opened.diagnostics if one.code == "dat-unread"]
