"""Hold what one audit works with, and ask the children that look at records."""

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
from readback.checks.run.batch import Batch, read_batches
from readback.checks.run.chunk import WORK, payload
from readback.checks.run.marks import Marks
from readback.checks.store.finding_lines import read_line
from readback.checks.store.stored_ranges import StoredRanges
from readback.checks.summary import Tally, Unlooked
from readback.checks.variables import Variables
from readback.prompts import children, token_counts
from readback.readers.files.checksum import Hashes
from readback.records.dataset import Dataset
from readback.records.files_of_rows import States
from readback.sandbox.children import ChildPerThread
from readback.types import Finding, Selection, Workspace

Frames = Iterator[Mapping[str, Any]]


class Workers(Protocol):
    """Workers on whole ranges of records in place of this machine's own children. Used from several threads."""

    @property
    def at_once(self) -> int:
        """The number of ranges that are worth asking for at the same time."""

    @property
    def hashes(self) -> Hashes:
        """The hashes of the files that were looked at for this piece of work."""

    def stream(self, work: Mapping[str, Any], here: Callable[[], Iterator[Any]], ended: Event) -> Iterator[Any]:
        """Yield what a child answers to `work`, and raise what it raises, wherever that child is.

        Yield what `here()` yields where no worker elsewhere can answer. After `ended` nobody needs the answer.
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
    ended: Event = field(default_factory=Event)  # nobody needs further answers
    states: States = field(default_factory=dict)  # of other files whose rows are looked at
    children: ChildPerThread = field(init=False)  # look at whole ranges here

    def __post_init__(self) -> None:
        self.children = ChildPerThread(WORK, *self._limits())

    @property
    def sampled(self) -> bool:
        """Whether the records are a sample."""
        return not isinstance(self.numbers, range)

    def give_up(self, choice: Selection, count: int, why: str) -> None:
        """Look at no further record under a choice; `count` of them were not looked at."""
        self.active.remove(choice)
        if count:
            self.tally.unlooked.append(Unlooked(choice, count, len(self.numbers), why))

    def ask_child(
        self, start: int, stop: int, choices: Sequence[Selection], records: bool = True, each: bool = False
    ) -> Iterator[Batch]:
        """Yield what a new child answers about the records from `start` to before `stop`, under what `choices` send.

        Without `records` it leaves out the rules about records; with `each` it answers as soon as each record is done.
        """
        work = self._build_work(start, stop, choices, records, each)
        several = stop - start > 1
        frames = sandbox.stream(WORK, work, *self._limits(), once=several, awaited=self.sampled)
        return read_batches(self._time(frames))

    def ask_range(self, start: int, stop: int, choices: tuple[Selection, ...]) -> Iterator[Batch]:
        """Yield what a child answers about a whole range, now or in an earlier check."""
        work = partial(self.stream_range, self._build_work(start, stop, choices))
        return read_batches(self.stored.answer(start, stop, choices, work) if self.stored else work())

    def stream_range(self, work: Mapping[str, Any]) -> Frames:
        """Yield the frames about a whole range from the child of this thread, or from a worker elsewhere."""
        here = partial(self.children.get_child().stream, work, awaited=self.sampled)
        return self._time(self.workers.stream(work, here, self.ended) if self.workers else here())

    def take(self, batch: Batch, choices: Sequence[Selection]) -> Answer:
        """Count a batch for each choice; return its findings and marks, which others count."""
        for start, stop, shapes in batch.list_spans():
            self.names.take(choices, shapes, batch.indices[start], stop - start)
        self.tally.measure(batch.indices, choices, batch.longest, batch.observed.values())
        findings: dict[int, list[Finding | Fault]] = {}
        for place, lines in batch.findings.items():
            findings[batch.indices[place]] = [*map(read_line, lines)]
        for place, faults in batch.faults.items():
            of_record = findings.setdefault(batch.indices[place], [])
            of_record += [Fault(rule, error, as_json.place_from_json(at)) for rule, error, at in faults]
        return Answer(batch.indices, findings, batch.marks)

    def _build_work(
        self, start: int, stop: int, choices: Iterable[Selection], records: bool = True, each: bool = False
    ) -> dict[str, Any]:
        if self.sampled:
            numbers = self.numbers[start:stop]
        else:
            numbers = None
        return payload(self.opened, choices, start, stop, codes=self.codes, records=records, numbers=numbers, each=each)

    def _limits(self) -> tuple[sandbox.Limits, tuple[str, ...]]:
        return token_counts.extend_limits(self.opened, children.LIMITS), token_counts.list_audit_tables(self.opened)

    def _time(self, frames: Iterable[Mapping[str, Any]]) -> Frames:
        """Yield the frames of a child; remember how long it took, without its start."""
        began, count = 0.0, 0
        for frame in frames:
            count += len(frame["indices"]) if began else 0
            began = began or time.monotonic()
            yield frame
        self.pace.append((time.monotonic() - began, count))


@dataclass(slots=True)
class Answer:
    """What was found in the records with these numbers: findings by the number, and the marks of all."""

    indices: Sequence[int]
    by_index: Mapping[int, Sequence[Finding | Fault]]
    marks: Marks
