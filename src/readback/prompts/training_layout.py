"""What a model was trained on for a record: system, user and assistant message, beside what it is sent now.

Source: the *Prompt Format Specification* of ignaciolinari/beyond-the-cutoff (MIT, November 2025).
"""

from __future__ import annotations

from collections.abc import Sequence

from readback.prompts import builders
from readback.prompts.base_texts import format_system, trained_with
from readback.prompts.training_match import asks_it, row_of
from readback.prompts.tri_section import compact, fingerprint
from readback.records import row_fields
from readback.records.row_fields import Field
from readback.records.training_row import TrainingRow, Turn
from readback.types import Assembly, Diagnostic, Location, Message, Model, Record, Segment, Selection, Workspace

MODES = {"instruction_only": "instruction", "rag_trained": "rag"}
ROW = Selection()  # of messages that were read from a training file


def training(workspace: Workspace, record: Record, model: str, sent: str = "") -> Assembly | None:
    """The training messages of `model` for `record`; None where nothing is known of them.

    The row of the file that the model was trained on, where that has one which asks the same (`read_from` says
    which); by `sent`, the user message that is sent for the record, it is looked for, too. A row without a system
    message gets the one that the model's `training: {system: …}` states, as the trainer gives it. Else the layout of
    the built-in prompt formats, for a model of a trained type: the system text is the one the model was trained with
    where that was read, else what the format prescribes; the user message has the bytes of the evaluation.
    """
    known = workspace.models.get(model)
    if known and known.training_messages and (found := row_of(workspace, record, known.training_messages, sent)):
        return _of_row(*found, record, known)
    mode = MODES.get(known.type or "") if known else None
    if known is None or mode is None or all(p.syntax != "builder" for p in workspace.prompts.values()):
        return None
    trained = known.training
    system = (trained_with(trained),) if trained else format_system(known.type)
    user = builders.build(mode, record, known.type, workspace.options)
    reply = _reply(record)
    messages = [Message("system", compact(system)), Message("user", user.segments)] if user.ok else []
    diagnostics = list(user.diagnostics)
    if reply is None:
        diagnostics.append(
            Diagnostic(
                "fmt-reference-missing",
                {"field": "expected_response"},
                row_fields.locate_field(record, "expected_response"),
            )
        )
    elif user.ok:
        said = Segment(reply.value, "variable", reply.name, row_fields.locate_field(record, reply.name))
        messages.append(Message("assistant", (said,)))
    kept = tuple(message for message in messages if message.role != "system" or message.segments)
    mark = fingerprint(kept) if kept else ""
    choice = Selection(mode=mode)
    return Assembly(choice, record.id, record.place.index, kept, mark, user.names, tuple(diagnostics), record.masked)


def asked_in(messages: Sequence[Message]) -> str:
    """The text of the last user message; "" where there is none."""
    return next((one.text for one in reversed(messages) if one.role == "user"), "")


def row_record(workspace: Workspace, record: Record, model: Model, sent: str = "") -> Record | None:
    """The row of a model's training file that stands for a record; None where there is none."""
    row = row_of(workspace, record, model.training_messages, sent) if model.training_messages else None
    return row[0] if row else None


def row_that_asks(workspace: Workspace, record: Record, model: Model, sent: str) -> Assembly | None:
    """The messages of the row of the model's training file that asks what the record asks; None where there is none.

    A row that has the record's id alone may be about something else.
    """
    found = row_of(workspace, record, model.training_messages, sent) if model.training_messages else None
    if found is None or not asks_it(record, found[1], sent):
        return None
    made = _of_row(*found, record, model)
    return made if made.messages else None


def read_from(made: Assembly) -> Location | None:
    """The row of a training file that training messages were read from; None where a layout made them."""
    read = (part for message in made.messages for part in message.segments if part.origin == "variable")
    first = next(read, None)
    return first.place if first and made.choice == ROW else None


def _of_row(found: Record, row: TrainingRow, record: Record, model: Model) -> Assembly:
    """A training row as an assembly for the record that asks what it asks."""
    messages = messages_of_row(found, row, model)
    mark = fingerprint(messages) if messages else ""
    return Assembly(ROW, record.id, record.place.index, messages, mark, masked=record.masked or found.masked)


def messages_of_row(found: Record, row: TrainingRow, model: Model) -> tuple[Message, ...]:
    """The messages of a training row; of a pair the chosen answer. What it does not say of the system is stated."""
    answer = row.completion or row.chosen
    turns = ((turn, turn.role or role) for role, part in (("user", row.prompt), ("assistant", answer)) for turn in part)
    messages = tuple(Message(role, _segments(turn, found), turn.whole) for turn, role in turns)
    return (*_stated(model), *messages) if row.system is None else messages


def _stated(model: Model) -> tuple[Message, ...]:
    """The system message that `training: {system: …}` states; what was only seen in the rows' own file is theirs."""
    said = model.training
    if said is None or not said.text or (said.verified and said.place.file == model.training_messages):
        return ()
    return (Message("system", (trained_with(said),)),)


def _segments(turn: Turn, found: Record) -> tuple[Segment, ...]:
    parts = [
        Segment(one.text, "variable", one.field, row_fields.locate_field(found, one.field)) for one in turn.stretches
    ]
    joined = (part for one in parts for part in (Segment("\n", "joiner"), one))
    return tuple(joined)[1:]


def trained_on(workspace: Workspace, record: Record, choice: Selection) -> Message | None:
    """The user message that the model of a choice's condition was trained on for `record`; None where none is known."""
    condition = workspace.condition(choice.condition) if choice.condition and not choice.judge else None
    known = workspace.models.get(condition.model) if condition and condition.model else None
    mode = MODES.get(known.type or "") if known else None
    if known is None or mode is None or all(p.syntax != "builder" for p in workspace.prompts.values()):
        return None
    made = builders.build(mode, record, known.type, workspace.options)
    return Message("user", made.segments) if made.ok else None


def _reply(record: Record) -> Field | None:
    """The expected answer: the field training reads, else one of the spellings that evaluation tolerates."""
    own = record.fields.get("expected_response")
    return Field("expected_response", own) if isinstance(own, str) and own else row_fields.read_reference(record.fields)
