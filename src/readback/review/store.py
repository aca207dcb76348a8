"""The review of one workspace: its events in their order, and the texts they speak of, each kept once by its content.

One SQLite file in the server's own state folder, opened nowhere else. An event is saved when its transaction is
committed to the disk, and not before; nothing that is saved is ever changed. The tables hold nothing that Postgres
could not.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import os
import sqlite3
import time as clock
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, Select, create_engine, event, func, insert, select, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from readback.readers.files import copies
from readback.review import kept_text, schema, state_folder
from readback.review.event import (
    FIRST,
    ID,
    MOST,
    SHA,
    BadEventError,
    Draft,
    Event,
    NotSaved,
    check_event,
    compute_hash,
    get_time,
    write_json,
)
from readback.review.schema import about, contents, events

MIGRATIONS = Path(__file__).with_name("migrations")
SCHEMA = "a1"  # the revision of the migrations that this version writes
BUSY = 5_000  # milliseconds to wait while somebody else writes
PRAGMAS = (f"busy_timeout={BUSY}", "journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON")
READ = 128 << 20  # characters of all events together, which are held in memory
CONTENT = "content"  # the name in `about` of what the folder holds, by which it is known again under another path
REMEMBERED = 60.0  # seconds until that is looked at again when something is saved
IMPORTED = "imported"  # the name in `about` of the ranges of events that came with a file: "1-20 25-31"
# What reading a damaged file ends with; the last where the database speaks of its damage in bytes that are no text.
UNREADABLE = (DBAPIError, sqlite3.Error, OSError, UnicodeDecodeError)
UNUSABLE = "move the file away, and import an export of the review"


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
        self.root, self.file = root, file or state_folder.find_file(root)
        self._engine: Engine | None = None
        self._remembered = -math.inf

    # Reading.

    def sequence(self) -> int:
        """Return the number of the last event; 0 where there is none."""
        with self._reading() as there:
            if there:
                return int(there.execute(select(func.coalesce(func.max(events.c.sequence), 0))).scalar_one())
            return 0

    def events(self, after: int = 0) -> tuple[Event, ...]:
        """Return the events in their order, those after a number."""
        with self._reading() as there:
            if there is None:
                return ()
            imported = _read_imported(there)
            wanted = select(events).where(events.c.sequence > after).order_by(events.c.sequence)
            return tuple(_build_event(row, imported) for row in self._rows(there, wanted))

    def _rows(self, there: Connection, wanted: Select[Any]) -> Iterator[Any]:
        """Rows of events in their order. Raises NotReadable where they are in none, or too much to hold."""
        last, room = 0, READ
        for row in there.execute(wanted.execution_options(stream_results=True)):
            if not isinstance(row.sequence, int) or row.sequence <= last:
                raise NotReadable(f"{self.file}: it is damaged, its events are in no order; {UNUSABLE}")
            last = row.sequence
            room -= sum(len(value) for value in row if isinstance(value, (str, bytes)))
            if room < 0:
                raise NotReadable(
                    f"{self.file}: its events are longer than {READ >> 20} MiB, so they are not read; {UNUSABLE}"
                )
            yield row

    def content(self, sha: str) -> bytes | None:
        """Return a stored text by the hex of its SHA-256; None where it is missing or no longer what was stored."""
        if not SHA.fullmatch(sha):
            return None
        with self._reading() as there:
            wanted = select(contents.c.packed).where(contents.c.sha256 == sha)
            if there:
                packed = there.execute(wanted).scalar_one_or_none()
            else:
                packed = None
        if not isinstance(packed, bytes):
            return None
        try:
            raw = kept_text.unpack(packed)
        except kept_text.NotKeptError:
            return None
        if hashlib.sha256(raw).hexdigest() == sha:
            return raw
        return None

    def list_texts(self) -> tuple[str, ...]:
        """Return the hashes of all stored texts."""
        with self._reading() as there:
            wanted = select(contents.c.sha256).order_by(contents.c.sha256)
            hashes = there.execute(wanted).scalars() if there else ()
            return tuple(sha for sha in hashes if isinstance(sha, str) and SHA.fullmatch(sha))

    def broken(self) -> Broken | None:
        """Find the first event that is not what was saved; None where all follow one another."""
        before, expected = FIRST, 1
        with self._reading() as there:
            for row in self._rows(there, select(events).order_by(events.c.sequence)) if there else ():
                if (why := _explain_damage(row, expected, before)) is not None:
                    return Broken(int(row.sequence), why)
                before, expected = row.hash, expected + 1
            if there:
                last = there.execute(select(about.c.value).where(about.c.name == "last")).scalar_one_or_none()
            else:
                last = None
        if last is not None and last != f"{expected - 1} {before}":
            return Broken(expected, "the last events are missing")
        return None

    # Writing.

    def save(self, draft: Draft, texts: Mapping[str, bytes] | None = None) -> Saved:
        """Save a draft, with the texts it speaks of; answers after the commit. Saved again it answers the first's.

        Raises NotSaved, and then nothing of it is saved.
        """
        if not ID.fullmatch(draft.id):
            raise NotSaved("a draft's id is 8 to 64 letters, digits, - and _")
        payload = write_json(dict(draft.payload))
        with self._writing() as there:
            if (row := there.execute(select(events.c.sequence).where(events.c.id == draft.id)).first()) is not None:
                return Saved(draft.id, int(row.sequence), again=True)
            for sha, raw in (texts or {}).items():
                _store_text(there, sha, raw)
            last = there.execute(
                select(events.c.sequence, events.c.hash).order_by(events.c.sequence.desc()).limit(1)
            ).first()
            if last:
                sequence, before = (int(last.sequence) + 1, last.hash)
            else:
                sequence, before = (1, FIRST)
            time = get_time()
            event_hash = compute_hash(sequence, draft, time, payload, before)
            _insert_event(there, sequence, draft, time, payload, before, event_hash)
            self._remember(there)
        return Saved(draft.id, sequence)

    def _remember(self, there: Connection) -> None:
        """Keep what the folder holds now, now and then; of a copy of an address nothing, for its address names it."""
        if clock.monotonic() - self._remembered > REMEMBERED and not copies.find_origin(self.root):
            _put_about(there, CONTENT, state_folder.describe_content(self.root))
            self._remembered = clock.monotonic()

    def take(self, file_events: tuple[Event, ...], texts: Mapping[str, bytes]) -> int:
        """Add events of an export that follow those that are here, marked as imported; answers how many were added.

        Raises NotSaved where one of them is none that may be kept, where they belong to another history, or are not
        what was saved.
        """
        before, number = FIRST, 0
        for file_event in file_events:
            try:
                check_event(file_event)
            except BadEventError as error:
                raise NotSaved(f"event {number + 1} of the file is refused: {error}") from None
            payload, number = write_json(dict(file_event.payload)), number + 1
            draft = Draft(
                file_event.kind, file_event.payload, file_event.author, file_event.author_source, file_event.id
            )
            if (
                file_event.sequence != number
                or file_event.before != before
                or file_event.hash != compute_hash(number, draft, file_event.time, payload, before)
            ):
                raise NotSaved(f"event {file_event.sequence} of the file is not what was saved")
            before = file_event.hash
        with self._writing() as there:
            here = list(there.execute(select(events.c.sequence, events.c.hash).order_by(events.c.sequence)))
            if len(here) > len(file_events) or any(
                mine.hash != theirs.hash for mine, theirs in zip(here, file_events, strict=False)
            ):
                raise NotSaved(
                    "this review has events that the file does not have, so they are two different histories"
                )
            for sha, raw in texts.items():
                _store_text(there, sha, raw)
            for file_event in file_events[len(here) :]:
                draft = Draft(
                    file_event.kind, file_event.payload, file_event.author, file_event.author_source, file_event.id
                )
                _insert_event(
                    there,
                    file_event.sequence,
                    draft,
                    file_event.time,
                    write_json(dict(file_event.payload)),
                    file_event.before,
                    file_event.hash,
                )
            if len(file_events) > len(here):
                _mark_imported(there, len(here) + 1, len(file_events))
        return len(file_events) - len(here)

    def close(self) -> None:
        """Let go of the file."""
        if self._engine is not None:
            self._engine.dispose()
            self._engine = None

    # The file.

    @contextlib.contextmanager
    def _reading(self) -> Iterator[Connection | None]:
        """Connect to the file; yield None where nothing was saved yet. Raises NotReadable."""
        try:
            missing = self._engine is None and not self.file.is_file()
        except OSError as error:  # its folder may not be looked into
            raise NotReadable(f"{self.file}: {_format_reason(error)}") from None
        if missing:
            yield None
            return
        try:
            with self._opened().connect() as there:
                yield there
        except (*UNREADABLE, schema.Foreign) as error:
            raise NotReadable(f"{self.file}: {_format_reason(error)}") from None

    @contextlib.contextmanager
    def _writing(self) -> Iterator[Connection]:
        """One transaction that nobody else writes beside. Raises NotSaved."""
        try:
            state_folder.prepare_folder(self.file)
            with self._opened().connect() as there:
                there.execute(text("BEGIN IMMEDIATE"))
                try:
                    yield there
                    there.commit()
                except BaseException:
                    there.rollback()
                    raise
        except (*UNREADABLE, schema.Foreign) as error:
            raise NotSaved(f"{self.file}: {_format_reason(error)}") from None
        except NotReadable as error:
            raise NotSaved(str(error)) from None

    def _opened(self) -> Engine:
        """Open the database in the schema of this version. Raises NotReadable for one of a newer version."""
        if not state_folder.is_inside(self.file):
            raise NotReadable(
                f"{self.file}: a review is opened only in the state folder, and this file is not in "
                f"{state_folder.find_folder()}; readback review import takes an export"
            )
        if self._engine is None:
            if os.path.lexists(self.file):
                schema.check_file(self.file)
            engine = _create_engine(self.file)
            try:
                _migrate(engine, self.file, self.root)
            except BaseException:
                engine.dispose()
                raise
            self._engine = engine
        return self._engine


def _create_engine(file: Path) -> Engine:
    engine = create_engine(f"sqlite:///{file}", poolclass=NullPool)

    @event.listens_for(engine, "connect")
    def _connected(connection: sqlite3.Connection, _: object) -> None:
        connection.isolation_level = None  # transactions begin where we say so
        schema.confine(connection)
        current = schema.read_version(connection)
        if current == SCHEMA:
            schema.check_tables(connection)
        elif current is None and not schema.is_empty(connection):
            raise schema.Foreign(f"it is a database, but not that of a review; {UNUSABLE}")
        for pragma in PRAGMAS:
            if current in (None, SCHEMA) or not pragma.startswith("journal_mode"):  # another's stays as it is
                connection.execute(f"PRAGMA {pragma}")

    return engine


def _migrate(engine: Engine, file: Path, root: Path) -> None:
    """Make the tables, or bring those of an older version to ours after a copy of the file was put beside it."""
    with engine.connect() as there:
        if _read_revision(there) == SCHEMA:
            return
    from alembic import command  # a tenth of a second to load, and needed once in the life of a review
    from alembic.config import Config
    from alembic.script import ScriptDirectory

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    scripts = ScriptDirectory.from_config(config)
    head = scripts.get_current_head()
    with engine.connect() as there:
        current = _read_revision(there)
        if current == head:  # somebody else was quicker
            return
        if current is not None and current not in {script.revision for script in scripts.walk_revisions()}:
            raise NotReadable(f"{file} was written by a newer Readback and is left as it is; use that version")
        if current is not None:
            schema.check_tables(_get_raw_connection(there))
            _back_up(file, current)
        there.execute(text("BEGIN IMMEDIATE"))
        if _read_revision(there) != head:  # nobody else was quicker
            config.attributes["connection"] = there
            command.upgrade(config, "head")
            if current is None:
                there.execute(insert(about), _describe_root(root))
        there.commit()
    if os.name == "posix":
        file.chmod(0o600)
        _sync_folder(file.parent)


def _read_revision(there: Connection) -> str | None:
    """Return the revision that the migrations wrote down; None where there are no tables yet."""
    return schema.read_version(_get_raw_connection(there))


def _get_raw_connection(there: Connection) -> sqlite3.Connection:
    """Return the connection of Python's own module below one of SQLAlchemy's."""
    raw = there.connection.driver_connection
    assert isinstance(raw, sqlite3.Connection)  # noqa: S101 - for the type checker: there is no other driver here
    return raw


def _sync_folder(folder: Path) -> None:
    """Have the disk know which files a folder has: the journal that made the tables is gone, and stays so after a
    power cut. Else it would be found again, and undo all that came after it.
    """
    number = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def _describe_root(root: Path) -> list[dict[str, str]]:
    """Describe what a review is of: a folder's path, and its device and inode; or an address, whichever folder has its
    copy.
    """
    if address := copies.find_origin(root):
        return [{"name": "path", "value": json.dumps(address)}, {"name": "folder", "value": ""}]
    real = Path(os.path.realpath(root))
    parts = {"path": json.dumps(str(real)), "folder": ""}
    with contextlib.suppress(OSError):
        stat = real.stat()
        parts["folder"] = f"{stat.st_dev} {stat.st_ino}"
    return [{"name": name, "value": value} for name, value in parts.items()]


def _back_up(file: Path, revision: str) -> None:
    to = file.with_name(f"{file.name}.before-{revision}")
    with contextlib.closing(sqlite3.connect(file)) as source, contextlib.closing(sqlite3.connect(to)) as target:
        source.backup(target)


def _store_text(there: Connection, sha: str, raw: bytes) -> None:
    if hashlib.sha256(raw).hexdigest() != sha:
        raise NotSaved("a text is not what its hash says")
    if there.execute(select(contents.c.sha256).where(contents.c.sha256 == sha)).first() is None:
        there.execute(insert(contents), {"sha256": sha, "packed": zlib.compress(raw)})


def _insert_event(
    there: Connection, sequence: int, draft: Draft, time: str, payload: str, before: str, event_hash: str
) -> None:
    there.execute(
        insert(events),
        {
            "sequence": sequence,
            "id": draft.id,
            "author": write_json(draft.author),
            "author_source": draft.author_source,
            "time": time,
            "kind": draft.kind,
            "payload": payload,
            "before": before,
            "hash": event_hash,
        },
    )
    last = {"name": "last", "value": f"{sequence} {event_hash}"}
    if sequence == 1:
        there.execute(insert(about), last)
    else:
        there.execute(about.update().where(about.c.name == "last").values(value=last["value"]))


def _build_event(row: Any, imported: Sequence[range]) -> Event:
    """Build the event of a row; of a damaged one its number, and why the rest is missing."""
    texts = (row.id, row.author, row.author_source, row.time, row.kind, row.payload, row.before, row.hash)
    came = any(row.sequence in numbers for numbers in imported)
    try:
        if not all(isinstance(part, str) and part.isascii() for part in texts):
            raise kept_text.NotKeptError("a part of it is no text as it was saved")
        if len(row.payload) > MOST or len(row.author) > MOST:
            raise kept_text.NotKeptError(f"it is longer than {MOST >> 20} MiB")
        author, payload = kept_text.parse(row.author), kept_text.parse(row.payload)
        if not isinstance(author, str) or not isinstance(payload, dict):
            raise kept_text.NotKeptError("it holds no author or no object")
    except kept_text.NotKeptError as error:
        before, event_hash = (part if isinstance(part, str) else "" for part in (row.before, row.hash))
        damage = f"it is damaged: {error}"
        return Event(row.sequence, "", "", "asked", "", "note", {}, before, event_hash, came, damage)
    return Event(
        row.sequence, row.id, author, row.author_source, row.time, row.kind, payload, row.before, row.hash, came
    )


def _read_imported(there: Connection) -> tuple[range, ...]:
    """Return the numbers of the events that came with a file; all, if their list cannot be read."""
    value = there.execute(select(about.c.value).where(about.c.name == IMPORTED)).scalar_one_or_none()
    try:
        pairs = [str(span).split("-") for span in str(value or "").split()]
        return tuple(range(int(first), int(last) + 1) for first, last in pairs)
    except ValueError:
        return (range(1, 1 << 62),)


def _mark_imported(there: Connection, first: int, last: int) -> None:
    value = there.execute(select(about.c.value).where(about.c.name == IMPORTED)).scalar_one_or_none()
    _put_about(there, IMPORTED, f"{value} {first}-{last}" if value is not None else f"{first}-{last}")


def _put_about(there: Connection, name: str, value: str) -> None:
    if there.execute(select(about.c.name).where(about.c.name == name)).first() is None:
        there.execute(insert(about), {"name": name, "value": value})
    else:
        there.execute(about.update().where(about.c.name == name).values(value=value))


def _explain_damage(row: Any, expected: int, before: str) -> str | None:
    """Why a row is not the event that was saved; None where it is."""
    if row.sequence != expected:
        return f"event {expected} is missing"
    if row.before != before:
        return "it does not follow the event before it"
    try:
        draft = Draft(row.kind, {}, kept_text.parse(row.author), row.author_source, row.id)
        event_hash = compute_hash(expected, draft, row.time, row.payload, before)
    except (ValueError, TypeError, AttributeError):
        return "it cannot be read"
    if event_hash == row.hash:
        return None
    return "it was changed after it was saved"


def _format_reason(error: Exception) -> str:
    """Return what a database or a disk reports, in one line without its own address."""
    if isinstance(error, UnicodeDecodeError):
        return f"it is damaged; {UNUSABLE}"
    cause = getattr(error, "orig", None) or error
    reason = getattr(cause, "strerror", None) or str(cause)
    return {
        "database or disk is full": "the disk is full",
        "disk I/O error": "the disk is full or does not answer as it should; free some space on it",
        "unable to open database file": "it cannot be opened; its folder has to be one that can be written to",
        "Permission denied": "it may not be read by this account; let READBACK_STATE name a folder that it may use",
        "file is not a database": "it is no database; it was damaged or written by another program",
        "database disk image is malformed": f"it is damaged; {UNUSABLE}",
        "interrupted": f"it takes more than {schema.CLOCK:g} s to read, so reading it was stopped; {UNUSABLE}",
    }.get(reason, reason.splitlines()[0] if reason else "it cannot be written to")
