"""Drive work over all records through bounded children: several at once, and no record stops the rest.

Work is a generator function of its payload that yields frames in the order of the records; each frame is a
JSON object whose "next" is the first record it does not cover. With "batch" 1 there is a frame for each record.

    enter(work) -> Inside                                            in the child
    drive(WORK, opened, data, choices, …) -> Frame | Lost, in order   outside
"""

from __future__ import annotations

import os
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import Any

from readback import sandbox
from readback.prompts import token_counts, training_match, trial
from readback.prompts.assemble import assemble
from readback.prompts.in_child import BATCH as BATCH
from readback.prompts.in_child import LIMITS as LIMITS
from readback.prompts.in_child import Replies as Replies
from readback.prompts.in_child import enter as enter
from readback.prompts.in_child import payload as payload
from readback.prompts.in_child import stream as stream
from readback.prompts.in_child import until_changed as until_changed
from readback.records import files_of_rows
from readback.records.changed import describe_change
from readback.records.dataset import Dataset, DatasetChanged
from readback.sandbox.per_thread import ChildPerThread
from readback.types import Record, Selection, Workspace

SPAN = 8 << 20  # bytes of the dataset and
MOST = 1_000  # records in one child: enough to pay for its start, few enough to keep every core busy
LONG = 1 << 20  # bytes of a record beyond which no two children look at records at the same time
FIRST = 64  # records in the first child of those whose answers are wanted soon,
GROWTH = 4  # and so many times as many in each of the next
KILLS = 5  # records that may kill their child under one choice before the choice is given up
LOOK = 0.1  # seconds between two looks at how far the children are

Progress = Callable[[int, int], bool | None]  # done, total -> False: stop


@dataclass(frozen=True, slots=True)
class Frame:
    """One answer of the work, and the choices that it was asked about."""

    value: Mapping[str, Any]
    choices: tuple[Selection, ...]


@dataclass(frozen=True, slots=True)
class Lost:
    """What could not be worked on: a record under a choice (None: under any); all the rest (index None)."""

    index: int | None
    choice: Selection | None
    why: str


def count_children(data: Dataset) -> int:
    """Return how many children may look at records at the same time. Over very long records each takes hundreds of
    megabytes: a packed file of 150 KiB could fill the memory of a machine with many cores.
    """
    return 1 if data.longest > LONG else os.cpu_count() or 1


def drive(
    work: str,
    opened: Workspace,
    data: Dataset,
    choices: Collection[Selection],
    extra: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
    *,
    together: bool = False,
    jobs: int | None = None,
    most: int | None = None,
    spans: Iterable[tuple[int, int]] | None = None,
    awaited: bool = False,
    index: Callable[[], None] | None = None,
) -> Iterator[Frame | Lost]:
    """The frames of the work over all records, in their order; `extra` is added to its payload.

    `together`: the choices are looked at side by side, so that one is never tried without the others. `jobs` children
    work at once (None: one on every core), each on at most `most` records (None: the usual number). `spans`: these
    ranges of records in this order (None: all). `awaited`: somebody waits for it, so that it does not give way.
    `index` makes what else the work reads and may not write, should it have gone. Ends early when `progress` answers
    False. Raises DatasetChanged when the dataset is written to meanwhile.
    """
    run = _Run(work, opened, data, dict(extra or {}), list(choices), together, progress, awaited, index)
    _index(opened, choices)
    yield from _preflight(run)
    waiting = iter(spans_of(data, most) if spans is None else spans)
    span = next(waiting, None)
    under_way: deque[tuple[int, int, tuple[Selection, ...], Future[_Raw]]] = deque()
    workers = max(1, jobs or count_children(data))
    with run.children, ThreadPoolExecutor(workers, thread_name_prefix="readback-chunk") as threads:
        try:
            while run.active and (span or under_way):
                while span and len(under_way) < 2 * workers:
                    (at, stop), span, asked = span, next(waiting, None), tuple(run.active)
                    under_way.append((at, stop, asked, threads.submit(_raw, run, at, stop, asked)))
                at, stop, asked, future = under_way.popleft()
                if (raw := _wait(run, future)) is None:
                    return
                again = raw.stopped if asked == tuple(run.active) else None  # what a choice given up was part of
                for frame in raw.frames if asked == tuple(run.active) else ():
                    at = frame.value["next"]
                    yield frame
                yield from _span(run, at, stop, careful=again is not None)
                if run.stopped:
                    return
            if name := data.file if data.written else files_of_rows.find_changed(opened, run.states):
                raise DatasetChanged(describe_change(name))  # a part of the answer is of each state
        finally:
            run.stopped = True
            for *_, future in under_way:
                future.cancel()


@dataclass(slots=True)
class _Run:
    """What one drive works with; `active` are the choices not given up."""

    work: str
    opened: Workspace
    data: Dataset
    extra: dict[str, Any]
    active: list[Selection]
    together: bool
    progress: Progress | None = None
    awaited: bool = False
    index: Callable[[], None] | None = None
    done: int = 0
    stopped: bool = False
    kills: Counter[Selection | None] = field(default_factory=Counter)
    states: files_of_rows.States = field(init=False)  # of other files whose rows are looked at
    children: ChildPerThread = field(init=False)  # who work on whole ranges

    def __post_init__(self) -> None:
        limits = token_counts.limits(self.opened, LIMITS)
        self.states = files_of_rows.take_snapshots(self.opened)
        self.children = ChildPerThread(self.work, limits, token_counts.shared(self.opened))

    def give_up(self, choice: Selection | None) -> None:
        """Ask no more about a choice, or about any."""
        self.active[:] = [one for one in self.active if choice not in (None, one)] if not self.together else []

    def frames(self, start: int, stop: int, choices: tuple[Selection, ...], batch: int) -> Iterator[Frame]:
        """What a child of its own says of some records."""
        asked = self._asked(start, stop, choices, batch)
        for value in stream(self.work, self.opened, asked, once=stop - start > 1, awaited=self.awaited):
            yield Frame(value, choices)

    def of_range(self, start: int, stop: int, choices: tuple[Selection, ...]) -> Iterator[Frame]:
        """What the child of this thread says of a range."""
        for value in self.children.child().stream(self._asked(start, stop, choices, BATCH), awaited=self.awaited):
            yield Frame(value, choices)

    def _asked(self, start: int, stop: int, choices: tuple[Selection, ...], batch: int) -> dict[str, Any]:
        return {**payload(self.opened, choices, start, stop, batch), **self.extra}


def spans_from(data: Dataset, start: int = 0, most: int = MOST, size: int = SPAN) -> Iterator[tuple[int, int]]:
    """Ranges from a record to the last one. The first are short, so that the first answers are soon there."""
    length = FIRST
    for first, beyond in data.spans(size):
        at = max(first, start)
        while at < beyond:
            yield at, min(at + length, beyond)
            at, length = at + length, min(GROWTH * length, most)


def spans_of(data: Dataset, most: int | None = None) -> Iterator[tuple[int, int]]:
    """Ranges of records (first, beyond the last) for one child each, of at most so many."""
    most = most or MOST
    for start, stop in data.spans(SPAN):
        yield from ((at, min(at + most, stop)) for at in range(start, stop, most))


def try_again(
    opened: Workspace, data: Dataset, choices: Iterable[Selection], states: files_of_rows.States, tried: bool
) -> None:
    """Make ready for another try of a range that ended early: what children read and may not write is indexed again,
    for somebody may have cleared the cache meanwhile. Raises DatasetChanged where the dataset is another, and where the
    range was `tried` again before.
    """
    if not data.still_indexed(opened.root):
        raise DatasetChanged(describe_change(data.file))
    if tried:
        raise DatasetChanged(files_of_rows.explain_unread(opened, states, data.file))
    _index(opened, choices)


def _index(opened: Workspace, choices: Iterable[Selection]) -> None:
    """Index what children read beside the dataset, for they may not write."""
    replies = Replies(opened)
    for choice in choices:
        replies.open(choice)
    training_match.prepare(opened)


def _preflight(run: _Run) -> Iterator[Lost]:
    """Give up choices most of whose records break a limit; that the first one does says nothing of the others."""
    first = next(iter(run.data.records(0, 1)), None)
    hits = dict[Selection, str]()
    for choice in tuple(run.active) if first else ():
        made = assemble(run.opened, first or Record(None, {}), choice)
        if hit := next((diagnostic for diagnostic in made.diagnostics if diagnostic.code == "dat-limit"), None):
            hits[choice] = f"{hit.values.get('what')}: more than {hit.values.get('limit')}"
    for choice, why in trial.too_slow(run.opened, run.data, run.active, hits).items():
        yield Lost(None, choice, hits.get(choice, why))
        run.give_up(choice)


@dataclass(frozen=True, slots=True)
class _Raw:
    """What the child of a range said, as far as it came."""

    frames: list[Frame]
    stopped: sandbox.Stopped | None = None


def _raw(run: _Run, start: int, stop: int, choices: tuple[Selection, ...]) -> _Raw:
    said: list[Frame] = []
    try:
        for frame in run.of_range(start, stop, choices):
            said.append(frame)
            run.done += frame.value["next"] - start  # only told, so that somebody sees it move
            start = frame.value["next"]
            if run.stopped:
                break
    except sandbox.Stopped as stopped:
        return _Raw(said, stopped)
    return _Raw(said)


def _wanted(run: _Run) -> bool:
    total = len(run.data)
    run.stopped |= bool(run.progress and run.progress(min(run.done, total), total) is False)
    return not run.stopped


def _wait(run: _Run, future: Future[_Raw]) -> _Raw | None:
    """What a child said, while telling how far all are; None when it is to stop."""
    while _wanted(run):
        wait((future,), LOOK)
        if future.done():
            return future.result() if _wanted(run) else None
    return None


def _span(run: _Run, at: int, stop: int, *, careful: bool) -> Iterator[Frame | Lost]:
    """The frames of a range. A child that is killed is followed record by record, until one of them does it again.

    In the order of the records, and nowhere else, records are lost and choices given up: so it is always the same.
    """
    tried = -1
    while at < stop and run.active and not run.stopped:
        end = min(at + BATCH, stop) if careful else stop
        try:
            for frame in run.frames(at, end, tuple(run.active), 1 if careful else BATCH):
                at = frame.value["next"]
                yield frame
                if not _wanted(run):
                    return
            if at < end:
                try_again(run.opened, run.data, run.active, run.states, tried == at)
                if run.index:
                    run.index()
                tried = at
            careful = False
        except sandbox.Stopped as stopped:
            if careful or end - at == 1:
                yield from _alone(run, at, stopped)
                at, careful = at + 1, False
            else:
                careful = True
        run.done = max(run.done, at)


def _alone(run: _Run, index: int, stopped: sandbox.Stopped) -> Iterator[Frame | Lost]:
    """One record that killed its child: each choice in a child of its own, to find the culprit."""
    if run.together:
        yield from _lost(run, index, None, stopped)
        return
    for choice in tuple(run.active):
        try:
            yield from run.frames(index, index + 1, (choice,), 1)
        except sandbox.Stopped as again:
            yield from _lost(run, index, choice, again)


def _lost(run: _Run, index: int, choice: Selection | None, stopped: sandbox.Stopped) -> Iterator[Lost]:
    yield Lost(index, choice, stopped.detail)
    run.kills[choice] += 1
    if run.kills[choice] == KILLS:
        gone = [one for one in run.active if choice in (None, one)]
        run.give_up(choice)
        yield from (Lost(None, one, f"given up after {KILLS} records: {stopped.detail}") for one in gone)
