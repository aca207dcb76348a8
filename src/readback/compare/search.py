"""Search the messages of every record under some choices, in bounded children."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from readback import sandbox
from readback.compare import search_expression
from readback.compare.search_expression import Query
from readback.prompts import assemble, in_chunks
from readback.prompts.in_child import warm as warm
from readback.prompts.in_chunks import Lost, Progress
from readback.records.dataset import Cancelled, open_dataset
from readback.types import Message, Selection, Workspace

WORK = "readback.compare.search:search_chunk"
KEPT = 1_000  # hits with their place, for each choice; of the others only the record's number is known
TEXT = 4 << 20  # characters that are looked through at once
AROUND = 60  # characters of context before and after a hit


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
class Found:
    """What a search came to. `lost` are records or choices that could not be searched; `stopped`: ended early."""

    query: Query
    done: int
    total: int
    hits: tuple[SelectionHits, ...] = ()
    lost: tuple[Lost, ...] = ()
    stopped: bool = False

    def under(self, choice: Selection) -> SelectionHits | None:
        """The hits under a choice."""
        return next((hits for hits in self.hits if hits.choice == choice), None)


@dataclass(slots=True)
class _Tally:
    count: int = 0
    records: array[int] = field(default_factory=lambda: array("q"))
    first: list[Hit] = field(default_factory=list)

    def take(self, hit: Hit) -> None:
        self.count += hit.count
        self.records.append(hit.index)
        if len(self.first) < KEPT:
            self.first.append(hit)


def search(
    opened: Workspace,
    choices: Collection[Selection],
    query: Query,
    progress: Progress | None = None,
    jobs: int | None = None,
) -> Found:
    """The records whose messages hold it. Raises QueryError, and DatasetChanged when the dataset is written to.

    `progress(done, total)` is told now and then; when it answers False the search ends with what it has. `jobs`
    children work at once (None: one on every core).
    """
    search_expression.check(query)
    try:
        data = open_dataset(opened.root, opened.dataset, lambda *_: progress is None or progress(0, 0) is not False)
    except Cancelled:
        return Found(query, 0, 0, stopped=True)
    tallies = {choice: _Tally() for choice in choices}
    lost: list[Lost] = []
    done = 0
    for one in in_chunks.drive(WORK, opened, data, choices, {"query": asdict(query)}, progress, jobs=jobs):
        if isinstance(one, Lost):
            lost.append(one)
            done = max(done, one.index + 1) if one.index is not None else done
            continue
        done = max(done, one.value["next"])
        for number, *hit in one.value["hits"]:
            tallies[one.choices[number]].take(Hit(*hit))
    hits = tuple(SelectionHits(choice, own.count, own.records, tuple(own.first)) for choice, own in tallies.items())
    return Found(query, done, len(data), hits, tuple(lost), done < len(data) and not _all_given_up(lost, choices))


def near(opened: Workspace, choice: Selection, query: Query, start: int, stop: int) -> int | None:
    """The first hit in a short range of records; None also where one of them stops its process."""
    work = {**in_chunks.payload(opened, [choice], start, stop), "query": asdict(query)}
    open_dataset(opened.root, opened.dataset)  # a child cannot keep an index
    try:
        frames = sandbox.stream(WORK, work, in_chunks.LIMITS) if start < stop else ()
        return next((hit[1] for frame in frames for hit in frame["hits"]), None)
    except sandbox.Stopped:
        return None


def search_chunk(work: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """A frame for some records: {"next", "hits": [[choice's number, …the fields of Hit]]}."""
    inside, query = in_chunks.enter(work), Query(**work["query"])
    search_expression.warm()  # before the first record, whose time is short
    waiting: list[_Sent] = []
    size, first = 0, inside.start
    for record in inside.records():
        at = record.place.index or 0
        for number, choice in enumerate(inside.choices):
            sandbox.beat()
            made = assemble.assemble(inside.opened, record, choice, inside.replies.get(choice, record))
            waiting.append(_Sent(number, at, record.id, made.messages))
            size += sum(len(message.text) for message in made.messages)
        if at + 1 - first >= inside.batch or size > TEXT:
            yield {"next": at + 1, "hits": list(_hits(query, waiting))}
            waiting, size, first = [], 0, at + 1
    if waiting:
        yield {"next": waiting[-1].index + 1, "hits": list(_hits(query, waiting))}


@dataclass(frozen=True, slots=True)
class _Sent:
    number: int
    index: int
    record: str | None
    messages: tuple[Message, ...]


def _hits(query: Query, sent: Collection[_Sent]) -> Iterator[list[Any]]:
    texts = [message.text for one in sent for message in one.messages]
    sandbox.beat()
    holding = iter(search_expression.holding(query, texts))
    for one in sent:
        inside = [number for number, (_, there) in enumerate(zip(one.messages, holding, strict=False)) if there]
        if inside:
            sandbox.beat()
            yield from _hit(query, one, inside)


def _hit(query: Query, one: _Sent, inside: list[int]) -> Iterator[list[Any]]:
    count = sum(search_expression.counts(query, [one.messages[number].text for number in inside]))
    for number in inside:
        text = one.messages[number].text
        if places := search_expression.spans(query, text, 1):
            start, end = places[0]
            parts = (text[max(0, start - AROUND) : start], text[start:end][: 2 * AROUND], text[end : end + AROUND])
            yield [one.number, one.index, one.record, count, number, one.messages[number].role, start, end, *parts]
            return


def _all_given_up(lost: Collection[Lost], choices: Collection[Selection]) -> bool:
    return {one.choice for one in lost if one.index is None} >= set(choices)
