"""`readback.lock`: what every record comes to under every condition, as one line each, for a team to commit.

    readback.lock 1
    today 2026-11-23
    condition "open book" messages 2000 records 0 failed sha256:5dc9…
    condition "open book" judge "strict" 2000 records 0 failed sha256:91b2…

A line has a choice (`condition`, `mode` or `task` with a name as JSON; a judge of no condition stands alone), a layer,
how many records, for how many of them there is no text, and the Merkle root of `leaves`. `today` is the day that
templates printed; it stands only where the workspace names none. Lines that begin with # are comments.

Beside it may lie `readback.lock.records`: JSON lines, first {"lock": sha256 of the lock's bytes, "subjects": [line
heads]}, then for each record [id, occurrence, first 16 digits of its row's hash, for each subject the first 16 digits
of its fingerprint, a code in brackets, or null].
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from readback import as_json
from readback.exporting.whole_file import whole_file
from readback.review.leaves import LAYERS, Leaves, Subject
from readback.types import Selection

NAME = "readback.lock"
RECORDS = ".records"  # what is behind the name of a lock for its side file
VERSION = 1
SHORT = 16  # digits of a fingerprint in the side file
MOST = 64 << 20  # bytes of a lock
KINDS = ("condition", "mode", "task")  # what a choice is named by
ABOUT = (
    "# What every record comes to under every condition, made by `readback lock`. A line holds a SHA-256 Merkle root",
    "# over all records; `readback lock --check` says which of them changed.",
)
FIRST = re.compile(r"readback\.lock (\d+)")
TODAY = re.compile(r"today (\d{4}-\d{2}-\d{2})")
TEXT = r'"(?:[^"\\]|\\.)*"'
LINE = re.compile(
    rf"(?:(?P<kind>condition|mode|task) (?P<name>{TEXT}) )?(?:(?P<layer>{'|'.join(LAYERS)})|judge (?P<judge>{TEXT}))"
    r" (?P<records>\d+) records? (?P<failed>\d+) failed sha256:(?P<root>[0-9a-f]{64})"
)


class BadLock(Exception):  # noqa: N818 - an outcome to say in one sentence
    """There is no lock that can be compared with; the text says why, with the line where there is one."""


class NewerLock(BadLock):
    """A newer Readback wrote it, so it is neither read nor written over."""


@dataclass(frozen=True, slots=True)
class Root:
    """What one line of a lock says of its subject: records, how many without a text, the root in hex."""

    records: int
    failed: int
    root: str


@dataclass(frozen=True, slots=True)
class Lock:
    """A lock: its roots by subject, and the day that its templates printed (None: the workspace names one)."""

    roots: Mapping[Subject, Root]
    today: str | None = None


@dataclass(frozen=True, slots=True)
class LockedRecords:
    """The side file: by (id, occurrence) the row's hash and by subject what was there, each as the file writes it."""

    rows: Mapping[tuple[str | None, int], str]
    columns: Mapping[Subject, Mapping[tuple[str | None, int], str | None]] = field(default_factory=dict)


def build_lock(leaves: Leaves, today: str | None) -> Lock:
    """Build the lock of these leaves."""
    total = len(leaves.ids)
    roots = {s: Root(total, leaves.columns[s].failed, root.hex()) for s, root in leaves.roots().items()}
    return Lock(roots, today)


def format_lock(lock: Lock) -> str:
    """Write a lock as the text of its file; equal locks give equal texts."""
    lines = [f"readback.lock {VERSION}", *ABOUT, *([f"today {lock.today}"] if lock.today else [])]
    for subject, root in lock.roots.items():
        records = f"{root.records} record{'' if root.records == 1 else 's'}"
        lines.append(f"{format_head(subject)} {records} {root.failed} failed sha256:{root.root}")
    return "\n".join(lines) + "\n"


def format_head(subject: Subject) -> str:
    """How a subject's line begins: condition "open book" messages."""
    kind, name = name_choice(subject.choice)
    if subject.layer == "judge":
        layer = f"judge {as_json.dumps(subject.choice.judge)}"
    else:
        layer = subject.layer
    if name is not None:
        return f"{kind} {as_json.dumps(name)} {layer}"
    return layer


def name_choice(choice: Selection) -> tuple[str, str | None]:
    """Return what a choice is named by, and its name; None where it is a judge's alone."""
    return next(((kind, name) for kind in KINDS if (name := getattr(choice, kind)) is not None), ("condition", None))


def read_lock(path: Path) -> Lock:
    """Read the lock in a file. Raises BadLock."""
    try:
        with path.open("rb") as file:
            raw = file.read(MOST + 1)
    except FileNotFoundError:
        raise BadLock(f"there is no {path.name}; `readback lock` writes it") from None
    except OSError as error:
        raise BadLock(f"{path.name} cannot be read: {(error.strerror or str(error)).lower()}") from None
    if len(raw) > MOST:
        raise BadLock(f"{path.name} is larger than {MOST >> 20} MiB, which no lock is")
    try:
        return parse_lock(raw.decode("utf-8-sig"), path.name)
    except UnicodeDecodeError:
        raise BadLock(f"{path.name} is not UTF-8, so it is no lock") from None


def parse_lock(text: str, name: str = NAME) -> Lock:
    """Parse the text of a lock. Raises BadLock."""
    lines = [(number, line.rstrip("\r")) for number, line in enumerate(text.split("\n"), 1)]
    lines = [(number, line) for number, line in lines if line.strip() and not line.startswith("#")]
    if lines:
        first = FIRST.fullmatch(lines[0][1])
    else:
        first = None
    if first is None:
        raise BadLock(
            f"{name} does not begin with 'readback.lock {VERSION}', so it is no lock; `readback lock` writes it anew"
        )
    if int(first[1]) > VERSION:
        raise NewerLock(f"{name} was written by a newer Readback (format {first[1]}; this one knows {VERSION})")
    today, roots = None, dict[Subject, Root]()
    for number, line in lines[1:]:
        if day := TODAY.fullmatch(line):
            today = day[1]
            continue
        subject, root = _parse_line(line, f"{name}, line {number}")
        if subject in roots:
            raise BadLock(f"{name}, line {number}: {format_head(subject)} is there twice; was it merged by hand?")
        roots[subject] = root
    return Lock(roots, today)


def _parse_line(line: str, where: str) -> tuple[Subject, Root]:
    match = LINE.fullmatch(line)
    try:
        if not match:
            raise ValueError
        if match["kind"]:
            names = {match["kind"]: json.loads(match["name"])}
        else:
            names = {}
        if match["judge"]:
            judge = json.loads(match["judge"])
        else:
            judge = None
    except ValueError:
        raise BadLock(f"{where} is no line of a lock; `readback lock` writes it anew") from None
    choice = Selection(**names, judge=judge)
    subject = Subject(choice, match["layer"] or "judge")  # type: ignore[arg-type]
    return subject, Root(int(match["records"]), int(match["failed"]), match["root"])


# The side file.


def write_lock(path: Path, lock: Lock, leaves: Leaves | None = None) -> None:
    """Write a lock, whole or not at all; with `found` its side file too. Without, an older side file is removed, for
    it would be of another lock. Raises OSError.
    """
    raw = format_lock(lock).encode()
    records_path = path.with_name(path.name + RECORDS)
    if leaves is not None:
        with whole_file(records_path) as out:
            for line in format_records(raw, leaves):
                out.write(line)
    elif records_path.is_file():
        records_path.unlink()
    with whole_file(path) as out:
        out.write(raw)


def format_records(raw: bytes, leaves: Leaves) -> Iterator[bytes]:
    """Yield the lines of the side file of the lock whose bytes are `raw`."""
    about = {"lock": hashlib.sha256(raw).hexdigest(), "subjects": [format_head(subject) for subject in leaves.columns]}
    yield as_json.dumps(about).encode() + b"\n"
    for at in leaves.order():
        values = [shorten(column.at(at)) for column in leaves.columns.values()]
        yield (
            json.dumps([leaves.ids[at], leaves.occurrences[at], shorten(leaves.row(at).hex()), *values]).encode()
            + b"\n"
        )


def shorten(value: str | None) -> str | None:
    """Return a fingerprint's first digits; a code in brackets, so that the two are never confused."""
    if value is None:
        return value
    if len(value) == 2 * 32:
        return value[:SHORT]
    return f"[{value}]"


def read_records(path: Path) -> LockedRecords | None:
    """Read the side file of the lock at `path`; None where there is none, or it is damaged or of another lock."""
    try:
        with path.with_name(path.name + RECORDS).open("rb") as file:
            return parse_records(path.read_bytes(), file)
    except OSError:
        return None


def parse_records(raw: bytes, lines: Iterable[bytes]) -> LockedRecords | None:
    """Parse the side file with these lines of the lock whose bytes are `raw`; None where it is damaged or of another
    lock.
    """
    rows: dict[tuple[str | None, int], str] = {}
    try:
        each = iter(lines)
        about = json.loads(next(each, b""))
        if about["lock"] != hashlib.sha256(raw).hexdigest():
            return None
        subjects = _find_subjects(raw, about["subjects"])
        columns: list[dict[tuple[str | None, int], str | None]] = [{} for _ in subjects]
        for line in each:
            _add_record(json.loads(line), rows, columns)
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return LockedRecords(rows, dict(zip(subjects, columns, strict=True)))


def _find_subjects(raw: bytes, heads: Sequence[str]) -> list[Subject]:
    by_head = {format_head(subject): subject for subject in parse_lock(raw.decode("utf-8-sig")).roots}
    return [by_head[head] for head in heads]


def _add_record(
    values: list[Any],
    rows: dict[tuple[str | None, int], str],
    columns: Sequence[dict[tuple[str | None, int], str | None]],
) -> None:
    called, occurrence, row, *entries = values
    if len(entries) != len(columns):
        raise ValueError
    rows[called, occurrence] = row
    for column, value in zip(columns, entries, strict=True):
        column[called, occurrence] = value
