"""What rules ask of a row of training data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from readback.records import row_fields, system_texts, training_reader
from readback.records.training_row import DATASET, QUESTION_COLUMNS, TrainingRow, Turn
from readback.sources import legal_prompt
from readback.sources.legal_prompt import EXCERPT, LISTED, SUMMARY, LegalPrompt
from readback.types import Location, Record, RuleContext, TrainingFile, Values, Workspace

__all__ = ["DATASET", "EXCERPT", "LISTED", "SUMMARY", "LegalPrompt", "TrainingRow", "Turn"]

MASKED = "[masked]"  # what is in a private field, as the records have it
KEYS = (
    "prompt", "completion", "summary", "chosen", "rejected", "messages", "conversations", "input", "preferred_output",
    "non_preferred_output", "chosen_messages", "rejected_messages", "rag", "expected_response", "instruction", "output",
    "text", "system", "history", "question", "query",
)  # fmt: skip


def row(case: RuleContext) -> TrainingRow | None:
    """The case's record as a row; None where its file holds no training rows, or the row is not to be seen."""
    record = case.record
    if record is None or file_of(case.workspace, record) is None:
        return None
    if record.masked and any(_masked(record.fields.get(key)) for key in KEYS):
        return None
    return training_reader.read(record.fields)


def file_of(workspace: Workspace, record: Record) -> TrainingFile | None:
    """The training file a record is in."""
    return next((one for one in workspace.training if one.path == record.place.file), None)


def split_of(workspace: Workspace, record: Record) -> str:
    """The split a record belongs to: what the row says itself, else what the workspace says of its file."""
    own = record.fields.get("split")
    known = file_of(workspace, record)
    return own if isinstance(own, str) and own else known.split if known else DATASET


def spot(turn: Turn, start: int, end: int) -> Location:
    """The place of a stretch of a turn's text, in the field that it is in."""
    for one in turn.stretches:
        if start <= len(one.text):
            return Location(field=one.field, start=start, end=min(end, len(one.text)))
        start, end = start - len(one.text) - 1, end - len(one.text) - 1
    return Location(field=turn.field)


def answers(one: TrainingRow) -> Iterator[tuple[str, Turn]]:
    """The last message of each answer, by what it is: completion, chosen, rejected."""
    return ((name, turns[-1]) for name, turns in one.answers)


def legal(one: TrainingRow) -> tuple[Turn, LegalPrompt] | None:
    """What is asked, and its parts where it is a prompt for a legal summary."""
    asked = one.question
    parsed = legal_prompt.parse(asked.text) if asked else None
    return (asked, parsed) if asked and parsed else None


def contexts(record: Record) -> int | None:
    """How many contexts are listed with a row; None where there is no list."""
    listed = row_fields.read_contexts(record.fields)
    return len(listed.value) if listed and isinstance(listed.value, list) else None


def evaluated(fields: Values) -> Iterator[str]:
    """What a record of an evaluation asks, in the layouts in which models may have been trained on it."""
    one = training_reader.read(fields)
    if one and one.question:
        yield one.question.text
    for name in sorted(QUESTION_COLUMNS):
        if isinstance(text := fields.get(name), str) and text.strip():
            yield from (text, f"Question: {text.strip()} Answer:")


def meant(case: RuleContext, text: str, served: str) -> bool:
    """Whether a row's system text is one of several in its file that are meant so."""
    return system_texts.is_intended(case.systems, text, served)


def words(text: str) -> str:
    """A text with its white space collapsed."""
    return " ".join(text.split())


def said(turns: Sequence[Turn]) -> str:
    """Roles, texts and calls, for telling two conversations apart; a text without a role is a user's."""
    items = ((turn.role or "user", turn.text, turn.same_as[2]) for turn in turns)
    return "\0".join(f"{role}\1{text}\2{more}" if more else f"{role}\1{text}" for role, text, more in items)


def asked(case: RuleContext) -> str:
    """The prompt of a row, with where it counts; "" where there is none, or another rule looks at it."""
    one, record = row(case), case.record
    known = file_of(case.workspace, record) if record else None
    if one is None or record is None or known is None or not one.prompt:
        return ""
    if one.kind == "rag" and known.split == DATASET:  # evaluated: fmt-duplicate-instruction
        return ""
    own = known.path if known.models else ""  # what two models were trained on may well be the same
    return "\2".join((split_of(case.workspace, record), own, one.kind, said(one.prompt)))


def whole(case: RuleContext) -> str:
    """The same with the answers."""
    one = row(case)
    if one is None or not (prompt := asked(case) or _ready_text(case, one)):
        return ""
    texts = (f"{name}\1{said(turns)}" for name, turns in one.answers)
    return "\2".join((prompt, *texts))


def _ready_text(case: RuleContext, one: TrainingRow) -> str:
    """Where a row counts that is one ready text, without a prompt of its own."""
    record = case.record
    if one.kind != "text" or not one.completion or record is None:
        return ""
    known = file_of(case.workspace, record)
    own = known.path if known and known.models else ""
    return "\2".join((split_of(case.workspace, record), own, one.kind))


def _masked(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_masked, value.values()))
    return any(map(_masked, value)) if isinstance(value, list) else value == MASKED
