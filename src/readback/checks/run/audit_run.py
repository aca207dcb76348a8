"""What one audit works with, and the children that it asks."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from threading import Event
from typing import Any, Protocol

from readback import as_json, sandbox
from readback.checks.rules import Fault
from readback.checks.run.batch import Batch, heard
from readback.checks.run.chunk import WORK, payload
from readback.checks.run.marks import Marks
from readback.checks.store.finding_lines import read
from readback.checks.store.stored_ranges import StoredRanges
from readback.checks.summary import Tally, Unlooked
from readback.checks.variables import Variables
from readback.prompts import children, token_counts
from readback.readers.checksum import Hashes
from readback.records.dataset import Dataset
from readback.records.files_of_rows import States
from readback.sandbox.children import ChildPerThread
from readback.types import Finding, Selection, Workspace


class Workers(Protocol):
    """Who works on whole ranges of records in place of this machine's own children. Used from several threads."""

    @property
    def at_once(self) -> int:
        """How many ranges it is worth to ask for at the same time."""

    @property
    def hashes(self) -> Hashes:
        """Of the files that were looked at for this piece of work."""

    def stream(self, work: Mapping[str, Any], here: Callable[[], Iterator[Any]], ended: Event) -> Iterator[Any]:
        """What a child says about `work` and raises, wherever that child is; what `here()` says where nobody elsewhere
        can. After `ended` nobody wants it any more.
        """


@dataclass(slots=True)
class Run:
    """What one audit works with; `active` are the choices not given up, `numbers` the records, by their places."""

    opened: Workspace
    data: Dataset
    codes: Collection[str] | None
    active: list[Selection]
    tally: Tally
    names: Variables
    numbers: Sequence[int]
    kills: Counter[Selection] = field(default_factory=Counter)
    pace: list[tuple[float, int]] = field(default_factory=list)  # of each child: seconds, records after the first
    stored: StoredRanges | None = None  # what children found in earlier checks
    workers: Workers | None = None  # whole ranges are theirs; what needs a second look is looked at here
    ended: Event = field(default_factory=Event)  # nobody wants to hear more
    states: States = field(default_factory=dict)  # of other files whose rows are looked at
    children: ChildPerThread = field(init=False)  # who look at whole ranges here

    def __post_init__(self) -> None:
        self.children = ChildPerThread(WORK, *self._limits())

    def give_up(self, choice: Selection, count: int, why: str) -> None:
        """Look at no further record under a choice; `count` of them were not looked at."""
        self.active.remove(choice)
        if count:
            self.tally.unlooked.append(Unlooked(choice, count, len(self.numbers), why))

    @property
    def sampled(self) -> bool:
        """Whether the records are drawn ones."""
        return not isinstance(self.numbers, range)

    def work(
        self, start: int, stop: int, choices: Iterable[Selection], records: bool = True, each: bool = False
    ) -> dict[str, Any]:
        """What a child takes for the records from place `start` to `stop`; `each`: it tells of every record at once."""
        numbers = self.numbers[start:stop] if self.sampled else None
        asked = partial(payload, self.opened, choices, start, stop, codes=self.codes, records=records)
        return asked(numbers=numbers, each=each)

    def asked(
        self, start: int, stop: int, choices: Sequence[Selection], records: bool, each: bool = False
    ) -> Iterator[Batch]:
        return heard(self.stream(self.work(start, stop, choices, records, each), once=stop - start > 1))

    def told(self, start: int, stop: int, choices: tuple[Selection, ...]) -> Iterator[Batch]:
        """What is told of the records of a whole range, by a child of now or of an earlier check."""
        work = partial(self.of_range, self.work(start, stop, choices))
        return heard(self.stored.answer(start, stop, choices, work) if self.stored else work())

    def stream(self, work: Mapping[str, Any], once: bool) -> Iterator[Mapping[str, Any]]:
        """What a child of its own says."""
        return self._timed(sandbox.stream(WORK, work, *self._limits(), once=once, awaited=self.sampled))

    def of_range(self, work: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
        """What is said of a whole range by the child of this thread, or elsewhere."""
        here = partial(self.children.get_child().stream, work, awaited=self.sampled)
        return self._timed(self.workers.stream(work, here, self.ended) if self.workers else here())

    def _limits(self) -> tuple[sandbox.Limits, tuple[str, ...]]:
        return token_counts.extend_limits(self.opened, children.LIMITS), token_counts.list_audit_tables(self.opened)

    def _timed(self, frames: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
        """How long a child takes is remembered, without its start."""
        began, count = 0.0, 0
        for frame in frames:
            count += len(frame["indices"]) if began else 0
            began = began or time.monotonic()
            yield frame
        self.pace.append((time.monotonic() - began, count))

    def take(self, told: Batch, choices: Sequence[Selection]) -> Found:
        """Count what is told for each choice; what was found is for who counts findings."""
        for start, stop, shapes in told.same_uses():
            self.names.take(choices, shapes, told.indices[start], stop - start)
        self.tally.measure(told.indices, choices, told.longest, told.observed.values())
        found: dict[int, list[Finding | Fault]] = {
            told.indices[at]: [*map(read, each)] for at, each in told.findings.items()
        }
        for at, faults in told.faults.items():
            here = found.setdefault(told.indices[at], [])
            here += [Fault(rule, error, as_json.place_from_json(place)) for rule, error, place in faults]
        return Found(told.indices, found, told.marks)


@dataclass(slots=True)
class Found:
    """What was found in the records with these numbers: by the number, and the marks of all."""

    indices: Sequence[int]
    by_index: Mapping[int, Sequence[Finding | Fault]]
    marks: Marks
