"""Open the file of a review within limits of size and time, and only where it has the tables of a review.

A database may bring code of its own: views that never end, triggers, columns that are worked out. None of ours has
any but the two triggers that keep events from being changed, so any other is refused before a row is read.
"""

from __future__ import annotations

import re
import sqlite3
import time
from pathlib import Path

from sqlalchemy import Column, Integer, LargeBinary, MetaData, String, Table, Text

metadata = MetaData()

events = Table(
    "events",
    metadata,
    Column("sequence", Integer, primary_key=True, autoincrement=False),
    Column("id", String(64), nullable=False, unique=True),
    Column("author", Text, nullable=False),  # JSON
    Column("known", String(16), nullable=False, key="author_source"),
    Column("time", String(32), nullable=False),
    Column("kind", String(16), nullable=False),
    Column("payload", Text, nullable=False),  # JSON
    Column("before", String(64), nullable=False),
    Column("hash", String(64), nullable=False),
)
contents = Table(
    "contents",
    metadata,
    Column("sha256", String(64), primary_key=True),
    Column("packed", LargeBinary, nullable=False),  # zlib
)
about = Table("about", metadata, Column("name", String(16), primary_key=True), Column("value", Text, nullable=False))


LARGEST = 4 << 30  # bytes of a review's file
VALUE = 512 << 20  # bytes of one value in it
PROCESSOR, CLOCK = 2.5, 8.0  # seconds that reading it may take, of this thread's processor time and on the clock
STEPS = 20_000  # instructions of the database between two looks at the clock
BEGINS = b"SQLite format 3\0"
VERSION = "alembic_version"
TRIGGERS = frozenset(
    f"CREATE TRIGGER events_{change.lower()} BEFORE {change} ON events "
    "BEGIN SELECT RAISE(ABORT, 'an event is never changed'); END"
    for change in ("UPDATE", "DELETE")
)
COLUMNS = {table.name: tuple(column.name for column in table.columns) for table in metadata.tables.values()}
COLUMNS[VERSION] = ("version_num",)
WORKED_OUT = re.compile(r"\b(generated|virtual|check|default|collate|references)\b", re.IGNORECASE)
FIRST_PRAGMAS = ("trusted_schema=OFF", "cell_size_check=ON", "mmap_size=0")
DEFENSIVE = "SQLITE_DBCONFIG_DEFENSIVE"  # which Python's own module can set from 3.12 on


class Foreign(Exception):  # noqa: N818 - an outcome to say in one sentence
    """A file is none of ours to open; the text says why and what to do."""


def check_file(file: Path) -> None:
    """Check what a review's file is before a database opens it. Raises Foreign."""
    if file.is_symlink():
        raise Foreign("it is a link, and a review is never opened through one; put the file itself there")
    size = file.stat().st_size
    if size > LARGEST:
        raise Foreign(f"it is larger than {LARGEST >> 30} GiB, which no review is; move it away and import an export")
    with file.open("rb") as opened:
        begins = opened.read(len(BEGINS))
    if size and begins != BEGINS:
        raise Foreign("it is no database; it was damaged or written by another program")


def confine(connection: sqlite3.Connection) -> None:
    """Limit a new connection: nothing of its schema is trusted, no value is too long, and reading it ends in time."""
    for pragma in FIRST_PRAGMAS:
        connection.execute(f"PRAGMA {pragma}")
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, VALUE)
    connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    connection.setlimit(sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH, 2)
    if hasattr(sqlite3, DEFENSIVE):
        connection.setconfig(getattr(sqlite3, DEFENSIVE))  # type: ignore[attr-defined]
    connection.text_factory = _decode_text
    processor, clock = time.thread_time() + PROCESSOR, time.monotonic() + CLOCK
    connection.set_progress_handler(lambda: time.thread_time() > processor or time.monotonic() > clock, STEPS)


def check_tables(connection: sqlite3.Connection) -> None:
    """Check that a file has the tables of a review and nothing that works by itself. Raises Foreign."""
    for kind, name, sql in connection.execute("SELECT type, name, sql FROM main.sqlite_master").fetchall():
        if kind == "index" and sql is None:
            continue  # one that a table brings for its keys
        if kind == "trigger" and " ".join(str(sql).split()) in TRIGGERS:
            continue
        if kind != "table" or name not in COLUMNS:
            raise Foreign(
                f"it has a {kind} {ascii(name)[:80]}, which no review has, so nothing of it is read; "
                f"move the file away and import an export of the review"
            )
        _check_table(connection, name, str(sql))


def is_empty(connection: sqlite3.Connection) -> bool:
    """Return whether nothing was made in a file yet."""
    return connection.execute("SELECT 1 FROM main.sqlite_master LIMIT 1").fetchone() is None


def read_version(connection: sqlite3.Connection) -> str | None:
    """Return the version that a file states; None where it states none. Raises Foreign if it is in no plain table."""
    rows = connection.execute("SELECT type, sql FROM main.sqlite_master WHERE name = ?", (VERSION,)).fetchall()
    if not rows:
        return None
    if [kind for kind, _ in rows] != ["table"]:
        raise Foreign(
            "its version is not in a table, so nothing of it is read; move the file away and import an "
            "export of the review"
        )
    _check_table(connection, VERSION, str(rows[0][1]))
    row = connection.execute(f"SELECT version_num FROM main.{VERSION} LIMIT 1").fetchone()  # noqa: S608 - our own name
    if row:
        return str(row[0])
    return None


def _check_table(connection: sqlite3.Connection, name: str, sql: str) -> None:
    columns = connection.execute("SELECT name, dflt_value, hidden FROM pragma_table_xinfo(?)", (name,)).fetchall()
    plain = all(value is None and not hidden for _, value, hidden in columns)
    if tuple(column for column, _, _ in columns) != COLUMNS[name] or not plain or WORKED_OUT.search(sql):
        raise Foreign(
            f"its table {name} is not that of a review, so nothing of it is read; move the file away and "
            f"import an export of the review"
        )


def _decode_text(raw: bytes) -> str:
    """Text of a row; what is no UTF-8 becomes lone surrogates, so that a damaged row is found by whoever reads it."""
    return raw.decode("utf-8", "surrogateescape")
