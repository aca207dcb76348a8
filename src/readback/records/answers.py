"""The answers of a condition, reached by record id."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from readback.readers.json_cells import cell_of
from readback.readers.progress import Progress
from readback.records.batch_replies import CUSTOM_ID, BatchReplies, is_batch, read_reply
from readback.records.dataset import Dataset, open_dataset
from readback.types import Answer, Condition, DatasetSource, Diagnostic, Location, Record, Workspace

TEXTS = ("response", "answer", "model_answer", "output")  # the first that a row has
SENT = "prompt_text"
FIRST = 3  # ids that a finding names


@dataclass(frozen=True, slots=True)
class Answers:
    """What a model replied under one condition; answers are read from disk when they are asked for.

    `by_line`: neither the records nor the answers have ids, so both are known by their lines.
    """

    condition: str
    dataset: Dataset | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    by_line: bool = False
    batch: BatchReplies | None = None

    @property
    def count(self) -> int:
        """How many answers the file holds; of a batch, those to what the condition sends."""
        if self.dataset and self.batch:
            return len(self.batch.numbers(self.dataset))
        return len(self.dataset) if self.dataset else 0

    def get(self, record_id: str | None) -> Answer | None:
        """The answer for a record; of several with its id, the first."""
        if self.dataset is None or record_id is None:
            return None
        if self.batch:
            at = self.batch.find(self.dataset, record_id)
            return None if at is None else self._answer(at)
        if (index := self.dataset.find(record_id)) is None:
            return None
        # An answer that only its line names is about no record that has a name of its own, nor one of that line.
        return self._answer(index) if self.by_line or not self.dataset.called_by_line(index) else None

    def __iter__(self) -> Iterator[Answer]:
        if self.dataset and self.batch:
            return map(self._answer, self.batch.numbers(self.dataset).values())
        return (self._answer(index) for index in range(self.count))

    def _answer(self, index: int) -> Answer:
        assert self.dataset is not None  # noqa: S101 - only called where there is one
        record = self.dataset.record(index)
        if self.batch:
            return self._of_batch(record)
        name = next((name for name in TEXTS if record.fields.get(name) is not None), None)
        return Answer(
            condition=self.condition,
            record=record.id or "",
            text=as_text(record.fields[name]) if name else None,
            sent=as_text(record.fields.get(SENT)),
            place=replace(record.place, condition=self.condition),
            fields=record.fields,
            reply=name,
            masked=record.masked,
        )

    def _of_batch(self, record: Record) -> Answer:
        """The answer in a reply of a batch; its record is the one that the request's id names."""
        assert self.batch is not None  # noqa: S101 - only called where there is one
        return Answer(
            condition=self.condition,
            record=self.batch.record_of(record.id or "") or record.id or "",
            text=read_reply(record.fields).text,
            place=replace(record.place, condition=self.condition),
            fields=record.fields,
            reply="response",
            masked=record.masked,
        )


def as_text(value: Any) -> str | None:
    """A reply as text: a text as it is, any other value as JSON; None where there is none."""
    if (cell := cell_of(value)) is not None:
        return cell
    return value if value is None or isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def open_answers(workspace: Workspace, condition: Condition, progress: Progress | None = None) -> Answers:
    """The answers that `condition` names, indexed like a dataset; without any when it names no file.

    Records are known by the field that names them in the dataset where the answers have it, else by the first
    of the usual ones. What is wrong is in `diagnostics`. Raises Cancelled when `progress` answers False.
    """
    if not condition.answers:
        return Answers(condition.name)
    private = workspace.dataset.private if workspace.dataset else ()
    source = DatasetSource(
        condition.answers,
        private=private,
        json=workspace.dataset.json if workspace.dataset else None,
        text=(*TEXTS, SENT, *_replies(workspace)),
        place=condition.place,
    )
    opened = open_dataset(workspace.root, source, progress, growing=True)
    wanted = open_dataset(workspace.root, workspace.dataset, progress).id_field
    if wanted and wanted != opened.id_field and opened.field_counts.get(wanted):
        opened = open_dataset(workspace.root, replace(source, id=wanted), progress, growing=True)
    diagnostics = (
        *(diagnostic for diagnostic in opened.diagnostics if not _of_dataset(diagnostic, workspace.dataset)),
        *_without_text(opened),
    )
    if is_batch(opened.field_counts):
        named = replace(source, id=CUSTOM_ID)
        replies = open_dataset(workspace.root, named, progress, growing=True)
        records = open_dataset(workspace.root, workspace.dataset, progress)
        of_batch = BatchReplies(workspace, condition, records)
        noted = tuple(_under(diagnostic, condition.name) for diagnostic in replies.diagnostics)
        return Answers(condition.name, replies, noted, batch=of_batch)
    by_line = opened.id_field is None and wanted is None
    return Answers(
        condition.name, opened, tuple(_under(diagnostic, condition.name) for diagnostic in diagnostics), by_line
    )


def find_strangers(answers: Answers, data: Dataset) -> Diagnostic | None:
    """Count the answers whose id belongs to no record of `data`; None where each has its record, or there are no
    records at all. Answers with a record, those without one and those that repeat an id are all of them.
    """
    replies = answers.dataset
    if replies is None or not len(data) or answers.batch:  # of a batch its account tells what is of no request
        return None
    strangers: list[str] = []
    count = 0
    for index in range(len(replies)):
        (called,) = replies.ids(index, index + 1)
        nameless = replies.called_by_line(index) and not answers.by_line
        if nameless or data.find(called) is None:
            count += 1
            if len(strangers) < FIRST:
                strangers.append(called)
    if not count:
        return None
    values = {"condition": answers.condition, "count": count, "all": len(replies), "ids": strangers}
    place = Location(file=replies.file, condition=answers.condition)
    return Diagnostic("dat-answers-without-record", values, place, answers.condition)


def _replies(workspace: Workspace) -> Iterator[str]:
    """The fields that judges read the reply from: a reply is a text, also one that is JSON."""
    for judge in workspace.judges.values():
        if field := judge.fields.get("answer"):
            yield from (field, field.removeprefix("answer."))


def _of_dataset(diagnostic: Diagnostic, source: DatasetSource | None) -> bool:
    """A private field or a JSON column of the dataset that answers need not have."""
    return (
        diagnostic.code == "dat-unknown-key"
        and source is not None
        and diagnostic.flagged in (*source.private, *(source.json or ()))
    )


def _without_text(opened: Dataset) -> Iterator[Diagnostic]:
    if len(opened) and not any(name in opened.field_counts for name in TEXTS):
        values = {"key": TEXTS[0], "nearest": "", "known": list(opened.fields)}
        yield Diagnostic("dat-unknown-key", values, Location(file=opened.file), TEXTS[0])


def _under(diagnostic: Diagnostic, condition: str) -> Diagnostic:
    return replace(diagnostic, place=replace(diagnostic.place, condition=condition))
