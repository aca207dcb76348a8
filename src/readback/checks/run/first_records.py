"""Find which record has each text first that should be there once: a table of hashes in a temporary SQLite database."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from readback.readers.files.cache_folder import DiskFull

MEMORY = 16_384  # KiB of the table that stay in memory; the rest lies in a temporary file, which goes with the process


class FirstRecords:
    """The first record of each mark (a hash of 64 bits)."""

    def __init__(self) -> None:
        self._table = sqlite3.connect("", isolation_level=None)  # the name of a temporary database
        self._table.execute(f"PRAGMA cache_size = -{MEMORY}")
        self._table.execute("PRAGMA journal_mode = OFF")
        self._table.execute("CREATE TABLE mark (mark INTEGER PRIMARY KEY, record INTEGER NOT NULL)")

    def find_repeats(self, marks: Sequence[int], records: Sequence[int]) -> list[tuple[int, int]]:
        """Take marks, each with the number of its record; return (place among them, first record) of those that another
        record had first. Raises DiskFull.
        """
        try:
            before = self._table.total_changes
            self._table.execute("BEGIN")
            self._table.executemany("INSERT OR IGNORE INTO mark VALUES (?, ?)", zip(marks, records, strict=True))
            self._table.execute("COMMIT")
        except sqlite3.OperationalError as error:
            raise DiskFull(f"there is no room for a temporary file of the check ({error}); free some space") from error
        if self._table.total_changes - before == len(marks):
            return []
        repeats = []
        for place, (mark, record) in enumerate(zip(marks, records, strict=True)):
            first = self._table.execute("SELECT record FROM mark WHERE mark = ?", (mark,)).fetchone()[0]
            if first != record:
                repeats.append((place, first))
        return repeats
