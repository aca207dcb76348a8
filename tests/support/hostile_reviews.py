"""What a stranger may send as a review: stores, exports and journals that write, delete, swell, never end, or lie."""

from __future__ import annotations

import base64
import hashlib
import json
import sqlite3
import struct
import zlib
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from readback.review.event import FIRST, Draft, compute_hash
from readback.review.event import write_json as written

TIME = "2026-01-02T03:04:05.678Z"
JOURNAL = b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"
NOTHING = hashlib.sha256(b"").hexdigest()
SIGNED = {
    "subject": {"kind": "study", "names": []}, "today": "2026-01-02", "lock": NOTHING, "records": NOTHING, "count": 4,
    "files": {}, "left_out": [], "findings": NOTHING, "said": NOTHING, "scores": NOTHING, "readback": "1", "rules": "x",
}  # fmt: skip
SCHEMA = """
CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL, PRIMARY KEY (version_num));
CREATE TABLE events (sequence INTEGER NOT NULL, id VARCHAR(64) NOT NULL, author TEXT NOT NULL,
  known VARCHAR(16) NOT NULL, time VARCHAR(32) NOT NULL, kind VARCHAR(16) NOT NULL, payload TEXT NOT NULL,
  "before" VARCHAR(64) NOT NULL, hash VARCHAR(64) NOT NULL, PRIMARY KEY (sequence), UNIQUE (id));
CREATE TABLE contents (sha256 VARCHAR(64) NOT NULL, packed BLOB NOT NULL, PRIMARY KEY (sha256));
CREATE TABLE about (name VARCHAR(16) NOT NULL, value TEXT NOT NULL, PRIMARY KEY (name));
INSERT INTO alembic_version VALUES ('a1');
"""
FILLED = "INSERT INTO alembic_version VALUES ('a1');"
Row = tuple[int, str, str, str, str, str, str, str, str]


def rows(events: Iterable[tuple[str, Mapping[str, Any]]], author: str = "The CEO", known: str = "proxy") -> list[Row]:
    """Events with a chain of hashes as a store has them, of an author of one's own choice."""
    made, before = list[Row](), FIRST
    for number, (kind, payload) in enumerate(events, 1):
        said, called = written(dict(payload)), f"hostile-{number:04}"
        draft = Draft(kind, payload, author, known, called)  # type: ignore[arg-type]
        sha = compute_hash(number, draft, TIME, said, before)
        made.append((number, called, written(author), known, TIME, kind, said, before, sha))
        before = sha
    return made


def store(file: Path, events: Iterable[Row], contents: Mapping[str, bytes] | None = None, schema: str = SCHEMA) -> Path:
    """A store that no program of ours wrote."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(file)) as there:
        there.executescript(schema)
        if "TABLE events" in schema:
            there.executemany("INSERT INTO events VALUES (?,?,?,?,?,?,?,?,?)", list(events))
        there.executemany("INSERT INTO contents VALUES (?,?)", (contents or {}).items())
        there.commit()
    return file


def export(events: Iterable[Row], contents: Mapping[str, bytes] | None = None) -> bytes:
    """The same as a file that `review import` takes."""
    lines: list[Any] = [{"readback.review": 1}]
    lines += [{"content": sha, "base64": base64.b64encode(raw).decode()} for sha, raw in (contents or {}).items()]
    for number, called, author, known, time, kind, payload, before, sha in events:
        one = {"sequence": number, "id": called, "author": json.loads(author), "known": known, "time": time,
               "kind": kind, "payload": json.loads(payload), "before": before, "hash": sha}  # fmt: skip
        lines.append({"event": one})
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def writes(target: str) -> tuple[list[Row], dict[str, bytes]]:
    """A sign-off that keeps a file of that name."""
    sha = hashlib.sha256(b"written by a stranger").hexdigest()
    lock = b'readback.lock 1\ntoday 2026-01-02\nmode "a" messages 4 records 0 failed sha256:' + b"0" * 64 + b"\n"
    beside = json.dumps({"lock": hashlib.sha256(lock).hexdigest(), "subjects": []}).encode() + b"\n"
    kept = {hashlib.sha256(raw).hexdigest(): raw for raw in (lock, beside, b"{}")}
    named = {"lock": hashlib.sha256(lock).hexdigest(), "records": hashlib.sha256(beside).hexdigest()}
    kept[sha] = b"written by a stranger"
    return rows([("signoff", {**SIGNED, **named, "files": {target: sha}})]), kept


def bomb(size: int = 1 << 30) -> tuple[list[Row], dict[str, bytes]]:
    """A note, and a sign-off, on texts that unpack to a gigabyte; packed as a store has them.

    After a full flush the same block is packed to the same bytes, so only two of them are packed; the checksum at the
    end is that of so many zeros (RFC 1950: 1, and their number, both modulo 65521).
    """
    packer, block, sha = zlib.compressobj(9), b"\0" * (1 << 20), hashlib.sha256()
    first, again = (packer.compress(block) + packer.flush(zlib.Z_FULL_FLUSH) for _ in range(2))
    made = first + again * ((size >> 20) - 1) + packer.flush()[:-4] + struct.pack(">HH", size % 65_521, 1)
    for _ in range(size >> 20):
        sha.update(block)
    name = sha.hexdigest()
    on = {"kind": "message", "condition": "one", "record": "1", "message": 0, "fingerprint": "0" * 64}
    note = {"text": "x", "anchor": on, "kept": name}
    signed = {**SIGNED, "lock": name, "records": name, "files": {"readback.yml": name}}
    return rows([("note", note), ("signoff", signed)]), {name: made}


def packed(contents: Mapping[str, bytes]) -> dict[str, bytes]:
    return {sha: zlib.compress(raw) for sha, raw in contents.items()}


ENDLESS = SCHEMA.replace("CREATE TABLE events", "CREATE TABLE hidden") + (
    "CREATE VIEW events AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x AS sequence, "
    "'id' AS id, '\"a\"' AS author, 'cli' AS known, 't' AS time, 'note' AS kind, '{}' AS payload, '' AS before, "
    "'' AS hash FROM n;"
)
GENERATED = SCHEMA.replace("payload TEXT NOT NULL", "payload TEXT AS (hex(zeroblob(100000000))) VIRTUAL")
TRIGGERED = SCHEMA + "CREATE TRIGGER t AFTER INSERT ON about BEGIN DELETE FROM events; END;"
SCHEMAS = {
    "endless view": ENDLESS,
    "a column that is worked out": GENERATED,
    "a trigger": TRIGGERED,
    "a view beside": SCHEMA + "CREATE VIEW v AS SELECT 1;",
    "a table beside": SCHEMA + "CREATE TABLE more (x);",
    "a view as version": (
        "CREATE VIEW alembic_version AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x FROM n) "
        "SELECT x AS version_num FROM n;" + SCHEMA.partition(";")[2].replace(FILLED, "")
    ),
    "a default": SCHEMA.replace("value TEXT NOT NULL", "value TEXT NOT NULL DEFAULT (hex(randomblob(1000000)))"),
    "a full-text table": SCHEMA + "CREATE VIRTUAL TABLE f USING fts5(x);",
    "an index of an expression": SCHEMA + "CREATE INDEX i ON events (length(payload));",
}


def journal(target: Path) -> bytes:
    """A journal that names a super-journal: SQLite deletes that file when it opens the database beside it."""
    name = str(target).encode()
    head = JOURNAL + struct.pack(">IIIII", 0, 0, 1, 512, 4096)
    end = name + struct.pack(">II", len(name), sum(struct.unpack(f"{len(name)}b", name)) & 0xFFFFFFFF) + JOURNAL
    return head.ljust(512, b"\0") + struct.pack(">I", 1) + end


def tree(folder: Path, *but: Path) -> dict[str, bytes | None]:
    """Every file below a folder with its bytes, and every folder, but those below the ones named."""
    made = dict[str, bytes | None]()
    for path in sorted(folder.rglob("*")):
        if not any(path.is_relative_to(one) for one in but):
            made[str(path)] = path.read_bytes() if path.is_file() and not path.is_symlink() else None
    return made
