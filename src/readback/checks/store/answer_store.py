"""Store answers by name in one SQLite file of the cache, within a bound of size; the least recently used go first.

An answer is a list of pieces of bytes. Each piece lies beside its checksum, so that a damaged one is never believed: it
is removed and worked out again. A file that is no store of this version is replaced by an empty one.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from readback.readers.files import checksum
from readback.readers.files.cache_folder import cache_folder

KIND = "checks"  # the folder in the cache
FILE = "answers.sqlite3"
VERSION = 1  # of the tables
MOST = 512 << 20  # bytes of all answers together
LARGEST = 128 << 20  # bytes of one answer
WAIT = 5.0  # seconds for another process that writes
TABLES = f"""
    CREATE TABLE answer (name TEXT PRIMARY KEY, used REAL NOT NULL, size INTEGER NOT NULL);
    CREATE TABLE piece (name TEXT NOT NULL, number INTEGER NOT NULL, content BLOB NOT NULL, sum BLOB NOT NULL,
                        PRIMARY KEY (name, number));
    PRAGMA user_version = {VERSION};
"""


class AnswerStore:
    """Answers that other checks worked out. Safe to use from several threads and by several processes.

    Where the file cannot be written, nothing is stored, and nobody is told: an answer is then worked out again.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None

    def read(self, name: str) -> list[bytes] | None:
        """Return the pieces of an answer; None where it is not there or damaged."""
        with self._lock:
            if not self.path.exists():
                return None
            try:
                return self._read(name)
            except sqlite3.DatabaseError:
                self._replace()
            except OSError:
                pass
            return None

    def write(self, name: str, pieces: Iterable[bytes]) -> None:
        """Store the pieces of an answer, unless they are too large; make room for them first."""
        content = list(pieces)
        size = sum(map(len, content))
        if size > LARGEST:
            return
        with self._lock:
            try:
                self._write(name, content, size)
            except sqlite3.OperationalError:  # the disk is full, say, or another process writes for too long
                self._roll_back()
            except sqlite3.DatabaseError:
                self._replace()
            except OSError:
                pass

    def _read(self, name: str) -> list[bytes] | None:
        file = self._open()
        rows = file.execute("SELECT content, sum FROM piece WHERE name = ? ORDER BY number", (name,)).fetchall()
        size = file.execute("SELECT size FROM answer WHERE name = ?", (name,)).fetchone()
        if size is None:
            return None
        whole = size[0] == sum(len(content) for content, _ in rows)
        if not whole or any(checksum.compute_digest(content) != digest for content, digest in rows):
            self._forget(name)
            return None
        with suppress(sqlite3.OperationalError):  # another process writes, or the disk is full
            file.execute("UPDATE answer SET used = ? WHERE name = ?", (time.time(), name))
        return [content for content, _ in rows]

    def _write(self, name: str, content: list[bytes], size: int) -> None:
        file = self._open()
        file.execute("BEGIN IMMEDIATE")
        self._forget(name)
        self._make_room(size)
        file.execute("INSERT INTO answer VALUES (?, ?, ?)", (name, time.time(), size))
        rows = [(name, number, piece, checksum.compute_digest(piece)) for number, piece in enumerate(content)]
        file.executemany("INSERT INTO piece VALUES (?, ?, ?, ?)", rows)
        file.execute("COMMIT")

    def _make_room(self, size: int) -> None:
        file = self._open()
        total = file.execute("SELECT coalesce(sum(size), 0) FROM answer").fetchone()[0]
        if total + size <= MOST:
            return
        for name, each in file.execute("SELECT name, size FROM answer ORDER BY used").fetchall():
            self._forget(name)
            total -= each
            if total + size <= MOST:
                return

    def _forget(self, name: str) -> None:
        self._open().execute("DELETE FROM piece WHERE name = ?", (name,))
        self._open().execute("DELETE FROM answer WHERE name = ?", (name,))

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            connection = sqlite3.connect(self.path, timeout=WAIT, isolation_level=None, check_same_thread=False)
            self._connection = connection
            self.path.chmod(0o600)
            # What is lost when the machine stops is worked out again, so nobody waits for the disk.
            connection.execute("PRAGMA synchronous = OFF")
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            if version != VERSION:
                self._close()
                self.path.unlink(missing_ok=True)
                self._connection = self._create()
        return self._connection

    def _create(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path, timeout=WAIT, isolation_level=None, check_same_thread=False)
        self.path.chmod(0o600)
        connection.execute("PRAGMA auto_vacuum = FULL")  # the file shrinks as answers go
        connection.execute("PRAGMA synchronous = OFF")
        connection.executescript(TABLES)
        return connection

    def _roll_back(self) -> None:
        with suppress(sqlite3.Error):
            if self._connection and self._connection.in_transaction:
                self._connection.execute("ROLLBACK")

    def _replace(self) -> None:
        """Remove a file that is damaged."""
        self._close()
        with suppress(OSError):
            self.path.unlink(missing_ok=True)

    def _close(self) -> None:
        if self._connection is not None:
            with suppress(sqlite3.Error):
                self._connection.close()
            self._connection = None


def open_store() -> AnswerStore | None:
    """Return the store of this account's cache; None where there is no folder for it."""
    try:
        return AnswerStore(cache_folder(KIND) / FILE)
    except OSError:
        return None
