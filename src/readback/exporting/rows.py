"""Put the lines of an export in their order, records outside and selections inside, with a line for what failed."""

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
from readback.exporting.selections import find_prompt_name
from readback.prompts import children
from readback.prompts.assemble import assemble
from readback.prompts.children import Failure, Frame, Progress, Replies
from readback.records.dataset import Dataset
from readback.types import Selection, Workspace

STEP = 256  # records of a batch of those that failed
CHILD_SIZE = 4 << 20  # characters of lines that one child answers with, so that they take little memory
LINE_SIZE = 200  # characters of a line beside those of its messages, about
# Records in one child: so that its start is paid for, and that all children have some work.
FEWEST_RECORDS, MOST_RECORDS = 16, 4_000


class Batch(NamedTuple):
    """Some lines, one after another; `failed` are the positions in it of those without messages."""

    lines: Sequence[str]
    failed: frozenset[int]
    masked: int
    wording: Mapping[str, int]


def export_rows(
    workspace: Workspace,
    records: Dataset,
    selections: Sequence[Selection],
    form: Form,
    requests: Mapping[Selection, tuple[str, Mapping[str, Any]]],
    progress: Progress | None = None,
    jobs: int | None = None,
) -> Iterator[Batch]:
    """Yield the lines of every record under every selection; `requests` are the model and the settings of each.

    Ends early when `progress` returns False. Raises DatasetChanged when the dataset is written to meanwhile.
    """
    extra = {"form": form, "requests": [[asdict(selection), *request] for selection, request in requests.items()]}
    most = _choose_child_records(workspace, records, selections)
    order = _Order(workspace, records, tuple(selections))
    stopped = False

    def report_progress(done: int, total: int) -> bool:
        nonlocal stopped
        stopped = stopped or bool(progress and progress(done, total) is False)
        return not stopped

    results = children.drive(chunk.WORK, workspace, records, selections, extra, report_progress, jobs=jobs, most=most)
    for result in results:
        yield from order.add(result)
    if not stopped:
        yield from order.finish()


def _choose_child_records(workspace: Workspace, records: Dataset, selections: Sequence[Selection]) -> int:
    """Return how many records one child works on, by the size of what the first one becomes."""
    first = next(iter(records.records(0, 1)), None)
    if first is None:
        return FEWEST_RECORDS
    replies = Replies(workspace)
    size = LINE_SIZE * len(selections)
    for selection in selections:
        assembly = assemble(workspace, first, selection, replies.get(selection, first), origins=False)
        size += sum(len(message.text) for message in assembly.messages)
    return max(FEWEST_RECORDS, min(MOST_RECORDS, CHILD_SIZE // size))


@dataclass(slots=True)
class _Order:
    """Put what children answered into the order of an export.

    Mostly a frame is a stretch of it. After a record that stopped its child there are frames about one record under
    one selection, and after a selection was given up all frames lack it: then lines wait until their record is
    complete.
    """

    workspace: Workspace
    records: Dataset
    selections: tuple[Selection, ...]
    position: int = 0  # the first record that is not written yet
    failures: dict[tuple[int, Selection], str] = field(default_factory=dict)
    given_up: dict[Selection, str] = field(default_factory=dict)
    waiting: dict[int, dict[Selection, Line]] = field(default_factory=dict)

    def add(self, result: Frame | Failure) -> Iterator[Batch]:
        """Take an answer of a child; yield the lines whose turn it is now."""
        if isinstance(result, Failure):
            for selection in self.selections if result.choice is None else (result.choice,):
                if result.index is None:
                    self.given_up.setdefault(selection, result.why)
                else:
                    self.failures[result.index, selection] = result.why
            return
        frame, first = result.value, result.value["first"]
        yield from self._complete(first)
        if result.choices == self.selections and first == self.position and not self.waiting:
            self.position = frame["next"]
            yield Batch(frame["lines"], frozenset(frame["failed"]), frame["masked"], frame["wording"])
        else:
            self._let_wait(frame, result.choices)
            yield from self._complete(frame["next"] - 1)

    def finish(self) -> Iterator[Batch]:
        """Yield what is left once the children are done: the records that no child tried."""
        yield from self._complete(len(self.records))

    def _complete(self, until: int) -> Iterator[Batch]:
        """Yield the records before `until` that are not written yet, each under every selection."""
        while self.position < until:
            end = min(until, self.position + STEP)
            batch = [
                self._take_line(index, selection)
                for index in range(self.position, end)
                for selection in self.selections
            ]
            self.position = end
            yield _build_batch(batch)

    def _let_wait(self, frame: Mapping[str, Any], selections: Sequence[Selection]) -> None:
        failed = frozenset(frame["failed"])
        for number, text in enumerate(frame["lines"]):
            record, column = divmod(number, len(selections))
            line = Line(text, number in failed, *_read_marks(text))
            self.waiting.setdefault(frame["first"] + record, {})[selections[column]] = line

    def _take_line(self, index: int, selection: Selection) -> Line:
        """Return the line that waits for its turn, else one that says what failed."""
        waiting = self.waiting.get(index, {})
        line = waiting.pop(selection, None) or self._build_failure(index, selection)
        if not waiting:
            self.waiting.pop(index, None)
        return line

    def _build_failure(self, index: int, selection: Selection) -> Line:
        record_id = self.records.place(index).record
        prompt = find_prompt_name(self.workspace, selection)
        detail = self.failures.pop((index, selection), None)
        if detail is not None:
            stopped = sandbox.Stopped("crash", detail)
            finding = next(excess.report_record(self.workspace, self.records, index, selection, stopped))
            return lines.format_failure(index, record_id, selection, finding.code, finding.message, prompt)
        reason = self.given_up.get(selection, "nothing says why")
        message = f"not tried, for others took too much: {reason}"
        return lines.format_failure(index, record_id, selection, excess.CODE, message, prompt)


def _build_batch(batch: Sequence[Line]) -> Batch:
    wording = Counter(name for line in batch for name in line.wording)
    failed = frozenset(number for number, line in enumerate(batch) if line.failed)
    return Batch([line.text for line in batch], failed, sum(line.masked for line in batch), wording)


def _read_marks(text: str) -> tuple[bool, tuple[str, ...]]:
    """Return whether a line is masked, and the adapters in it that have Readback's own words."""
    value = json.loads(text)
    return value.get("masked", False), tuple(value.get("wording", {}).get(adapters.OURS, ()))
