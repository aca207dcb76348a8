"""Read the answers of a condition by record id."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from readback.readers.files.progress import Progress
from readback.readers.logs.decode import make_key, name_record
from readback.readers.tables.table_columns import cell_of
from readback.records.dataset import Dataset, open_dataset
from readback.records.replies.batch_replies import CUSTOM_ID, BatchReplies, is_batch, read_reply
from readback.records.replies.log_records import MatchedRecords, match_records
from readback.records.replies.logged_calls import open_log_answers
from readback.types import Answer, Condition, DatasetSource, Diagnostic, Location, Record, Workspace

TEXTS = ("response", "answer", "model_answer", "output")  # the first that a row has
SENT = "prompt_text"
FIRST = 3  # ids that a finding names


@dataclass(frozen=True, slots=True)
class Answers:
    """What a model replied under one condition; each answer is read from disk when it is needed.

    `by_line`: neither the records nor the answers have ids, so a line number identifies both. `logged_as`: the answers
    are those of a log of another tool, where the condition is called so.
    """

    condition: str
    dataset: Dataset | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    by_line: bool = False
    batch: BatchReplies | None = None
    logged_as: str | None = None
    matched: MatchedRecords = field(default_factory=MatchedRecords)

    @property
    def count(self) -> int:
        """The number of answers in the file; of a batch, those to requests of this condition."""
        if self.dataset and self.batch:
            return len(self.batch.numbers(self.dataset))
        if self.dataset and self.logged_as is not None:
            return len(self._list_logged(self.dataset))
        if self.dataset:
            return len(self.dataset)
        return 0

    def get(self, record_id: str | None) -> Answer | None:
        """Return the answer for a record, the first if several have its id; None without one."""
        if self.dataset is None or record_id is None:
            return None
        if self.batch:
            number = self.batch.find(self.dataset, record_id)
            if number is None:
                return None
            return self._build_answer(number)
        if self.logged_as is not None:
            name = self.matched.names.get(record_id)
            if name is None:
                number = None
            else:
                number = self.dataset.find(make_key(self.logged_as, name))
            if number is None:
                return None
            return self._build_answer(number)
        index = self.dataset.find(record_id)
        if index is None:
            return None
        # An answer without an id is named by its line in its own file, which is no record's id.
        if not self.by_line and self.dataset.is_called_by_line(index):
            return None
        return self._build_answer(index)

    def __iter__(self) -> Iterator[Answer]:
        """Yield every answer in the order of the file."""
        if self.dataset and self.batch:
            return map(self._build_answer, self.batch.numbers(self.dataset).values())
        if self.dataset and self.logged_as is not None:
            return map(self._build_answer, self._list_logged(self.dataset))
        return (self._build_answer(index) for index in range(self.count))

    def _name_record(self, record: Record) -> str:
        """Return the id of the record that an answer is about; in a log it is called by the log's own name."""
        if self.logged_as is None:
            return record.id or ""
        name = json.loads(record.id or "[null, null]")[1]
        return self.matched.ids.get(name_record(name), name_record(name))

    def _list_logged(self, dataset: Dataset) -> list[int]:
        """List the numbers of the answers of this condition in a log, the first of each record."""
        begin = f"[{json.dumps(self.logged_as)}, "
        numbers: dict[str, int] = {}
        for number, key in enumerate(dataset.ids()):
            if key.startswith(begin):
                numbers.setdefault(key, number)
        return list(numbers.values())

    def _build_answer(self, index: int) -> Answer:
        assert self.dataset is not None  # noqa: S101 - get and __iter__ have checked it
        record = self.dataset.record(index)
        if self.batch:
            return self._build_batch_answer(record)
        name = next((name for name in TEXTS if record.fields.get(name) is not None), None)
        return Answer(
            condition=self.condition,
            record=self._name_record(record),
            text=as_text(record.fields[name]) if name else None,
            sent=as_text(record.fields.get(SENT)),
            place=replace(record.place, condition=self.condition),
            fields=record.fields,
            reply=name,
            masked=record.masked,
        )

    def _build_batch_answer(self, record: Record) -> Answer:
        """Return the answer in a reply of a batch; the id of its request names the record."""
        assert self.batch is not None  # noqa: S101 - _build_answer has checked it
        return Answer(
            condition=self.condition,
            record=self.batch.find_record(record.id or "") or record.id or "",
            text=read_reply(record.fields).text,
            place=replace(record.place, condition=self.condition),
            fields=record.fields,
            reply="response",
            masked=record.masked,
        )


def as_text(value: Any) -> str | None:
    """Return a reply as text: a string as it is, any other value as JSON, None for None."""
    cell = cell_of(value)
    if cell is not None:
        return cell
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


def open_answers(workspace: Workspace, condition: Condition, progress: Progress | None = None) -> Answers:
    """Open the file of answers that `condition` names; return empty Answers if it names none.

    The id field of the dataset identifies answers if they have it, else the first of the usual id fields. Faults are
    in `diagnostics`. Raises Cancelled when `progress` returns False.
    """
    if not condition.answers:
        return Answers(condition.name)
    if condition.logged:
        logged = open_log_answers(workspace.root, condition.logged, progress)
        records = open_dataset(workspace.root, workspace.dataset, progress)
        matched = match_records(workspace.root, records, condition.logged)
        return Answers(condition.name, logged, logged_as=condition.logged_as or condition.name, matched=matched)
    if workspace.dataset:
        private = workspace.dataset.private
    else:
        private = ()
    source = DatasetSource(
        condition.answers,
        private=private,
        json=workspace.dataset.json if workspace.dataset else None,
        text=(*TEXTS, SENT, *_list_reply_fields(workspace)),
        place=condition.place,
    )
    opened = open_dataset(workspace.root, source, progress, growing=True)
    id_field = open_dataset(workspace.root, workspace.dataset, progress).id_field
    if id_field and id_field != opened.id_field and opened.field_counts.get(id_field):
        opened = open_dataset(workspace.root, replace(source, id=id_field), progress, growing=True)
    diagnostics = (
        *(diagnostic for diagnostic in opened.diagnostics if not _is_about_dataset(diagnostic, workspace.dataset)),
        *_report_missing_text(opened),
    )
    if is_batch(opened.field_counts):
        replies = open_dataset(workspace.root, replace(source, id=CUSTOM_ID), progress, growing=True)
        records = open_dataset(workspace.root, workspace.dataset, progress)
        placed = tuple(_place_under(diagnostic, condition.name) for diagnostic in replies.diagnostics)
        return Answers(condition.name, replies, placed, batch=BatchReplies(workspace, condition, records))
    by_line = opened.id_field is None and id_field is None
    placed = tuple(_place_under(diagnostic, condition.name) for diagnostic in diagnostics)
    return Answers(condition.name, opened, placed, by_line)


def find_strangers(answers: Answers, data: Dataset) -> Diagnostic | None:
    """Return a diagnostic that counts the answers whose id belongs to no record of `data`.

    Return None if every answer has its record, if there are no records, and for a batch.
    """
    replies = answers.dataset
    if (
        replies is None or not len(data) or answers.batch or answers.logged_as is not None
    ):  # BatchAccount reports the unmatched rows of a batch
        return None
    strangers: list[str] = []
    count = 0
    for index in range(len(replies)):
        (answer_id,) = replies.ids(index, index + 1)
        nameless = replies.is_called_by_line(index) and not answers.by_line
        if nameless or data.find(answer_id) is None:
            count += 1
            if len(strangers) < FIRST:
                strangers.append(answer_id)
    if not count:
        return None
    values = {"condition": answers.condition, "count": count, "all": len(replies), "ids": strangers}
    place = Location(file=replies.file, condition=answers.condition)
    return Diagnostic("dat-answers-without-record", values, place, answers.condition)


def _list_reply_fields(workspace: Workspace) -> Iterator[str]:
    """Yield the fields from which judges read the reply: it stays text even if it is JSON."""
    for judge in workspace.judges.values():
        if field := judge.fields.get("answer"):
            yield from (field, field.removeprefix("answer."))


def _is_about_dataset(diagnostic: Diagnostic, source: DatasetSource | None) -> bool:
    """Tell whether a diagnostic misses a private field or JSON column of the dataset, which answers need not have."""
    return (
        diagnostic.code == "dat-unknown-key"
        and source is not None
        and diagnostic.flagged in (*source.private, *(source.json or ()))
    )


def _report_missing_text(opened: Dataset) -> Iterator[Diagnostic]:
    if len(opened) and not any(name in opened.field_counts for name in TEXTS):
        values = {"key": TEXTS[0], "nearest": "", "known": list(opened.fields)}
        yield Diagnostic("dat-unknown-key", values, Location(file=opened.file), TEXTS[0])


def _place_under(diagnostic: Diagnostic, condition: str) -> Diagnostic:
    return replace(diagnostic, place=replace(diagnostic.place, condition=condition))
