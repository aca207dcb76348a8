"""How long the prompt and the answer of each scored record are, measured in bounded children."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal

from readback import sandbox
from readback.prompts import assemble, children, model_input, token_counts, training_rows
from readback.prompts.children import warm as warm
from readback.readers.progress import Cancelled
from readback.records.answers import Answers, open_answers
from readback.records.dataset import Dataset, DatasetChanged, open_dataset
from readback.scores.comparing.paired_items import list_members
from readback.scores.table import ConditionKey, ScoreTable
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
    """How long one text is; `exact` tokens are those of the model's own tokenizer, others bytes ÷ 4."""

    characters: int
    tokens: int
    exact: bool


@dataclass(frozen=True, slots=True, eq=False)
class Sizes:
    """By item; the prompt is what is sent (the text that the model reads, where its server's template is known)."""

    prompts: Mapping[str, Size] = field(default_factory=dict)
    answers: Mapping[str, Size] = field(default_factory=dict)
    looked_at: frozenset[str] = frozenset()
    records: frozenset[str] = frozenset()  # of those looked at, the records of the dataset
    known: bool = True  # the workspace has the condition

    def prompts_left(self, items: Iterable[str]) -> Mapping[Left, int]:
        """How many of these items have no prompt, by reason."""
        return Counter(self._why(item, NO_PROMPT) for item in items if item not in self.prompts)

    def answers_left(self, items: Iterable[str]) -> Mapping[Left, int]:
        """How many of these items have no answer, by reason."""
        return Counter(self._why(item, NO_ANSWER) for item in items if item not in self.answers)

    def _why(self, item: str, otherwise: Left) -> Left:
        if not self.known:
            return NO_CONDITION
        if item not in self.looked_at:
            return NOT_TAKEN
        return otherwise if item in self.records or otherwise == NO_ANSWER else NO_RECORD


def sizes(workspace: Workspace, table: ScoreTable, condition: ConditionKey, progress: Progress | None = None) -> Sizes:
    """The sizes of what `condition` was sent and replied for its items; measured once, then remembered.

    At most 2,000 items, evenly spaced, are looked at. Raises Cancelled where `progress` says that it is enough.
    """
    known = condition_of(workspace, table, condition)
    if known is None:
        return Sizes(known=False)
    return _sizes(
        _Asked(workspace, table, open_dataset(workspace.root, workspace.dataset, progress), known, condition, progress)
    )


def condition_of(workspace: Workspace, table: ScoreTable, condition: ConditionKey) -> Condition | None:
    """The workspace's condition that the scores of `condition` are about."""
    return workspace.condition(dict(condition).get("condition", "")) or workspace.condition(table.label(condition))


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is remembered: a workspace and its scores as they were opened, its dataset as it is on disk."""

    workspace: Workspace
    table: ScoreTable
    data: Dataset
    known: Condition
    condition: ConditionKey
    progress: Progress | None = None  # who waits; no part of what is asked

    def __hash__(self) -> int:
        return hash((id(self.workspace), id(self.table), self.data._state, self.condition))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, _Asked)
            and self.workspace is other.workspace
            and self.table is other.table
            and (self.data._state, self.condition) == (other.data._state, other.condition)
        )


@lru_cache(maxsize=16)
def _sizes(asked: _Asked) -> Sizes:
    workspace, data = asked.workspace, asked.data
    items = _items(asked.table, asked.condition)
    taken = items[:: -(-len(items) // RECORDS) or 1]
    numbers = {item: index for item in taken if (index := data.find(item)) is not None}
    progress, both = asked.progress or _on, len(numbers) + len(taken)
    _look(progress, 0, both)
    made: dict[int, Size] = {}
    for done, (index, size) in enumerate(_prompts(workspace, asked.known, list(numbers.values())), 1):
        made[index] = size
        _look(progress, done, both)
    answers = dict(_answers(workspace, asked.known, taken))
    return Sizes(
        prompts={item: made[index] for item, index in numbers.items() if index in made},
        answers=answers,
        looked_at=frozenset(taken),
        records=frozenset(numbers),
    )


def _on(done: int, total: int) -> bool:
    return True


def _look(progress: Progress, done: int, total: int) -> None:
    if not progress(done, total):
        raise Cancelled


def _items(table: ScoreTable, condition: ConditionKey) -> list[str]:
    """Every item that has a cell under the condition."""
    import numpy as np

    c = table.columns
    codes = np.unique(np.asarray(c.item)[np.isin(np.asarray(c.condition), list_members(table, condition))])
    return [c.items[code] for code in codes.tolist()]


def _prompts(workspace: Workspace, condition: Condition, numbers: Sequence[int]) -> Iterator[tuple[int, Size]]:
    """Each record's prompt. A record that stops its child has none; the next ones get another child."""
    training_rows.index_training_files(workspace)
    rest, kills = list(numbers), 0
    while rest and kills < KILLS:
        now, done = rest[:AT_ONCE], 0
        asked = {**children.make_payload(workspace, (Selection(condition=condition.name),), 0, 0), "numbers": now}
        try:
            for frame in children.stream_frames(WORK, workspace, asked):
                if frame["characters"]:
                    yield now[done], Size(**frame)
                done += 1
            rest = rest[len(now) :]
        except sandbox.Stopped:
            rest, kills = rest[done + 1 :], kills + 1


def size_chunk(work: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """A frame for each record of `numbers`: {"characters", "tokens", "exact"}; 0 where nothing could be built."""
    inside = children.enter(work)
    (choice,) = inside.choices
    condition = inside.opened.condition(choice.condition or "")
    for number in work["numbers"]:
        sandbox.beat()
        try:
            record = inside.data.record(number)
        except (DatasetChanged, IndexError):
            return
        made = assemble.assemble(inside.opened, record, choice)
        counted = token_counts.count_quickly(
            inside.opened, made, model_input.build_model_input(inside.opened, record, made, condition, False)
        )
        characters = sum(len(message.text) for message in made.messages)
        yield {"characters": characters, "tokens": counted.count, "exact": counted.exact}


def _answers(workspace: Workspace, condition: Condition, items: Sequence[str]) -> Iterator[tuple[str, Size]]:
    replies = open_answers(workspace, condition)
    model = token_counts.find_model(workspace, Selection(condition=condition.name))
    named = model.tokenizer if model else None
    by, _ = tokens.load_counter(named if named and tokens.is_table(named) else None, workspace.root)
    texts = dict(_texts(replies, items))
    counts = tokens.count_each(by, list(texts.values()))
    for (item, text), count in zip(texts.items(), counts, strict=True):
        yield item, Size(len(text), count, by.exact)


def _texts(replies: Answers, items: Sequence[str]) -> Iterator[tuple[str, str]]:
    for item in items:
        try:
            answer = replies.get(item)
        except DatasetChanged:
            return
        if answer and answer.text:
            yield item, answer.text
