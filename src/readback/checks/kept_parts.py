"""What children told of a range of records, kept until anything that it depends on is another.

A check that was killed goes on where it was, and after a small change only what the change concerns is worked out: the
records that are new, the one choice whose adapter is another. A range has a file, named by the content of its records;
in it is a section for what rules say of the records alone, and one for each choice, each named by what it depends on
(`material`). Nothing is kept of a range that stopped a child, in which a rule failed or a limit was met.
"""

from __future__ import annotations

import json
import time
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any

import msgspec

from readback.checks import kept_answers
from readback.checks.material import Material, looks_elsewhere, told_in_full
from readback.checks.summary import LIMIT
from readback.checks.variables import Shape
from readback.prompts import model_input
from readback.prompts.self_tests import said
from readback.readers.cache_folder import cache_folder
from readback.readers.paths import show
from readback.records.dataset import Dataset, DatasetChanged
from readback.types import Selection, Workspace

KIND = kept_answers.KINDS[1]  # the folder in the cache
SECTIONS = 32  # of one file; others than those that are asked for go first
LARGEST = 16 << 20  # bytes of one file
ROOM = 16 << 20  # bytes that are made free at once

Asked = Selection | None  # None: the records alone
Choices = tuple[Selection, ...]
Told = Mapping[str, Any]  # of one record, as `chunk.heard` has it
Ask = Callable[[Choices, bool], Iterator[Told]]  # a child: for some choices, and whether for the records alone


@dataclass(slots=True)
class Section:
    """What was told of a range for one choice, or of its records alone; by the places of records in the range."""

    findings: dict[int, list[Any]] = field(default_factory=dict)
    marks: list[list[Any]] = field(default_factory=list)  # of the records alone; the rest of a choice
    longest: list[int] = field(default_factory=list)
    shapes: list[Shape] = field(default_factory=list)
    uses: list[int] = field(default_factory=list)  # the number of each record's shape
    observed: list[bool | None] = field(default_factory=list)
    numbers: dict[Shape, int] = field(default_factory=dict)  # of the shapes, while they come
    last: tuple[Shape, int] | None = None  # the shape that came last, and its number

    def as_json(self) -> list[Any]:
        return [list(self.findings.items()), self.marks, self.longest, self.shapes, self.uses, self.observed]


def _section(kept: Any, count: int) -> Section:
    """A section as it was kept. Raises ValueError where it is of another number of records."""
    findings, marks, longest, shapes, uses, observed = kept
    if {len(marks), len(longest)} != {0, count} or not len(longest) == len(uses) == len(observed):
        raise ValueError("it is of another range")
    return Section(dict(findings), marks, longest, [tuple(map(tuple, one)) for one in shapes], uses, observed)


@dataclass(slots=True)
class _New:
    """What a range has to be kept of: its file, the sections there, those that were asked for, the new ones."""

    path: Path
    before: Mapping[str, Any]
    wanted: Sequence[Asked]
    sections: Mapping[Asked, Section]


class Parts:
    """The parts of the check of one dataset. Safe to use from several threads."""

    def __init__(
        self, opened: Workspace, data: Dataset, codes: Collection[str] | None, files: kept_answers.States, folder: Path
    ) -> None:
        """`files`: the states of all files of the workspace's folder, and `folder` the one to keep parts in."""
        self.opened, self.data, self.codes, self.files, self.folder = opened, data, codes, files, folder
        self._dated = replace(opened, today=model_input.today(opened))  # templates may print it
        self._lock = Lock()
        self._names: dict[Asked, str] = {}
        self._began, self._waiting, self._room = time.monotonic(), list[_New](), 0

    def told(self, start: int, stop: int, choices: Choices, ask: Ask) -> Iterator[Told]:
        """What is told of each record of a range; `ask` is asked for what nobody knows, and that is kept."""
        wanted: tuple[Asked, ...] = (None, *choices)
        path = self._path(start, stop) if len(set(wanted)) == len(wanted) else None
        if path is None:
            yield from ask(choices, True)
            return
        before = _sections(path)
        # of a file that was written to nothing is known: a child says what became of it
        known = {} if self.data.written else self._known(before, wanted, stop - start)
        if len(known) == len(wanted):
            rows = _Rows(start, [known[one] for one in wanted])
            yield from (rows.record(at, ()) for at in range(stop - start))
            return
        new = {one: Section() for one in wanted if one not in known}
        rows = _Rows(start, [known.get(one) or new[one] for one in wanted])
        asked = tuple(one for one in choices if one in new)
        filled, clean, count = [new[one] for one in asked], True, 0
        for at, one in enumerate(ask(asked, None in new)):
            clean, count = _take(one, at, new.get(None), filled) and clean, at + 1
            yield rows.record(at, one["faults"]) if known else one
        if clean and count == stop - start:
            self._keep(_New(path, before, wanted, new))

    def _path(self, start: int, stop: int) -> Path | None:
        try:
            return self.folder / self.data.digest(start, stop)[:32]
        except DatasetChanged:  # a child says so, too
            return None

    def _known(self, before: Mapping[str, Any], wanted: Sequence[Asked], count: int) -> dict[Asked, Section]:
        found: dict[Asked, Section] = {}
        with suppress(OSError):  # a file has gone meanwhile: a child will say so
            for one in wanted if before else ():
                with suppress(LookupError, TypeError, ValueError):
                    found[one] = _section(before[self._name(one)], count)
        return found

    # What a section depends on beside the records.

    def _name(self, asked: Asked) -> str:
        """Raises OSError where a file has gone."""
        with self._lock:
            if asked not in self._names:
                self._names[asked] = self._material.of(asked)
            return self._names[asked]

    @cached_property
    def _material(self) -> Material:
        """All that an answer depends on but the records; worked out when the first one is looked for or kept."""
        opened, told = self.opened, told_in_full(self.opened)
        # of a dataset that is looked through for others, each record may have a say in what is told of one
        own = set() if looks_elsewhere(opened) else {show(opened.root, self.data.path)}
        others = {name: one for name, one in self.files.items() if name not in told | own}
        codes = None if self.codes is None else sorted(self.codes)
        about = [kept_answers.versions(), kept_answers.content(opened.root, others), said(opened), codes]
        return Material(self._dated, about)

    # Keeping.

    def _keep(self, new: _New) -> None:
        """Keep what is new, as soon as the check turns out to be a slow one."""
        with self._lock:
            self._waiting.append(new)
            if time.monotonic() - self._began <= kept_answers.SLOW:
                return
            waiting, self._waiting = self._waiting, []
        with suppress(OSError):  # a full disk, say: then it is worked out again
            made = [(one.path, self._packed(one)) for one in waiting]
            if kept_answers.files_below(self.opened.root) == self.files and not self.data.written:
                for path, packed in made:
                    self._write(path, packed)

    def _packed(self, new: _New) -> bytes:
        names = [self._name(one) for one in new.wanted]
        made = {**new.before, **{self._name(one): section.as_json() for one, section in new.sections.items()}}
        others = [name for name in made if name not in names]
        kept = {name: made[name] for name in (*others[len(names) + len(others) - SECTIONS :], *names)}
        return zlib.compress(json.dumps(kept).encode(), 1)

    def _write(self, path: Path, packed: bytes) -> None:
        """Raises OSError."""
        if len(packed) > LARGEST:
            return
        with self._lock:
            if self._room < len(packed):
                kept_answers.make_room(max(len(packed), room := min(ROOM, kept_answers.MOST >> 5)))
                self._room = room
            self._room -= len(packed)
        kept_answers.write(path, [packed])


def parts(opened: Workspace, data: Dataset, codes: Collection[str] | None) -> Parts | None:
    """The parts of the check of a dataset, for the rules of `codes`; None where none can be kept."""
    if opened.dataset is None or not len(data) or not kept_answers.keepable(opened):
        return None
    files = kept_answers.files_below(opened.root)
    if files is None or show(opened.root, data.path) not in files:
        return None
    try:
        return Parts(opened, data, codes, files, cache_folder(KIND))
    except OSError:
        return None


def _sections(path: Path) -> dict[str, Any]:
    """The sections of a file as they were kept, by their names; none where it is not there, or damaged."""
    try:
        whole = kept_answers.read(path)
        found = _decoded(zlib.decompress(whole)) if whole else {}
    except (ValueError, zlib.error):
        return {}
    return found if isinstance(found, dict) else {}


def _decoded(text: bytes) -> Any:
    """The JSON value that a text is. Raises ValueError."""
    try:
        return msgspec.json.decode(text)  # much quicker
    except msgspec.DecodeError:  # half of a surrogate pair, NaN
        return json.loads(text)


def _take(told: Told, at: int, alone: Section | None, choices: Sequence[Section]) -> bool:
    """Take in what a child told of a record; answers whether that may be kept."""
    begin = 0
    if counts := told["counts"]:  # of the record alone first, whether it was asked for or not
        for section, count in zip((alone, *choices), counts, strict=True):
            if section and count:
                section.findings[at] = told["findings"][begin : begin + count]
            begin += count
    if alone:
        alone.marks.append(told["marks"])
    for section, longest, made, seen in zip(choices, told["longest"], told["uses"], told["observed"], strict=True):
        section.longest.append(longest)
        if section.last is None or made is not section.last[0]:  # else those of the record before it
            if (number := section.numbers.get(made)) is None:
                number = section.numbers[made] = len(section.shapes)
                section.shapes.append(made)
            section.last = made, number
        section.uses.append(section.last[1])
        section.observed.append(seen)
    return not told["faults"] and all(one["code"] != LIMIT for one in told["findings"])


class _Rows:
    """What is told of each record of a range, out of its sections; equal uses are the same object."""

    def __init__(self, start: int, sections: Sequence[Section]) -> None:
        self._start, self._sections = start, sections
        self._alone, *self._choices = sections
        self._uses: dict[tuple[int, ...], list[Shape]] = {}

    def record(self, at: int, faults: Sequence[Any]) -> Told:
        numbers = tuple([one.uses[at] for one in self._choices])
        if (uses := self._uses.get(numbers)) is None:
            made = zip(self._choices, numbers, strict=True)
            uses = self._uses[numbers] = [one.shapes[number] for one, number in made]
        return {
            "index": self._start + at,
            "findings": [one for section in self._sections if at in section.findings for one in section.findings[at]],
            "faults": faults,
            "marks": self._alone.marks[at],
            "longest": [one.longest[at] for one in self._choices],
            "uses": uses,
            "observed": [one.observed[at] for one in self._choices],
        }
