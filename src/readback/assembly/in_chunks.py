"""Drive work over all records through bounded children: several at once, and no record stops the rest.

A child gets the workspace as it is held here, so that it works on what a page shows and not on what a file says
by now. Work is a generator function of its payload that yields frames in the order of the records; each frame is a
JSON object whose "next" is the first record it does not cover. With "batch" 1 there is a frame for each record.

    enter(work) -> Inside                                            in the child
    drive(WORK, opened, data, choices, …) -> Frame | Lost, in order   outside
"""

from __future__ import annotations

import contextlib
import os
import signal
import tempfile
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass, field
from typing import Any

from readback import cell
from readback.assembly import token_counts, training_match
from readback.assembly.assemble import assemble
from readback.assembly.probes import said, tell
from readback.files.cache_folder import cache_folder
from readback.records import answers
from readback.records.dataset import Dataset, DatasetChanged, open_dataset
from readback.serving.chat import rendered as chat
from readback.types import Answer, Choice, Record, Workspace
from readback.workspace.frozen import freeze, thaw

LIMITS = cell.Limits(seconds=2.0, output=1 << 30, total=6 * 3600.0)  # between two beats; a chunk has thousands
OPENING = 30.0  # seconds for opening the dataset; our caller has read it before
SPAN = 4 << 20  # bytes of the dataset and
MOST = 1_000  # records in one child: enough to pay for its start, few enough to keep every core busy
BATCH = 256  # records of one frame
KILLS = 5  # records that may kill their child under one choice before the choice is given up
LOOK = 0.1  # seconds between two looks at how far the children are

Going = Callable[[int, int], bool | None]  # done, total -> False: stop


@dataclass(frozen=True, slots=True)
class Inside:
    """What work has in its child."""

    opened: Workspace
    data: Dataset
    choices: tuple[Choice, ...]
    replies: Replies
    start: int
    stop: int
    batch: int

    def records(self) -> Iterator[Record]:
        """The records, until the file turns out to have been changed; the caller sees that frames are missing."""
        with contextlib.suppress(DatasetChanged):
            for record in self.data.records(self.start, self.stop):
                cell.beat()
                yield record


@dataclass(frozen=True, slots=True)
class Frame:
    """One answer of the work, and the choices that it was asked about."""

    value: Mapping[str, Any]
    choices: tuple[Choice, ...]


@dataclass(frozen=True, slots=True)
class Lost:
    """What could not be worked on: a record under a choice (None: under any); all the rest (index None)."""

    index: int | None
    choice: Choice | None
    why: str


def payload(opened: Workspace, choices: Iterable[Choice], start: int, stop: int, batch: int = BATCH) -> dict[str, Any]:
    """What `enter` takes, as JSON."""
    return {
        "workspace": freeze(opened),
        "choices": [asdict(choice) for choice in choices],
        "start": start,
        "stop": stop,
        "batch": batch,
        "cache": str(cache_folder().parent),
        "stopped": chat.stopped(),
        "servers": said(opened),
    }


def stream(work: str, opened: Workspace, asked: Mapping[str, Any]) -> Iterator[Any]:
    """The frames of one child, which finds the tokenizers of the workspace at hand."""
    return cell.stream(work, asked, token_counts.limits(opened, LIMITS), token_counts.shared(opened))


def enter(work: Mapping[str, Any]) -> Inside:
    """In a child: the workspace as it was handed over, and its dataset opened."""
    if cell.inside():
        _settle(work["cache"])
        chat.tell(work["stopped"])
    opened = thaw(work["workspace"])
    tell(opened, work["servers"])
    data = open_dataset(opened.root, opened.dataset)
    choices = tuple(Choice(**choice) for choice in work["choices"])
    return Inside(opened, data, choices, Replies(opened), work["start"], work["stop"], work["batch"])


def drive(
    work: str,
    opened: Workspace,
    data: Dataset,
    choices: Collection[Choice],
    extra: Mapping[str, Any] | None = None,
    progress: Going | None = None,
    *,
    together: bool = False,
) -> Iterator[Frame | Lost]:
    """The frames of the work over all records, in their order; `extra` is added to its payload.

    `together`: the choices are looked at side by side, so that one is never tried without the others. Ends early
    when `progress` answers False. Raises DatasetChanged when the dataset is written to meanwhile.
    """
    run = _Run(work, opened, data, dict(extra or {}), list(choices), together)
    for arm in {choice.condition: opened.condition(choice.condition) for choice in choices if choice.judge and
                choice.condition}.values():  # fmt: skip
        if arm:
            answers.open_answers(opened, arm)  # indexed here: a child may not write
    training_match.prepare(opened)
    yield from _preflight(run)
    spans = deque(spans_of(data) if run.active else ())
    under_way: deque[Future[list[Frame | Lost]]] = deque()
    workers = max(1, os.cpu_count() or 1)
    with ThreadPoolExecutor(workers, thread_name_prefix="readback-chunk") as threads:
        try:
            while spans or under_way:
                while spans and len(under_way) < 2 * workers:
                    under_way.append(threads.submit(_whole, run, *spans.popleft()))
                if (found := _wait(run, under_way[0], progress)) is None:
                    return
                under_way.popleft()
                yield from found
        finally:
            run.stopped = True
            for future in under_way:
                future.cancel()


class Replies:
    """The answers of the conditions whose judges are looked at, opened when first asked for."""

    def __init__(self, opened: Workspace) -> None:
        self.opened = opened
        self.by_condition: dict[str, answers.Answers] = {}

    def get(self, choice: Choice, record: Record) -> Answer | None:
        """What the choice's condition replied to the record, for a judge."""
        if choice.judge is None or choice.condition is None or record.id is None:
            return None
        if choice.condition not in self.by_condition:
            condition = self.opened.condition(choice.condition)
            if condition is None:
                return None
            self.by_condition[choice.condition] = answers.open_answers(self.opened, condition)
            cell.beat()
        return self.by_condition[choice.condition].get(record.id)


@dataclass(slots=True)
class _Run:
    """What one drive works with; `active` are the choices not given up."""

    work: str
    opened: Workspace
    data: Dataset
    extra: dict[str, Any]
    active: list[Choice]
    together: bool
    done: int = 0
    stopped: bool = False
    kills: Counter[Choice | None] = field(default_factory=Counter)

    def frames(self, start: int, stop: int, choices: tuple[Choice, ...], batch: int) -> Iterator[Frame]:
        asked = {**payload(self.opened, choices, start, stop, batch), **self.extra}
        for value in stream(self.work, self.opened, asked):
            yield Frame(value, choices)


def _settle(cache: str) -> None:
    """In a child, whose environment is empty: where the index of the dataset lies, and time to open it."""
    os.environ["READBACK_CACHE"] = cache
    tempfile.tempdir = cache  # else it looks for a folder by writing to it, which a child may not
    signal.setitimer(signal.ITIMER_REAL, OPENING)


def spans_of(data: Dataset) -> Iterator[tuple[int, int]]:
    """Ranges of records (first, beyond the last) for one child each."""
    for start, stop in data.spans(SPAN):
        yield from ((at, min(at + MOST, stop)) for at in range(start, stop, MOST))


def _preflight(run: _Run) -> Iterator[Lost]:
    """Give up choices whose first record breaks a limit, since every other would cost as much."""
    first = next(iter(run.data.records(0, 1)), None)
    for choice in tuple(run.active) if first else ():
        made = assemble(run.opened, first or Record(None, {}), choice)
        if hit := next((note for note in made.notes if note.code == "dat-limit"), None):
            yield Lost(None, choice, f"{hit.values.get('what')}: more than {hit.values.get('limit')}")
            run.active.clear() if run.together else run.active.remove(choice)


def _wait(run: _Run, future: Future[list[Frame | Lost]], progress: Going | None) -> list[Frame | Lost] | None:
    """What a span came to, while telling how far all are; None when it is to stop."""
    while True:
        if progress and progress(run.done, len(run.data)) is False:
            return None
        wait((future,), LOOK)
        if not future.done():
            continue
        found = future.result()
        if progress and progress(run.done, len(run.data)) is False:
            return None
        return found


def _whole(run: _Run, start: int, stop: int) -> list[Frame | Lost]:
    return list(_span(run, start, stop))


def _span(run: _Run, start: int, stop: int) -> Iterator[Frame | Lost]:
    """The frames of a range. A child that is killed is followed record by record, until one of them does it again."""
    at, careful = start, False
    while at < stop and not run.stopped and run.active:
        end = min(at + BATCH, stop) if careful else stop
        try:
            for frame in run.frames(at, end, tuple(run.active), 1 if careful else BATCH):
                run.done += frame.value["next"] - at
                at = frame.value["next"]
                yield frame
                if run.stopped:
                    return
            if at < end:
                raise DatasetChanged(f"{run.data.file} was changed while it was looked through")
            careful = False
        except cell.Stopped as stopped:
            if careful or end - at == 1:
                yield from _alone(run, at, stopped)
                at, run.done, careful = at + 1, run.done + 1, False
            else:
                careful = True


def _alone(run: _Run, index: int, stopped: cell.Stopped) -> Iterator[Frame | Lost]:
    """One record that killed its child: each choice in a child of its own, to find the culprit."""
    if run.together:
        yield from _lost(run, index, None, stopped)
        return
    for choice in tuple(run.active):
        try:
            yield from run.frames(index, index + 1, (choice,), 1)
        except cell.Stopped as again:
            yield from _lost(run, index, choice, again)


def _lost(run: _Run, index: int, choice: Choice | None, stopped: cell.Stopped) -> Iterator[Lost]:
    yield Lost(index, choice, stopped.detail)
    run.kills[choice] += 1
    if run.kills[choice] == KILLS:
        gone = [one for one in run.active if choice in (None, one)]
        run.active[:] = [one for one in run.active if one not in gone]
        yield from (Lost(None, one, f"given up after {KILLS} records: {stopped.detail}") for one in gone)
