"""Input that no program should break on: a sentence with file, reason and next step, and the good rest, everywhere.

Each is looked at through `check`, a notebook and pages, which say the same.
"""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import hostile_reviews as hostile
import pytest
from counts import LONG, many
from looking import page, words

from readback import cli, workspace
from readback.checks.run import engine
from readback.notebook import open_workspace
from readback.readers.files.paths import FILES
from readback.types import Finding
from readback.workspace.left_out import count_files

Write = Callable[[Mapping[str, Any]], Path]
PROMPT = {"prompt.txt": "Answer {question}."}
ROWS = [{"id": str(number), "question": f"How deep is basin {number}?"} for number in range(6)]


# A process that a large one starts begins with the peak of that one, as the system counts: so a small one starts it.
MEASURE = """
import resource, subprocess, sys
code = subprocess.call(sys.argv[1:])
print(code, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10, file=sys.stderr)
"""


def check_in_a_process(root: Path, tmp_path: Path) -> tuple[int, dict[str, Any], int]:
    """The exit code of `readback check --format json`, its answer, and the MiB that it took at most."""
    out = tmp_path / "answer.json"
    check = [sys.executable, "-m", "readback.cli", "check", str(root), "--format", "json", "--jobs", "1"]
    with out.open("wb") as file:
        done = subprocess.run([sys.executable, "-c", MEASURE, *check], stdout=file, stderr=subprocess.PIPE, check=True)
    err = done.stderr.decode()
    assert "Traceback" not in err, err
    code, size = err.split()[-2:]
    return int(code), json.loads(out.read_bytes()), int(size)


def look_everywhere(
    root: Path, code: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *, exit_code: int = 1
) -> Finding:
    """The one finding of that code, after it was seen by command, notebook and page, each with the same sentence."""
    found = [one for one in engine.check(workspace.open(root)).findings if one.code == code]
    assert len(found) == 1, [one.message for one in found]
    finding = found[0]
    assert finding.fix
    assert cli.main(["check", str(root)]) == exit_code
    out = capsys.readouterr().out
    assert f"{code}: {finding.message}" in out
    (row,) = [one for one in open_workspace(root).findings() if one["code"] == code]
    assert (row["message"], row["file"], row["line"]) == (finding.message, finding.place.file, finding.place.line)
    monkeypatch.setenv("READBACK_WORKSPACE", str(root))
    shown = page("findings", code=code)
    assert not shown.exception
    assert " ".join(finding.message.split()) in words(shown)
    overview = page()
    assert not overview.exception
    return finding


# A folder of files of all kinds


def write_many_files(root: Path, count: int) -> None:
    """Files of ten kinds, of which one is the dataset and one the prompt."""
    rows = "".join(json.dumps(row) + "\n" for row in ROWS)
    root.mkdir()
    (root / "prompt.txt").write_text("Answer {question}.", "utf-8")
    (root / "rows.jsonl").write_text(rows, "utf-8")
    image = b"\x89PNG\r\n\x1a\n" + bytes(200)
    kinds: list[tuple[str, bytes]] = [
        ("note.md", b"# Notes\n\nNothing here is filled in.\n"),
        ("image.png", image),
        ("code.py", b"def add(a, b):\n    return a + b\n"),
        ("table.xlsx", b"PK\x03\x04" + bytes(400)),
        ("base.sqlite", b"SQLite format 3\0" + bytes(400)),
        ("config.yaml", b"jobs:\n  build: {steps: [a, b]}\n"),
        ("settings.json", b'{"compilerOptions": {"strict": true}}'),
        ("broken.json", b'{"a": [1, 2'),
        ("log.txt", "Übersicht: alles gut\n".encode("cp1252") * 3),
        ("empty", b""),
        ("line\nbreak.txt", b"x"),
        ("weights.bin", bytes(range(256)) * 4),
    ]
    for number in range(count - 2):
        name, content = kinds[number % len(kinds)]
        folder = root / f"part {number % 37}"
        folder.mkdir(exist_ok=True)
        (folder / f"{number:05}-{name}").write_bytes(content)


@pytest.mark.long
def test_a_folder_of_files_of_all_kinds_is_accounted_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    count, root = many(5_000), tmp_path / "ws"
    write_many_files(root, count)
    code, answer, size = check_in_a_process(root, tmp_path)
    assert code in (0, 1)
    assert sum(one["count"] for one in answer["files"]) == count  # those of a kind may be one line
    assert sum(one["used"] for one in answer["files"]) == 2
    assert all(one["used"] or one["detail"] for one in answer["files"])
    assert size < 900
    opened = workspace.open(root)
    assert count_files(opened.recognised) == (2, count - 2)
    study = open_workspace(root)
    assert sum(one["count"] for one in study.files()) == count
    assert study.assemble().text("user") == "Answer How deep is basin 0?."
    monkeypatch.setenv("READBACK_WORKSPACE", str(root))
    for name in ("", "open", "records"):
        shown = page(name)
        assert not shown.exception
        if name == "":
            assert "dat-unread" in words(shown) or "data, prompts, logs or scores are not read" in words(shown)
            assert "No fault was found in the files." not in words(shown)
    limit = {"dat-limit": 1} if count > FILES else {}
    assert {code: n for code, n in engine.check(opened).counts.items() if code == "dat-limit"} == limit


# One line of many megabytes


@pytest.mark.long
def test_json_of_one_line_is_read_whatever_its_length(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "ws"
    root.mkdir()
    each = {"question": "How deep is the north basin at low water in the spring?", "context": "Nine metres. " * 18}
    line = json.dumps(each)
    count = many(50_000_000, 1) // (len(line) + 2)
    raw = f"[{', '.join([line] * count)}]"
    assert len(raw) > 49_000_000 // (1 if LONG else 100)
    (root / "rows.json").write_text(raw, "utf-8")
    (root / "prompt.txt").write_text("Answer {question} by {context}", "utf-8")
    code, answer, size = check_in_a_process(root, tmp_path)
    assert code in (0, 1)
    assert answer["records"]["read"] == count
    assert answer["records"]["bad"] == 0
    assert size < 900
    study = open_workspace(root)
    assert len(study.records) == count
    assert study.records[count - 1].id == f"row_{count}"
    assert study.assemble(record=count - 1).text("user").startswith("Answer How deep is the north basin")
    monkeypatch.setenv("READBACK_WORKSPACE", str(root))
    for name in ("records", "open"):
        shown = page(name)
        assert not shown.exception
        assert f"{count:,}" in words(shown)


@pytest.mark.parametrize("size", [17 << 20])
def test_a_record_above_the_bound_is_named_and_the_others_are_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    root = tmp_path / "ws"
    root.mkdir()
    long = json.dumps({"id": "long", "question": "x" * size})
    rows = [json.dumps(ROWS[0]), long, json.dumps(ROWS[1])]
    (root / "rows.jsonl").write_text("\n".join(rows) + "\n", "utf-8")
    (root / "prompt.txt").write_text("Answer {question}.", "utf-8")
    finding = look_everywhere(root, "dat-too-large", capsys, monkeypatch)
    assert (finding.place.file, finding.place.line) == ("rows.jsonl", 2)
    assert [record.id for record in open_workspace(root).records] == ["0", "1"]


# Tables as people save them

GROUPED = ",Input,,Result\nid,question,context,answer\n0,How deep?,Chart,9 m\n1,Who?,Log,The pilot\n"


def test_a_row_of_groups_above_the_header_is_left_out_and_named(
    write: Write, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write({"rows.csv": GROUPED, **PROMPT})
    finding = look_everywhere(root, "dat-comment-lines", capsys, monkeypatch, exit_code=0)
    assert (finding.place.file, finding.place.line) == ("rows.csv", 1)
    assert "Input" in finding.message
    study = open_workspace(root)
    assert study.assemble().text("user") == "Answer How deep?."
    assert len(study.records) == 2


def test_a_row_that_only_looks_like_a_header_empties_every_message_which_is_an_error(
    write: Write, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write({"rows.csv": "2024,spring,chart,final\n" + GROUPED.partition("\n")[2], "p.j2": "{{ question }}"})
    finding = look_everywhere(root, "asm-no-field-filled", capsys, monkeypatch)
    assert finding.values["records"] == 3
    assert "correct the header of rows.csv" in finding.fix


TABLE = [["id", "question"], ["0", "Où est le café ?"], ["1", "Plain?"]]


def write_table(coding: str, separator: str) -> bytes:
    out = io.StringIO()
    csv.writer(out, delimiter=separator).writerows(TABLE)
    return out.getvalue().encode(coding)


@pytest.mark.parametrize(
    ("name", "content", "looks"),
    [
        ("rows.csv", write_table("utf-16", ","), "UTF-16"),
        ("rows.tsv", write_table("utf-16", "\t"), "UTF-16"),
        ("rows.csv", write_table("cp1252", ","), "Windows-1252"),
        ("rows.csv", write_table("cp1252", ";"), "Windows-1252"),
    ],
)
def test_another_encoding_is_read_and_told(write: Write, name: str, content: bytes, looks: str) -> None:
    root = write({name: content, **PROMPT})
    findings = open_workspace(root).audit().findings
    (finding,) = [each for each in findings if each.code == "dat-encoding-guessed"]
    assert finding.place.file == name
    assert looks in finding.message
    assert len(open_workspace(root).records) == 2
    assert len(open_workspace(root, encoding=looks.lower()).records) == 2


# Scores of which nothing can be read

SCORED = {"condition": "prompt", "judge": "j"}


@pytest.mark.parametrize(
    ("name", "content", "line"),
    [
        (
            "replies.jsonl",
            "".join(
                json.dumps({**SCORED, "item": row["id"], "reply": "I would rather not say."})
                + "\n"
                for row in ROWS
            ),
            1,
        ),
        ("scores.csv", "id,condition,judge,score\n" + "".join(f"{row['id']},prompt,j,sorry\n" for row in ROWS), 2),
        ("lines.jsonl", "".join(json.dumps({**SCORED, "item": one["id"], "score": "eh"}) + "\n" for one in ROWS), 1),
    ],
    ids=["replies", "table", "lines"],
)  # fmt: skip
def test_a_file_of_scores_without_one_that_can_be_read_is_an_error_with_its_reason(
    write: Write,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    content: str,
    line: int,
) -> None:
    root = write({"rows.jsonl": ROWS, **PROMPT, name: content})
    finding = look_everywhere(root, "scr-file-unread", capsys, monkeypatch)
    assert (finding.severity, finding.place.file, finding.place.line) == ("error", name, line)
    assert f"none of the {len(ROWS)} rows gives a score" in finding.message
    assert len(open_workspace(root).records) == len(ROWS)
    assert open_workspace(root).scores()["mean"].isna().all()
    shown = page("results")
    assert not shown.exception


def test_a_form_of_scores_that_is_not_filled_in_yet_is_no_such_error(write: Write) -> None:
    blank = "id,condition,judge,score\n" + "".join(f"{row['id']},prompt,j,\n" for row in ROWS)
    root = write({"rows.jsonl": ROWS, **PROMPT, "scores.csv": blank})
    assert "scr-file-unread" not in engine.check(workspace.open(root)).counts


# A store of a newer version


def test_a_store_of_a_newer_version_is_left_as_it_is_and_everything_else_works(
    write: Write, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from readback.review.store import Store

    root = write({"rows.jsonl": ROWS, **PROMPT})
    newer = hostile.SCHEMA.replace("VALUES ('a1')", "VALUES ('z9')")
    place = hostile.store(Store(root).file, [], schema=newer)
    before = place.read_bytes()
    assert cli.main(["review", "list", str(root)]) == 2
    err = capsys.readouterr().err
    assert place.name in err
    assert "newer Readback" in err
    assert "use that version" in err
    assert cli.main(["check", str(root)]) == 0
    assert "6 records read" in capsys.readouterr().out
    assert len(open_workspace(root).findings()) == 0
    monkeypatch.setenv("READBACK_WORKSPACE", str(root))
    for name in ("", "records", "messages", "findings", "agenda", "review", "scores", "compare"):
        shown = page(name)
        assert not shown.exception
        if name in ("agenda", "review"):
            assert "newer Readback" in " ".join([words(shown), *(one.value for one in shown.code)])
    assert place.read_bytes() == before
