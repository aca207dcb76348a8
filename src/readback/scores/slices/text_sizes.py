"""Measure how long the prompt and the answer of each scored record are, in bounded children."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal

from readback import sandbox
from readback.prompts import assemble, children, model_input, selections, token_counts, training_rows
from readback.prompts.children import warm as warm
from readback.readers.files.progress import Cancelled
from readback.records.dataset import Dataset, DatasetChanged, open_dataset
from readback.records.replies.answers import Answers, open_answers
from readback.scores.comparing.paired_items import list_members
from readback.scores.table import ConditionKey, ScoreTable
from readback.scores.workspace_condition import find_workspace_condition
from readback.serving import tokens
from readback.types import Condition, Selection, Workspace

WORK = "readback.scores.slices.text_sizes:size_chunk"
RECORDS = 2_000  # of one condition: some two seconds; of more, evenly spaced ones are taken and it is said
AT_ONCE = 250  # records of one child
KILLS = 5  # records that stop their child before the condition is given up

Progress = Callable[[int, int], bool]  # texts done, texts in all -> go on?
Left = Literal["no condition", "no record", "no prompt", "no answer", "not looked at"]
NO_CONDITION: Left = "no condition"  # of the workspace has the name
NO_RECORD: Left = "no record"  # of the dataset has the item's id
NO_PROMPT: Left = "no prompt"  # can be built
NO_ANSWER: Left = "no answer"  # in the condition's file
NOT_TAKEN: Left = "not looked at"


@dataclass(frozen=True, slots=True)
class Size:
    """Hold how long one text is; `exact` tokens are those of the model's own tokenizer, others bytes ÷ 4."""

    characters: int
    tokens: int
    exact: bool


@dataclass(frozen=True, slots=True, eq=False)
class Sizes:
    """Hold sizes by item.

    The prompt is what is sent (the text that the model reads, where its server's template is known).
    """

    prompts: Mapping[str, Size] = field(default_factory=dict)
    answers: Mapping[str, Size] = field(default_factory=dict)
    looked_at: frozenset[str] = frozenset()
    records: frozenset[str] = frozenset()  # of those looked at, the records of the dataset
    has_condition: bool = True  # the workspace has the condition

    def count_prompts_left(self, items: Iterable[str]) -> Mapping[Left, int]:
        """Count these items without a prompt, by reason."""
        return Counter(self._why(item, NO_PROMPT) for item in items if item not in self.prompts)

    def count_answers_left(self, items: Iterable[str]) -> Mapping[Left, int]:
        """Count these items without an answer, by reason."""
        return Counter(self._why(item, NO_ANSWER) for item in items if item not in self.answers)

    def _why(self, item: str, otherwise: Left) -> Left:
        if not self.has_condition:
            return NO_CONDITION
        if item not in self.looked_at:
            return NOT_TAKEN
        if item in self.records or otherwise == NO_ANSWER:
            return otherwise
        return NO_RECORD


def measure_sizes(
    workspace: Workspace, table: ScoreTable, condition: ConditionKey, progress: Progress | None = None
) -> Sizes:
    """Return the sizes of what `condition` was sent and replied for its items; measured once, then cached.

    At most 2,000 items, evenly spaced, are looked at. Raises Cancelled where `progress` says that it is enough.
    """
    workspace_condition = find_workspace_condition(workspace, table, condition)
    if workspace_condition is None:
        return Sizes(has_condition=False)
    data = open_dataset(workspace.root, workspace.dataset, progress)
    return _measure_sizes(_SizeRequest(workspace, table, data, workspace_condition, condition, progress))


@dataclass(frozen=True, slots=True)
class _SizeRequest:
    """Identify what is cached: a workspace and its scores as they were opened, its dataset as it is on disk."""

    workspace: Workspace
    table: ScoreTable
    data: Dataset
    workspace_condition: Condition
    condition: ConditionKey
    progress: Progress | None = None  # who waits; no part of what is asked

    def __hash__(self) -> int:
        return hash((id(self.workspace), id(self.table), self.data._state, self.condition))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, _SizeRequest)
            and self.workspace is other.workspace
            and self.table is other.table
            and (self.data._state, self.condition) == (other.data._state, other.condition)
        )


@lru_cache(maxsize=16)
def _measure_sizes(request: _SizeRequest) -> Sizes:
    workspace, data = request.workspace, request.data
    items = _list_items(request.table, request.condition)
    sampled = items[:: -(-len(items) // RECORDS) or 1]
    sampled_numbers = ((item, data.find(item)) for item in sampled)
    numbers = {item: number for item, number in sampled_numbers if number is not None}
    progress, total = request.progress or _continue, len(numbers) + len(sampled)
    _report_progress(progress, 0, total)
    prompts: dict[int, Size] = {}
    measured = _measure_prompts(workspace, request.workspace_condition, list(numbers.values()))
    for done, (number, size) in enumerate(measured, 1):
        prompts[number] = size
        _report_progress(progress, done, total)
    answers = dict(_measure_answers(workspace, request.workspace_condition, sampled))
    return Sizes(
        prompts={item: prompts[number] for item, number in numbers.items() if number in prompts},
        answers=answers,
        looked_at=frozenset(sampled),
        records=frozenset(numbers),
    )


def _continue(done: int, total: int) -> bool:
    return True


def _report_progress(progress: Progress, done: int, total: int) -> None:
    if not progress(done, total):
        raise Cancelled


def _list_items(table: ScoreTable, condition: ConditionKey) -> list[str]:
    """Return every item that has a cell under the condition."""
    import numpy as np

    columns = table.columns
    codes = np.unique(np.asarray(columns.item)[np.isin(np.asarray(columns.condition), list_members(table, condition))])
    return [columns.items[code] for code in codes.tolist()]


def _measure_prompts(workspace: Workspace, condition: Condition, numbers: Sequence[int]) -> Iterator[tuple[int, Size]]:
    """Yield the size of each record's prompt; a record that stops its child has none, and a new child follows."""
    training_rows.index_training_files(workspace)
    remaining, kills = list(numbers), 0
    while remaining and kills < KILLS:
        batch, done = remaining[:AT_ONCE], 0
        payload = {**children.make_payload(workspace, (Selection(condition=condition.name),), 0, 0), "numbers": batch}
        try:
            for frame in children.stream_frames(WORK, workspace, payload):
                if frame["characters"]:
                    yield batch[done], Size(**frame)
                done += 1
            remaining = remaining[len(batch) :]
        except sandbox.Stopped:
            remaining, kills = remaining[done + 1 :], kills + 1


def size_chunk(work: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a frame for each record of `numbers`: {"characters", "tokens", "exact"}; 0 where nothing could be built."""
    child = children.enter(work)
    (selection,) = child.choices
    condition = child.opened.condition(selection.condition or "")
    for number in work["numbers"]:
        sandbox.beat()
        try:
            record = child.data.record(number)
        except (DatasetChanged, IndexError):
            return
        assembly = assemble.assemble(child.opened, record, selection)
        count = token_counts.count_quickly(
            child.opened, assembly, model_input.build_model_input(child.opened, record, assembly, condition, False)
        )
        characters = sum(len(message.text) for message in assembly.messages)
        yield {"characters": characters, "tokens": count.count, "exact": count.exact}


def _measure_answers(workspace: Workspace, condition: Condition, items: Sequence[str]) -> Iterator[tuple[str, Size]]:
    replies = open_answers(workspace, condition)
    model = selections.find_model(workspace, Selection(condition=condition.name))
    tokenizer = model.tokenizer if model else None
    counter, _ = tokens.load_counter(tokenizer if tokenizer and tokens.is_table(tokenizer) else None, workspace.root)
    texts = dict(_list_texts(replies, items))
    counts = tokens.count_each(counter, list(texts.values()))
    for (item, text), count in zip(texts.items(), counts, strict=True):
        yield item, Size(len(text), count, counter.exact)


def _list_texts(replies: Answers, items: Sequence[str]) -> Iterator[tuple[str, str]]:
    for item in items:
        try:
            answer = replies.get(item)
        except DatasetChanged:
            return
        if answer and answer.text:
            yield item, answer.text
