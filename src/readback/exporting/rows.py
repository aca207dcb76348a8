"""The lines of an export in their order, records outside and choices inside, with a line for what was lost, too."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

from readback import adapters, sandbox
from readback.checks.run import excess
from readback.exporting import chunk, lines
from readback.exporting.lines import Form, Line
from readback.prompts import children
from readback.prompts.assemble import assemble
from readback.prompts.children import Failure, Frame, Progress, Replies
from readback.records.dataset import Dataset
from readback.types import Selection, Workspace

STEP = 256  # records of a batch of lost ones
CHILD = 4 << 20  # characters of lines that one child is to answer about, so that they take little memory, and
FEWEST, MOST = 16, 4_000  # records in one child: so that its start is paid for, and that all have some work


class Batch(NamedTuple):
    """Some lines, one after another; `failed` are the places in it of those without messages."""

    lines: Sequence[str]
    failed: frozenset[int]
    masked: int
    wording: Mapping[str, int]


def rows(
    opened: Workspace,
    data: Dataset,
    choices: Sequence[Selection],
    form: Form,
    requests: Mapping[Selection, tuple[str, Mapping[str, Any]]],
    progress: Progress | None = None,
    jobs: int | None = None,
) -> Iterator[Batch]:
    """The lines of every record under every choice; `requests` are the model and the settings of each.

    Ends early when `progress` answers False.

    Raises DatasetChanged when the dataset is written to meanwhile.
    """
    extra = {"form": form, "requests": [[asdict(choice), *one] for choice, one in requests.items()]}
    most = _records_of_a_child(opened, data, choices)
    order = _Order(opened, data, tuple(choices))
    stopped = False

    def told(done: int, total: int) -> bool:
        nonlocal stopped
        stopped = stopped or bool(progress and progress(done, total) is False)
        return not stopped

    for one in children.drive(chunk.WORK, opened, data, choices, extra, told, jobs=jobs, most=most):
        yield from order.take(one)
    if not stopped:
        yield from order.rest()


def _records_of_a_child(opened: Workspace, data: Dataset, choices: Sequence[Selection]) -> int:
    """How many records one child works on, by the size of what the first one becomes."""
    if (first := next(iter(data.records(0, 1)), None)) is None:
        return FEWEST
    replies = Replies(opened)
    made = (assemble(opened, first, choice, replies.get(choice, first), origins=False) for choice in choices)
    size = sum(len(message.text) for one in made for message in one.messages) + 200 * len(choices)
    return max(FEWEST, min(MOST, CHILD // size))


@dataclass(slots=True)
class _Order:
    """Puts what children answered into the order of an export.

    Mostly a frame is a stretch of it. After a record that stopped its child there are frames about one record under
    one choice, and after a choice was given up all frames lack it: then lines wait until their record is complete.
    """

    opened: Workspace
    data: Dataset
    choices: tuple[Selection, ...]
    at: int = 0  # the first record that is not written yet
    lost: dict[tuple[int, Selection], str] = field(default_factory=dict)
    given_up: dict[Selection, str] = field(default_factory=dict)
    waiting: dict[int, dict[Selection, Line]] = field(default_factory=dict)

    def take(self, one: Frame | Failure) -> Iterator[Batch]:
        if isinstance(one, Failure):
            for choice in self.choices if one.choice is None else (one.choice,):
                if one.index is None:
                    self.given_up.setdefault(choice, one.why)
                else:
                    self.lost[one.index, choice] = one.why
            return
        frame, first = one.value, one.value["first"]
        yield from self.complete(first)
        if one.choices == self.choices and first == self.at and not self.waiting:
            self.at = frame["next"]
            yield Batch(frame["lines"], frozenset(frame["failed"]), frame["masked"], frame["wording"])
        else:
            self._wait(frame, one.choices)
            yield from self.complete(frame["next"] - 1)

    def rest(self) -> Iterator[Batch]:
        """What is left once the children are done: the records that nobody tried."""
        yield from self.complete(len(self.data))

    def complete(self, until: int) -> Iterator[Batch]:
        """The records before `until` that are not written yet, each under every choice."""
        while self.at < until:
            stop = min(until, self.at + STEP)
            made = [self._line(index, choice) for index in range(self.at, stop) for choice in self.choices]
            self.at = stop
            yield _batch(made)

    def _wait(self, frame: Mapping[str, Any], choices: Sequence[Selection]) -> None:
        failed = frozenset(frame["failed"])
        for number, text in enumerate(frame["lines"]):
            record, choice = divmod(number, len(choices))
            made = Line(text, number in failed, *_told(text))
            self.waiting.setdefault(frame["first"] + record, {})[choices[choice]] = made

    def _line(self, index: int, choice: Selection) -> Line:
        """The line that waits for its turn, else the one of what was lost."""
        waiting = self.waiting.get(index, {})
        made = waiting.pop(choice, None) or self._lost(index, choice)
        if not waiting:
            self.waiting.pop(index, None)
        return made

    def _lost(self, index: int, choice: Selection) -> Line:
        record = self.data.place(index).record
        if (detail := self.lost.pop((index, choice), None)) is not None:
            stopped = sandbox.Stopped("crash", detail)
            found = next(excess.of_record(self.opened, self.data, index, choice, stopped))
            return lines.failed(index, record, choice, found.code, found.message)
        reason = self.given_up.get(choice, "nothing says why")
        return lines.failed(index, record, choice, excess.CODE, f"not tried, for others took too much: {reason}")


def _batch(made: Sequence[Line]) -> Batch:
    wording = Counter(name for one in made for name in one.wording)
    failed = frozenset(number for number, one in enumerate(made) if one.failed)
    return Batch([one.text for one in made], failed, sum(one.masked for one in made), wording)


def _told(text: str) -> tuple[bool, tuple[str, ...]]:
    """Whether a line is masked, and the adapters in it that have our own words."""
    value = json.loads(text)
    return value.get("masked", False), tuple(value.get("wording", {}).get(adapters.OURS, ()))
