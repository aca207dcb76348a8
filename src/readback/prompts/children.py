"""Run work over the records of a dataset in bounded children: several at once, and no record stops the rest.

Work is a generator function of its payload that yields frames in the order of the records; each frame is a JSON object
whose "next" is the first record it does not cover. With "batch" 1 there is a frame for each record. A child gets the
workspace as a value, so that it works on what a page shows and not on what a file says by now.

    enter(work) -> ChildJob                                            in the child
    drive(WORK, workspace, data, choices, …) -> Frame | Failure, in order   outside
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from functools import wraps
from itertools import product
from typing import Any, TypeVar

from readback import sandbox
from readback.folder import modules
from readback.prompts import render, token_counts, training_rows
from readback.prompts.assemble import assemble
from readback.prompts.self_tests import accept_summary, summarise_for_child
from readback.readers.files.cache_folder import cache_folder
from readback.records import files_of_rows
from readback.records.changed import describe_change
from readback.records.dataset import Dataset, DatasetChanged, open_dataset
from readback.records.replies import answers
from readback.sandbox.children import ChildPerThread
from readback.sandbox.json_values import build_converter, freeze, thaw
from readback.types import Answer, Record, Selection, Workspace

# Between two beats a record under one choice: a message of five million characters takes 2 to 6 s, a template has its
# own limit, and a chunk has thousands of records.
LIMITS = sandbox.Limits(seconds=20.0, output=1 << 30, total=6 * 3600.0)
OPENING = 30.0  # seconds for opening the dataset; our caller has read it before
BATCH = 256  # records of one frame

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ChildJob:
    """Hold what work has in its child; `numbers` are those of its records where they are not a range."""

    opened: Workspace
    data: Dataset
    choices: tuple[Selection, ...]
    replies: Replies
    start: int
    stop: int
    batch: int
    numbers: Sequence[int] | None = None

    def records(self) -> Iterator[Record]:
        """Yield the records, until the file turns out to have been changed; the caller sees that frames are missing."""
        count = len(self.data)
        with contextlib.suppress(DatasetChanged):
            for number in range(self.start, self.stop) if self.numbers is None else self.numbers:
                if number < count:
                    sandbox.beat()
                    yield self.data.record(number)


def make_payload(
    opened: Workspace,
    choices: Iterable[Selection],
    start: int,
    stop: int,
    batch: int = BATCH,
    numbers: Sequence[int] | None = None,
) -> dict[str, Any]:
    """Make what `enter` takes, as JSON: a range of records, or their `numbers`."""
    return {
        "workspace": freeze(opened),
        "choices": [asdict(choice) for choice in choices],
        "start": start,
        "stop": stop,
        "batch": batch,
        "numbers": numbers,
        "cache": str(cache_folder().parent),
        "servers": summarise_for_child(opened),
    }


def stream_frames(
    work: str, opened: Workspace, payload: Mapping[str, Any], *, once: bool = False, awaited: bool = False
) -> Iterator[Any]:
    """Yield the frames of one child, which finds the tokenizers of the workspace loaded.

    The other arguments are those of `sandbox.stream`.
    """
    limits, tables = token_counts.extend_limits(opened, LIMITS), token_counts.list_shared_tables(opened)
    return sandbox.stream(work, payload, limits, tables, once=once, awaited=awaited)


def warm() -> None:
    """Load, once in the zygote, what each child needs to read the workspace and the dataset."""
    build_converter(Workspace)
    modules("readback.readers")


def enter(work: Mapping[str, Any]) -> ChildJob:
    """Return, in a child, the workspace as it was handed over with its dataset opened."""
    if sandbox.is_child():
        _use_cache(work["cache"])
    opened = thaw(work["workspace"])
    accept_summary(opened, work["servers"])
    choices = tuple(Selection(**choice) for choice in work["choices"])
    replies = Replies(opened)
    try:
        data = open_dataset(opened.root, opened.dataset)
        for choice in choices:
            replies.open(choice)
    except DatasetChanged:  # without any record: the caller sees that frames are missing
        data = Dataset(opened.root, "", "", source=opened.dataset)
    return ChildJob(opened, data, choices, replies, work["start"], work["stop"], work["batch"], work["numbers"])


def stop_when_changed(work: Callable[[Any], Iterator[T]]) -> Callable[[Any], Iterator[T]]:
    """Wrap work so that it ends early where a file is not the one that was indexed: its caller sees that frames are
    missing.
    """

    @wraps(work)
    def bounded(payload: Any) -> Iterator[T]:
        with contextlib.suppress(DatasetChanged):
            yield from work(payload)

    return bounded


class Replies:
    """Look up the answers of the conditions whose judges are looked at; each file is opened when it is first needed.

    In a child, opening raises DatasetChanged where they are not those that its caller indexed.
    """

    def __init__(self, opened: Workspace) -> None:
        self.opened = opened
        self.by_condition: dict[str, answers.Answers] = {}

    def get(self, choice: Selection, record: Record) -> Answer | None:
        """Return what the selection's condition replied to the record, for a judge."""
        if record.id is not None:
            condition_answers = self.open(choice)
        else:
            condition_answers = None
        if record.id is None or condition_answers is None:
            return None
        return condition_answers.get(record.id)

    def to_prompt(self, choice: Selection, record: Record) -> Answer | None:
        """Return what the condition of a choice replied to the record's messages; None where it names no answers."""
        if choice.condition and not choice.judge:
            condition = self.opened.condition(choice.condition)
        else:
            condition = None
        if condition is None or condition.answers is None or record.id is None:
            return None
        opened = self._opened(condition.name)
        if opened:
            return opened.get(record.id)
        return None

    def open(self, choice: Selection) -> answers.Answers | None:
        """Open the answers that the selection's judge looks at."""
        if choice.judge is None or choice.condition is None:
            return None
        return self._opened(choice.condition)

    def _opened(self, name: str) -> answers.Answers | None:
        if name not in self.by_condition:
            condition = self.opened.condition(name)
            if condition is None:
                return None
            self.by_condition[name] = answers.open_answers(self.opened, condition)
            sandbox.beat()
        return self.by_condition[name]


def _use_cache(cache: str) -> None:
    """Set, in a child, whose environment is empty, where the index of the dataset lies, and the time to open it."""
    os.environ["READBACK_CACHE"] = cache
    tempfile.tempdir = cache  # else it looks for a folder by writing to it, which a child may not
    sandbox.beat(OPENING)


TRIAL_WORK = "readback.prompts.children:trial_chunk"
TRIAL_RECORDS = 10  # records, spread evenly over the dataset, so that all machines try the same
SLOW_SECONDS = (
    0.25  # seconds of processor time for the messages of one record; ordinary ones take some tenths of a millisecond
)
MAX_SLOW = 5  # slow ones among them with which a choice is given up: one poisoned record condemns nobody


def find_slow_selections(
    opened: Workspace, data: Dataset, choices: Sequence[Selection], suspects: Collection[Selection] = ()
) -> Mapping[Selection, str]:
    """Find the selections most of whose records are slow, each with a sentence of how many were.

    Where there are few records, only `suspects` are tried, whose first record was stopped at its limit: they are given
    up if every other record that is tried is stopped at that limit, too. One stopped record ends nothing.
    """
    if len(data) > 2 * TRIAL_RECORDS:
        indices = [number * (len(data) - 1) // (TRIAL_RECORDS - 1) for number in range(TRIAL_RECORDS)]
        return _count_slow(opened, choices, indices, SLOW_SECONDS, MAX_SLOW)
    indices_of_others = list(range(1, min(len(data), TRIAL_RECORDS + 1)))
    suspected = [choice for choice in choices if choice in suspects]
    if not indices_of_others:  # the only record has been tried by whoever suspects it
        return dict.fromkeys(
            suspected, f"1 of 1 tried, which took more than {sandbox.format_time_limit(render.LIMITS.seconds)}"
        )
    if not suspected:
        return {}
    return _count_slow(
        opened, suspected, indices_of_others, render.LIMITS.seconds, min(MAX_SLOW, len(indices_of_others))
    )


def _count_slow(
    opened: Workspace, choices: Sequence[Selection], places: Sequence[int], seconds: float, most: int
) -> Mapping[Selection, str]:
    """Try the records at these indices; return the selections of which `most` took more time, with a sentence."""
    slow = Counter[int]()
    waiting = list(product(range(len(choices)), places))
    while waiting:
        work = {**make_payload(opened, choices, 0, 0), "tried": waiting}
        done = 0
        try:
            for _ in sandbox.stream(TRIAL_WORK, work, replace(LIMITS, seconds=seconds)):
                done += 1
            break
        except sandbox.Stopped:
            culprit, _ = waiting[done]
            slow[culprit] += 1
            waiting = [pair for pair in waiting[done + 1 :] if pair[0] != culprit or slow[culprit] < most]
    limit = f"{most} of {len(places)} tried, each of which took more than {sandbox.format_time_limit(seconds)}"
    return {choices[number]: limit for number, count in slow.items() if count >= most}


def trial_chunk(work: Mapping[str, Any]) -> Iterator[int]:
    """Yield a frame for each pair of a selection and a record; runs in a bounded child."""
    inside = enter(work)
    with suppress(DatasetChanged):  # written to meanwhile: whoever reads it next says so
        for number, index in work["tried"] if len(inside.data) else ():  # a file that has changed has no index here
            choice, record = inside.choices[number], inside.data.record(index)
            reply = inside.replies.get(choice, record)
            sandbox.beat()
            assemble(inside.opened, record, choice, reply)
            yield index


SPAN = 8 << 20  # bytes of the dataset and
MAX_RECORDS = 1_000  # records in one child: enough to pay for its start, few enough to keep every core busy
LONG = 1 << 20  # bytes of a record beyond which no two children look at records at the same time
FIRST = 64  # records in the first child of those whose answers are wanted soon,
GROWTH = 4  # and so many times as many in each of the next
KILLS = 5  # records that may kill their child under one choice before the choice is given up
LOOK = 0.1  # seconds between two looks at how far the children are

Progress = Callable[[int, int], bool | None]  # done, total -> False: stop


@dataclass(frozen=True, slots=True)
class Frame:
    """Hold one answer of the work, and the selections that it was asked about."""

    value: Mapping[str, Any]
    choices: tuple[Selection, ...]


@dataclass(frozen=True, slots=True)
class Failure:
    """Name what could not be worked on: a record under a selection (None: under any); all remaining records (index
    None).
    """

    index: int | None
    choice: Selection | None
    why: str


def count_children(data: Dataset) -> int:
    """Return how many children may look at records at the same time.

    Over very long records each takes hundreds of megabytes: a packed file of 150 KiB could fill the memory of a machine
    with many cores.
    """
    if data.longest > LONG:
        return 1
    return os.cpu_count() or 1


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
) -> Iterator[Frame | Failure]:
    """Yield the frames of the work over all records, in their order; `extra` is added to its payload.

    `together`: the selections are looked at side by side, so that one is never tried without the others. `jobs`
    children work at once (None: one on every core), each on at most `most` records (None: the usual number). `spans`:
    these ranges of records in this order (None: all). `awaited`: somebody waits for it, so that it does not give way.
    `index` makes what else the work reads and may not write, should it have gone. Ends early when `progress` answers
    False. Raises DatasetChanged when the dataset is written to meanwhile.
    """
    run = _Run(work, opened, data, dict(extra or {}), list(choices), together, progress, awaited, index)
    _index_files(opened, choices)
    yield from _try_first(run)
    waiting = iter(split_spans(data, most) if spans is None else spans)
    span = next(waiting, None)
    pending: deque[tuple[int, int, tuple[Selection, ...], Future[_ChildAnswer]]] = deque()
    workers = max(1, jobs or count_children(data))
    with run.children, ThreadPoolExecutor(workers, thread_name_prefix="readback-chunk") as threads:
        try:
            while run.active and (span or pending):
                while span and len(pending) < 2 * workers:
                    (at, stop), span, active = span, next(waiting, None), tuple(run.active)
                    pending.append((at, stop, active, threads.submit(_ask_child, run, at, stop, active)))
                at, stop, active, future = pending.popleft()
                child_answer = _wait_for(run, future)
                if child_answer is None:
                    return
                # what a choice given up was part of
                if active == tuple(run.active):
                    stopped = child_answer.stopped
                else:
                    stopped = None
                for frame in child_answer.frames if active == tuple(run.active) else ():
                    at = frame.value["next"]
                    yield frame
                yield from _follow_span(run, at, stop, careful=stopped is not None)
                if run.stopped:
                    return
            if name := data.file if data.written else files_of_rows.find_changed(opened, run.states):
                raise DatasetChanged(describe_change(name))  # a part of the answer is of each state
        finally:
            run.stopped = True
            for *_, future in pending:
                future.cancel()


@dataclass(slots=True)
class _Run:
    """Hold what one drive works with; `active` are the selections not given up."""

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
        limits = token_counts.extend_limits(self.opened, LIMITS)
        self.states = files_of_rows.take_snapshots(self.opened)
        self.children = ChildPerThread(self.work, limits, token_counts.list_shared_tables(self.opened))

    def give_up(self, choice: Selection | None) -> None:
        """Ask no more about a selection, or about any."""
        self.active[:] = [active for active in self.active if choice not in (None, active) and not self.together]

    def frames(self, start: int, stop: int, choices: tuple[Selection, ...], batch: int) -> Iterator[Frame]:
        """Yield what a new child answers about some records."""
        request = self._make_request(start, stop, choices, batch)
        for value in stream_frames(self.work, self.opened, request, once=stop - start > 1, awaited=self.awaited):
            yield Frame(value, choices)

    def frames_of_range(self, start: int, stop: int, choices: tuple[Selection, ...]) -> Iterator[Frame]:
        """Yield what the child of this thread answers about a range."""
        for value in self.children.get_child().stream(
            self._make_request(start, stop, choices, BATCH), awaited=self.awaited
        ):
            yield Frame(value, choices)

    def _make_request(self, start: int, stop: int, choices: tuple[Selection, ...], batch: int) -> dict[str, Any]:
        return {**make_payload(self.opened, choices, start, stop, batch), **self.extra}


def split_growing_spans(
    data: Dataset, start: int = 0, most: int = MAX_RECORDS, size: int = SPAN
) -> Iterator[tuple[int, int]]:
    """Split the records from `start` to the last into ranges; the first are short, so that answers come soon."""
    length = FIRST
    for first, beyond in data.spans(size):
        position = max(first, start)
        while position < beyond:
            yield position, min(position + length, beyond)
            position, length = position + length, min(GROWTH * length, most)


def split_spans(data: Dataset, most: int | None = None) -> Iterator[tuple[int, int]]:
    """Split the records into ranges (first, beyond the last) for one child each, of at most `most`."""
    most = most or MAX_RECORDS
    for start, stop in data.spans(SPAN):
        yield from ((position, min(position + most, stop)) for position in range(start, stop, most))


def prepare_retry(
    opened: Workspace, data: Dataset, choices: Iterable[Selection], states: files_of_rows.States, is_retry: bool
) -> None:
    """Prepare another try of a range that ended early: index again what children read and may not write.

    Somebody may have cleared the cache meanwhile. Raises DatasetChanged where the dataset is another, and where the
    range was `tried` again before.
    """
    if not data.still_indexed(opened.root):
        raise DatasetChanged(describe_change(data.file))
    if is_retry:
        raise DatasetChanged(files_of_rows.explain_unread(opened, states, data.file))
    _index_files(opened, choices)


def _index_files(opened: Workspace, choices: Iterable[Selection]) -> None:
    """Index what children read besides the dataset, for they may not write."""
    replies = Replies(opened)
    for choice in choices:
        replies.open(choice)
    training_rows.index_training_files(opened)


def _try_first(run: _Run) -> Iterator[Failure]:
    """Give up selections most of whose records break a limit; that the first one does says nothing of the others."""
    first = next(iter(run.data.records(0, 1)), None)
    limits = dict[Selection, str]()
    for choice in tuple(run.active) if first else ():
        assembly = assemble(run.opened, first or Record(None, {}), choice)
        for diagnostic in assembly.diagnostics:
            if diagnostic.code == "dat-limit":
                limits[choice] = f"{diagnostic.values.get('what')}: more than {diagnostic.values.get('limit')}"
                break
    for choice, reason in find_slow_selections(run.opened, run.data, run.active, limits).items():
        yield Failure(None, choice, limits.get(choice, reason))
        run.give_up(choice)


@dataclass(frozen=True, slots=True)
class _ChildAnswer:
    """Hold what the child of a range answered, as far as it came."""

    frames: list[Frame]
    stopped: sandbox.Stopped | None = None


def _ask_child(run: _Run, start: int, stop: int, choices: tuple[Selection, ...]) -> _ChildAnswer:
    """Ask the child of this thread about a range."""
    frames: list[Frame] = []
    try:
        for frame in run.frames_of_range(start, stop, choices):
            frames.append(frame)
            run.done += frame.value["next"] - start  # only told, so that somebody sees it move
            start = frame.value["next"]
            if run.stopped:
                break
    except sandbox.Stopped as stopped:
        return _ChildAnswer(frames, stopped)
    return _ChildAnswer(frames)


def _is_wanted(run: _Run) -> bool:
    """Report progress, and tell whether the run goes on."""
    total = len(run.data)
    run.stopped |= bool(run.progress and run.progress(min(run.done, total), total) is False)
    return not run.stopped


def _wait_for(run: _Run, future: Future[_ChildAnswer]) -> _ChildAnswer | None:
    """Wait for a child's answer while reporting progress; None when the run is to stop."""
    while _is_wanted(run):
        wait((future,), LOOK)
        if future.done():
            if _is_wanted(run):
                return future.result()
            return None
    return None


def _follow_span(run: _Run, position: int, stop: int, *, careful: bool) -> Iterator[Frame | Failure]:
    """Yield the frames of a range. A child that is killed is followed record by record, until one of them does it
    again.

    In the order of the records, and nowhere else, records are lost and selections given up: so it is always the same.
    """
    retried_at = -1
    while position < stop and run.active and not run.stopped:
        if careful:
            end = min(position + BATCH, stop)
        else:
            end = stop
        try:
            for frame in run.frames(position, end, tuple(run.active), 1 if careful else BATCH):
                position = frame.value["next"]
                yield frame
                if not _is_wanted(run):
                    return
            if position < end:
                prepare_retry(run.opened, run.data, run.active, run.states, retried_at == position)
                if run.index:
                    run.index()
                retried_at = position
            careful = False
        except sandbox.Stopped as stopped:
            if careful or end - position == 1:
                yield from _try_alone(run, position, stopped)
                position, careful = position + 1, False
            else:
                careful = True
        run.done = max(run.done, position)


def _try_alone(run: _Run, index: int, stopped: sandbox.Stopped) -> Iterator[Frame | Failure]:
    """Try one record that killed its child under each selection in a child of its own, to find the culprit."""
    if run.together:
        yield from _report_failure(run, index, None, stopped)
        return
    for choice in tuple(run.active):
        try:
            yield from run.frames(index, index + 1, (choice,), 1)
        except sandbox.Stopped as stopped_again:
            yield from _report_failure(run, index, choice, stopped_again)


def _report_failure(run: _Run, index: int, choice: Selection | None, stopped: sandbox.Stopped) -> Iterator[Failure]:
    """Report a record that stopped its child, and give up its selection after KILLS of them."""
    yield Failure(index, choice, stopped.detail)
    run.kills[choice] += 1
    if run.kills[choice] == KILLS:
        given_up = [selection for selection in run.active if choice in (None, selection)]
        run.give_up(choice)
        yield from (
            Failure(None, selection, f"given up after {KILLS} records: {stopped.detail}") for selection in given_up
        )
