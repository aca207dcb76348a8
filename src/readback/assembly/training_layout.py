"""What a model was trained on for a record: system, user and assistant message, beside what it is sent now.

Source: the *Prompt Format Specification* of ignaciolinari/beyond-the-cutoff (MIT, November 2025).
"""

from __future__ import annotations

from readback.assembly import builders
from readback.assembly.base_texts import format_system
from readback.assembly.tri_section import compact, fingerprint
from readback.dialects import row_fields
from readback.dialects.row_fields import Field
from readback.types import Assembly, Choice, Message, Note, Record, Segment, Workspace

MODES = {"instruction_only": "instruction", "rag_trained": "rag"}


def training(workspace: Workspace, record: Record, model: str) -> Assembly | None:
    """The training messages of `model` for `record`; None where no layout is known.

    One is known in a workspace with the built-in prompt formats, for a model of a trained type. The system text is the
    one the model was trained with where that was read, else what the format prescribes; the user message has the
    bytes of the evaluation.
    """
    known = workspace.models.get(model)
    mode = MODES.get(known.type or "") if known else None
    if known is None or mode is None or all(p.syntax != "builder" for p in workspace.prompts.values()):
        return None
    trained = known.training
    system = (Segment(trained.text, "system", "training", trained.place),) if trained else format_system(known.type)
    user = builders.build(mode, record, known.type, workspace.options)
    reply = _reply(record)
    messages = [Message("system", compact(system)), Message("user", user.segments)] if user.ok else []
    notes = list(user.notes)
    if reply is None:
        notes.append(
            Note("fmt-reference-missing", {"field": "expected_response"}, row_fields.at(record, "expected_response"))
        )
    elif user.ok:
        said = Segment(reply.value, "variable", reply.name, row_fields.at(record, reply.name))
        messages.append(Message("assistant", (said,)))
    kept = tuple(message for message in messages if message.role != "system" or message.segments)
    mark = fingerprint(kept) if kept else ""
    choice = Choice(mode=mode)
    return Assembly(choice, record.id, record.place.index, kept, mark, user.names, tuple(notes), record.masked)


def trained_on(workspace: Workspace, record: Record, choice: Choice) -> Message | None:
    """The user message that the model of a choice's condition was trained on for `record`; None where none is known."""
    arm = workspace.condition(choice.condition) if choice.condition and not choice.judge else None
    known = workspace.models.get(arm.model) if arm and arm.model else None
    mode = MODES.get(known.type or "") if known else None
    if known is None or mode is None or all(p.syntax != "builder" for p in workspace.prompts.values()):
        return None
    made = builders.build(mode, record, known.type, workspace.options)
    return Message("user", made.segments) if made.ok else None


def _reply(record: Record) -> Field | None:
    """The expected answer: the field training reads, else one of the spellings that evaluation tolerates."""
    own = record.fields.get("expected_response")
    return Field("expected_response", own) if isinstance(own, str) and own else row_fields.reference(record.fields)
