"""Forty hostile zips and many mutated ones: nothing outside of the folders of a server is made, changed or lost."""

from __future__ import annotations

import io
import random
import stat
import struct
import time
import zipfile
import zlib
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import hostile_reviews as hostile
import pytest
from counts import many
from small_study import CHAT, FILE

from readback import workspace
from readback.cli import UsageError, main
from readback.cli.common import temporary_workspace
from readback.ui.common.uploads import quota as upload_quota
from readback.ui.common.uploads import store as upload

ME = upload.owner("me")
DATA = b'{"id": "1", "q": "Why?"}\n{"id": "2", "q": "How?"}\n'
GOOD = {"readback.yml": FILE.encode(), "t.jinja": CHAT.encode(), "data.jsonl": DATA}


def zipped(files: Mapping[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, raw in {**GOOD, **files}.items():
            archive.writestr(name, raw)
    return out.getvalue()


def linked(name: str, target: str) -> bytes:
    out = io.BytesIO(zipped({}))
    with zipfile.ZipFile(out, "a") as archive:
        info = zipfile.ZipInfo(name)
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(info, target)
        archive.writestr(f"{name}/below.txt", "through the link")
    return out.getvalue()


def twice(name: str) -> bytes:
    out = io.BytesIO(zipped({}))
    with zipfile.ZipFile(out, "a") as archive:
        archive.writestr(name, "first")
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr(name, "second")
    return out.getvalue()


def swapped(raw: bytes, old: bytes, new: bytes) -> bytes:
    """One name for another of the same length, in the header before the bytes alone."""
    return raw.replace(old, new, 1)


STORE = hostile.rows([("note", {"text": "n"})])
SIZE = 300 << 20


def hostile_zips(home: Path) -> dict[str, bytes]:
    """Forty zips by what each tries."""
    victim = home / "victim.txt"
    made = hostile.store(home.parent / f"{home.name}-evil.sqlite3", STORE)
    evil, journal = made.read_bytes(), hostile.journal(victim)
    made.unlink()
    names = [
        "../victim.txt", str(victim), "a/../../victim.txt", "..\\..\\victim.txt", "C:\\victim.txt", "\\\\host\\victim",
        "a//victim.txt", "./../victim.txt", "x" * 300, "/".join("d" * 20), ".owner", "../.owner", ".lifted/x",
        "\u202ev.txt", "new\nline.txt", "CON", "nul.", "-rf", "%2e%2e/victim.txt", "~/victim.txt",
    ]  # fmt: skip
    zips = {f"a file called {name[:30]!r}": zipped({name: b"stranger"}) for name in names}
    zips |= {
        "a store": zipped({".review.sqlite3": evil}),
        "a store with a journal": zipped({".review.sqlite3": evil, ".review.sqlite3-journal": journal}),
        "a store with a log": zipped({".review.sqlite3": evil, ".review.sqlite3-wal": b"\x37\x7f\x06\x82" * 99}),
        "a store below": zipped({"a/b/.Review.SQLite3": evil, "a/b/.Review.SQLite3-shm": journal}),
        "a store of the state folder's name": zipped({"0123456789abcdef.sqlite3": evil, "x.db-journal": journal}),
        "a journal of another name": zipped({"notes.txt": journal, "data.csv": b"\x37\x7f\x06\x83" + b"0" * 99}),
        "an endless view": zipped({".review.sqlite3": b"SQLite format 3\0" + b"\0" * 4_080}),
        "a link to a file": linked("link", str(victim)),
        "a link to a folder": linked("folder", str(home)),
        "a link up": linked("up", "../../.."),
        "a bomb": zipped({"big.jsonl": b"\0" * SIZE}),
        "a bomb in one line": zipped({"big.json": b"[" * (64 << 20)}),
        "a zip in a zip": zipped({"inner.zip": zipped({"../victim.txt": b"x"})}),
        "gzip in a zip": zipped({"rows.jsonl.gz": zlib.compress(b"\0" * SIZE, wbits=31)}),
        "git's own files": zipped({".git/config": b"[core]\n\tfsmonitor = touch /tmp/x\n", ".git/HEAD": b"ref: x"}),
        "a name twice": twice("twice.txt"),
        "another name before its bytes": swapped(zipped({"aaaaaa.txt": b"x"}), b"aaaaaa.txt", b"../vic.txt"),
        "a size that is not so": zipped({"s.txt": b"12345"}).replace(struct.pack("<I", 5), struct.pack("<I", 2**31)),
        "a cut end": zipped({})[:-30],
        "no zip": b"PK\3\4" + b"\0" * 500,
        "a template that never ends": zipped(
            {"t.jinja": b"{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"}
        ),
    }
    return zips


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("state", "uploads", "cache"):
        monkeypatch.setenv(f"READBACK_{name.upper()}", str(tmp_path / "m" / name))
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "victim.txt").write_text("mine")
    return tmp_path / "m"


def tree(home: Path) -> dict[str, bytes | None]:
    return hostile.tree(home, *(home / name for name in ("state", "uploads", "cache")))


def taken(raw: bytes) -> None:
    """Upload a zip, and do with its folder what the pages do."""
    token, diagnostics = upload.save([("w.zip", io.BytesIO(raw))], ME, unwrap=True)
    folder = upload.path(token, ME)
    assert folder is not None
    assert all(one.values for one in diagnostics)
    for path in folder.rglob("*"):
        assert not path.is_symlink()
        assert not upload.of_review(path.name)
    with suppress(workspace.NothingRead):
        workspace.open(folder)
    assert main(["review", "list", str(folder)]) in (0, 1, 2)
    upload.delete(token, ME)


def peak(work: Callable[[], object]) -> int:
    """MiB that this process took at most beyond what it had."""
    Path("/proc/self/clear_refs").write_text("5")

    def kib(name: str) -> int:
        lines = Path("/proc/self/status").read_text().splitlines()
        return int(next(line.split()[1] for line in lines if line.startswith(f"{name}:")))

    before = kib("VmRSS")
    work()
    return (kib("VmHWM") - before) >> 10


def test_forty_hostile_zips_touch_nothing(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    zips, before = hostile_zips(home), tree(home)
    assert len(zips) >= 40
    for name, raw in zips.items():
        began = time.monotonic()
        most = peak(lambda raw=raw: taken(raw))
        assert (most < 200, time.monotonic() - began < 60) == (True, True), (name, most)
        assert tree(home) == before, name
        capsys.readouterr()


def test_a_hostile_zip_that_is_served_touches_nothing(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(upload, "WHOLE", 1 << 20)  # of what it unpacks to, as of an upload
    monkeypatch.setitem(globals(), "SIZE", 3 << 20)
    zips, before, packed = hostile_zips(home), tree(home), home.parent / "w.zip"
    notes = dict[str, str]()
    for name, raw in zips.items():
        packed.write_bytes(raw)
        with ExitStack() as stack, suppress(UsageError):
            folder = Path(temporary_workspace.unpack(str(packed), "serve", stack))
            assert folder.is_relative_to(home / "cache" / "zips")
            assert sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) <= upload.WHOLE
            for path in folder.rglob("*"):
                assert not path.is_symlink()
                assert not upload.of_review(path.name)
        assert tree(home) == before, name
        notes[name] = capsys.readouterr().err
    assert "dat-too-large" in notes["a bomb"]
    assert "it is a link" in notes["a link up"]
    assert "dat-path-outside" in notes["a file called '../victim.txt'"]
    assert "it is the store of a review" in notes["a store"]
    assert list((home / "cache" / "zips").glob("*/.new-*")) == []


@pytest.mark.long
def test_mutated_zips_touch_nothing(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    chance, before = random.Random(52), tree(home)
    whole = zipped({".review.sqlite3": b"SQLite format 3\0" * 40, "../victim.txt": b"x", "sub/a.csv": b"id,q\n1,x\n"})

    def try_all() -> None:
        for _ in range(many(500)):
            made = bytearray(whole)
            for _ in range(chance.choice((1, 2, 5, 20))):
                at = chance.randrange(len(made))
                made[at] = chance.choice((0, 255, chance.randrange(256), made[at] ^ 1 << chance.randrange(8)))
            if chance.random() < 0.1:
                del made[chance.randrange(len(made)) :]
            began = time.monotonic()
            taken(bytes(made))
            assert time.monotonic() - began < 10
            capsys.readouterr()

    assert peak(try_all) < 200
    assert tree(home) == before


# How much all uploads may take.


def test_uploads_of_one_browser_and_of_all_have_a_limit_with_its_setting(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(upload_quota.EACH, "3")
    monkeypatch.setenv(upload_quota.ALL, "5")
    you, they = upload.owner("you"), upload.owner("they")

    def send(whose: str, size: int) -> str:
        raw = io.BytesIO(zipped({"big.txt": b"x" * size}))
        return upload.save([("w.zip", raw)], whose)[0]

    first = send(ME, 2 << 20)
    for size in (2 << 20, 4 << 20):
        with pytest.raises(upload_quota.NoRoom, match=r"this browser may take 3 MiB .* READBACK_UPLOADS_EACH"):
            send(ME, size)
    send(you, 2 << 20)
    with pytest.raises(upload_quota.NoRoom, match=r"on this server may take 5 MiB .* READBACK_UPLOADS_ALL"):
        send(they, 2 << 20)
    assert len(list((home / "uploads").iterdir())) == 2
    upload.delete(first, ME)
    send(they, 2 << 20)


def test_many_small_files_count_as_what_they_take(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(upload_quota.EACH, "1")
    with pytest.raises(upload_quota.NoRoom, match="READBACK_UPLOADS_EACH"):
        upload.save([("w.zip", io.BytesIO(zipped({f"{n}.txt": b"x" for n in range(300)})))], ME)
    assert list((home / "uploads").iterdir()) == []


@pytest.mark.parametrize("value", ["", "0", "-1", "x", "1.5"])
def test_a_limit_that_is_no_number_is_the_usual_one(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(upload_quota.ALL, value)
    assert upload_quota.limit(upload_quota.ALL) == 8_192 << 20


def test_the_review_of_an_upload_goes_with_it(home: Path) -> None:
    token, _ = upload.save([("w.zip", io.BytesIO(zipped({})))], ME, unwrap=True)
    folder = upload.path(token, ME)
    assert folder is not None
    before: Any = hostile.tree(folder)
    assert main(["review", "note", str(folder), "--text", "n"]) == 0
    assert hostile.tree(folder) == before
    assert [one.name.partition(".")[0] for one in (home / "state" / "uploads").glob("*.sqlite3")] == [token]
    upload.delete(token, ME)
    assert list((home / "state" / "uploads").iterdir()) == []
