"""What children told of a range of records, kept until anything that it depends on is another.

A check that was killed goes on where it was, and after a small change only what the change concerns is worked out: the
records that are new, the one choice whose adapter is another. A range has a file, named by the content of its records;
in it is a section for what rules say of the records alone, and one for each choice, each named by what it depends on
(`material`). Nothing is kept of a range that stopped a child, in which a rule failed or a limit was met.
"""

from __future__ import annotations

import hashlib
import time
import zlib
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

from readback import as_json
from readback.checks import kept_answers, kept_sections, marks, rules
from readback.checks.batch import Batch, Shapes
from readback.checks.finding_lines import read
from readback.checks.kept_digests import KeptDigests
from readback.checks.kept_sections import Section, in_one_file, sections
from readback.checks.made_up_records import Plan, Sizes
from readback.checks.material import Material, looks_elsewhere, told_in_full
from readback.checks.regular_records import Look
from readback.checks.summary import LIMIT
from readback.checks.variables import shape
from readback.prompts import model_input
from readback.prompts.self_tests import said
from readback.readers.cache_folder import cache_folder
from readback.readers.checksum import Hashes
from readback.readers.paths import show
from readback.records.dataset import Dataset, DatasetChanged
from readback.requests.observer import Observer
from readback.types import Selection, Workspace

KIND = kept_answers.KINDS[1]  # the folder in the cache
SECTIONS = 32  # of one file; others than those that are asked for go first
LARGEST = 16 << 20  # bytes of one file
OTHERS = 3  # files of one dataset and one name, each for something else that it depends on
FEW = 4  # of so many ranges one may have to be read to know whether it is new
ROOM = 16 << 20  # bytes that are made free at once

T = TypeVar("T")
Asked = Selection | None  # None: the records alone
Choices = tuple[Selection, ...]
# A child: for some choices, whether for the records alone, of which records of the range (None: of all).
Ask = Callable[[Choices, bool, Sequence[int] | None], Iterator[Batch]]


@dataclass(slots=True)
class _New:
    """What a range has to be kept of: its file, the sections there, those that were asked for, the new ones."""

    path: Path
    before: Mapping[str, bytes]
    wanted: Sequence[Asked]
    sections: Mapping[Asked, Section]


class Parts:
    """The parts of the check of one dataset. Safe to use from several threads."""

    def __init__(
        self,
        opened: Workspace,
        data: Dataset,
        codes: Collection[str] | None,
        files: kept_answers.States,
        folder: Path,
        hashes: Hashes,
    ) -> None:
        """`files`: the states of all files of the workspace's folder, and `folder` the one to keep parts in."""
        self._hashes = hashes
        self.opened, self.data, self.codes, self.files, self.folder = opened, data, codes, files, folder
        self._dated = replace(opened, today=model_input.today(opened))  # templates may print it
        self._lock = Lock()
        self._names: dict[Asked, str] = {}
        self._looks: dict[Choices, Look] = {}
        self._file = hashlib.sha256(str(data.path).encode("utf-8", "surrogateescape")).hexdigest()[:32]
        self._of_digests = folder / f"{self._file}-digests"
        self._digests = KeptDigests(data, hashes, read_packed(self._of_digests))
        self._ranges: tuple[list[int], list[str]] = ([], [])  # the first record of each, in order, and its digest
        self._began, self._waiting, self._room = time.monotonic(), list[tuple[Path, Callable[[], bytes]]](), 0

    def told(self, start: int, stop: int, choices: Choices, ask: Ask) -> Iterator[Batch]:
        """What is told of the records of a range; `ask` is asked for what nobody knows, and that is kept."""
        wanted: tuple[Asked, ...] = (None, *choices)
        path = self._path(start, stop) if len(set(wanted)) == len(wanted) else None
        if path is None:
            yield from ask(choices, True, None)
            return
        before = sections(path)
        # of a file that was written to nothing is known: a child says what became of it
        known = {} if self.data.written else self._known(before, wanted, stop - start)
        if len(known) == len(wanted):
            yield _Joined([known[one] for one in wanted]).batch(range(start, stop), 0)
            return
        new = {one: Section() for one in wanted if one not in known}
        joined = _Joined([known.get(one) or new[one] for one in wanted])
        asked = tuple(one for one in choices if one in new)
        filled, clean, count = [new[one] for one in asked], True, 0
        for one in self._asked(range(start, stop), asked, known.get(None), ask):
            clean = _take(one, count, new.get(None), filled) and clean
            yield joined.batch(one.indices, count, one.faults) if known else one
            count += len(one.indices)
        if clean and count == stop - start:
            self.keep(path, partial(self._packed, _New(path, before, wanted, new)))

    def new(self, spans: Sequence[tuple[int, int]]) -> Sequence[tuple[int, int]]:
        """Those of these ranges of which nothing is kept, where they are few; none where much has changed, or all."""
        others = self._digests.others(spans)
        if len(others) * FEW > len(spans):
            return []
        with suppress(DatasetChanged):  # a child says so, too
            return [span for span in others if not self._file_of(self._digests.of(*span)).exists()]
        return []

    def _file_of(self, digest: str) -> Path:
        return self.folder / digest[:32]

    def _asked(self, numbers: range, choices: Choices, alone: Section | None, ask: Ask) -> Iterator[Batch]:
        """What is told of a range for some choices, and of its records alone where that is not known. A child is asked
        only for records of which an earlier look did not see enough.
        """
        looks = alone.seen() if alone else None
        seen: Mapping[int, Sizes] = {}
        if looks:
            look = self._look(choices)
            seen = look.seen(looks, numbers.start, choices)
        if not seen:
            yield from ask(choices, alone is None, None)
            return
        others = [number for number in numbers if number not in seen]
        plans = [look.plans[choice] for choice in choices]
        at, left = numbers.start, len(others)
        for one in ask(choices, False, others) if others else ():
            yield _filled(range(at, one.indices[-1] + 1), one, seen, plans)
            at, left = one.indices[-1] + 1, left - len(one.indices)
        if at < numbers.stop and not left:  # else the file has changed
            yield _filled(range(at, numbers.stop), Batch(()), seen, plans)

    def _look(self, choices: Choices) -> Look:
        with self._lock:
            if choices not in self._looks:
                alone = not Observer(self.opened, self.data).there
                decided = rules.decide(self.opened, self.codes)
                self._looks[choices] = Look(self.opened, choices, decided, alone)
            return self._looks[choices]

    def _path(self, start: int, stop: int) -> Path | None:
        try:
            made = self._digests.of(start, stop)[:32]
        except DatasetChanged:  # a child says so, too
            return None
        with self._lock:
            starts, digests = self._ranges
            at = bisect_left(starts, start)
            if starts[at : at + 1] != [start]:
                starts.insert(at, start)
                digests.insert(at, made)
        return self._file_of(made)

    def where(self, index: int) -> tuple[str, int] | None:
        """The digest of the range that a record is in, and its place there; None where nothing was told of it yet."""
        with self._lock:
            starts, digests = self._ranges
            at = bisect_right(starts, index) - 1
            return None if at < 0 else (digests[at], index - starts[at])

    def beside(self, range_digest: str, name: str) -> Path | None:
        """The file of something else that depends on the records of a range, and on what is told of them alone; None
        where a file has gone.
        """
        try:
            alone = self._name(None)
        except OSError:
            return None
        return self.folder / f"{hashlib.sha256(f'{range_digest} {alone}'.encode()).hexdigest()[:32]}-{name}"

    def of_file(self, name: str) -> Path | None:
        """The same of something that depends on all records of the file."""
        with suppress(OSError):
            return self.folder / f"{self._file}-{self._name(None)}-{name}"
        return None

    @property
    def earlier(self) -> bool:
        """Whether something is kept of an earlier check of the dataset."""
        return self._digests.any

    def any_of_file(self, name: str) -> bool:
        """Whether there is such a file, whatever it depends on; to know that takes less."""
        return any(self.folder.glob(f"{self._file}-*-{name}"))

    def _known(self, before: Mapping[str, bytes], wanted: Sequence[Asked], count: int) -> dict[Asked, Section]:
        found: dict[Asked, Section] = {}
        with suppress(OSError):  # a file has gone meanwhile: a child will say so
            for one in wanted if before else ():
                with suppress(LookupError, TypeError, ValueError, zlib.error):
                    found[one] = kept_sections.read(before[self._name(one)], count)
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
        about = [kept_answers.versions(), kept_answers.content(opened.root, others, self._hashes), said(opened), codes]
        return Material(self._dated, about)

    # Keeping.

    def end(self) -> None:
        """All ranges were told: keep their digests."""

        def packed() -> bytes:
            made = self._digests.new()
            return zlib.compress(as_json.packed(made), 1) if made else b""

        self.keep(self._of_digests, packed)

    def keep(self, path: Path | None, packed: Callable[[], bytes]) -> None:
        """Keep what is new in a file, as soon as the check turns out to be a slow one."""
        with self._lock:
            self._waiting += [(path, packed)] if path else []
            if time.monotonic() - self._began <= kept_answers.SLOW:
                return
            waiting, self._waiting = self._waiting, []
        with suppress(OSError):  # a full disk, say: then it is worked out again
            made = [(where, pack()) for where, pack in waiting]
            if self._still():
                for where, content in made:
                    self._write(where, content)

    def keep_of_file(self, name: str, most: int, pieces: Callable[[], Iterator[bytes]]) -> None:
        """Keep a file of at most so many bytes that comes in pieces (`of_file`), if the check is a slow one."""
        if most > kept_answers.MOST >> 3 or time.monotonic() - self._began <= kept_answers.SLOW:
            return
        with suppress(OSError):
            if self._still() and (path := self.of_file(name)):
                kept_answers.make_room(most)
                kept_answers.write(path, pieces())
                there = sorted(self.folder.glob(f"{self._file}-*-{name}"), key=lambda one: one.stat().st_mtime)
                for old in there[:-OTHERS]:
                    old.unlink(missing_ok=True)

    def _still(self) -> bool:
        """Whether all files are what they were when the check began."""
        return kept_answers.files_below(self.opened.root) == self.files and not self.data.written

    def _packed(self, new: _New) -> bytes:
        names = [self._name(one) for one in new.wanted]
        made = {**new.before, **{self._name(one): told.packed() for one, told in new.sections.items()}}
        others = [name for name in made if name not in names]
        return in_one_file({name: made[name] for name in (*others[len(names) + len(others) - SECTIONS :], *names)})

    def _write(self, path: Path, packed: bytes) -> None:
        """Raises OSError."""
        if not 0 < len(packed) <= LARGEST:
            return
        with self._lock:
            if self._room < len(packed):
                kept_answers.make_room(max(len(packed), room := min(ROOM, kept_answers.MOST >> 5)))
                self._room = room
            self._room -= len(packed)
        kept_answers.write(path, [packed])


def parts(opened: Workspace, data: Dataset, codes: Collection[str] | None, hashes: Hashes) -> Parts | None:
    """The parts of the check of a dataset, for the rules of `codes`; None where none can be kept."""
    if opened.dataset is None or not len(data) or not kept_answers.keepable(opened):
        return None
    files = kept_answers.files_below(opened.root)
    if files is None or show(opened.root, data.path) not in files:
        return None
    try:
        return Parts(opened, data, codes, files, cache_folder(KIND), hashes)
    except OSError:
        return None


def read_packed(path: Path | None) -> dict[str, Any]:
    """The JSON object that was kept in a file; an empty one where it is not there, or damaged."""
    try:
        whole = kept_answers.read(path) if path else None
        found = as_json.unpacked(zlib.decompress(whole)) if whole else {}
    except (ValueError, zlib.error):
        return {}
    return found if isinstance(found, dict) else {}


def _take(told: Batch, begin: int, alone: Section | None, choices: Sequence[Section]) -> bool:
    """Take in what a child told of the records from a place on; answers whether that may be kept."""
    for at, found in told.findings.items():
        first = 0
        for section, count in zip((alone, *choices), told.counts[at], strict=True):
            if section and count:  # those of the record alone come first, whether they were asked for or not
                section.findings[begin + at] = list(found[first : first + count])
            first += count
    if alone:
        alone.marks.extend(told.marks)
        alone.looks.extend(told.looks)
        alone.about = alone.about or told.about
    for start, stop, shapes in told.same_uses():
        for section, made in zip(choices, shapes, strict=True):
            if (number := section.numbers.get(made)) is None:
                number = section.numbers[made] = len(section.shapes)
                section.shapes.append(made)
            section.uses.extend([number] * (stop - start))
    for number, (section, longest) in enumerate(zip(choices, told.longest, strict=True)):
        section.longest.extend(longest)
        observed: list[bool | None] = [None] * len(longest)
        for at, each in told.observed.items():
            observed[at] = each[number]
        section.observed.extend(observed)
    limited = any(LIMIT in one and read(one).code == LIMIT for found in told.findings.values() for one in found)
    return not told.faults and not limited


def _filled(indices: range, told: Batch, seen: Mapping[int, Sizes], plans: Sequence[Plan]) -> Batch:
    """What is told of all these records, of which those that were `seen` send what the plans say."""
    places = [index - indices.start for index in told.indices]
    sizes = [seen.get(index) for index in indices]
    longest = [[plan.length(one) if one else 0 for one in sizes] for plan in plans]
    for column, of_others in zip(longest, told.longest, strict=False):  # of no record there is no column
        for place, length in zip(places, of_others, strict=True):
            column[place] = length
    usual = [shape(plan.uses) for plan in plans]
    uses: list[tuple[int, Shapes]] = []
    at = 0
    for first, beyond, shapes in told.same_uses():
        for place in places[first:beyond]:
            uses += [(at, usual), (place, shapes)] if at < place else [(place, shapes)]
            at = place + 1
    uses += [(at, usual)] if at < len(indices) else []

    def moved(of_others: Mapping[int, T]) -> dict[int, T]:
        return {places[at]: one for at, one in of_others.items()}

    rest = moved(told.observed), moved(told.findings), moved(told.counts), moved(told.faults)
    return Batch(indices, longest, marks.of_none(len(indices)), uses, *rest)


class _Joined:
    """What is told of records, out of their sections; equal shapes are the same object."""

    def __init__(self, sections: Sequence[Section]) -> None:
        self._sections = sections
        self._alone, *self._choices = sections
        self._shapes: dict[tuple[int, ...], Shapes] = {}

    def batch(self, indices: Sequence[int], begin: int, faults: Mapping[int, Any] | None = None) -> Batch:
        """The records with these numbers, the first of which has the place `begin` in the sections."""
        end = begin + len(indices)
        places = {at for section in self._sections for at in section.findings if begin <= at < end}
        alike = bool(self._choices) and all(one.alike for one in self._choices)
        seen = [] if alike else [one.observed[begin:end] for one in self._choices]
        if all({None}.issuperset(column) for column in seen):  # as where nothing was logged
            seen = []
        return Batch(
            indices,
            [one.longest[begin:end] for one in self._choices],
            self._alone.marks.part(begin, end),
            [*self._uses(begin, begin + 1 if alike else end)],
            {at: row for at, row in enumerate(zip(*seen, strict=True)) if any(one is not None for one in row)},
            {
                at - begin: [one for section in self._sections for one in section.findings.get(at, ())]
                for at in sorted(places)
            },
            faults=faults or {},
        )

    def _uses(self, begin: int, end: int) -> Iterator[tuple[int, Shapes]]:
        before: tuple[int, ...] | None = None
        for at, numbers in enumerate(zip(*(one.uses[begin:end] for one in self._choices), strict=True)):
            if numbers != before:
                before = numbers
                if (shapes := self._shapes.get(numbers)) is None:
                    made = zip(self._choices, numbers, strict=True)
                    shapes = self._shapes[numbers] = [one.shapes[number] for one, number in made]
                yield at, shapes
