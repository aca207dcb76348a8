"""In a bounded child: the workspace as its caller holds it, and a range of records to work on.

A child gets the workspace as a value, so that it works on what a page shows and not on what a file says by now.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import wraps
from typing import Any, TypeVar

from readback import sandbox
from readback.folder import modules
from readback.prompts import token_counts
from readback.prompts.self_tests import said, tell
from readback.readers.cache_folder import cache_folder
from readback.records import answers
from readback.records.dataset import Dataset, DatasetChanged, open_dataset
from readback.sandbox.frozen import freeze, maker, thaw
from readback.types import Answer, Record, Selection, Workspace

# Between two beats a record under one choice: a message of five million characters takes 2 to 6 s, a template has its
# own limit, and a chunk has thousands of records.
LIMITS = sandbox.Limits(seconds=20.0, output=1 << 30, total=6 * 3600.0)
OPENING = 30.0  # seconds for opening the dataset; our caller has read it before
BATCH = 256  # records of one frame

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Inside:
    """What work has in its child; `numbers` are those of its records where they are no range."""

    opened: Workspace
    data: Dataset
    choices: tuple[Selection, ...]
    replies: Replies
    start: int
    stop: int
    batch: int
    numbers: Sequence[int] | None = None

    def records(self) -> Iterator[Record]:
        """The records, until the file turns out to have been changed; the caller sees that frames are missing."""
        count = len(self.data)
        with contextlib.suppress(DatasetChanged):
            for number in range(self.start, self.stop) if self.numbers is None else self.numbers:
                if number < count:
                    sandbox.beat()
                    yield self.data.record(number)


def payload(
    opened: Workspace,
    choices: Iterable[Selection],
    start: int,
    stop: int,
    batch: int = BATCH,
    numbers: Sequence[int] | None = None,
) -> dict[str, Any]:
    """What `enter` takes, as JSON: a range of records, or their `numbers`."""
    return {
        "workspace": freeze(opened),
        "choices": [asdict(choice) for choice in choices],
        "start": start,
        "stop": stop,
        "batch": batch,
        "numbers": numbers,
        "cache": str(cache_folder().parent),
        "servers": said(opened),
    }


def stream(
    work: str, opened: Workspace, asked: Mapping[str, Any], *, once: bool = False, awaited: bool = False
) -> Iterator[Any]:
    """The frames of one child, which finds the tokenizers of the workspace at hand; the rest is the sandbox's own."""
    limits, shared = token_counts.limits(opened, LIMITS), token_counts.shared(opened)
    return sandbox.stream(work, asked, limits, shared, once=once, awaited=awaited)


def warm() -> None:
    """Once, in the zygote: what each child needs to read the workspace and the dataset it is given."""
    maker(Workspace)
    modules("readback.readers")


def enter(work: Mapping[str, Any]) -> Inside:
    """In a child: the workspace as it was handed over, and its dataset opened."""
    if sandbox.inside():
        _use_cache(work["cache"])
    opened = thaw(work["workspace"])
    tell(opened, work["servers"])
    choices = tuple(Selection(**choice) for choice in work["choices"])
    replies = Replies(opened)
    try:
        data = open_dataset(opened.root, opened.dataset)
        for choice in choices:
            replies.open(choice)
    except DatasetChanged:  # without any record: the caller sees that frames are missing
        data = Dataset(opened.root, "", "", source=opened.dataset)
    return Inside(opened, data, choices, replies, work["start"], work["stop"], work["batch"], work["numbers"])


def until_changed(work: Callable[[Any], Iterator[T]]) -> Callable[[Any], Iterator[T]]:
    """Work that ends early where a file turns out not to be the one that was indexed: its caller sees that frames are
    missing.
    """

    @wraps(work)
    def bounded(asked: Any) -> Iterator[T]:
        with contextlib.suppress(DatasetChanged):
            yield from work(asked)

    return bounded


class Replies:
    """The answers of the conditions whose judges are looked at, opened when first asked for. In a child, opening
    raises DatasetChanged where they are not those that its caller indexed.
    """

    def __init__(self, opened: Workspace) -> None:
        self.opened = opened
        self.by_condition: dict[str, answers.Answers] = {}

    def get(self, choice: Selection, record: Record) -> Answer | None:
        """What the choice's condition replied to the record, for a judge."""
        if record.id is None or (opened := self.open(choice)) is None:
            return None
        return opened.get(record.id)

    def to_prompt(self, choice: Selection, record: Record) -> Answer | None:
        """Return what the condition of a choice replied to the record's messages; None where it names no answers."""
        condition = self.opened.condition(choice.condition) if choice.condition and not choice.judge else None
        if condition is None or condition.answers is None or record.id is None:
            return None
        opened = self._opened(condition.name)
        return opened.get(record.id) if opened else None

    def open(self, choice: Selection) -> answers.Answers | None:
        """The answers that the choice's judge looks at."""
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
    """In a child, whose environment is empty: where the index of the dataset lies, and time to open it."""
    os.environ["READBACK_CACHE"] = cache
    tempfile.tempdir = cache  # else it looks for a folder by writing to it, which a child may not
    sandbox.beat(OPENING)
