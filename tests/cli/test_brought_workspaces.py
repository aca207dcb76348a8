"""A zip file or standard input in the place of a folder: read like an upload, and gone when the command ends."""

from __future__ import annotations

import gzip
import io
import json
import os
import sys
import threading
import zipfile
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

import pytest
from counts import part

from readback import cli
from readback.cli.common import temporary_workspace
from readback.project_files import EXAMPLES
from readback.readers.files import cache_folder

Output = pytest.CaptureFixture[str]
SIX = EXAMPLES / "six-conditions"
SCORES = "item,condition,criterion,score\n" + "".join(f"q{n},{c},pass,{n % 2}\n" for n in range(8) for c in "ab")
PAIRS = '{"id": "1", "prompt": "Why? ", "completion": "So."}\n{"id": "2", "prompt": "How? ", "completion": "So."}\n'


class Stdin(io.TextIOWrapper):
    """Standard input that holds these bytes."""

    def __init__(self, content: bytes) -> None:
        super().__init__(io.BytesIO(content))


def run(capsys: Output, *words: str) -> tuple[int, str, str]:
    code = cli.main(words)
    output = capsys.readouterr()
    return code, output.out, output.err


def write_zip(path: Path, files: Mapping[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def zip_folder(folder: Path, path: Path, below: str) -> Path:
    files = {f"{below}{one.relative_to(folder)}": one.read_bytes() for one in folder.rglob("*") if one.is_file()}
    return write_zip(path, files)


def left_over() -> list[Path]:
    home = cache_folder.uploads()
    return list(home.iterdir()) if home.is_dir() else []


@pytest.mark.parametrize("below", part(["", "a/b/", "study/"], 2))
def test_a_zip_is_checked_as_its_folder_is(below: str, tmp_path: Path, capsys: Output) -> None:
    packed = zip_folder(SIX, tmp_path / f"{SIX.name}.zip", below)
    code, out, _ = run(capsys, "check", str(packed), "--format", "json")
    expected_code, expected, _ = run(capsys, "check", str(SIX), "--format", "json")
    found, there = json.loads(out), json.loads(expected)
    assert [one["key"] for one in found["findings"]] == [one["key"] for one in there["findings"]]
    assert (code, found["records"], found["conditions"]) == (expected_code, there["records"], there["conditions"])
    assert left_over() == []


@pytest.mark.parametrize(
    ("words", "phrase"),
    [
        (["scores", "-"], "a: mean 0.5000, n 8"),
        (["agreement", "-"], "scored"),
        (["check", "-"], "stdin.csv"),
    ],
)
def test_scores_come_from_standard_input(
    words: list[str], phrase: str, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    monkeypatch.setattr(sys, "stdin", Stdin(SCORES.encode()))
    code, out, err = run(capsys, *words)
    assert phrase in out + err
    assert code in (0, 2)
    assert left_over() == []


@pytest.mark.parametrize("packed", [False, True])
def test_rows_come_from_standard_input_packed_or_not(
    packed: bool, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    content = gzip.compress(PAIRS.encode()) if packed else PAIRS.encode()
    monkeypatch.setattr(sys, "stdin", Stdin(content))
    assert json.loads(run(capsys, "check", "-", "--format", "json")[1])["records"]["read"] == 2


def test_a_zip_comes_from_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output) -> None:
    packed = zip_folder(SIX, tmp_path / "six.zip", "six/")
    monkeypatch.setattr(sys, "stdin", Stdin(packed.read_bytes()))
    assert json.loads(run(capsys, "check", "-", "--format", "json")[1])["records"]["read"] == 24


def test_a_pipe_is_read_like_standard_input(tmp_path: Path, capsys: Output) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(PAIRS,))
    writer.start()
    assert json.loads(run(capsys, "check", str(pipe), "--format", "json")[1])["records"]["read"] == 2
    writer.join()


@pytest.mark.parametrize(
    ("head", "ending"),
    [
        (b'{"a": 1}\n{"a": 2}\n', ".jsonl"),
        (b'{"a": 1}', ".jsonl"),
        (b'{\n "a": 1\n}', ".json"),
        (b'\xef\xbb\xbf\n [{"a": 1}]', ".json"),
        (b"a\tb\n1\t2\n", ".tsv"),
        (b"a,b\n1,2\n", ".csv"),
        (b"PAR1\x00", ".parquet"),
        (gzip.compress(b"[1]", mtime=0), ".json.gz"),
        (b"\xff\xfea\x00", ".csv"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_kind_of_rows_is_told_by_how_they_begin(head: bytes, ending: str) -> None:
    assert temporary_workspace.guess_ending(head) == ending


@pytest.mark.parametrize(
    ("words", "content", "sentence"),
    [
        (["check", "-"], b"", "-: nothing came"),
        (["lock", "-"], PAIRS.encode(), "-: readback lock needs what stays, and this is gone once it is read"),
        (["review", "list", "-"], PAIRS.encode(), "-: readback review needs what stays"),
        (["init", "-"], PAIRS.encode(), "-: readback init needs what stays"),
        (
            ["serve", "-"],
            b"",
            "-: readback serve needs what stays, and this is gone once it is read; save it as a file",
        ),
        (["check", "-"], b"PK\x03\x04 damaged", "-: nothing of it could be kept"),
    ],
)
def test_what_cannot_be_brought_is_one_sentence(
    words: list[str], content: bytes, sentence: str, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    monkeypatch.setattr(sys, "stdin", Stdin(content))
    code, out, err = run(capsys, *words)
    assert (code, out) == (2, "")
    assert f"readback: {sentence}" in err
    assert left_over() == []


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the paths that a server was started with; none is started."""
    paths: list[str] = []
    monkeypatch.setattr(os, "execv", lambda _, words: paths.extend(find_paths(words)))
    return paths


def find_paths(words: list[str]) -> list[str]:
    return [path for flag, path in pairwise(words) if flag == "--workspace"]


@pytest.mark.parametrize("name", ["study.zip", "Study 2.ZIP", "without"])
def test_a_zip_is_served_as_its_folder_is_and_stays(
    name: str, served: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed = zip_folder(SIX, tmp_path / name, "six/")
    cli.main(["serve", str(packed)])
    (folder,) = map(Path, served)
    assert (folder.name, files_of(folder)) == (name.partition(".")[0].replace(" ", "_"), files_of(SIX))
    marked = {path: path.stat().st_ino for path in folder.rglob("*")}
    served.clear()
    monkeypatch.setenv("READBACK_WORKSPACE", os.pathsep.join((str(packed), str(SIX), "/not/there")))
    cli.main(["serve"])
    assert served == [str(folder), str(SIX), "/not/there"]
    assert {path: path.stat().st_ino for path in folder.rglob("*")} == marked  # whoever has it open keeps it
    assert left_over() == []


def test_a_review_of_a_zip_is_that_of_its_path_whatever_is_in_it(
    served: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    monkeypatch.setenv("READBACK_STATE", str(tmp_path / "state"))
    packed = write_zip(tmp_path / "s.zip", {"rows.jsonl": PAIRS.encode()})
    assert run(capsys, "review", "note", str(packed), "--text", "Look again")[0] == 0
    write_zip(packed, {"rows.jsonl": PAIRS.encode() * 2, "more/prompt.txt": b"{prompt}"})
    assert "Look again" in run(capsys, "review", "list", str(packed))[1]
    cli.main(["serve", str(packed)])
    assert "Look again" in run(capsys, "review", "list", *served)[1]
    other = write_zip(tmp_path / "other.zip", {"rows.jsonl": PAIRS.encode()})
    assert "Look again" not in run(capsys, "review", "list", str(other))[1]
    for command in ("lock", "init"):
        code, _, err = run(capsys, command, str(packed))
        assert (code, "writes a file beside the others" in err) == (2, True)


def files_of(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_zip_brings_nothing_that_an_upload_may_not(tmp_path: Path, capsys: Output) -> None:
    outside = tmp_path / "outside"
    files = {
        "s/rows.jsonl": PAIRS.encode(),
        "s/.review.sqlite3": b"SQLite format 3\0",
        "s/.review.sqlite3-journal": b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7",
        f"s/../../../../../../{outside}": b"x",
        str(outside): b"x",
    }
    code, out, err = run(capsys, "check", str(write_zip(tmp_path / "s.zip", files)), "--format", "json")
    assert (code, json.loads(out)["records"]["read"]) == (0, 2)
    assert not outside.exists()
    assert err.count("it is the store of a review") == 2
    assert err.count(" dat-path-outside: ") == 2
    assert left_over() == []


def test_what_was_brought_is_gone_after_a_failure_too(tmp_path: Path, capsys: Output) -> None:
    packed = zip_folder(SIX, tmp_path / "six.zip", "")
    assert run(capsys, "render", str(packed), "--condition", "nope")[0] == 2
    assert left_over() == []
