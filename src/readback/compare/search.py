"""Search the messages of every record under some choices, in bounded children."""

from __future__ import annotations

import contextlib
import time
from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from readback import sandbox
from readback.compare import line_search, search_expression
from readback.compare.search_expression import Query
from readback.prompts import assemble, children
from readback.prompts.children import ChildJob, Failure, Progress
from readback.prompts.children import warm as warm
from readback.records import raw_lines
from readback.records.dataset import Cancelled, Dataset, DatasetChanged, open_dataset
from readback.types import Message, Selection, Workspace

WORK = "readback.compare.search:search_chunk"
MAX_HITS = 1_000  # hits with their place, for each choice; of the others only the record's number is known
TEXT_CHARACTERS = 4 << 20  # characters that are looked through at once
PART_SECONDS = 0.3  # seconds between two looks at what was found so far
# Records and bytes in one child: to load what searches takes it longer than to assemble some hundreds of records.
FEW, MANY = (4_000, 64 << 20), (8_000, 128 << 20)  # where each is assembled, and where few are
AROUND_HIT = 60  # characters of context before and after a hit


@dataclass(frozen=True, slots=True)
class Hit:
    """A record whose messages hold it, `count` times; the first one is in `message` (from 0) at start to end.

    `before`, `text` and `after` are an excerpt.
    """

    index: int
    record: str | None
    count: int
    message: int
    role: str
    start: int
    end: int
    before: str
    text: str
    after: str


@dataclass(frozen=True, slots=True)
class SelectionHits:
    """The hits under one choice: `records` are all record numbers in order, `first` the first hits in full."""

    choice: Selection
    count: int
    records: array[int]
    first: tuple[Hit, ...]


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The result of a search. `failures` are records or choices that could not be searched; `stopped`: ended early."""

    query: Query
    done: int
    total: int
    hits: tuple[SelectionHits, ...] = ()
    failures: tuple[Failure, ...] = ()
    stopped: bool = False

    def find_hits(self, choice: Selection) -> SelectionHits | None:
        """Return the hits under a choice; None where it was not searched."""
        return next((hits for hits in self.hits if hits.choice == choice), None)


@dataclass(slots=True)
class _Tally:
    count: int = 0
    records: array[int] = field(default_factory=lambda: array("q"))
    first: list[Hit] = field(default_factory=list)

    def take(self, hit: Hit) -> None:
        self.count += hit.count
        self.records.append(hit.index)
        if len(self.first) < MAX_HITS:
            self.first.append(hit)


def search(
    opened: Workspace,
    choices: Collection[Selection],
    query: Query,
    progress: Progress | None = None,
    jobs: int | None = None,
) -> SearchResult:
    """Search the messages of all records. Raise QueryError, and DatasetChanged when the dataset is written to.

    `progress(done, total)` is called now and then; when it returns False the search ends early. `jobs`
    children work at once (None: one on every core).
    """
    *_, result = iterate_results(opened, choices, query, progress, jobs)
    return result


def iterate_results(
    opened: Workspace,
    choices: Collection[Selection],
    query: Query,
    progress: Progress | None = None,
    jobs: int | None = None,
) -> Iterator[SearchResult]:
    """Yield the result of `search` so far, now and then (the first `done` records, in order); the last is complete."""
    search_expression.check_query(query)
    try:
        data = _open_dataset(opened, progress)
    except Cancelled:
        yield SearchResult(query, 0, 0, stopped=True)
        return
    tallies = {choice: _Tally() for choice in choices}
    failures: list[Failure] = []
    done, reported_at = 0, time.monotonic()
    for frame in _drive(opened, data, choices, query, progress, ((0, len(data)),), jobs):
        if isinstance(frame, Failure):
            failures.append(frame)
            if frame.index is not None:
                done = max(done, frame.index + 1)
            continue
        done = max(done, frame.value["next"])
        for number, *hit in frame.value["hits"]:
            tallies[frame.choices[number]].take(Hit(*hit))
        if time.monotonic() - reported_at > PART_SECONDS and done < len(data):
            yield _make_result(query, done, len(data), tallies, failures)
            reported_at = time.monotonic()
    stopped = done < len(data) and not _are_all_given_up(failures, choices)
    yield _make_result(query, done, len(data), tallies, failures, stopped)


def find_next(
    opened: Workspace, choice: Selection, query: Query, at: int, progress: Progress | None = None
) -> int | None:
    """Return the next record after `at`, then from the top, that has a hit; None where there is none, or `progress`
    answered False. Somebody waits for it, so it does not give way. Raises as `search`.
    """
    search_expression.check_query(query)
    try:
        data = _open_dataset(opened, progress)
    except Cancelled:
        return None
    ranges = (at + 1, len(data)), (0, min(at + 1, len(data)))
    for frame in _drive(opened, data, (choice,), query, progress, ranges, None, awaited=True):
        if isinstance(frame, children.Frame) and frame.value["hits"]:
            index: int = frame.value["hits"][0][1]
            return index
    return None


def _open_dataset(opened: Workspace, progress: Progress | None) -> Dataset:
    return open_dataset(opened.root, opened.dataset, lambda *_: progress is None or progress(0, 0) is not False)


def _drive(
    opened: Workspace,
    data: Dataset,
    choices: Collection[Selection],
    query: Query,
    progress: Progress | None,
    ranges: Iterable[tuple[int, int]],
    jobs: int | None,
    *,
    awaited: bool = False,
) -> Iterator[children.Frame | Failure]:
    """Yield the frames of the records in these ranges. Children that need not assemble every record take more."""
    patterns = [(asdict(choice), line_search.list_patterns(opened, data, choice, query)) for choice in choices]
    if all(looks for _, looks in patterns):
        room = MANY
    else:
        room = FEW
    spans = (
        (at, min(beyond, stop))
        for start, stop in ranges
        for at, beyond in children.split_growing_spans(data, start, *room)
        if at < stop
    )
    extra = {"query": asdict(query), "patterns": patterns}
    return children.drive(WORK, opened, data, choices, extra, progress, jobs=jobs, spans=spans, awaited=awaited)


def _make_result(
    query: Query,
    done: int,
    total: int,
    tallies: Mapping[Selection, _Tally],
    failures: Collection[Failure],
    stopped: bool = False,
) -> SearchResult:
    hits = (
        SelectionHits(choice, tally.count, tally.records[:], tuple(tally.first)) for choice, tally in tallies.items()
    )
    return SearchResult(query, done, total, tuple(hits), tuple(failures), stopped)


def search_chunk(work: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a frame for some records: {"next", "hits": [[choice's number, …the fields of Hit]]}.

    Without "patterns" of a choice (`line_search`) all of its records are assembled.
    """
    inside, query = children.enter(work), Query(**work["query"])
    search_expression.import_arrow()  # before the first record, whose time is short
    patterns_by_choice = {Selection(**choice): patterns for choice, patterns in work.get("patterns", ())}
    waiting: list[_SentMessages] = []
    size, first, done = 0, inside.start, inside.start
    with contextlib.suppress(DatasetChanged):  # the caller sees that frames are missing
        for at, numbers in _list_candidates(inside, patterns_by_choice):
            sandbox.beat()
            if numbers:
                sent_records = list(_assemble_record(inside, at, numbers))
                waiting += sent_records
                size += sum(len(message.text) for sent in sent_records for message in sent.messages)
            done = at + 1
            if done - first >= inside.batch or size > TEXT_CHARACTERS:
                yield {"next": done, "hits": list(_find_hits(query, waiting))}
                waiting, size, first = [], 0, done
    if first < done:
        yield {"next": done, "hits": list(_find_hits(query, waiting))}


def _assemble_record(inside: ChildJob, at: int, numbers: Sequence[int]) -> Iterator[_SentMessages]:
    """Yield the messages of a record under the choices of these numbers."""
    record = inside.data.record(at)
    for number in numbers:
        sandbox.beat()
        choice = inside.choices[number]
        reply = inside.replies.get(choice, record)
        assembly = assemble.assemble(inside.opened, record, choice, reply, origins=False, marked=False)
        yield _SentMessages(number, at, record.id, assembly.messages)


def _list_candidates(
    inside: ChildJob, patterns: Mapping[Selection, Sequence[Sequence[str]] | None]
) -> Iterator[tuple[int, Sequence[int]]]:
    """Yield each record of the range, and the numbers of the choices under which it may have a hit."""
    numbers = range(len(inside.choices))
    plans = [tuple(map(tuple, patterns.get(choice) or ())) for choice in inside.choices]
    for start, stop in raw_lines.split_range(inside.data, inside.start, min(inside.stop, len(inside.data))):
        sandbox.beat()
        may = {plan: raw_lines.match_lines(inside.data, plan, start, stop) for plan in dict.fromkeys(plans) if plan}
        for at in range(start, stop):
            yield at, [number for number in numbers if not (plan := plans[number]) or may[plan][at - start]]


@dataclass(frozen=True, slots=True)
class _SentMessages:
    number: int
    index: int
    record: str | None
    messages: tuple[Message, ...]


def _find_hits(query: Query, sent_records: Collection[_SentMessages]) -> Iterator[list[Any]]:
    texts = [message.text for sent in sent_records for message in sent.messages]
    sandbox.beat()
    holding = iter(search_expression.find_holding(query, texts))
    for sent in sent_records:
        inside = [number for number, (_, holds) in enumerate(zip(sent.messages, holding, strict=False)) if holds]
        if inside:
            sandbox.beat()
            yield from _make_hit(query, sent, inside)


def _make_hit(query: Query, sent: _SentMessages, inside: list[int]) -> Iterator[list[Any]]:
    count = sum(search_expression.count_matches(query, [sent.messages[number].text for number in inside]))
    for number in inside:
        text = sent.messages[number].text
        if places := search_expression.find_spans(query, text, 1):
            start, end = places[0]
            parts = (
                text[max(0, start - AROUND_HIT) : start],
                text[start:end][: 2 * AROUND_HIT],
                text[end : end + AROUND_HIT],
            )
            yield [sent.number, sent.index, sent.record, count, number, sent.messages[number].role, start, end, *parts]
            return


def _are_all_given_up(failures: Collection[Failure], choices: Collection[Selection]) -> bool:
    return {failure.choice for failure in failures if failure.index is None} >= set(choices)
