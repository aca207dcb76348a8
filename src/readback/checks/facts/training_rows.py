"""Read a record of training data: its row, its file and split, and the texts by which two rows are compared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from readback.records.fields import row_fields
from readback.records.training import system_texts, training_reader
from readback.records.training.training_row import DATASET, QUESTION_COLUMNS, TrainingRow, Turn
from readback.sources import legal_prompt
from readback.sources.legal_prompt import EXCERPT, LISTED, SUMMARY, LegalPrompt
from readback.types import Location, Record, RuleContext, TrainingFile, Values, Workspace

__all__ = ["DATASET", "EXCERPT", "LISTED", "SUMMARY", "LegalPrompt", "TrainingRow", "Turn"]

MASKED = "[masked]"  # the value of a private field in a record
KEYS = (
    "prompt",
    "completion",
    "summary",
    "chosen",
    "rejected",
    "messages",
    "conversations",
    "input",
    "preferred_output",
    "non_preferred_output",
    "chosen_messages",
    "rejected_messages",
    "rag",
    "expected_response",
    "instruction",
    "output",
    "text",
    "system",
    "history",
    "question",
    "query",
)


def read_row(case: RuleContext) -> TrainingRow | None:
    """Return the case's record as a training row; None if its file holds none, or a private field of it is masked."""
    record = case.record
    if record is None or find_file(case.workspace, record) is None:
        return None
    if record.masked and any(_is_masked(record.fields.get(key)) for key in KEYS):
        return None
    return training_reader.read(record.fields)


def _is_masked(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_is_masked, value.values()))
    if isinstance(value, list):
        return any(map(_is_masked, value))
    return bool(value == MASKED)


def find_file(workspace: Workspace, record: Record) -> TrainingFile | None:
    """Return the training file of a record; None if its file is not one."""
    return next((file for file in workspace.training if file.path == record.place.file), None)


def find_split(workspace: Workspace, record: Record) -> str:
    """Return the split of a record: what the row states, else what the workspace states of its file."""
    split = record.fields.get("split")
    if isinstance(split, str) and split:
        return split
    file = find_file(workspace, record)
    if file:
        return file.split
    return DATASET


def locate(turn: Turn, start: int, end: int) -> Location:
    """Return the place of a span of a turn's text, in the field that contains it."""
    for stretch in turn.stretches:
        length = len(stretch.text)
        if start <= length:
            return Location(field=stretch.field, start=start, end=min(end, length))
        start, end = start - length - 1, end - length - 1
    return Location(field=turn.field)


def list_answers(row: TrainingRow) -> Iterator[tuple[str, Turn]]:
    """Yield the last message of each answer, with its name: completion, chosen, rejected."""
    return ((name, turns[-1]) for name, turns in row.answers)


def find_legal_prompt(row: TrainingRow) -> tuple[Turn, LegalPrompt] | None:
    """Return the question and its parts, if it is a prompt for a legal summary."""
    question = row.question
    if question:
        prompt = legal_prompt.parse(question.text)
    else:
        prompt = None
    if question and prompt:
        return (question, prompt)
    return None


def count_contexts(record: Record) -> int | None:
    """Return the number of contexts that are listed with a row; None if it has no list."""
    field = row_fields.read_contexts(record.fields)
    if field and isinstance(field.value, list):
        return len(field.value)
    return None


def list_questions(fields: Values) -> Iterator[str]:
    """Yield the questions of a record of an evaluation, in the layouts in which models may be trained on them."""
    row = training_reader.read(fields)
    if row and row.question:
        yield row.question.text
    for name in sorted(QUESTION_COLUMNS):
        text = fields.get(name)
        if isinstance(text, str) and text.strip():
            yield text
            yield f"Question: {text.strip()} Answer:"


def is_intended(case: RuleContext, text: str, served: str) -> bool:
    """Return whether a row's system text is one of several in its file that vary on purpose."""
    return system_texts.is_intended(case.systems, text, served)


def collapse(text: str) -> str:
    """Return a text with its white space collapsed."""
    return " ".join(text.split())


def join_turns(turns: Sequence[Turn]) -> str:
    """Return roles, texts and calls as one text to compare conversations by; a text without a role is a user's."""
    items = ((turn.role or "user", turn.text, turn.same_as[2]) for turn in turns)
    return "\0".join(f"{role}\1{text}\2{calls}" if calls else f"{role}\1{text}" for role, text, calls in items)


def get_prompt_key(case: RuleContext) -> str:
    """Return what two rows with the same prompt share: split, kind and prompt; "" if the row is not compared.

    Rows of files that different models were trained on are not compared.
    """
    row, record = read_row(case), case.record
    if record:
        file = find_file(case.workspace, record)
    else:
        file = None
    if row is None or record is None or file is None or not row.prompt:
        return ""
    if row.kind == "rag" and file.split == DATASET:  # evaluated: fmt-duplicate-instruction compares these
        return ""
    path = file.path if file.models else ""
    return "\2".join((find_split(case.workspace, record), path, row.kind, join_turns(row.prompt)))


def get_row_key(case: RuleContext) -> str:
    """Return what two equal rows share: their prompt key and their answers; "" if the row is not compared."""
    row = read_row(case)
    if row is None:
        return ""
    key = get_prompt_key(case) or _get_text_key(case, row)
    if not key:
        return ""
    answers = (f"{name}\1{join_turns(turns)}" for name, turns in row.answers)
    return "\2".join((key, *answers))


def _get_text_key(case: RuleContext, row: TrainingRow) -> str:
    """Return split, file and kind of a row that is one ready text, without a prompt."""
    record = case.record
    if row.kind != "text" or not row.completion or record is None:
        return ""
    file = find_file(case.workspace, record)
    path = file.path if file and file.models else ""
    return "\2".join((find_split(case.workspace, record), path, row.kind))
