"""SQLite databases: a table is read row by row in the bounded child; nothing that the database defines is run.

Source: sqlite.org, *Database File Format*, *URI Filenames* (immutable), *Defense Against The Dark Arts*. The file is
opened for reading alone. Where a journal or a write-ahead log lies beside it, what it holds belongs to the database:
then both are copied, and the copy is read, because SQLite would write to the original to bring it up to date.

Only ordinary tables are read. Views, virtual tables and the tables that belong to one are named and never opened;
triggers do not run, since nothing is written; an authorizer refuses everything but reading tables, and a generated
column may only call functions without effects (trusted_schema). The table that is
taken is the one that was chosen, else the one with the most rows. Values are what SQLite stores: integers, reals,
null and texts; bytes become text where they are UTF-8, else base64.
"""

from __future__ import annotations

import base64
import contextlib
import json
import re
import shutil
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO
from urllib.parse import quote

from readback.readers import jsonl, parquet
from readback.readers.files import cache_folder
from readback.readers.files.checksum import state
from readback.readers.files.text_file import LONGEST
from readback.readers.tables.table_choice import report_tables
from readback.readers.tables.table_columns import decode_json_cells, number_repeated_names
from readback.sandbox import Limits, Stopped, stream
from readback.types import Diagnostic, Location

NAME = "sqlite"
SUFFIXES = (".db", ".sqlite", ".sqlite3", ".db3", ".s3db", ".sl3")
BY_LINES = False
CELLS = True  # some texts are JSON
TABLES = True
MAGIC = b"SQLite format 3\0"
LIMITS = Limits(seconds=60, memory=1 << 30, output=2 << 30, total=900)
JOURNALS = ("-wal", "-journal")  # what may hold a part of the database beside it
COPIES = 3  # attempts to copy a database that somebody writes to
MOST_COPIED = 4 << 30  # bytes
LEFT_OUT = {"view": "a view, which is never run", "virtual": "a virtual table, which is never loaded"}
rows = parquet.rows


def list_companions(path: Path) -> tuple[Path, ...]:
    """Return the files beside a database that may hold a part of it."""
    return tuple(path.with_name(path.name + ending) for ending in JOURNALS)


def spool(path: Path, out: BinaryIO, file: str, table: str | None = None) -> Iterator[int | Diagnostic]:
    """Write the rows of a table to `out` as JSON lines; yield how far it is, in bytes of `path`, and diagnostics."""
    size = path.stat().st_size
    place = Location(file=file)
    promised = done = 0
    with ExitStack() as until_read:
        source, limits, is_copy = path.resolve(), LIMITS, False
        if any(journal.exists() for journal in list_companions(path)):
            copied = _copy_database(path, until_read)
            if isinstance(copied, str):
                yield Diagnostic("dat-bad-line", {"reason": copied}, place)
                return
            source, is_copy = copied, True
            # the copy may be written to, up to its size with the journal's, and the index of the log beside it
            limits = replace(LIMITS, files=2 * sum(each.stat().st_size for each in source.parent.iterdir()) + (1 << 20))
        try:
            for frame in stream("readback.readers.sqlite_file:decode_table", [str(source), table, is_copy], limits):
                if "names" in frame:
                    promised = frame["rows"]
                    yield from report_tables(frame["tables"], frame["taken"], table, "table", place)
                    yield from _report_left_out(frame["left_out"], place)
                    yield from number_repeated_names(frame["names"], place)[1]
                elif "lost" in frame:
                    count = min(frame["lost"], parquet.LOST)
                    out.write(parquet.GONE * count)
                    reason = parquet.describe_lost_rows(frame, done)
                    yield Diagnostic("dat-bad-line", {"reason": reason}, replace(place, line=done + 1), f"{done}")
                    done += count
                elif "damage" in frame:
                    reason = f"the table is damaged, and rows may be missing or wrong: {frame['damage']}"
                    yield Diagnostic("dat-bad-line", {"reason": reason}, place)
                elif "error" in frame:
                    reason = f"not an SQLite table that can be read: {frame['error']}"
                    yield Diagnostic("dat-bad-line", {"reason": reason}, place)
                else:
                    out.write("".join(f"{text}\n" for text in frame["json"]).encode())
                    done += len(frame["json"])
                    yield int(size * done / max(promised, done))
        except Stopped as stopped:
            yield Diagnostic("dat-limit", {"what": f"{stopped.kind} for decoding", "limit": stopped.detail}, place)


def _report_left_out(left_out: Sequence[Sequence[str]], place: Location) -> Iterator[Diagnostic]:
    if left_out:
        first, kind = left_out[0]
        values = {"count": len(left_out), "first": first, "why": LEFT_OUT[kind]}
        yield Diagnostic("dat-tables-left-out", values, place, first)


def _copy_database(path: Path, until_read: ExitStack) -> Path | str:
    """Copy a database with what lies beside it; return the copy, or why there is none."""
    files = [path, *filter(Path.is_file, list_companions(path))]
    if sum(each.stat().st_size for each in files) > MOST_COPIED:
        return f"a journal lies beside it, and it is larger than the {MOST_COPIED >> 30} GiB that are copied"
    until_read.enter_context(cache_folder.room())
    parent = cache_folder.cache_folder()
    folder = Path(until_read.enter_context(TemporaryDirectory(prefix=".rows-", dir=parent)))
    for _ in range(COPIES):
        before = [state(each) for each in files]
        for each in files:
            shutil.copyfile(each, folder / f"copy{each.name[len(path.name) :]}")
        if before == [state(each) for each in files]:
            return folder / "copy"
    return f"it is being written to: it changed {COPIES} times while it was copied"


def parse(raw: bytes, shape: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a record whose bytes were read before. Raises ValueError when the file has changed."""
    fields = jsonl.parse(raw, shape)
    if shape.get("json"):
        return decode_json_cells(fields, shape["json"], shape.get("named", True))
    return fields


# What follows runs in the bounded child.

BATCH = 256  # rows
FRAME = 1 << 20  # characters sent at once
VIRTUAL = re.compile(r"\s*CREATE\s+VIRTUAL\b", re.IGNORECASE)
LOWEST, HIGHEST = -(1 << 63), (1 << 63) - 1  # row numbers
MOST_FAULTS = 1_000  # rows that are searched for behind damage
OUT_OF_ORDER = "its rows are out of order"
MOST_CHECKED = 512 << 20  # bytes of a database whose pages are held against each other after reading
SPACE = 1 << 40  # rows that are skipped at most to find the next one that can be read
# What reading a table asks the authorizer for.
ALLOWED = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ)


def decode_table(payload: Sequence[Any]) -> Iterator[dict[str, Any]]:
    """Decode a table of the database at a path: the one of that name, or without a name the one with most rows.

    Yield {"names", "rows", "taken", "tables", "left_out"}, then {"json"} and {"lost", "error"} as for Parquet, or
    {"error"} where nothing can be read. A `copy` is brought up to date from its journal first.
    """
    path, wanted, is_copy = payload
    if is_copy:
        mode = "mode=rw"
    else:
        mode = "mode=ro&immutable=1"
    try:
        base = sqlite3.connect(f"file:{quote(path)}?{mode}", uri=True, isolation_level=None, timeout=0)
        base.text_factory = bytes
        base.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST)
        base.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        for pragma in ("trusted_schema=OFF", "cell_size_check=ON", "query_only=ON", "temp_store=MEMORY"):
            base.execute(f"PRAGMA {pragma}")
        with contextlib.closing(base):
            yield from _decode_base(base, wanted)
    except (sqlite3.Error, sqlite3.Warning, ValueError, OverflowError) as error:
        yield {"error": parquet.shorten_error(error)}


def _decode_base(base: sqlite3.Connection, wanted: str | None) -> Iterator[dict[str, Any]]:
    tables, left_out = _list_tables(base)
    base.set_authorizer(_authorize)
    counts: list[list[Any]] = []
    for name in tables:
        counts.append([name, _count_rows(base, name), True])
    if not counts:
        why = "it has no table of rows"
        yield {"error": f"{why}; {left_out[0][0]} is {LEFT_OUT[left_out[0][1]]}" if left_out else why}
        return
    by_name = {name: count for name, count, _ in counts}
    most = str(max(counts, key=lambda table: table[1])[0])
    if wanted is not None and wanted in by_name:
        current = wanted
    else:
        current = most
    names = [_decode_text(column[0]) for column in _select(base, "SELECT * FROM $TABLE LIMIT 0", current).description]
    yield {"names": names, "rows": by_name[current], "taken": current, "tables": counts, "left_out": left_out}
    names = list(number_repeated_names(names, Location())[0])
    yield from _read_table(base, current, names, by_name[current])
    yield from _check_table(base, current)


def _list_tables(base: sqlite3.Connection) -> tuple[list[str], list[list[str]]]:
    """Return the ordinary tables, and what is left out: views, virtual tables and the tables of these."""
    schema = [
        (_decode_text(name), _decode_text(kind), _decode_text(sql or b""))
        for name, kind, sql in base.execute("SELECT name, type, sql FROM sqlite_schema WHERE type IN ('table', 'view')")
    ]
    virtual = [name for name, kind, sql in schema if kind == "table" and VIRTUAL.match(sql)]
    left_out = [
        [name, "virtual" if name in virtual else "view"]
        for name, kind, _ in schema
        if kind == "view" or name in virtual
    ]
    tables = [
        name
        for name, kind, _ in schema
        if kind == "table"
        and name not in virtual
        and not name.lower().startswith("sqlite_")
        and not any(name.startswith(f"{owner}_") for owner in virtual)
    ]
    return tables, left_out


def _authorize(action: int, first: str | None, second: str | None, *_: object) -> int:
    """Allow reading of tables, and count, min and max; nothing else that a definition may ask for."""
    if action in ALLOWED or (action == sqlite3.SQLITE_FUNCTION and second in ("count", "min", "max")):
        return sqlite3.SQLITE_OK
    return sqlite3.SQLITE_DENY


def _count_rows(base: sqlite3.Connection, table: str) -> int:
    """Return the number of rows of a table; 0 where they cannot be counted, and then the first rows say why."""
    try:
        return int(_select(base, "SELECT count(*) FROM $TABLE", table).fetchone()[0])
    except sqlite3.Error:
        return 0


def _read_table(base: sqlite3.Connection, table: str, names: Sequence[str], count: int) -> Iterator[dict[str, Any]]:
    """Yield the rows of a table in the order of their row numbers; those that cannot be read are lost one by one."""
    if not _has_row_numbers(base, table):
        yield from _read_without_numbers(base, table, names, count)
        return
    start: int | None = LOWEST
    left, faults = count, 0
    while start is not None and faults < MOST_FAULTS:
        error = None
        try:
            query = "SELECT rowid, * FROM $TABLE WHERE rowid >= ? ORDER BY rowid"
            for frame, last, number in _encode_frames(_select(base, query, table, start), names, start):
                start, left = last + 1, left - number
                yield frame
        except _Cut as cut:
            if cut.frame:
                yield cut.frame[0]
                start, left = cut.frame[1] + 1, left - cut.frame[2]
            error = cut.error
        if error is None:
            break
        faults += 1
        passed = _step_over(base, table, start)
        if passed.rows:
            yield {"json": [_encode_row(names, row) for row in passed.rows]}
        left -= len(passed.rows)
        start = passed.start
        if start is not None:
            lost_count = int(passed.is_lost)
        else:
            lost_count = left
        if lost_count > 0:
            yield {"lost": lost_count, "error": error}
            left -= lost_count
    if left > 0:
        yield {"lost": left, "error": "the table has fewer rows than it counts"}


class _Cut(Exception):  # noqa: N818 - where reading ended
    """Reading was cut short by an error, after a last frame (with its last row number and its number of rows)."""

    def __init__(self, error: str, frame: tuple[dict[str, Any], int, int] | None) -> None:
        super().__init__(error)
        self.error, self.frame = error, frame


def _encode_frames(
    cursor: sqlite3.Cursor, names: Sequence[str], start: int | None = None
) -> Iterator[tuple[dict[str, Any], int, int]]:
    """Yield frames of rows, each with its last row number and how many rows it has. Raises _Cut.

    From `start` on the row numbers have to rise: those of a damaged table may go round in a circle.
    """
    texts: list[str] = []
    size, last = 0, 0
    least = start
    while True:
        try:
            row = cursor.fetchone()
        except (sqlite3.Error, OverflowError, ValueError) as error:
            if texts:
                frame = ({"json": texts}, last, len(texts))
            else:
                frame = None
            raise _Cut(parquet.shorten_error(error), frame) from None
        if row is None:
            break
        if least is not None:
            if not isinstance(row[0], int) or row[0] < least:
                raise _Cut(OUT_OF_ORDER, ({"json": texts}, last, len(texts)) if texts else None)
            least = row[0] + 1
        last = row[0]
        texts.append(_encode_row(names, row[1:]))
        size += len(texts[-1])
        if size > FRAME or len(texts) >= BATCH:
            yield {"json": texts}, last, len(texts)
            texts, size = [], 0
    if texts:
        yield {"json": texts}, last, len(texts)


def _check_table(base: sqlite3.Connection, table: str) -> Iterator[dict[str, Any]]:
    """Yield what SQLite finds wrong with the pages of a table, from which rows may be missing without an error."""
    base.set_authorizer(None)
    pages = base.execute("PRAGMA page_count").fetchone()[0] * base.execute("PRAGMA page_size").fetchone()[0]
    if pages > MOST_CHECKED:
        return
    quoted = "'" + table.replace("'", "''") + "'"
    try:
        answer = base.execute(f"PRAGMA quick_check({quoted})").fetchone()
    except sqlite3.Error as error:
        answer = (str(error).encode(),)
    if answer and answer[0] != b"ok":
        yield {"damage": " ".join(_decode_text(answer[0]).split())[:300]}


@dataclass(frozen=True, slots=True)
class _Passed:
    """What was read up to a row that cannot be read, and the row number to go on with; None at the end."""

    rows: list[Sequence[Any]]
    start: int | None
    is_lost: bool = True


def _step_over(base: sqlite3.Connection, table: str, start: int) -> _Passed:
    """Read row by row, from a row number on, up to the first row that cannot be read.

    Python's module reads one row ahead, and with the row that it cannot read loses the one before it.
    """
    rows: list[Sequence[Any]] = []
    while len(rows) < BATCH:
        try:
            next_row = _select(
                base, "SELECT rowid FROM $TABLE WHERE rowid >= ? ORDER BY rowid LIMIT 1", table, start
            ).fetchone()
        except sqlite3.Error:
            return _Passed(rows, _find_behind_damage(base, table, start))
        if next_row is None:
            return _Passed(rows, None)
        number = max(int(next_row[0]), start)
        try:
            row = _select(base, "SELECT * FROM $TABLE WHERE rowid = ?", table, number).fetchone()
        except (sqlite3.Error, OverflowError):
            row = None
        if number == HIGHEST:
            return _Passed([*rows, row] if row else rows, None)
        if row is None:
            return _Passed(rows, number + 1)
        rows.append(row)
        start = number + 1
    return _Passed(rows, start, is_lost=False)


def _find_behind_damage(base: sqlite3.Connection, table: str, start: int) -> int | None:
    """Return a row number behind a damaged page, trying in wider and wider steps; None where nothing can be read.

    How many rows lay there is not known, and one is counted.
    """
    step = 1
    start = max(start, 0)
    while step < SPACE:
        with contextlib.suppress(sqlite3.Error):
            query = "SELECT rowid FROM $TABLE WHERE rowid >= ? ORDER BY rowid LIMIT 1"
            row = _select(base, query, table, start + step).fetchone()
            if row:
                return max(int(row[0]), start + step)
            return None
        step *= 2
    return None


def _read_without_numbers(
    base: sqlite3.Connection, table: str, names: Sequence[str], count: int
) -> Iterator[dict[str, Any]]:
    left = count
    cursor = _select(base, "SELECT 0, * FROM $TABLE", table)
    try:
        for frame, _, number in _encode_frames(cursor, names):
            left -= number
            yield frame
    except _Cut as cut:
        if cut.frame:
            yield cut.frame[0]
            left -= cut.frame[2]
        yield {"lost": max(left, 1), "error": cut.error}


def _has_row_numbers(base: sqlite3.Connection, table: str) -> bool:
    try:
        _select(base, "SELECT rowid FROM $TABLE LIMIT 0", table)
    except sqlite3.Error:
        return False
    return True


def _encode_row(names: Sequence[str], row: Sequence[Any]) -> str:
    try:
        return json.dumps(dict(zip(names, map(_convert_value, row), strict=True)))
    except (ValueError, RecursionError):
        return parquet.UNREADABLE


def _convert_value(value: Any) -> Any:
    """Return a value for JSON. SQLite hands over texts as bytes here, and bytes as such: both are text if UTF-8."""
    if isinstance(value, bytes):
        try:
            return value.decode("utf-8")
        except UnicodeDecodeError:
            return base64.b64encode(value).decode("ascii")
    return value


def _decode_text(value: bytes | str) -> str:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return value


def _select(base: sqlite3.Connection, query: str, table: str, *values: int) -> sqlite3.Cursor:
    """Run a query on a table, whose name takes the place of $TABLE as SQL quotes names."""
    quoted = '"' + table.replace('"', '""') + '"'
    return base.execute(query.replace("$TABLE", quoted), values)
