"""The review of one workspace: its events in their order, and the texts they speak of, each kept once by its content.

One SQLite file. An event is saved when its transaction is committed to the disk, and not before; nothing that is saved
is ever changed. The tables hold nothing that Postgres could not.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sqlite3
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, column, create_engine, event, func, insert, inspect, select, table, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from readback.readers import by_address
from readback.review import state_folder
from readback.review.event import FIRST, ID, Draft, Event, NotSaved, digest, now
from readback.review.event import text as said
from readback.review.tables import about, contents, events

MIGRATIONS = Path(__file__).with_name("migrations")
VERSION = "alembic_version"  # the table in which the migrations write down their revision
SCHEMA = "a1"  # the revision of the migrations that this version writes
BUSY = 5_000  # milliseconds to wait while somebody else writes
PRAGMAS = (f"busy_timeout={BUSY}", "journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "trusted_schema=OFF")


class NotReadable(Exception):  # noqa: N818 - an outcome to say in one sentence
    """The file of a review cannot be read; the text says why. It is left as it is."""


@dataclass(frozen=True, slots=True)
class Broken:
    """An event that is not what was saved, or does not follow the one before it."""

    sequence: int
    why: str


@dataclass(frozen=True, slots=True)
class Saved:
    """The answer to a save: `again` where the same draft had been saved before, and this is its event."""

    id: str
    sequence: int
    again: bool = False


class Store:
    """The review of the workspace in `root`. Nothing is made on disk before something is saved."""

    def __init__(self, root: Path, file: Path | None = None) -> None:
        self.root, self.file = root, file or state_folder.place(root)
        self._engine: Engine | None = None

    # Reading.

    def sequence(self) -> int:
        """The number of the last event; 0 where there is none."""
        with self._reading() as there:
            return (
                int(there.execute(select(func.coalesce(func.max(events.c.sequence), 0))).scalar_one()) if there else 0
            )

    def events(self, after: int = 0) -> tuple[Event, ...]:
        """The events in their order, those after a number."""
        with self._reading() as there:
            if there is None:
                return ()
            wanted = select(events).where(events.c.sequence > after).order_by(events.c.sequence)
            return tuple(_event(row) for row in there.execute(wanted))

    def content(self, sha: str) -> bytes | None:
        """A kept text by the hex of its SHA-256; None where it is not there, or is no longer what was kept."""
        with self._reading() as there:
            wanted = select(contents.c.packed).where(contents.c.sha256 == sha)
            packed = there.execute(wanted).scalar_one_or_none() if there else None
        try:
            raw = zlib.decompress(packed) if packed is not None else None
        except zlib.error:
            return None
        return raw if raw is not None and hashlib.sha256(raw).hexdigest() == sha else None

    def kept(self) -> tuple[str, ...]:
        """The hashes of all kept texts."""
        with self._reading() as there:
            wanted = select(contents.c.sha256).order_by(contents.c.sha256)
            return tuple(there.execute(wanted).scalars()) if there else ()

    def broken(self) -> Broken | None:
        """The first event that is not what was saved; None where all follow one another."""
        before, expected = FIRST, 1
        with self._reading() as there:
            for row in there.execute(select(events).order_by(events.c.sequence)) if there else ():
                if (why := _wrong(row, expected, before)) is not None:
                    return Broken(int(row.sequence), why)
                before, expected = row.hash, expected + 1
            last = (
                there.execute(select(about.c.value).where(about.c.name == "last")).scalar_one_or_none()
                if there
                else None
            )
        if last is not None and last != f"{expected - 1} {before}":
            return Broken(expected, "the last events are missing")
        return None

    # Writing.

    def save(self, draft: Draft, kept: Mapping[str, bytes] | None = None) -> Saved:
        """Save a draft, with the texts it speaks of; answers after the commit. Saved again it answers the first's.

        Raises NotSaved, and then nothing of it is saved.
        """
        if not ID.fullmatch(draft.id):
            raise NotSaved("a draft's id is 8 to 64 letters, digits, - and _")
        payload = said(dict(draft.payload))
        with self._writing() as there:
            if (row := there.execute(select(events.c.sequence).where(events.c.id == draft.id)).first()) is not None:
                return Saved(draft.id, int(row.sequence), again=True)
            for sha, raw in (kept or {}).items():
                _keep(there, sha, raw)
            last = there.execute(
                select(events.c.sequence, events.c.hash).order_by(events.c.sequence.desc()).limit(1)
            ).first()
            sequence, before = (int(last.sequence) + 1, last.hash) if last else (1, FIRST)
            time = now()
            made = digest(sequence, draft, time, payload, before)
            _insert(there, sequence, draft, time, payload, before, made)
        return Saved(draft.id, sequence)

    def take(self, given: tuple[Event, ...], kept: Mapping[str, bytes]) -> int:
        """Add events of an export that follow those that are here; answers how many were added.

        Raises NotSaved where they belong to another history, or are not what was saved.
        """
        before, number = FIRST, 0
        for one in given:
            payload, number = said(dict(one.payload)), number + 1
            draft = Draft(one.kind, one.payload, one.author, one.known, one.id)
            if (
                one.sequence != number
                or one.before != before
                or one.hash != digest(number, draft, one.time, payload, before)
            ):
                raise NotSaved(f"event {one.sequence} of the file is not what was saved")
            before = one.hash
        with self._writing() as there:
            here = list(there.execute(select(events.c.sequence, events.c.hash).order_by(events.c.sequence)))
            if len(here) > len(given) or any(
                mine.hash != theirs.hash for mine, theirs in zip(here, given, strict=False)
            ):
                raise NotSaved(
                    "this review has events that the file does not have, so they are two different histories"
                )
            for sha, raw in kept.items():
                _keep(there, sha, raw)
            for one in given[len(here) :]:
                draft = Draft(one.kind, one.payload, one.author, one.known, one.id)
                _insert(there, one.sequence, draft, one.time, said(dict(one.payload)), one.before, one.hash)
        return len(given) - len(here)

    def close(self) -> None:
        """Let go of the file."""
        if self._engine is not None:
            self._engine.dispose()
            self._engine = None

    # The file.

    @contextlib.contextmanager
    def _reading(self) -> Iterator[Connection | None]:
        """A connection to what is there; None where nothing was saved yet. Raises NotReadable."""
        if self._engine is None and not self.file.is_file():
            yield None
            return
        try:
            with self._opened().connect() as there:
                yield there
        except (DBAPIError, OSError) as error:
            raise NotReadable(f"{self.file}: {_reason(error)}") from None

    @contextlib.contextmanager
    def _writing(self) -> Iterator[Connection]:
        """One transaction that nobody else writes beside. Raises NotSaved."""
        try:
            state_folder.prepared(self.file)
            with self._opened().connect() as there:
                there.execute(text("BEGIN IMMEDIATE"))
                try:
                    yield there
                    there.commit()
                except BaseException:
                    there.rollback()
                    raise
        except (DBAPIError, OSError, NotReadable) as error:
            raise NotSaved(f"{self.file}: {_reason(error)}") from None

    def _opened(self) -> Engine:
        """The database, brought to the schema of this version. Raises NotReadable for one of a newer version."""
        if self._engine is None:
            made = _engine(self.file)
            try:
                _migrate(made, self.file, self.root)
            except BaseException:
                made.dispose()
                raise
            self._engine = made
        return self._engine


def _engine(file: Path) -> Engine:
    made = create_engine(f"sqlite:///{file}", poolclass=NullPool)

    @event.listens_for(made, "connect")
    def _connected(connection: sqlite3.Connection, _: object) -> None:
        connection.isolation_level = None  # transactions begin where we say so
        for pragma in PRAGMAS:
            connection.execute(f"PRAGMA {pragma}")

    return made


def _migrate(engine: Engine, file: Path, root: Path) -> None:
    """Make the tables, or bring those of an older version to ours after a copy of the file was put beside it."""
    with engine.connect() as there:
        if _revision(there) == SCHEMA:
            return
    from alembic import command  # a tenth of a second to load, and needed once in the life of a review
    from alembic.config import Config
    from alembic.script import ScriptDirectory

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    scripts = ScriptDirectory.from_config(config)
    head = scripts.get_current_head()
    with engine.connect() as there:
        current = _revision(there)
        if current == head:  # somebody else was quicker
            return
        if current is not None and current not in {one.revision for one in scripts.walk_revisions()}:
            raise NotReadable(f"{file} was written by a newer Readback and is left as it is; use that version")
        if current is not None:
            _copy(file, current)
        there.execute(text("BEGIN IMMEDIATE"))
        if _revision(there) != head:  # nobody else was quicker
            config.attributes["connection"] = there
            command.upgrade(config, "head")
            if current is None:
                there.execute(insert(about), _about(root))
        there.commit()
    if os.name == "posix":
        file.chmod(0o600)
        _synced(file.parent)


def _revision(there: Connection) -> str | None:
    """The revision that the migrations wrote down; None where there are no tables yet."""
    if not inspect(there).has_table(VERSION):
        return None
    return there.execute(select(table(VERSION, column("version_num")).c.version_num)).scalar_one_or_none()


def _synced(folder: Path) -> None:
    """Have the disk know which files a folder has: the journal that made the tables is gone, and stays so after a
    power cut. Else it would be found again, and undo all that came after it.
    """
    number = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def _about(root: Path) -> list[dict[str, str]]:
    """What a review is of: a folder's path, and its device and inode; or an address, whichever folder has its copy."""
    if address := by_address.origin(root):
        return [{"name": "path", "value": json.dumps(address)}, {"name": "folder", "value": ""}]
    real = Path(os.path.realpath(root))
    held = {"path": json.dumps(str(real)), "folder": ""}
    with contextlib.suppress(OSError):
        seen = real.stat()
        held["folder"] = f"{seen.st_dev} {seen.st_ino}"
    return [{"name": name, "value": value} for name, value in held.items()]


def _copy(file: Path, revision: str) -> None:
    to = file.with_name(f"{file.name}.before-{revision}")
    with contextlib.closing(sqlite3.connect(file)) as one, contextlib.closing(sqlite3.connect(to)) as other:
        one.backup(other)


def _keep(there: Connection, sha: str, raw: bytes) -> None:
    if hashlib.sha256(raw).hexdigest() != sha:
        raise NotSaved("a text is not what its hash says")
    if there.execute(select(contents.c.sha256).where(contents.c.sha256 == sha)).first() is None:
        there.execute(insert(contents), {"sha256": sha, "packed": zlib.compress(raw)})


def _insert(there: Connection, sequence: int, draft: Draft, time: str, payload: str, before: str, made: str) -> None:
    there.execute(
        insert(events),
        {
            "sequence": sequence,
            "id": draft.id,
            "author": said(draft.author),
            "known": draft.known,
            "time": time,
            "kind": draft.kind,
            "payload": payload,
            "before": before,
            "hash": made,
        },
    )
    last = {"name": "last", "value": f"{sequence} {made}"}
    if sequence == 1:
        there.execute(insert(about), last)
    else:
        there.execute(about.update().where(about.c.name == "last").values(value=last["value"]))


def _event(row: Any) -> Event:
    author, payload = json.loads(row.author), json.loads(row.payload)
    return Event(int(row.sequence), row.id, author, row.known, row.time, row.kind, payload, row.before, row.hash)


def _wrong(row: Any, expected: int, before: str) -> str | None:
    """Why a row is not the event that was saved; None where it is."""
    if row.sequence != expected:
        return f"event {expected} is missing"
    if row.before != before:
        return "it does not follow the event before it"
    try:
        draft = Draft(row.kind, {}, json.loads(row.author), row.known, row.id)
        made = digest(expected, draft, row.time, row.payload, before)
    except (ValueError, TypeError):
        return "it cannot be read"
    return None if made == row.hash else "it was changed after it was saved"


def _reason(error: Exception) -> str:
    """What a database or a disk says, in one line without its own address."""
    found = getattr(error, "orig", None) or error
    said_ = getattr(found, "strerror", None) or str(found)
    return {
        "database or disk is full": "the disk is full",
        "disk I/O error": "the disk is full or does not answer as it should; free some space on it",
        "unable to open database file": "it cannot be opened; its folder has to be one that can be written to",
        "file is not a database": "it is no database; it was damaged or written by another program",
    }.get(said_, said_.splitlines()[0] if said_ else "it cannot be written to")
