"""A stranger's review writes, deletes, swells, hangs and lies nowhere, whichever way it comes."""

from __future__ import annotations

import hashlib
import io
import os
import random
import shutil
import sqlite3
import time
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import hostile_reviews as hostile
import pytest
from counts import many, part
from small_study import study

from readback.cli import main
from readback.review import exchange, kept_text, schema, signing, state, state_folder
from readback.review.event import BadEventError, Draft, NotSaved, check_payload, is_path_inside, new_id
from readback.review.store import NotReadable, Store
from readback.ui.common.uploads import store as upload

Write = Callable[[Mapping[str, Any]], Path]
ME = upload.owner("me")
MOST = 10.0  # seconds in which anything answers, or says that it stopped


@dataclass
class World:
    """A machine with a study, somebody's own file, and the three folders that a server may write to."""

    home: Path
    root: Path
    victim: Path

    @property
    def own(self) -> tuple[Path, ...]:
        return tuple(self.home / name for name in ("state", "uploads", "cache"))

    def tree(self) -> dict[str, bytes | None]:
        return hostile.tree(self.home, *self.own)

    def upload(self, files: Mapping[str, bytes]) -> tuple[Path, list[str]]:
        """A zip of the study with more files, uploaded; its folder, and what the user is told was left out."""
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in sorted(self.root.rglob("*")):
                if path.is_file():
                    archive.write(path, path.relative_to(self.root).as_posix())
            for name, raw in files.items():
                archive.writestr(name, raw)
        token, diagnostics = upload.save([("study.zip", out)], ME, unwrap=True)
        folder = upload.path(token, ME)
        assert folder is not None
        return folder, [str(one.values.get("path")) for one in diagnostics]


@pytest.fixture
def world(write: Write, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> World:
    home = tmp_path_factory.mktemp("machine")
    shutil.copytree(study(write), home / "study")
    made = World(home, home / "study", home / "victim.txt")
    made.victim.write_text("mine")
    monkeypatch.setenv("READBACK_STATE", str(home / "state"))
    monkeypatch.setenv("READBACK_UPLOADS", str(home / "uploads"))
    monkeypatch.setenv("READBACK_CACHE", str(home / "cache"))
    return made


def commands(root: Path, capsys: pytest.CaptureFixture[str], to: Path) -> str:
    """All that every command which reads a review says of one; none ends in a traceback, or later than it should."""
    capsys.readouterr()
    said = ""
    for words in (["review", "list"], ["review", "verify"], ["agenda"], ["since"]):
        began = time.monotonic()
        assert main([words[0], *words[1:], str(root)]) in (0, 1, 2)
        assert time.monotonic() - began < MOST
        out, err = capsys.readouterr()
        said += out + err
    assert main(["report", str(root), "-o", str(to)]) in (0, 2)
    out, err = capsys.readouterr()
    return said + out + err


def in_state(root: Path) -> Path:
    """Where the store of a folder lies; its folder is there."""
    file = state_folder.find_file(root)
    state_folder.prepare_folder(file)
    return file


def targets(world: World) -> list[str]:
    deep = "../" * 12
    return [str(world.victim), str(world.home / "new.txt"), f"{deep}{str(world.home)[1:]}/new.txt", "../../victim.txt",
            "a/../../../x", "..", "/", "", "a//b", "C:\\x", "\\\\host\\x", "~/x", "a\\..\\..\\x", ".git/config",
            "x/.GIT /hooks/post-checkout", "a\0b", "a" * 300, "\ud800"]  # fmt: skip


# Names, and what an event may hold.


def test_a_name_that_leaves_its_folder_is_none(world: World) -> None:
    assert [name for name in targets(world) if is_path_inside(name)] == []
    for name in ("readback.yml", "a/b c.yml", "./x.yml", "prompts/é.jinja", "a..b/..c", "models--x/snapshots/1/t.json"):
        assert is_path_inside(name), name


@pytest.mark.parametrize(
    ("kind", "payload"),
    [
        ("note", {}),
        ("note", {"text": 1}),
        ("note", {"text": "x", "anchor": []}),
        ("note", {"text": "x", "anchor": {"start": 1}}),
        ("note", {"text": "x", "anchor": {"start": -1, "end": 2}}),
        ("note", {"text": "x", "anchor": {"record": ["1"]}}),
        ("note", {"text": "x", "kept": "../x"}),
        ("answer", {"note": 1, "text": "x"}),
        ("edit", {"signoff": []}),
        ("decision", {"subject": "study", "verdict": "accept", "reason": "r"}),
        ("decision", {"subject": {"kind": "comparison", "names": ["a"]}, "verdict": "accept", "reason": "r"}),
        ("decision", {"subject": {"kind": [], "names": []}, "verdict": "accept", "reason": "r"}),
        ("decision", {"subject": {"kind": "study", "names": []}, "verdict": "accept", "reason": "r", "lock": 3}),
        ("decision", {"subject": {"kind": "study", "names": []}, "verdict": "accept", "reason": "r", "today": "now"}),
        ("signoff", {**hostile.SIGNED, "files": []}),
        ("signoff", {**hostile.SIGNED, "files": {"a.yml": "short"}}),
        ("signoff", {**hostile.SIGNED, "files": {"../a.yml": hostile.NOTHING}}),
        ("signoff", {**hostile.SIGNED, "left_out": ["/etc/passwd"]}),
        ("signoff", {**hostile.SIGNED, "files": {f"{n}": hostile.NOTHING for n in range(5_001)}}),
        ("agenda", {"do": "add", "entry": "x"}),
        ("agenda", {"do": ["add"]}),
        ("vote", {}),
    ],
)
def test_a_payload_of_another_shape_is_named_and_used_nowhere(kind: str, payload: dict[str, Any]) -> None:
    with pytest.raises(BadEventError):
        check_payload(kind, payload)


def test_the_payloads_that_the_program_writes_pass(world: World) -> None:
    for words in (["note", "--text", "n", "--condition", "one", "--record", "1", "--message", "0", "--span", "0-2"],
                  ["decide", "--subject", "condition:two", "--accept", "--reason", "r"],
                  ["decide", "--subject", "study", "--defer", "--reason", "r"], ["sign", "--subject", "study"],
                  ["sign", "--subject", "condition:one"]):  # fmt: skip
        assert main(["review", words[0], str(world.root), *words[1:]]) == 0
    found = state.build_review(Store(world.root).events())
    assert (len(found.notes), len(found.decisions), len(found.signoffs), found.unread) == (1, 2, 2, ())


# Write: a sign-off whose kept files have names that leave their folder.


@pytest.mark.long
# First an absolute path, one that leads up, and one into the folder of git; all names are tried by the tests around.
@pytest.mark.parametrize("number", part(sorted(range(18), key=lambda number: number not in (0, 2, 13)), 3))
def test_a_signoff_writes_no_file_outside(
    world: World, number: int, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    events, kept = hostile.writes(targets(world)[number])
    evil = hostile.store(tmp_path / "evil.sqlite3", events, hostile.packed(kept))
    exported = tmp_path / "evil.jsonl"
    exported.write_bytes(hostile.export(events, kept))
    before = world.tree()
    # As an upload.
    folder, left_out = world.upload({".review.sqlite3": evil.read_bytes()})
    assert left_out == [".review.sqlite3"]
    assert "written by a stranger" not in commands(folder, capsys, tmp_path / "r.html")
    # As an import.
    assert main(["review", "import", str(world.root), str(exported)]) == 2
    err = capsys.readouterr().err
    assert "event 1 of the file is refused: it names a file outside of its folder" in err
    commands(world.root, capsys, tmp_path / "r.html")
    # As a folder that is opened, which its store came with, and which looks like an upload.
    opened = world.home / "upload-opened" / "study"
    shutil.copytree(world.root, opened)
    shutil.copyfile(evil, opened / ".review.sqlite3")
    (opened.parent / ".owner").write_text("x")
    with_folder = world.tree()
    commands(opened, capsys, tmp_path / "r.html")
    assert world.tree() == with_folder
    # And where it lies in the state folder, whoever put it there.
    shutil.copyfile(evil, in_state(world.root))
    assert "event 1 cannot be used, so it is not shown: it names a file outside" in commands(
        world.root, capsys, tmp_path / "r.html"
    )
    shutil.rmtree(opened.parent)
    assert world.tree() == before


def test_what_lays_kept_files_out_looks_at_their_names_itself(world: World) -> None:
    held = Store(world.root)
    sha = hashlib.sha256(b"x").hexdigest()
    held.save(Draft("note", {"text": "n"}, "Ada", "cli", new_id()), {sha: b"x"})
    for name in targets(world):
        with pytest.raises(signing.NotKept):
            signing._write_files(held, {name: sha}, world.home / "cache")
    assert not (world.home / "cache").exists() or not list((world.home / "cache").rglob("x"))


# Delete: a journal beside a database that names a file.


@pytest.mark.parametrize("name", [".review.sqlite3", "data.db", "x/.REVIEW.sqlite3", "0123456789abcdef.sqlite3"])
def test_a_journal_deletes_no_file(world: World, name: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    events = hostile.rows([("note", {"text": "n"})])
    evil = hostile.store(tmp_path / "evil.sqlite3", events).read_bytes()
    raw = hostile.journal(world.victim)
    before = world.tree()
    sent = {name: evil, f"{name}-journal": raw, f"{name}-wal": raw, f"{name}-shm": raw, "harmless.txt": raw,
            f"{name}-mj0123ABCD": str(world.victim).encode()}  # fmt: skip
    folder, left_out = world.upload(sent)
    stays = set() if "sqlite3" in name else {name}
    assert set(left_out) == set(sent) - stays
    commands(folder, capsys, tmp_path / "r.html")
    assert [path.name for path in folder.rglob("*-*")] == []
    assert world.tree() == before
    for path, content in sent.items():
        (world.root / path).parent.mkdir(exist_ok=True)
        (world.root / path).write_bytes(content)
    before = world.tree()
    commands(world.root, capsys, tmp_path / "r.html")
    assert world.tree() == before


def test_a_store_outside_of_the_state_folder_is_not_opened(world: World) -> None:
    file = hostile.store(world.home / "elsewhere.sqlite3", hostile.rows([("note", {"text": "n"})]))
    (world.home / "elsewhere.sqlite3-journal").write_bytes(hostile.journal(world.victim))
    before = world.tree()
    with pytest.raises(NotReadable, match="only in the state folder"):
        Store(world.root, file).events()
    with pytest.raises(NotSaved, match="only in the state folder"):
        Store(world.root, file).save(Draft("note", {"text": "n"}, "Ada", "cli", new_id()))
    link = in_state(world.root)
    link.symlink_to(file)
    with pytest.raises(NotReadable, match="it is a link"):
        Store(world.root).events()
    assert world.tree() == before


# Swell: what unpacks to gigabytes.


def peak(work: Callable[[], object]) -> int:
    """MiB that this process took at most beyond what it had."""
    Path("/proc/self/clear_refs").write_text("5")
    before = _kib("VmRSS")
    work()
    return (_kib("VmHWM") - before) >> 10


def _kib(name: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith(f"{name}:")))


def test_a_text_that_unpacks_to_a_gigabyte_takes_no_memory(
    world: World, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    events, kept = hostile.bomb()
    evil = hostile.store(tmp_path / "evil.sqlite3", events, kept)
    assert evil.stat().st_size < 4 << 20
    _, left_out = world.upload({".review.sqlite3": evil.read_bytes()})
    assert left_out == [".review.sqlite3"]
    shutil.copyfile(evil, in_state(world.root))
    (sha,) = kept
    assert peak(lambda: Store(world.root).content(sha)) < 200
    assert Store(world.root).content(sha) is None
    said = list[str]()
    assert peak(lambda: said.append(commands(world.root, capsys, tmp_path / "r.html"))) < 200
    assert "what it was made on is no longer kept" in said[0]


def test_kept_texts_are_unpacked_within_their_room() -> None:
    whole = os.urandom(40 << 20)
    assert kept_text.unpack(zlib.compress(whole, 1)) == whole
    assert kept_text.unpack(zlib.compress(b"\0" * kept_text.FLOOR)) == b"\0" * kept_text.FLOOR
    for raw, why in ((zlib.compress(b"\0" * (kept_text.FLOOR + 1)), "more than 32 MiB"), (b"no zlib", "damaged"),
                     (zlib.compress(b"text")[:-2], "its end is missing"), (b"", "its end is missing")):  # fmt: skip
        with pytest.raises(kept_text.NotKeptError, match=why):
            kept_text.unpack(raw)


@pytest.mark.parametrize("said", ["[" * 500 + "]" * 500, "[" * 200_000, "[],[],", "[" + "[]," * 2_000_001 + "1]",
                                  '{"a":' * 300 + "1" + "}" * 300, "\ud800{", b"\xff"])  # fmt: skip
def test_json_that_swells_or_sinks_is_not_parsed(said: str | bytes) -> None:
    with pytest.raises(kept_text.NotKeptError):
        kept_text.parse(said)


# Never end: schemas that are not ours.


@pytest.mark.parametrize("name", hostile.SCHEMAS)
def test_a_schema_that_works_by_itself_is_refused_before_a_row_is_read(
    world: World, name: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    rows = [] if name == "a column that is worked out" else hostile.rows([("note", {"text": "n"})])
    plain = hostile.SCHEMAS[name]
    evil = tmp_path / "evil.sqlite3"
    with closing(sqlite3.connect(evil)) as there:
        there.executescript(plain)
        if rows and "TABLE events" in plain:
            there.executemany("INSERT INTO events VALUES (?,?,?,?,?,?,?,?,?)", rows)
        there.commit()
    before = world.tree()
    _, left_out = world.upload({".review.sqlite3": evil.read_bytes(), "sub/.review.sqlite3": evil.read_bytes()})
    assert left_out == [".review.sqlite3", "sub/.review.sqlite3"]
    file = in_state(world.root)
    shutil.copyfile(evil, file)
    began = time.monotonic()
    with pytest.raises(NotReadable) as refused:
        Store(world.root).events()
    assert time.monotonic() - began < MOST / 2
    assert str(file) in str(refused.value)
    assert "move the file away" in str(refused.value)
    with pytest.raises(NotSaved):
        Store(world.root).save(Draft("note", {"text": "n"}, "Ada", "cli", new_id()))
    assert "move the file away" in commands(world.root, capsys, tmp_path / "r.html")
    assert file.read_bytes() == evil.read_bytes()
    assert world.tree() == before


def test_reading_that_does_not_end_is_stopped(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Behind the check of the schema, for what that does not see."""
    monkeypatch.setattr(schema, "check_tables", lambda connection: None)
    assert schema.PROCESSOR < schema.CLOCK < MOST
    monkeypatch.setattr(schema, "PROCESSOR", schema.PROCESSOR / 5)
    shutil.copyfile(hostile.store(world.home / "state" / "x.sqlite3", [], schema=hostile.ENDLESS), in_state(world.root))
    began = time.monotonic()
    with pytest.raises(NotReadable, match=r"so reading it was stopped|in no order|longer than"):
        Store(world.root).broken()
    with pytest.raises(NotReadable, match="so reading it was stopped"):
        Store(world.root).sequence()
    assert time.monotonic() - began < 2 * MOST


# Lie: an author that the file claims.


def test_an_imported_author_is_never_known_by_the_proxy(
    world: World, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    on = {"subject": {"kind": "study", "names": []}, "verdict": "accept", "reason": "All is well."}
    events = hostile.rows([("note", {"text": "n", "anchor": {"kind": "study"}}), ("decision", on)])
    held = Store(world.root)
    exported = tmp_path / "evil.jsonl"
    exported.write_bytes(hostile.export(events))
    assert main(["review", "import", str(world.root), str(exported)]) == 0
    held.save(Draft("note", {"text": "own"}, "Bo", "proxy", new_id()))
    found = state.build_review(held.events())
    assert [(one.by.author, one.by.source) for one in (*found.notes, *found.decisions)] == [
        ("The CEO", "imported"), ("Bo", "proxy"), ("The CEO", "imported")]  # fmt: skip
    assert held.broken() is None
    said = commands(world.root, capsys, tmp_path / "r.md")
    assert "The CEO (imported)" in said
    report = (tmp_path / "r.md").read_text()
    assert ("The CEO \\(imported" in report or "The CEO (imported" in report, "name from the proxy" in report) == (
        True, True)  # fmt: skip
    assert "The CEO (name from the proxy" not in report
    # Carried on, it stays so on the next machine, and what is own there stays own.
    second = io.BytesIO()
    exchange.export_review(held, second)
    other = Store(world.root, world.home / "state" / "other.sqlite3")
    assert exchange.import_review(other, io.BytesIO(second.getvalue())) == 3
    assert all(one.imported for one in other.events())
    other.save(Draft("note", {"text": "mine"}, "Cy", "asked", new_id()))
    assert [one.imported for one in other.events()] == [True, True, True, False]
    folder, left_out = world.upload({".review.sqlite3": hostile.store(tmp_path / "e.sqlite3", events).read_bytes()})
    assert left_out == [".review.sqlite3"]
    assert "The CEO" not in commands(folder, capsys, tmp_path / "r.md")


# Damaged rows.


DAMAGE = {
    "payload that is no JSON": ("payload", "{"),
    "payload that is a list": ("payload", "[]"),
    "payload that nests": ("payload", "[" * 100_000),
    "payload of bytes": ("payload", b"\xff\xfe"),
    "payload of many values": ("payload", '{"text": [' + "1," * 2_100_000 + "1]}"),
    "author that is a number": ("author", "7"),
    "author that is no JSON": ("author", "Ada"),
    "author of bytes": ("author", b"\x80"),
    "author of null": ("author", "null"),
    "time that is a number": ("time", 5),
    "time that is no day": ("time", "2026-02-31T00:00:00.000Z"),
    "kind of another version": ("kind", "vote"),
    "kind of bytes": ("kind", b"\xc3"),
    "known in no known way": ("known", "god"),
    "id that is a path": ("id", "../../../x"),
    "hash of bytes": ("hash", b"\xff"),
    "before that is null bytes": ("before", b"\0"),
}


@pytest.mark.long
@pytest.mark.parametrize("name", part(tuple(DAMAGE), 8))
def test_a_damaged_row_is_named_by_its_number_and_the_others_are_shown(
    world: World, name: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    column, value = DAMAGE[name]
    held = Store(world.root)
    for text in ("first", "second", "third"):
        held.save(Draft("note", {"text": text, "anchor": {"kind": "study"}}, "Ada", "cli", new_id()))
    with closing(sqlite3.connect(held.file)) as there:
        there.execute("DROP TRIGGER events_update")
        there.execute(f"UPDATE events SET {column} = ? WHERE sequence = 2", (value,))
        there.commit()
    held.close()
    broken = held.broken()
    assert broken is not None
    assert broken.sequence in (2, 3)
    said = commands(world.root, capsys, tmp_path / "r.md")
    shown = {"hash of bytes", "before that is null bytes"}
    assert ("first" in said, "third" in said) == (True, True)
    if name not in shown or name == "hash of bytes":
        assert "event 2 cannot be used, so it is not shown: it" in said
    assert "Entry 2 of the review cannot be used" in (tmp_path / "r.md").read_text().replace("\\", "")
    if "JSON" in name or "bytes" in name:
        assert main(["review", "export", str(world.root), "-o", str(tmp_path / "out.jsonl")]) == 2
        assert "event 2 of the review cannot be exported" in capsys.readouterr().err


def test_a_damaged_line_of_an_import_refuses_all_of_it(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    good = hostile.export(hostile.rows([("note", {"text": "n"})]))
    first, event = good.splitlines(keepends=True)
    bad = [
        first + b"[" * 100_000 + b"\n", first + b"[]\n", first + b'{"event": []}\n', first + b'{"event": {}}\n',
        first + event.replace(b'"sequence": 1', b'"sequence": true'), first + event.replace(b'"proxy"', b'"god"'),
        first + event.replace(b'"payload": {"text": "n"}', b'"payload": "n"'), b"\xff" + good, first + b"\0",
        first + b'{"content": "../x", "base64": "AA=="}\n' + event, first + b'{"content": 3, "base64": 4}\n',
        first + event + event, b'{"readback.review": 2}\n' + event, b"SQLite format 3\0" * 9,
    ]  # fmt: skip
    for number, raw in enumerate(bad):
        file = world.home / "state" / f"{number}.jsonl"
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(raw)
        assert main(["review", "import", str(world.root), str(file)]) == 2, raw[:200]
        assert capsys.readouterr().err.count("\n") <= 2
    assert Store(world.root).sequence() == 0


# Mutated stores.


@pytest.fixture
def sound(world: World) -> bytes:
    """The bytes of a store with everything in it."""
    for words in (["note", "--text", "a note", "--condition", "one", "--record", "1", "--message", "0"],
                  ["note", "--text", "another"], ["decide", "--subject", "study", "--accept", "--reason", "r"],
                  ["sign", "--subject", "study"], ["note", "--text", "later"]):  # fmt: skip
        assert main(["review", words[0], str(world.root), *words[1:], "--as", "Ada"]) == 0
    held = Store(world.root)
    with closing(sqlite3.connect(held.file)) as there:
        there.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        there.execute("PRAGMA journal_mode=DELETE")
    held.close()
    return held.file.read_bytes()


def read(root: Path) -> str:
    """All of a store, as far as it can be read; how that ended."""
    held = Store(root)
    try:
        found = state.build_review(held.events())
        held.broken()
        for sha in held.list_texts():
            held.content(sha)
    except NotReadable as error:
        return "refused" if str(held.file) in str(error) else str(error)
    finally:
        held.close()
    if not all(one.why and one.sequence for one in found.unread):
        return "an entry without a reason"
    try:
        exchange.export_review(held, io.BytesIO())
    except NotReadable as error:
        return "not exported" if "cannot be exported" in str(error) or str(held.file) in str(error) else str(error)
    return "without some entries" if found.unread else "whole"


def mutated(raw: bytes, chance: random.Random) -> bytes:
    """Some bytes changed, a stretch copied, cut or filled: near each other or anywhere."""
    made = bytearray(raw)
    for _ in range(chance.choice((1, 1, 2, 5, 20))):
        at = chance.randrange(len(made))
        how = chance.randrange(6)
        if how == 0:
            made[at] = chance.randrange(256)
        elif how == 1:
            made[at] ^= 1 << chance.randrange(8)
        elif how == 2:
            stop = min(len(made), at + chance.randrange(1, 64))
            made[at:stop] = bytes([chance.choice((0, 255, chance.randrange(256)))]) * (stop - at)
        elif how == 3:
            other, size = chance.randrange(len(made)), chance.randrange(1, 200)
            piece = made[other : other + size]
            made[at : at + len(piece)] = piece
        elif how == 4 and len(made) > 1_000:
            page = 4_096 * (at // 4_096)
            other = 4_096 * (chance.randrange(len(made)) // 4_096)
            made[page : page + 4_096] = made[other : other + 4_096]
        elif chance.random() < 0.1:
            del made[at:]
            made += b"\0" * chance.choice((0, 1))
    return bytes(made) or b"\0"


@pytest.mark.long
def test_a_thousand_mutated_stores_are_read_or_said_to_be_damaged(
    world: World, sound: bytes, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    chance = random.Random(52)
    file = state_folder.find_file(world.root)
    before, worst, ends = world.tree(), 0, Counter[str]()
    for number in range(many(1_000)):
        for one in file.parent.glob(f"{file.name}*"):
            one.unlink()
        raw = sound
        while raw == sound:
            raw = mutated(sound, chance)
        file.write_bytes(raw)
        began = time.monotonic()
        worst = max(worst, peak(lambda: ends.update([read(world.root)])))
        if number % 10 == 0:
            commands(world.root, capsys, tmp_path / "r.html")
        assert time.monotonic() - began < 4 * MOST
    assert world.tree() == before
    assert worst < 200
    assert ends.total() == many(1_000)
    assert not ends.keys() - {"whole", "refused", "without some entries", "not exported"}


def test_a_store_of_a_newer_version_is_named_with_the_next_step(world: World) -> None:
    shutil.copyfile(
        hostile.store(world.home / "state" / "x.sqlite3", [], schema=hostile.SCHEMA.replace("'a1'", "'z9'")),
        in_state(world.root),
    )
    with pytest.raises(NotReadable, match=r"\.sqlite3 was written by a newer Readback .*; use that version"):
        Store(world.root).events()
