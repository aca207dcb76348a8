"""SQLite tables: values as they are stored, nothing of the database is run, and what is hostile is a finding."""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from counts import many

from readback.readers import sqlite_file
from readback.records.dataset import Dataset, open_dataset
from readback.types import DatasetSource


def open_base(path: Path, table: str | None = None) -> Dataset:
    return open_dataset(path.parent, DatasetSource(path.name, table=table))


def read_rows(data: Dataset) -> list[dict[str, Any]]:
    return [dict(record.fields) for record in data.records()]


def list_reasons(data: Dataset) -> list[str]:
    return [str(one.values.get("reason", one.values)) for one in data.diagnostics if one.code != "dat-missing-id"]


def make(path: Path, *statements: str, rows: Sequence[tuple[Any, ...]] = (), page: int = 4096) -> Path:
    with closing(sqlite3.connect(path)) as base:
        base.execute(f"PRAGMA page_size={page}")
        for statement in statements:
            base.execute(statement)
        if rows:
            base.executemany(f"INSERT INTO t VALUES ({', '.join('?' * len(rows[0]))})", rows)
        base.commit()
    return path


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        ("  007\n\"é😀\" \t ", "  007\n\"é😀\" \t "),
        ("", ""),
        (None, None),
        (7, 7),
        (-(1 << 63), -(1 << 63)),
        (1.0, 1.0),
        (0.1, 0.1),
        (b"bytes \xc3\xa9", "bytes é"),
        (b"\xff\x00", "/wA="),
        ("a\0b", "a\0b"),
        ("2025-01-02", "2025-01-02"),
    ],
)  # fmt: skip
def test_a_value_is_what_is_stored(tmp_path: Path, value: Any, wanted: Any) -> None:
    path = make(tmp_path / "b.db", "CREATE TABLE t (id, v)", rows=[("a", value)])
    assert read_rows(open_base(path)) == [{"id": "a", "v": wanted}]


def test_json_in_a_column_is_read_as_json(tmp_path: Path) -> None:
    path = make(tmp_path / "b.db", "CREATE TABLE t (id, contexts)", rows=[("a", '["x"]'), ("b", '["y", "z"]')])
    assert [list(row["contexts"]) for row in read_rows(open_base(path))] == [["x"], ["y", "z"]]


@pytest.mark.parametrize("encoding", ["UTF-8", "UTF-16le", "UTF-16be"])
def test_texts_of_every_encoding_are_read(tmp_path: Path, encoding: str) -> None:
    path = make(tmp_path / "b.db", f"PRAGMA encoding='{encoding}'", "CREATE TABLE t (id, v)", rows=[("ä", "où 😀")])
    assert read_rows(open_base(path)) == [{"id": "ä", "v": "où 😀"}]


def test_the_table_with_most_rows_is_read_and_the_others_are_named(tmp_path: Path) -> None:
    path = make(
        tmp_path / "b.db",
        "CREATE TABLE few (id)",
        "INSERT INTO few VALUES ('f')",
        'CREATE TABLE "my ""rows"" [x]; --" (id)',
        """INSERT INTO "my ""rows"" [x]; --" VALUES ('a'), ('b')""",
        "CREATE TABLE none (id)",
    )
    data = open_base(path)
    assert [row["id"] for row in read_rows(data)] == ["a", "b"]
    (told,) = [one for one in data.diagnostics if one.code == "dat-several-tables"]
    assert (told.values["taken"], told.values["others"]) == ('my "rows" [x]; --', ["few"])
    assert read_rows(open_base(path, "few")) == [{"id": "f"}]


def test_what_is_not_yet_in_the_file_is_read_from_a_copy(tmp_path: Path) -> None:
    path = tmp_path / "b.db"
    writer = sqlite3.connect(path, isolation_level=None)
    writer.execute("PRAGMA journal_mode=WAL")
    writer.execute("PRAGMA wal_autocheckpoint=0")
    writer.execute("CREATE TABLE t (id)")
    writer.execute("INSERT INTO t VALUES ('new')")
    before = {each.name: each.read_bytes() for each in tmp_path.iterdir() if not each.name.endswith("-shm")}
    assert read_rows(open_base(path)) == [{"id": "new"}]
    writer.execute("INSERT INTO t VALUES ('newer')")  # into the log alone
    assert [row["id"] for row in read_rows(open_base(path))] == ["new", "newer"]
    shutil.rmtree(tmp_path / "read-only", ignore_errors=True)
    after = {each.name: each.read_bytes() for each in tmp_path.iterdir() if each.name in before}
    assert before["b.db"] == after["b.db"]
    writer.close()


def test_an_unfinished_change_is_taken_back_in_a_copy(tmp_path: Path) -> None:
    make(tmp_path / "whole.db", "CREATE TABLE t (id)", rows=[("a",)])
    writer = sqlite3.connect(tmp_path / "whole.db", isolation_level=None)
    writer.execute("PRAGMA cache_spill=OFF")
    writer.execute("BEGIN IMMEDIATE")
    writer.execute("UPDATE t SET id = 'wrong'")
    path = tmp_path / "b.db"
    shutil.copy(tmp_path / "whole.db", path)
    shutil.copy(tmp_path / "whole.db-journal", tmp_path / "b.db-journal")
    writer.execute("ROLLBACK")
    writer.close()
    content = path.read_bytes()
    assert read_rows(open_base(path)) == [{"id": "a"}]
    assert path.read_bytes() == content
    assert (tmp_path / "b.db-journal").exists()


def test_a_file_of_wal_without_its_log_is_read(tmp_path: Path) -> None:
    make(tmp_path / "b.db", "PRAGMA journal_mode=WAL", "CREATE TABLE t (id)", rows=[("a",)])
    assert [each.name for each in tmp_path.iterdir()] == ["b.db"]
    assert read_rows(open_base(tmp_path / "b.db")) == [{"id": "a"}]
    assert [each.name for each in tmp_path.iterdir()] == ["b.db"]


HOSTILE = [
    "CREATE VIEW v AS WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT n FROM c",
    "CREATE VIEW w AS SELECT load_extension('/tmp/x.so')",
    "CREATE TRIGGER g AFTER INSERT ON t BEGIN DELETE FROM t; END",
]


def test_views_triggers_and_virtual_tables_are_never_run(tmp_path: Path) -> None:
    path = make(
        tmp_path / "b.db",
        "CREATE TABLE t (id, v)",
        "CREATE VIRTUAL TABLE f USING fts5(body)",
        "INSERT INTO f VALUES ('text'), ('text'), ('text'), ('text'), ('text')",
        "INSERT INTO t VALUES ('a', 1)",
        *HOSTILE,
    )
    data = open_base(path)
    assert read_rows(data) == [{"id": "a", "v": 1}]
    (told,) = [one for one in data.diagnostics if one.code == "dat-tables-left-out"]
    assert told.values["count"] == 3
    assert read_rows(open_base(path, "v")) == [{"id": "a", "v": 1}]  # a view is no table that can be asked for


def test_a_virtual_table_of_an_unknown_module_does_not_stop_the_others(tmp_path: Path) -> None:
    path = make(tmp_path / "b.db", "CREATE TABLE t (id)", "INSERT INTO t VALUES ('a')")
    with closing(sqlite3.connect(path)) as base:
        base.execute("PRAGMA writable_schema=ON")
        base.execute(
            "INSERT INTO sqlite_schema VALUES ('table', 'x', 'x', 0, 'CREATE VIRTUAL TABLE x USING no_such_module(a)')"
        )
        base.commit()
    assert read_rows(open_base(path)) == [{"id": "a"}]


def test_a_generated_column_calls_nothing_with_effects(tmp_path: Path) -> None:
    path = make(
        tmp_path / "b.db",
        "CREATE TABLE t (id, n, d AS (n * 2))",
        "INSERT INTO t (id, n) VALUES ('a', 3)",
    )
    assert read_rows(open_base(path)) == [{"id": "a", "n": 3, "d": 6}]


def test_an_enormous_cell_costs_its_row_alone(tmp_path: Path) -> None:
    rows = [("a", "x"), ("b", "y" * (20 << 20)), ("c", "z")]
    data = open_base(make(tmp_path / "b.db", "CREATE TABLE t (id, v)", rows=rows))
    assert [row["id"] for row in read_rows(data)] == ["a", "c"]
    assert (data.counts.read, data.counts.bad, data.counts.lines) == (2, 1, 3)
    assert any("too big" in reason for reason in list_reasons(data))


def test_a_damaged_page_costs_its_rows_and_the_others_are_read(tmp_path: Path) -> None:
    rows = [(f"r{n:04}", f"text {n} " * 20) for n in range(500)]
    path = make(tmp_path / "b.db", "CREATE TABLE t (id, v)", rows=rows, page=1024)
    content = bytearray(path.read_bytes())
    at = content.index(b"r0250") // 1024 * 1024
    content[at : at + 1024] = b"\xff" * 1024
    path.write_bytes(content)
    data = open_base(path)
    wanted = {row[0]: row[1] for row in rows}
    found = {row["id"]: row["v"] for row in read_rows(data)}
    assert 480 <= len(found) < 500
    assert all(wanted[key] == value for key, value in found.items())
    assert any("lost" in reason for reason in list_reasons(data))
    assert data.counts.read + data.counts.bad == data.counts.lines


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (sqlite_file.MAGIC, "not an SQLite table"),
        (sqlite_file.MAGIC + bytes(100), "not an SQLite table"),
        (b"no database", "not an SQLite table"),
        (b"", ""),
    ],
)
def test_what_is_no_database_is_a_finding(tmp_path: Path, content: bytes, reason: str) -> None:
    (tmp_path / "b.db").write_bytes(content)
    data = open_base(tmp_path / "b.db")
    assert len(data) == 0
    assert data.diagnostics
    assert any(reason in one for one in list_reasons(data))


def test_tables_without_row_numbers_and_repeated_names_are_read(tmp_path: Path) -> None:
    path = make(tmp_path / "b.db", "CREATE TABLE t (id TEXT PRIMARY KEY, v) WITHOUT ROWID", rows=[("b", 1), ("a", 2)])
    assert [row["id"] for row in read_rows(open_base(path))] == ["a", "b"]
    path = make(tmp_path / "c.db", "CREATE TABLE t (rowid, oid, _rowid_)", rows=[(9, 8, 7)])
    assert read_rows(open_base(path)) == [{"rowid": 9, "oid": 8, "_rowid_": 7}]


@pytest.mark.long
@pytest.mark.parametrize("seed", range(many(2_000)))
def test_a_damaged_database_is_read_or_refused_and_counts_reconcile(tmp_path: Path, seed: int) -> None:
    draw = random.Random(seed)
    rows = [(f"r{n}", f"text {n} é", n) for n in range(60)]
    path = make(tmp_path / "b.db", "CREATE TABLE t (id, v, n)", "CREATE INDEX i ON t (v)", rows=rows, page=512)
    content = bytearray(path.read_bytes())
    for _ in range(draw.randint(1, 10)):
        at = draw.randrange(len(content))
        match draw.randrange(3):
            case 0:
                content[at] = draw.randrange(256)
            case 1:
                content[at : at + 8] = draw.randbytes(8)
            case _:
                del content[len(content) - draw.randint(1, 600) :]
    path.write_bytes(content)
    data = open_base(path)
    counts = data.counts
    assert counts.read + counts.bad == counts.lines
    assert len(data) >= 60 or data.diagnostics
