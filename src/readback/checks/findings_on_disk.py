"""All findings of a check that has very many, in a file: counted, filtered, searched and read by range.

An audit holds the first 10,000 findings. Where there are more, whoever runs it for pages writes every finding into a
file (`findings_file`), so that a page lists any of them and holds none: no filter but a search looks at findings.
"""

from __future__ import annotations

# ruff: noqa: S608 - what is put into statements are numbers, and names of tables, both made here
import json
import re
import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import Any, cast, overload

from readback import as_json
from readback.checks import rules
from readback.checks.quoted import where
from readback.types import Finding, Location, Severity

SEARCHES = 4  # whose hits are kept
READ = 500  # findings that are read at once
GRAVE: tuple[Severity, ...] = ("error", "warning", "info")
HIT = "id INTEGER PRIMARY KEY, kind INTEGER, first INTEGER, n INTEGER, whole INTEGER"  # a table of stacks


@dataclass(frozen=True, slots=True)
class Kind:
    """The findings of one rule, severity and condition: how many, and as bits the records they are in.

    `place` holds what their places have in common; `fix` is the advice, None where there are several; `first` the
    number of the first of them, in the order in which all were found.
    """

    number: int
    code: str
    severity: Severity
    place: Location
    fix: str | None
    n: int
    first: int
    records: int = field(repr=False)


class FindingsOnDisk:
    """The findings that a Writer wrote. The file loses its name at once, so that it goes with the process.

    Safe to use from several threads. Raises OSError where the file cannot be read.
    """

    def __init__(self, path: Path) -> None:
        try:
            self._listing, self._searching = _Opened(path), _Opened(path)  # no listing waits until a search is done
            rows = self._listing.all("SELECT * FROM kind ORDER BY id")
        except sqlite3.Error as error:
            raise OSError(str(error)) from error
        finally:
            path.unlink(missing_ok=True)
        self.kinds = tuple(
            Kind(number, code, severity, _place(ABOUT, json.loads(about)), fix, n, first, _bits(records))
            for number, code, severity, about, fix, n, first, records in rows
        )
        self._hits: OrderedDict[str, tuple[str, str, tuple[Kind, ...]]] = OrderedDict()
        self._search_count = 0
        self._lock = threading.RLock()

    def findings(self, kinds: Iterable[Kind], words: str = "") -> Listed:
        """Those of some kinds, as `kinds` and `searched` give them; the gravest first, then as they were found."""
        return Listed(self, tuple(sorted(kinds, key=lambda kind: (GRAVE.index(kind.severity), kind.first))), words)

    def searched(self, words: str) -> tuple[Kind, ...]:
        """Return the kinds with a finding that has the words in its rule, message, advice or place, counting only
        these.
        """
        with self._lock:
            return self._search(words)[2]

    def rows(self, words: str, sql: str, **values: Any) -> list[Any]:
        """Run a statement with the places {stacks} (a table), {of} and {found} (conditions), over all findings or over
        those with the words.
        """
        if not words:
            return self._listing.all(sql.format(stacks="stack", of="1", found="1"), **values)
        with self._lock:
            table, has_words, _ = self._search(words)
            whole = f"(SELECT whole FROM {table} WHERE {table}.id = stack.id)"
            placeholders = {"stacks": table, "of": f"{whole} IS NOT NULL", "found": f"({whole} OR {has_words})"}
            return self._searching.all(sql.format(**placeholders), w=searched(words), **values)

    def _search(self, words: str) -> tuple[str, str, tuple[Kind, ...]]:
        """Return the table of the stacks that have the words, the condition that a place has them, and the kinds."""
        wanted = searched(words)
        if wanted not in self._hits:
            self._search_count += 1
            table = f"hit_{self._search_count}"
            has_words = self._in_place(wanted)
            self._hits[wanted] = table, has_words, self._hit(table, wanted, has_words)
            if len(self._hits) > SEARCHES:
                _, (old, _, _) = self._hits.popitem(last=False)
                self._searching.all(f"DROP TABLE {old}")
        self._hits.move_to_end(wanted)
        return self._hits[wanted]

    def _in_place(self, wanted: str) -> str:
        """Return the condition that a finding has `:w` in its place, which follows the rest of the text after a space:
        words with a space may begin before it, where that rest ends with the first ones of them.
        """
        firsts = {wanted[:at]: at for at, char in enumerate(wanted) if char == " "}
        ends = (f"substr(said, -{at}) = :w" if at else "1" for at in firsts.values())
        both = any(
            self._searching.all(f"SELECT 1 FROM stack WHERE {end} LIMIT 1", w=first)
            for first, end in zip(firsts, ends, strict=True)
        )
        if both:
            text = "substr(said, -length(:w)) || ' ' || spot"
        else:
            text = "spot"
        return f"instr({text}, :w)"

    def _hit(self, table: str, wanted: str, spot: str) -> tuple[Kind, ...]:
        ask, kinds_by_number = self._searching.all, {kind.number: kind for kind in self.kinds}
        ask(f"CREATE TEMP TABLE {table} ({HIT})")
        ask(f"INSERT INTO {table} SELECT id, kind, first, n, 1 FROM stack WHERE instr(said, :w)", w=wanted)
        whole = dict(ask(f"SELECT kind, sum(n) FROM {table} GROUP BY kind"))
        if rest := [number for number, kind in kinds_by_number.items() if whole.get(number) != kind.n]:
            ask(
                f"INSERT INTO {table} SELECT stack.id, kind, min(number), count(*), 0 "
                "FROM finding CROSS JOIN stack ON stack.id = finding.stack "
                f"WHERE kind IN ({_list(rest)}) AND {spot} AND NOT instr(said, :w) GROUP BY stack.id",
                w=wanted,
            )
        counts = ask(f"SELECT kind, sum(n), min(first) FROM {table} GROUP BY kind")
        records = {number: bytearray() for number, n, _ in counts if n != kinds_by_number[number].n}
        if records:
            for number, record in self._searching.each(
                f"SELECT stack.kind, record FROM {table} AS hit CROSS JOIN stack ON stack.id = hit.id "
                "CROSS JOIN finding ON finding.stack = stack.id "
                f"WHERE stack.kind IN ({_list(records)}) AND record IS NOT NULL AND (whole OR {spot})",
                w=wanted,
            ):
                mark(records[number], record)
        return tuple(
            replace(kind, n=n, first=first, records=_bits(records[number]) if number in records else kind.records)
            for number, n, first in counts
            for kind in (kinds_by_number[number],)
        )


@dataclass(frozen=True, slots=True)
class Listed(Sequence[Finding]):
    """Findings of some kinds, with some words where any are given, read when they are looked at."""

    disk: FindingsOnDisk
    kinds: tuple[Kind, ...]
    words: str = ""

    def __len__(self) -> int:
        return sum(kind.n for kind in self.kinds)

    @overload
    def __getitem__(self, at: int) -> Finding: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Finding, ...]: ...
    def __getitem__(self, at: int | slice) -> Finding | tuple[Finding, ...]:
        if isinstance(at, slice):
            start, stop, step = at.indices(len(self))
            return tuple(islice(self, start, stop, step))
        findings = tuple(islice(self, range(len(self))[at], None))[:1]
        return findings[0]

    def __iter__(self) -> Iterator[Finding]:
        for severity in GRAVE:
            kinds, last = {kind.number: kind for kind in self.kinds if kind.severity == severity}, 0
            while kinds:
                rows = self.disk.rows(
                    self.words,
                    "SELECT number, kind, shared, own, record FROM finding CROSS JOIN stack "
                    "ON stack.id = finding.stack WHERE number > :last "
                    f"AND kind IN ({_list(kinds)}) AND {{of}} AND {{found}} ORDER BY number LIMIT {READ}",
                    last=last,
                )
                yield from (_finding(kinds[kind], shared, own) for _, kind, shared, own, _ in rows)
                if len(rows) < READ:
                    break
                last = rows[-1][0]

    @property
    def severities(self) -> frozenset[Severity]:
        """Return the severities among the findings."""
        return frozenset(kind.severity for kind in self.kinds)

    @property
    def fix(self) -> str | None:
        """The advice that holds for all of them; None where there are several."""
        fixes = {kind.fix for kind in self.kinds}
        if len(fixes) == 1:
            return fixes.pop()
        return None

    @property
    def records(self) -> int:
        """In how many records they are."""
        bits = 0
        for kind in self.kinds:
            bits |= kind.records
        return bits.bit_count()

    def stacks(self) -> Stacks:
        """Group findings that say the same of different records."""
        return Stacks(self)

    def firsts(self) -> tuple[Finding, ...]:
        """Return the first finding of each kind."""
        kinds = {kind.number: kind for kind in self.kinds}
        rows = self.disk.rows(
            "",
            "SELECT kind, shared, own FROM finding CROSS JOIN stack ON stack.id = finding.stack "
            f"WHERE number IN ({_list(kind.first for kind in self.kinds)})",
        )
        return tuple(_finding(kinds[kind], shared, own) for kind, shared, own in rows)

    def at(self, where: Mapping[str, str]) -> int:
        """How many have these parts of a place, whatever was searched."""
        about = {name: value for name, value in where.items() if name in ABOUT}
        kinds = [
            kind
            for kind in self.disk.kinds
            if kind.code in {listed_kind.code for listed_kind in self.kinds}
            and all(str(getattr(kind.place, name)) == value for name, value in about.items())
        ]
        rest = {name: value for name, value in where.items() if name not in ABOUT}
        if not rest:
            return sum(kind.n for kind in kinds)
        parts = {f"$[2][{n}]": ("shared", name) for n, name in enumerate(STACK_PARTS)}
        parts |= {f"$[1][{n}]": ("own", name) for n, name in enumerate(SPOT)}
        equal = [
            f"CAST(json_extract({column}, '{path}') AS TEXT) = :{name}"
            for path, (column, name) in parts.items()
            if name in rest
        ]
        sql = (
            "SELECT count(*) FROM finding CROSS JOIN stack ON stack.id = finding.stack "
            f"WHERE kind IN ({_list(kind.number for kind in kinds)}) AND {' AND '.join(equal)}"
        )
        return cast(int, self.disk.rows("", sql, **rest)[0][0])


class Stacks(Sequence["Stack"]):
    """Findings that say the same of another record each, together; as `groups.alike` has them."""

    def __init__(self, listed: Listed) -> None:
        self.listed, self.kinds = listed, {kind.number: kind for kind in listed.kinds}
        later = [[number for number, kind in self.kinds.items() if kind.severity == severity] for severity in GRAVE[1:]]
        graver = " + ".join(f"{n} * (kind IN ({_list(numbers)}))" for n, numbers in enumerate(later, 1))
        if len(listed.severities) == 1:
            order = "first"
        else:
            order = f"{graver}, first"
        source = f"FROM {{stacks}} WHERE kind IN ({_list(self.kinds)})"
        self.ordered = f"SELECT id, kind, n {source} ORDER BY {order} LIMIT :n OFFSET :at"
        self.numbered = f"SELECT id, kind, n, row_number() OVER (ORDER BY {order}) AS place {source}"
        self.size = self._rows(f"SELECT count(*) {source}")[0][0]

    def __len__(self) -> int:
        return cast(int, self.size)

    @overload
    def __getitem__(self, at: int) -> Stack: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Stack, ...]: ...
    def __getitem__(self, at: int | slice) -> Stack | tuple[Stack, ...]:
        if not isinstance(at, slice):
            number = range(len(self))[at]
            return self[number : number + 1][0]
        start, stop, _ = at.indices(len(self))
        return self._read(self._rows(self.ordered, n=max(0, stop - start), at=start))

    def some(self, places: Collection[int]) -> tuple[Stack, ...]:
        """Those at some places, in their order."""
        wanted = _list(at + 1 for at in places)
        return self._read(
            self._rows(f"SELECT id, kind, n FROM ({self.numbered}) WHERE place IN ({wanted}) ORDER BY place")
        )

    def before(self, start: int) -> int:
        """How many findings the stacks before that one hold."""
        return cast(int, self._rows(f"SELECT coalesce(sum(n), 0) FROM ({self.ordered})", n=start, at=0)[0][0])

    def _read(self, rows: Iterable[tuple[int, int, int]]) -> tuple[Stack, ...]:
        return tuple(Stack(self.listed, self.kinds[kind], number, 0, n) for number, kind, n in rows)

    def _rows(self, sql: str, **values: Any) -> list[Any]:
        return self.listed.disk.rows(self.listed.words, sql, **values)


@dataclass(frozen=True, slots=True)
class Stack(Sequence[Finding]):
    """One of them, or a part of it: `size` findings from the `start`th."""

    listed: Listed
    kind: Kind
    number: int
    start: int
    size: int

    def __len__(self) -> int:
        return self.size

    @overload
    def __getitem__(self, at: int) -> Finding: ...
    @overload
    def __getitem__(self, at: slice) -> Stack: ...
    def __getitem__(self, at: int | slice) -> Finding | Stack:
        if isinstance(at, slice):
            start, stop, _ = at.indices(len(self))
            return replace(self, start=self.start + start, size=max(0, stop - start))
        return next(self._read(self.start + range(len(self))[at], 1))

    def __iter__(self) -> Iterator[Finding]:
        for at in range(self.start, self.start + self.size, READ):
            yield from self._read(at, min(READ, self.start + self.size - at))

    def _read(self, at: int, n: int) -> Iterator[Finding]:
        rows = self.listed.disk.rows(
            self.listed.words,
            "SELECT shared, own FROM stack CROSS JOIN finding ON finding.stack = stack.id "
            "WHERE stack.id = :stack AND {found} ORDER BY number LIMIT :n OFFSET :at",
            stack=self.number,
            n=n,
            at=at,
        )
        return (_finding(self.kind, shared, own) for shared, own in rows)


class _Opened:
    """A connection that several threads share, one after another; it reads a file without a name."""

    def __init__(self, path: Path) -> None:
        self.lock = threading.Lock()
        self.file = sqlite3.connect(
            f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True, check_same_thread=False, isolation_level=None
        )
        self.file.execute("SELECT count(*) FROM kind").fetchall()  # opens it

    def all(self, sql: str, **values: Any) -> list[Any]:
        with self.lock:
            return self.file.execute(sql, values).fetchall()

    def each(self, sql: str, **values: Any) -> Iterator[Any]:
        with self.lock:
            yield from self.file.execute(sql, values)


def _finding(kind: Kind, shared: str, own: str) -> Finding:
    message, fix, stack_parts, values = json.loads(shared)
    key, spot, *other = json.loads(own)
    at = _place((*STACK_PARTS, *SPOT), (*stack_parts, *spot))
    return Finding(kind.code, kind.severity, other[0] if other else values, message, fix, at, key)


def _place(names: Iterable[str], values: Iterable[Any]) -> Location:
    return Location(**dict(zip(names, values, strict=True)))


def _list(numbers: Iterable[int]) -> str:
    return ", ".join(map(str, numbers))


def _bits(records: bytes | bytearray) -> int:
    return int.from_bytes(records, "little")


LARGEST = 2 << 30  # bytes of a file; of more findings only those are listed that the audit holds
PAGE = 4096  # bytes of a page of the file
STACKS = 20_000  # stacks that are remembered while they are written
AT_ONCE = 500  # findings that are written at once
ABOUT = ("condition", "mode", "task", "adapter", "judge")  # of a place: what a kind has in common,
STACK_PARTS = (*ABOUT, "role", "field")  # a stack,
SPOT = tuple(name for name in as_json.PARTS if name not in STACK_PARTS)  # and what each finding has for itself
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
    """Writes the findings of a check in the order in which they come, once there are more than `threshold`.

    `other_files`: files whose findings are about no record of the dataset, whatever numbers their places have.
    """

    def __init__(self, path: Path, threshold: int, other_files: Collection[str] = ()) -> None:
        self.path, self.threshold, self.other_files = path, threshold, frozenset(other_files)
        self.pending: list[Finding] = []
        self.opened: sqlite3.Connection | None = None
        self.count, self.failed = 0, False
        self.kinds: dict[tuple[str, str, str], _Counted] = {}
        self.stacks: dict[tuple[Any, ...], tuple[int, Any]] = {}

    def take(self, finding: Finding) -> None:
        """Queue a finding, and write the queue once it is long enough."""
        self.pending.append(finding)
        if len(self.pending) >= (AT_ONCE if self.opened else self.threshold + 1):
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
        self.pending.clear()

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
        file.executemany("INSERT INTO finding VALUES (?, ?, ?, ?, ?)", [*map(self._row, self.pending)])
        file.execute("COMMIT")

    def _finish(self) -> None:
        rows = [
            (kind.number, *key[:2], key[2], kind.fix, kind.n, kind.first, bytes(kind.records))
            for key, kind in self.kinds.items()
        ]
        self._file().executemany("INSERT INTO kind VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)
        self._file().executescript(INDEXES)

    def _row(self, finding: Finding) -> tuple[Any, ...]:
        self.count += 1
        at = finding.place
        if at.file in self.other_files:
            at = replace(at, index=None, record=None)
        stack, values = self._stack(finding, at)
        spot = [getattr(at, name) for name in SPOT]
        own = [finding.key, spot] if finding.values == values else [finding.key, spot, dict(finding.values)]
        return self.count, stack, at.index, searched(where(at)), json.dumps(own)

    def _stack(self, finding: Finding, at: Location) -> tuple[int, Any]:
        """Return the number of the finding's stack, and the values that are written with it (None: not known)."""
        about = json.dumps([getattr(at, name) for name in ABOUT])
        key = (finding.code, finding.severity, about)
        kind = self.kinds.get(key)
        if kind is None:
            kind = self.kinds[key] = _Counted(len(self.kinds), self.count, finding.fix)
        kind.take(finding.fix, at.index)
        content = (kind.number, at.role, at.field, finding.message, finding.fix)
        same = content if at.index is not None else (finding.code, finding.key)
        if (stack := self.stacks.get(same)) is not None:
            return stack
        digest = blake2b(json.dumps(same).encode(), digest_size=8).digest()
        number = int.from_bytes(digest, "big", signed=True)
        shared = json.dumps(
            [finding.message, finding.fix, [getattr(at, name) for name in STACK_PARTS], dict(finding.values)]
        )
        text = searched(f"{_title(finding.code)} {finding.code} {finding.message} {finding.fix}")
        row = (number, kind.number, self.count, text, shared)
        new = self._file().execute("INSERT OR IGNORE INTO stack VALUES (?, ?, ?, 0, ?, ?)", row).rowcount
        if len(self.stacks) >= STACKS:
            self.stacks.clear()
        self.stacks[same] = number, finding.values if new else None
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
    """Normalise a text for the search: casefolded, without characters that SQLite takes for its end or cannot store."""
    return TORN.sub("\ufffd", text).casefold()


def mark(records: bytearray, index: int) -> None:
    """Set the bit of a record, extending the bits where needed."""
    if len(records) <= index // 8:
        records.extend(bytes(index // 8 + 1 - len(records)))
    records[index // 8] |= 1 << index % 8


def _title(code: str) -> str:
    rule = rules.RULES().get(code)
    return (rule.title if rule else code).removesuffix(".")
