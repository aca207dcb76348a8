"""Find what a model was trained on for a record: its training messages, and the one text their template makes of them.

Source: the *Prompt Format Specification* of ignaciolinari/beyond-the-cutoff (MIT, November 2025).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from readback.prompts import builders
from readback.prompts.base_texts import make_format_system, make_trained_system
from readback.prompts.messages import compute_fingerprint, drop_empty
from readback.prompts.model_input import read_row_options, resolve_today
from readback.prompts.selections import find_model
from readback.prompts.training_rows import asks_question, find_row, lacks_system_messages
from readback.records.fields import row_fields
from readback.records.fields.row_fields import Field
from readback.records.training import training_reader
from readback.records.training.training_row import TrainingRow, Turn
from readback.serving import named_formats
from readback.serving.chat import model_input as chat
from readback.types import (
    Assembly,
    ChatTemplate,
    Diagnostic,
    Location,
    Message,
    Model,
    ModelInput,
    Record,
    Segment,
    Selection,
    TrainedPrompt,
    TrainingBasis,
    Values,
    Workspace,
)

MODES = {"instruction_only": "instruction", "rag_trained": "rag"}
ROW = Selection()  # of messages that were read from a training file


def find_training_messages(workspace: Workspace, record: Record, model: str, sent: str = "") -> Assembly | None:
    """Find the training messages of `model` for `record`; None where nothing is known of them.

    They are those of the row of the file that the model was trained on, where that has one which asks the same
    (`find_source_row` says which); by `sent`, the user message that is sent for the record, it is looked for, too. A
    row without a system message gets the one that the model's `training: {system: …}` states, as the trainer gives it.
    Else they follow the layout of the built-in prompt formats, for a model of a trained type: the system text is the
    one the model was trained with where that was read, else what the format prescribes; the user message has the bytes
    of the evaluation.
    """
    trained_model = workspace.models.get(model)
    if trained_model and trained_model.training_messages:
        row = find_row(workspace, record, trained_model.training_messages, sent)
        if row:
            return _make_row_assembly(*row, record, trained_model)
    if trained_model:
        mode = MODES.get(trained_model.type or "")
    else:
        mode = None
    if trained_model is None or mode is None or not _has_builder(workspace):
        return None
    stated_system = trained_model.training
    system = (make_trained_system(stated_system),) if stated_system else make_format_system(trained_model.type)
    user = builders.build_user_message(mode, record, trained_model.type, workspace.options)
    reply = _find_reference(record)
    if user.ok:
        messages = [Message("system", drop_empty(system)), Message("user", user.segments)]
    else:
        messages = []
    diagnostics = list(user.diagnostics)
    if reply is None:
        place = row_fields.locate_field(record, "expected_response")
        diagnostics.append(Diagnostic("fmt-reference-missing", {"field": "expected_response"}, place))
    elif user.ok:
        segment = Segment(reply.value, "variable", reply.name, row_fields.locate_field(record, reply.name))
        messages.append(Message("assistant", (segment,)))
    non_empty = tuple(message for message in messages if message.role != "system" or message.segments)
    if non_empty:
        fingerprint = compute_fingerprint(non_empty)
    else:
        fingerprint = ""
    choice = Selection(mode=mode)
    return Assembly(
        choice, record.id, record.place.index, non_empty, fingerprint, user.names, tuple(diagnostics), record.masked
    )


def find_question(messages: Sequence[Message]) -> str:
    """Return the text of the last user message; "" where there is none."""
    return next((message.text for message in reversed(messages) if message.role == "user"), "")


def find_row_record(workspace: Workspace, record: Record, model: Model, sent: str = "") -> Record | None:
    """Find the row of a model's training file that stands for a record; None where there is none."""
    if model.training_messages:
        row = find_row(workspace, record, model.training_messages, sent)
    else:
        row = None
    if row:
        return row[0]
    return None


def find_asking_row(workspace: Workspace, record: Record, model: Model, sent: str) -> Assembly | None:
    """Find the row of the model's training file that asks what the record asks, as messages; None where there is none.

    A row that has the record's id alone may be about something else.
    """
    if model.training_messages:
        row = find_row(workspace, record, model.training_messages, sent)
    else:
        row = None
    if row is None or not asks_question(record, row[1], sent):
        return None
    assembly = _make_row_assembly(*row, record, model)
    if assembly.messages:
        return assembly
    return None


def find_source_row(assembly: Assembly) -> Location | None:
    """Return the row of a training file that training messages were read from; None where a layout made them."""
    from_row = (
        segment for message in assembly.messages for segment in message.segments if segment.origin == "variable"
    )
    first = next(from_row, None)
    if first and assembly.choice == ROW:
        return first.place
    return None


def _make_row_assembly(row_record: Record, row: TrainingRow, record: Record, model: Model) -> Assembly:
    """Make an assembly of a training row, for the record that asks what it asks."""
    messages = make_row_messages(row_record, row, model)
    if messages:
        fingerprint = compute_fingerprint(messages)
    else:
        fingerprint = ""
    return Assembly(
        ROW, record.id, record.place.index, messages, fingerprint, masked=record.masked or row_record.masked
    )


def make_row_messages(row_record: Record, row: TrainingRow, model: Model) -> tuple[Message, ...]:
    """Make the messages of a training row; of a pair the chosen answer.

    The system message that it does not have is the one that the workspace states.
    """
    answer = row.completion or row.chosen
    turns = [(turn, turn.role or "user") for turn in row.prompt]
    turns += [(turn, turn.role or "assistant") for turn in answer]
    messages = tuple(Message(role, _make_turn_segments(turn, row_record), turn.whole) for turn, role in turns)
    if row.system is None:
        return (*_make_stated_system(model), *messages)
    return messages


def _make_stated_system(model: Model) -> tuple[Message, ...]:
    """Make the system message that `training: {system: …}` states; what was only read from the rows' own file is
    theirs.
    """
    system = model.training
    if system is None or not system.text or (system.verified and system.place.file == model.training_messages):
        return ()
    return (Message("system", (make_trained_system(system),)),)


def _make_turn_segments(turn: Turn, row_record: Record) -> tuple[Segment, ...]:
    segments: list[Segment] = []
    for stretch in turn.stretches:
        if segments:
            segments.append(Segment("\n", "joiner"))
        place = row_fields.locate_field(row_record, stretch.field)
        segments.append(Segment(stretch.text, "variable", stretch.field, place))
    return tuple(segments)


def find_trained_message(workspace: Workspace, record: Record, choice: Selection) -> Message | None:
    """Return the user message that a condition's model was trained on for `record`; None where none is known."""
    model = find_model(workspace, choice)
    if model:
        mode = MODES.get(model.type or "")
    else:
        mode = None
    if model is None or mode is None or not _has_builder(workspace):
        return None
    user = builders.build_user_message(mode, record, model.type, workspace.options)
    if user.ok:
        return Message("user", user.segments)
    return None


def _has_builder(workspace: Workspace) -> bool:
    """Tell whether the workspace has a mode of the built-in prompt formats."""
    return any(prompt.syntax == "builder" for prompt in workspace.prompts.values())


def _find_reference(record: Record) -> Field | None:
    """Return the expected answer: the field training reads, else one of the spellings that evaluation tolerates."""
    answer = record.fields.get("expected_response")
    if isinstance(answer, str) and answer:
        return Field("expected_response", answer)
    return row_fields.read_reference(record.fields)


Missing = Literal["", "messages", "template", "text"]

# What a Modelfile's TEMPLATE holds -> the format such a model was trained in. Where a family has several that differ in
# blanks alone (Mistral, Llama 2), nothing is assumed: the difference found would be that of the guess.
FAMILIES = (
    (("<|im_start|>",), "chatml-plain"),
    (("<|start_header_id|>",), "llama-3"),
    (("<start_of_turn>",), "gemma-3"),
    (("<|user|>", "<|end|>"), "phi-3"),
    (("<|user|>", "</s>"), "zephyr"),
)
STAND_INS = ("0", "1")  # answers that differ from their first character: where one begins is where their texts part


@dataclass(frozen=True, slots=True)
class TrainingTemplate:
    """Name what makes one text of training messages: a chat template or a format; `basis` says who says so.

    stated: the model's `training:`; serving: what also serves it; assumed: what its Modelfile's TEMPLATE looks like.
    `options` are what the template gets besides the messages.
    """

    name: str
    template: ChatTemplate | None
    basis: TrainingBasis
    options: Values = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TrainedText:
    """Hold a record as a model read it in training.

    `text` is None where `missing` says what is not known (its messages, its template) or that the template failed;
    `prompt` are its segments up to the character where the answer begins, which is what serving should send.
    """

    messages: Assembly | None
    text: ModelInput | None = None
    prompt: tuple[Segment, ...] = ()
    template: TrainingTemplate | None = None
    missing: Missing = ""
    diagnostics: tuple[Diagnostic, ...] = ()


def build_trained_text(workspace: Workspace, record: Record, model: str, sent: Sequence[Message] = ()) -> TrainedText:
    """Build the training text of a record for a model, or say why there is none.

    `sent` are the messages that the model is sent for the record, by which its row is looked for, too.
    """
    trained_model, assembly = (
        workspace.models.get(model),
        find_training_messages(workspace, record, model, find_question(sent)),
    )
    if trained_model is None or assembly is None or not assembly.messages:
        return TrainedText(assembly, missing="messages", diagnostics=assembly.diagnostics if assembly else ())
    template = find_training_template(trained_model)
    if template is None:
        return TrainedText(assembly, missing="template")
    template = add_row_options(template, find_row_record(workspace, record, trained_model, find_question(sent)))
    text = render_training_text(workspace, template, assembly.messages)
    prompt = _cut_prompt(workspace, template, assembly.messages, text)
    if not text.segments or not prompt:
        return TrainedText(assembly, None, (), template, "text", text.diagnostics)
    return TrainedText(assembly, text, prompt, template, diagnostics=text.diagnostics)


def build_trained_input(workspace: Workspace, record: Record, choice: Selection) -> ModelInput | None:
    """Build the training text of a selection's record for its condition's model; None where none is known."""
    model = find_model(workspace, choice)
    if model:
        template = find_training_template(model)
    else:
        template = None
    if model and template:
        assembly = find_training_messages(workspace, record, model.name)
    else:
        assembly = None
    if model is None or template is None or assembly is None or not assembly.messages:
        return None
    return render_training_text(
        workspace, add_row_options(template, find_row_record(workspace, record, model)), assembly.messages
    )


def build_trained_prompt(workspace: Workspace, record: Record, assembly: Assembly) -> TrainedPrompt | None:
    """Build what the model of an assembly's condition was trained on where it is now sent this; None where nobody can
    tell.

    That is the row of its training file that asks what the record asks. Where no row does and no row of the file has a
    system message, the turns that are sent stand for such a row: then it shows what the training template writes in
    place of the system message.
    """
    choice = assembly.choice
    model = find_model(workspace, choice)
    if model and model.training_messages:
        template = find_training_template(model)
    else:
        template = None
    if model is None or template is None or not assembly.messages:
        return None
    row_assembly = find_asking_row(workspace, record, model, find_question(assembly.messages))
    if row_assembly:
        messages = row_assembly.messages
    else:
        messages = _make_stand_in(workspace, model, assembly.messages)
    if not messages:
        return None
    if row_assembly:
        template = add_row_options(
            template, find_row_record(workspace, record, model, find_question(assembly.messages))
        )
    text = render_training_text(workspace, template, messages)
    prompt = _cut_prompt(workspace, template, messages, text)
    if not text.segments or not prompt:
        return None
    has_system = any(message.role == "system" and message.text.strip() for message in messages)
    return TrainedPrompt(prompt, has_system, template.name, template.basis, row_assembly is not None)


def render_row(workspace: Workspace, record: Record) -> Iterator[tuple[Model, tuple[Message, ...], ModelInput]]:
    """Yield what the models that were trained on a row's file read of it: the model, the row's messages, its training
    text.

    A template that is only guessed, or that makes no text of the row, is left out.
    """
    file = next((file for file in workspace.training if file.path == record.place.file), None)
    if file and file.models:
        row = training_reader.read(record.fields)
    else:
        row = None
    rendered_by: set[tuple[str, str | None, str]] = set()
    for name in file.models if file and row else ():
        model = workspace.models.get(name)
        if model:
            template = find_training_template(model)
        else:
            template = None
        if (
            model is None
            or row is None
            or template is None
            or template.basis == "assumed"
            or _is_repeated(template, rendered_by)
        ):
            continue
        messages = make_row_messages(record, row, model)
        if messages:
            text = render_training_text(workspace, add_row_options(template, record), messages)
        else:
            text = None
        if text and text.segments:
            yield model, messages, text


def _is_repeated(template: TrainingTemplate, rendered_by: set[tuple[str, str | None, str]]) -> bool:
    """Tell whether another model of the file has the same template and options, which then made the same text."""
    key = (template.name, template.template.text if template.template else None, repr(sorted(template.options.items())))
    if key in rendered_by:
        return True
    rendered_by.add(key)
    return False


def _make_stand_in(workspace: Workspace, model: Model, sent: Sequence[Message]) -> tuple[Message, ...]:
    """Return the turns that are sent and an answer, as a row without a system message; empty where rows may have
    one.
    """
    if (model.training and model.training.text) or not lacks_system_messages(workspace, model.training_messages or ""):
        return ()
    turns = tuple(message for message in sent if message.role != "system")
    if turns and turns[-1].role == "user":
        return (*turns, _make_answer(STAND_INS[0]))
    return ()


def find_training_template(model: Model) -> TrainingTemplate | None:
    """Find what a model's training messages went through; None where no file says it."""
    options = model.training_options
    if model.training_template:
        return TrainingTemplate(model.training_template.name, model.training_template, "stated", options)
    if model.training_format:
        return TrainingTemplate(model.training_format, chat.load_format(model.training_format), "stated", options)
    if model.chat_template:
        return TrainingTemplate(model.chat_template.name, model.chat_template, "serving", options)
    if model.chat_format:
        return TrainingTemplate(model.chat_format, chat.load_format(model.chat_format), "serving", options)
    if model.modelfile:
        modelfile_template = model.modelfile.template or ""
    else:
        modelfile_template = ""
    name = next((name for marks, name in FAMILIES if all(mark in modelfile_template for mark in marks)), None)
    if name:
        family_template = chat.load_format(name)
    else:
        family_template = None
    if family_template:
        return TrainingTemplate(family_template.name, family_template, "assumed", options)
    return None


def add_row_options(template: TrainingTemplate, row: Record | None) -> TrainingTemplate:
    """Return the template with the tools of a training row."""
    if row:
        row_options = read_row_options(row.fields)
    else:
        row_options = {}
    if row_options:
        return replace(template, options={**template.options, **row_options})
    return template


def is_guessed(model: Model) -> bool | None:
    """Tell whether the training template is a guess by the Modelfile; None where not even a guess is possible."""
    template = find_training_template(model)
    if template:
        return template.basis == "assumed"
    return None


def render_training_text(workspace: Workspace, template: TrainingTemplate, messages: Sequence[Message]) -> ModelInput:
    """Render messages as text to learn from: the answer included, and nothing that asks for one."""
    if template.template:
        values = dict(template.options)
        model_input = chat.build_model_input(
            template.template, messages, today=resolve_today(workspace), add_generation_prompt=False, values=values
        )
    else:
        model_input = named_formats.build_model_input(messages, template.name, training=True)
    return replace(model_input, assumed=template.basis == "assumed")


def _cut_before_answer(
    workspace: Workspace, template: TrainingTemplate, messages: Sequence[Message]
) -> tuple[Segment, ...]:
    """Return the training text up to where an answer to these messages begins; empty where the template makes none."""
    first, second = (render_training_text(workspace, template, (*messages, _make_answer(text))) for text in STAND_INS)
    return named_formats.cut_segments(first.segments, 0, _count_shared(first.text, second.text))


def _cut_prompt(
    workspace: Workspace, template: TrainingTemplate, messages: Sequence[Message], text: ModelInput
) -> tuple[Segment, ...]:
    """Return the training text of messages up to where their last answer begins; `text` is all of it."""
    messages_before, answer = _split_last_answer(messages)
    if answer:
        start = _locate_answer(text, answer)
    else:
        start = None
    if start is not None:
        return named_formats.cut_segments(text.segments, 0, start)
    return _cut_before_answer(workspace, template, messages_before)


def _split_last_answer(messages: Sequence[Message]) -> tuple[tuple[Message, ...], Message | None]:
    """Split messages into those before the last answer, and that."""
    if messages and messages[-1].role == "assistant":
        return tuple(messages[:-1]), messages[-1]
    return tuple(messages), None


def _locate_answer(model_input: ModelInput, answer: Message) -> int | None:
    """Find the character where the answer's own segments begin; None where the template did not keep them apart."""
    answer_segments = [segment for segment in answer.segments if segment.text]
    position, start = len(model_input.text), None
    for segment in reversed(model_input.segments):
        position -= len(segment.text)
        if any(
            (segment.origin, segment.name, segment.place)
            == (answer_segment.origin, answer_segment.name, answer_segment.place)
            for answer_segment in answer_segments
        ):
            start = position
        elif start is not None:
            break
    if start is None or not answer_segments:
        return None
    first_character = answer_segments[0].text.strip()[:1]
    if model_input.text.startswith(first_character, start):
        return start
    return None


def _make_answer(text: str) -> Message:
    return Message("assistant", (Segment(text, "variable", "answer"),))


def _count_shared(first: str, second: str) -> int:
    """Count the characters that two texts share at their beginning."""
    pairs = zip(first, second, strict=False)
    return next((index for index, (a, b) in enumerate(pairs) if a != b), min(len(first), len(second)))
