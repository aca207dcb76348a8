"""A disk that is full in the middle of a write: a sentence, the old file as it was, and nothing half-written beside it.

The disks are real ones, of a few hundred kilobytes in memory; to mount one takes a machine that allows it.
"""

from __future__ import annotations

import io
import json
import subprocess
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from looking import page, words

from readback import cli
from readback.exporting.whole_file import new_file
from readback.ui.common.uploads import store as upload

SIZE = 256  # KiB of the disk
ME = upload.owner("me")


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={SIZE}k", "tmpfs", str(place)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("no disk may be mounted here")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """Records whose messages are larger than the disk."""
    root = tmp_path / "study"
    root.mkdir()
    rows = [{"id": str(number), "question": "How deep is the basin? " * 40 + str(number)} for number in range(800)]
    (root / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    (root / "prompt.txt").write_text("Answer {question}.", "utf-8")
    return root


def fill(disk: Path, left: int = 4_096) -> None:
    """Leave so many bytes."""
    with (disk / "filler").open("wb", buffering=0) as out:
        try:
            while True:
                out.write(bytes(4_096))
        except OSError:
            out.truncate(max(0, out.tell() - left))


def files(disk: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(disk)): path.read_bytes()
        for path in disk.rglob("*")
        if path.is_file() and path.name != "filler"
    }


OLD = b"what was there before"


@pytest.mark.parametrize(
    "command",
    [
        "report {study} -o {disk}/out.html",
        "report {study} -o {disk}/out.md",
        "report {study} -o {disk}/out.json",
        "export {study} --as messages-jsonl --mode prompt -o {disk}/out.jsonl",
        "export {study} --as openai-batch --mode prompt --model m -o {disk}/out.jsonl",
        "export {study} --as parquet --mode prompt -o {disk}/out.parquet",
    ],
)
def test_an_output_that_does_not_fit_leaves_the_old_file_and_nothing_else(
    disk: Path, study: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    words_of = command.format(study=study, disk=disk).split()
    target = Path(words_of[-1])
    target.write_bytes(OLD)
    fill(disk, 0)
    assert cli.main(words_of) == 2
    err = capsys.readouterr().err
    assert "no space left on device" in err
    assert target.name in err or "not everything could be written" in err
    assert files(disk) == {target.name: OLD}


def test_standard_output_that_is_full_is_said(study: Path) -> None:
    script = Path(__file__).resolve().parents[2] / ".venv" / "bin" / "readback"
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [script, "check", study, "--format", "json"], stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == 2
    assert b"free some space" in done.stderr
    assert b"Traceback" not in done.stderr


def test_init_and_lock_leave_no_half_of_a_file(disk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    study = disk / "study"
    study.mkdir()
    (study / "rows.jsonl").write_text('{"id": "1", "question": "Why?"}\n')
    (study / "prompt.txt").write_text("Answer {question}.")
    before = files(disk)
    fill(disk, 0)
    for command in ("init", "lock"):
        assert cli.main([command, str(study)]) == 2
        assert "no space left on device" in capsys.readouterr().err
        assert files(disk) == before


def test_a_new_file_is_not_there_after_an_error_and_never_replaces_one(tmp_path: Path) -> None:
    path = tmp_path / "new"
    with pytest.raises(OSError, match="gone"), new_file(path) as out:  # noqa: PT012 - the block is what is tried
        out.write(b"half")
        raise OSError("gone")
    assert not path.exists()
    path.write_bytes(OLD)
    with pytest.raises(FileExistsError), new_file(path):
        pass
    assert path.read_bytes() == OLD


def test_a_review_that_finds_no_room_is_not_saved_and_says_so(
    disk: Path, study: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("READBACK_STATE", str(disk / "state"))
    note = ["review", "note", str(study), "--as", "Ada", "--text"]
    assert cli.main([*note, "first"]) == 0
    fill(disk, 0)
    capsys.readouterr()
    assert cli.main([*note, "second " * 9_000]) == 2
    err = capsys.readouterr().err
    assert "disk is full" in err or "free some space" in err
    (disk / "filler").unlink()
    assert cli.main(["review", "verify", str(study)]) == 0
    capsys.readouterr()
    assert cli.main(["review", "list", str(study)]) == 0
    out = capsys.readouterr().out
    assert "first" in out
    assert "second" not in out
    assert cli.main([*note, "third"]) == 0


def test_a_review_that_is_exported_to_a_full_disk_leaves_the_old_file(
    disk: Path, study: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("READBACK_STATE", str(tmp_path / "state"))
    assert cli.main(["review", "note", str(study), "--as", "Ada", "--text", "a note " * 2_000]) == 0
    (disk / "events.jsonl").write_bytes(OLD)
    fill(disk)
    capsys.readouterr()
    assert cli.main(["review", "export", str(study), "-o", str(disk / "events.jsonl")]) == 2
    assert "no space left on device" in capsys.readouterr().err
    assert files(disk) == {"events.jsonl": OLD}


def test_a_cache_without_room_is_a_sentence_that_names_the_setting(
    disk: Path, study: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("READBACK_CACHE", str(disk / "cache"))
    fill(disk, 0)
    assert cli.main(["check", str(study)]) == 2
    err = capsys.readouterr().err
    assert "READBACK_CACHE" in err
    assert "Traceback" not in err
    monkeypatch.setenv("READBACK_WORKSPACE", str(study))
    for name in ("", "records", "messages", "findings"):
        shown = page(name)
        assert not shown.exception
        assert "READBACK_CACHE" in " ".join([words(shown), *(one.value for one in shown.code)])


def test_an_upload_that_finds_no_room_leaves_nothing(disk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("READBACK_UPLOADS", str(disk / "uploads"))
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("prompt.txt", "Answer {question}.")
        archive.writestr("rows.jsonl", '{"id": "1", "question": "Why?"}\n' * 20_000)
    for given in ([("w.zip", out)], [("rows.jsonl", io.BytesIO(bytes(400_000)))]):
        given[0][1].seek(0)
        with pytest.raises(OSError, match="No space left"):
            upload.save(given, ME, unwrap=True)
        assert files(disk) == {}
        assert not [path for path in (disk / "uploads").rglob("*") if path.is_dir()]
