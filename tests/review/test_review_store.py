"""The store of a review: what was said to be saved is there, once, in its order, and a change of it shows."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from counts import many
from hypothesis import given
from hypothesis import strategies as some

from readback.review import exchange, schema, state_folder, store
from readback.review.event import Draft, Kind, NotSaved, new_id
from readback.review.store import NotReadable, Store
from readback.review.who import Author, identify_author

SAVE = """
import sys
from pathlib import Path
from readback.review.event import Draft, new_id
from readback.review.store import Store
store = Store(Path(sys.argv[1]), Path(sys.argv[2]))
while True:
    print(store.save(Draft("note", {"text": "x" * 300}, "Ada", "cli", new_id())).id, flush=True)
"""


@pytest.fixture(autouse=True)
def _state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("READBACK_STATE", str(tmp_path))  # a review is opened nowhere else


@pytest.fixture
def held(tmp_path: Path) -> Iterator[Store]:
    made = Store(tmp_path, tmp_path / "review.sqlite3")
    yield made
    made.close()


def draft(text: Any = "a note", kind: Kind = "note", called: str = "") -> Draft:
    return Draft(kind, {"text": text}, "Ada", "cli", called or new_id())


def test_nothing_is_on_disk_before_something_is_saved(held: Store) -> None:
    assert (held.sequence(), held.events(), held.broken(), held.content("0" * 64)) == (0, (), None, None)
    assert not held.file.exists()


def test_what_is_saved_twice_with_one_id_is_one_event(held: Store) -> None:
    one = draft()
    first, again = held.save(one), held.save(one)
    assert (first.sequence, first.again, again.sequence, again.again) == (1, False, 1, True)
    assert held.save(draft()).sequence == 2
    assert [event.sequence for event in held.events()] == [1, 2]
    assert [event.sequence for event in held.events(after=1)] == [2]


@given(some.text(some.characters(codec=None), max_size=60))
def test_any_text_comes_back_as_it_was(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    folder = tmp_path_factory.mktemp("store")
    made = Store(folder, state_folder.find_folder() / f"{folder.name}.sqlite3")
    made.save(Draft("note", {"text": text}, text, "asked", new_id()))
    (event,) = made.events()
    assert (event.payload, event.author) == ({"text": text}, text)
    assert made.broken() is None
    made.close()


def test_texts_are_kept_once_and_by_their_hash(held: Store) -> None:
    raw = b"a long text" * 1_000
    sha = hashlib.sha256(raw).hexdigest()
    held.save(draft(), {sha: raw})
    held.save(draft(), {sha: raw})
    assert (held.content(sha), held.list_texts()) == (raw, (sha,))
    with pytest.raises(NotSaved, match="not what its hash says"):
        held.save(draft(), {"0" * 64: raw})
    assert held.sequence() == 2


@pytest.mark.parametrize(
    ("change", "sequence", "why"),
    [
        ("UPDATE events SET payload = '{}' WHERE sequence = 2", 2, "changed after it was saved"),
        ("UPDATE events SET author = '\"Eve\"' WHERE sequence = 1", 1, "changed after it was saved"),
        ("UPDATE events SET time = '2001' WHERE sequence = 3", 3, "changed after it was saved"),
        ("DELETE FROM events WHERE sequence = 2", 3, "event 2 is missing"),
        ("DELETE FROM events WHERE sequence = 3", 3, "the last events are missing"),
        ("UPDATE events SET before = 'x' WHERE sequence = 2", 2, "does not follow"),
    ],
)
def test_a_change_behind_its_back_breaks_the_chain(held: Store, change: str, sequence: int, why: str) -> None:
    for _ in range(3):
        held.save(draft())
    with sqlite3.connect(held.file) as there, pytest.raises(sqlite3.IntegrityError, match="never changed"):
        there.execute(change)
    with sqlite3.connect(held.file) as there:
        there.execute("DROP TRIGGER events_update")
        there.execute("DROP TRIGGER events_delete")
        there.execute(change)
    broken = held.broken()
    assert broken is not None
    assert (broken.sequence, why in broken.why) == (sequence, True)


def test_one_of_a_newer_version_is_left_as_it_is(held: Store, tmp_path: Path) -> None:
    held.save(draft())
    held.close()
    with sqlite3.connect(held.file) as there:
        there.execute("UPDATE alembic_version SET version_num = 'later'")
    before = held.file.read_bytes()
    with pytest.raises(NotReadable, match="newer Readback"):
        held.events()
    with pytest.raises(NotSaved, match="newer Readback"):
        held.save(draft())
    assert held.file.read_bytes() == before


def test_a_damaged_file_is_said_and_not_written_over(held: Store) -> None:
    held.file.write_bytes(b"no database at all" * 100)
    with pytest.raises(NotReadable, match="no database"):
        held.events()
    with pytest.raises(NotSaved):
        held.save(draft())


def test_a_folder_that_cannot_be_written_to_is_said_when_a_review_is_read(held: Store) -> None:
    held.save(draft())
    held.close()
    held.file.with_name(f"{held.file.name}-wal").mkdir()  # as a root account, which may write anywhere, can have it
    with pytest.raises(NotReadable, match="cannot be opened; its folder has to be one that can be written to"):
        held.events()


def test_a_full_disk_saves_nothing(held: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    held.save(draft())
    held.close()
    pages = sqlite3.connect(held.file).execute("PRAGMA page_count").fetchone()[0]
    monkeypatch.setattr(store, "PRAGMAS", (*store.PRAGMAS, f"max_page_count={pages + 2}"))
    with pytest.raises(NotSaved, match="the disk is full"):
        held.save(draft("x" * 100_000))
    assert (held.sequence(), held.broken()) == (1, None)


@pytest.mark.parametrize(
    ("payload", "why"),
    [({"text": "x" * (5 << 20)}, "longer than"), ({"text": float("nan")}, "JSON"), ({"text": object()}, "JSON")],
)
def test_what_cannot_be_kept_is_said(held: Store, payload: dict[str, Any], why: str) -> None:
    with pytest.raises(NotSaved, match=why):
        held.save(Draft("note", payload, "Ada", "cli", new_id()))
    with pytest.raises(NotSaved, match="8 to 64"):
        held.save(draft(called="../etc"))


def test_many_who_write_at_once_lose_nothing(held: Store) -> None:
    def write() -> None:
        mine = Store(held.root, held.file)
        for _ in range(10):
            mine.save(draft())
        mine.close()

    threads = [threading.Thread(target=write) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (held.sequence(), held.broken()) == (60, None)


@pytest.mark.long
def test_a_killed_writer_loses_nothing_that_it_said_was_saved(tmp_path: Path) -> None:
    file = tmp_path / "review.sqlite3"
    said: list[str] = []
    for number in range(many(200)):
        child = subprocess.Popen(
            [sys.executable, "-c", SAVE, str(tmp_path), str(file)], stdout=subprocess.PIPE, text=True
        )
        assert child.stdout is not None
        said += [child.stdout.readline().strip() for _ in range(3 + number % 7)]
        os.kill(child.pid, signal.SIGKILL)
        said += [line.strip() for line in child.stdout.read().splitlines(keepends=True) if line.endswith("\n")]
        child.wait()
    kept = Store(tmp_path, file)
    ids = [event.id for event in kept.events()]
    assert len(ids) == len(set(ids))
    assert set(said) <= set(ids)
    assert kept.broken() is None


def test_an_export_is_taken_over_where_it_continues_what_is_there(held: Store, tmp_path: Path) -> None:
    sha = hashlib.sha256(b"text").hexdigest()
    held.save(draft("1\0\ud800"), {sha: b"text"})
    first = BytesIO()
    exchange.export_review(held, first)
    held.save(draft("2"))
    second = BytesIO()
    assert exchange.export_review(held, second) == 2
    other = Store(tmp_path, tmp_path / "other.sqlite3")
    assert exchange.import_review(other, BytesIO(first.getvalue())) == 1
    assert exchange.import_review(other, BytesIO(second.getvalue())) == 1
    assert exchange.import_review(other, BytesIO(second.getvalue())) == 0
    assert [replace(one, imported=False) for one in other.events()] == list(held.events())
    assert all(one.imported and one.source == "imported" for one in other.events())
    assert (other.content(sha), other.broken()) == (b"text", None)
    other.save(draft("mine"))
    with pytest.raises(NotSaved, match="two different histories"):
        exchange.import_review(other, BytesIO(second.getvalue()))
    changed = second.getvalue().replace(b'"text":"2"', b'"text":"3"')
    with pytest.raises(NotSaved, match="event 2 of the file is not what was saved"):
        exchange.import_review(Store(tmp_path, tmp_path / "third.sqlite3"), BytesIO(changed))
    for raw in (b"", b"{}\n", b"not json\n", second.getvalue()[:-20]):
        with pytest.raises(NotSaved):
            exchange.import_review(Store(tmp_path, tmp_path / "fourth.sqlite3"), BytesIO(raw))


def test_a_network_file_system_is_refused(held: Store, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    mounts = tmp_path / "mountinfo"
    mounts.write_text(f"36 35 0:1 / / rw - ext4 /dev/a rw\n37 36 0:2 / {tmp_path} rw - nfs4 host:/x rw\n")
    monkeypatch.setattr(state_folder, "MOUNTS", mounts)
    with pytest.raises(NotSaved, match="network file system"):
        held.save(draft())


def test_a_review_has_a_file_for_its_real_path_and_that_of_an_upload_lies_outside_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("READBACK_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("READBACK_UPLOADS", str(tmp_path / "uploads"))
    folder, upload = tmp_path / "study", tmp_path / "uploads" / "upload-x" / "study"
    folder.mkdir()
    upload.mkdir(parents=True)
    (tmp_path / "link").symlink_to(folder)
    expected = f"{hashlib.sha256(os.fsencode(os.path.realpath(folder))).hexdigest()[:16]}.sqlite3"
    assert state_folder.find_file(folder) == state_folder.find_file(tmp_path / "link") == tmp_path / "state" / expected
    place = state_folder.find_file(upload)
    assert (place.parent, place.name.partition(".")[0]) == (tmp_path / "state" / "uploads", "upload-x")
    Store(folder).save(draft())
    assert (tmp_path / "state").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "state" / expected).stat().st_mode & 0o777 == 0o600


PROXY = {"READBACK_USER_HEADER": "X-User", "READBACK_PROXY": "10.0.0.1, ::1", "READBACK_PROXY_SECRET": "s3cret"}
RIGHT = {"x-user": ["ada"], "x-readback-proxy-secret": ["s3cret"]}


@pytest.mark.parametrize(
    ("headers", "peer", "settings", "expected"),
    [
        ({}, "1.2.3.4", {}, Author("Bo")),
        ({"x-user": ["ada"]}, "10.0.0.1", {}, Author("Bo")),
        (RIGHT, "10.0.0.1", PROXY, Author("ada", "proxy")),
        (RIGHT, "0:0:0:0:0:0:0:1", PROXY, Author("ada", "proxy")),
        (RIGHT, "10.0.0.2", PROXY, Author(refused="not the proxy")),
        (RIGHT, None, PROXY, Author(refused="not the proxy")),
        ({**RIGHT, "x-readback-proxy-secret": ["wrong"]}, "10.0.0.1", PROXY, Author(refused="not the proxy")),
        ({"x-user": ["ada"]}, "10.0.0.1", PROXY, Author(refused="not the proxy")),
        (RIGHT, "10.0.0.1", {**PROXY, "READBACK_PROXY_SECRET": ""}, Author(refused="not the proxy")),
        ({**RIGHT, "x-user": ["ada", "eve"]}, "10.0.0.1", PROXY, Author(refused="doubled")),
        ({**RIGHT, "x-readback-proxy-secret": ["s3cret", "x"]}, "10.0.0.1", PROXY, Author(refused="doubled")),
        ({**RIGHT, "x-user": [" "]}, "10.0.0.1", PROXY, Author(refused="no name")),
    ],
)
def test_a_name_from_a_header_counts_only_from_the_proxy(
    headers: dict[str, list[str]], peer: str | None, settings: dict[str, str], expected: Author
) -> None:
    assert identify_author(headers, peer, " Bo ", settings) == expected


def test_the_hash_of_an_event_is_the_one_that_is_documented(held: Store) -> None:
    held.save(draft("é"))
    (one,) = held.events()
    payload = json.dumps({"text": "é"}, separators=(",", ":"))
    parts = [1, one.id, "Ada", "cli", one.time, "note", payload, "0" * 64]
    assert one.hash == hashlib.sha256(json.dumps(parts, separators=(",", ":")).encode()).hexdigest()


def test_an_older_store_is_migrated_after_a_copy_was_put_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = Store(tmp_path, tmp_path / "review.sqlite3")
    first.save(draft("of the older version"))
    first.close()
    newer = tmp_path / "migrations"
    shutil.copytree(store.MIGRATIONS, newer, ignore=shutil.ignore_patterns("__pycache__"))
    (head,) = [file.stem for file in (newer / "versions").glob("*.py")]
    revision = re.search(r'^revision = "(\w+)"', (newer / "versions" / f"{head}.py").read_text(), re.M)
    assert revision is not None
    assert revision[1] == store.SCHEMA
    (newer / "versions" / "later.py").write_text(LATER.format(before=revision[1]))
    monkeypatch.setattr(store, "MIGRATIONS", newer)
    monkeypatch.setattr(store, "SCHEMA", "later")
    monkeypatch.setitem(schema.COLUMNS, "more", ("x",))
    now = Store(tmp_path, tmp_path / "review.sqlite3")
    now.save(draft("of the newer one"))
    assert [event.payload["text"] for event in now.events()] == ["of the older version", "of the newer one"]
    assert now.broken() is None
    now.close()
    copy = Store(tmp_path, tmp_path / f"review.sqlite3.before-{revision[1]}")
    monkeypatch.undo()
    monkeypatch.setenv("READBACK_STATE", str(tmp_path))
    assert [event.payload["text"] for event in copy.events()] == ["of the older version"]
    copy.close()
    again = Store(tmp_path, tmp_path / "review.sqlite3")  # this version meets the newer store
    with pytest.raises(NotReadable, match="newer Readback"):
        again.events()
    with pytest.raises(NotSaved, match="newer Readback"):
        again.save(draft())


LATER = """
import sqlalchemy as sa
from alembic import op
revision = "later"
down_revision = "{before}"
branch_labels = depends_on = None
def upgrade():
    op.create_table("more", sa.Column("x", sa.Integer))
"""


def test_a_clock_that_goes_back_orders_nothing(held: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    for time in ("2030-01-01T00:00:00.000Z", "1999-01-01T00:00:00.000Z"):
        monkeypatch.setattr(store, "get_time", lambda time=time: time)
        held.save(draft(time))
    assert [event.time[:4] for event in held.events()] == ["2030", "1999"]
    assert held.broken() is None
