"""How all findings of a check that has very many lie in a file, and how they get there.

Findings that say the same of several records are one *stack*, as in `groups.alike`; those of one rule, severity and
condition are one *kind*, of which there are few.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

from readback import as_json
from readback.checks import rules
from readback.checks.quoted import where
from readback.types import Finding, Location

LARGEST = 2 << 30  # bytes of a file; of more findings only those are listed that the audit holds
PAGE = 4096  # bytes of a page of the file
STACKS = 20_000  # stacks that are remembered while they are written
AT_ONCE = 500  # findings that are written at once
ABOUT = ("condition", "mode", "task", "adapter", "judge")  # of a place: what a kind has in common,
SAID = (*ABOUT, "role", "field")  # a stack,
SPOT = tuple(name for name in as_json.PARTS if name not in SAID)  # and what each finding has for itself
TORN = re.compile("[\0\ud800-\udfff]")
TABLES = """
    CREATE TABLE kind (id INTEGER PRIMARY KEY, code TEXT, severity TEXT, about TEXT, fix TEXT, n INTEGER,
                       first INTEGER, records BLOB);
    CREATE TABLE stack (id INTEGER PRIMARY KEY, kind INTEGER, first INTEGER, n INTEGER, said TEXT, shared TEXT);
    CREATE TABLE finding (number INTEGER PRIMARY KEY, stack INTEGER, record INTEGER, spot TEXT, own TEXT);
"""
INDEXES = """
    CREATE INDEX finding_stack ON finding (stack, number);
    UPDATE stack SET n = (SELECT count(*) FROM finding WHERE finding.stack = stack.id);
    CREATE INDEX stack_kind ON stack (kind, first, n);
"""


class Writer:
    """Writes the findings of a check in the order in which they come, once there are more than `kept`.

    `beside`: files whose findings are about no record of the dataset, whatever numbers their places have.
    """

    def __init__(self, path: Path, kept: int, beside: Collection[str] = ()) -> None:
        self.path, self.kept, self.beside = path, kept, frozenset(beside)
        self.held: list[Finding] = []
        self.opened: sqlite3.Connection | None = None
        self.count, self.failed = 0, False
        self.kinds: dict[tuple[str, str, str], _Counted] = {}
        self.stacks: dict[tuple[Any, ...], tuple[int, Any]] = {}

    def take(self, one: Finding) -> None:
        self.held.append(one)
        if len(self.held) >= (AT_ONCE if self.opened else self.kept + 1):
            self._write(self._flush)

    def end(self) -> bool:
        """Whether there is a file now, with every finding in it."""
        if self.opened is None:
            return False
        self._write(self._flush)
        self._write(self._finish)
        self.opened.close()
        if self.failed:
            self.path.unlink(missing_ok=True)
        return not self.failed

    def _write(self, step: Callable[[], None]) -> None:
        """Where the disk is full there is no file in the end: a part of the findings is no answer."""
        try:
            if not self.failed:
                step()
        except (OSError, sqlite3.Error):
            self.failed = True
        self.held.clear()

    def _file(self) -> sqlite3.Connection:
        if self.opened is None:
            self.opened = sqlite3.connect(self.path, isolation_level=None)
            self.opened.executescript(
                f"PRAGMA page_size = {PAGE}; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; {TABLES}"
            )
            self.opened.execute(f"PRAGMA max_page_count = {LARGEST // PAGE}")
        return self.opened

    def _flush(self) -> None:
        file = self._file()
        file.execute("BEGIN")
        file.executemany("INSERT INTO finding VALUES (?, ?, ?, ?, ?)", [*map(self._row, self.held)])
        file.execute("COMMIT")

    def _finish(self) -> None:
        rows = [
            (one.number, *key[:2], key[2], one.fix, one.n, one.first, bytes(one.records))
            for key, one in self.kinds.items()
        ]
        self._file().executemany("INSERT INTO kind VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)
        self._file().executescript(INDEXES)

    def _row(self, one: Finding) -> tuple[Any, ...]:
        self.count += 1
        at = one.place
        if at.file in self.beside:
            at = replace(at, index=None, record=None)
        stack, values = self._stack(one, at)
        spot = [getattr(at, name) for name in SPOT]
        own = [one.key, spot] if one.values == values else [one.key, spot, dict(one.values)]
        return self.count, stack, at.index, searched(where(at)), json.dumps(own)

    def _stack(self, one: Finding, at: Location) -> tuple[int, Any]:
        """The number of the finding's stack, and the values that are written with it (None: it is not known which)."""
        about = json.dumps([getattr(at, name) for name in ABOUT])
        key = (one.code, one.severity, about)
        kind = self.kinds.get(key)
        if kind is None:
            kind = self.kinds[key] = _Counted(len(self.kinds), self.count, one.fix)
        kind.take(one.fix, at.index)
        said = (kind.number, at.role, at.field, one.message, one.fix)
        same = said if at.index is not None else (one.code, one.key)
        if (known := self.stacks.get(same)) is not None:
            return known
        digest = blake2b(json.dumps(same).encode(), digest_size=8).digest()
        number = int.from_bytes(digest, "big", signed=True)
        shared = json.dumps([one.message, one.fix, [getattr(at, name) for name in SAID], dict(one.values)])
        text = searched(f"{_title(one.code)} {one.code} {one.message} {one.fix}")
        row = (number, kind.number, self.count, text, shared)
        new = self._file().execute("INSERT OR IGNORE INTO stack VALUES (?, ?, ?, 0, ?, ?)", row).rowcount
        if len(self.stacks) >= STACKS:
            self.stacks.clear()
        self.stacks[same] = number, one.values if new else None
        return self.stacks[same]


@dataclass(slots=True)
class _Counted:
    """A kind while it is counted; `fix` is None where its findings have several."""

    number: int
    first: int
    fix: str | None
    n: int = 0
    records: bytearray = field(default_factory=bytearray)

    def take(self, fix: str, index: int | None) -> None:
        self.n += 1
        if fix != self.fix:
            self.fix = None
        if index is not None:
            mark(self.records, index)


def searched(text: str) -> str:
    """A text as it is searched: whatever its case, without what SQLite takes for the end of a text or for none."""
    return TORN.sub("\ufffd", text).casefold()


def mark(records: bytearray, index: int) -> None:
    if len(records) <= index // 8:
        records.extend(bytes(index // 8 + 1 - len(records)))
    records[index // 8] |= 1 << index % 8


def _title(code: str) -> str:
    rule = rules.RULES().get(code)
    return (rule.title if rule else code).removesuffix(".")
