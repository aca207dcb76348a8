"""What a model was trained on for a record: system, user and assistant message, beside what it is sent now.

Source: the *Prompt Format Specification* of ignaciolinari/beyond-the-cutoff (MIT, November 2025).


The one text that a model was trained on for a record: its training messages through its training template."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from readback.prompts import builders
from readback.prompts.base_texts import make_format_system, make_trained_system
from readback.prompts.messages import compute_fingerprint, drop_empty
from readback.prompts.model_input import read_row_options, resolve_today
from readback.prompts.training_rows import asks_question, find_row, lacks_system_messages
from readback.records import row_fields, training_reader
from readback.records.row_fields import Field
from readback.records.training_row import TrainingRow, Turn
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
    """The training messages of `model` for `record`; None where nothing is known of them.

    The row of the file that the model was trained on, where that has one which asks the same (`read_from` says
    which); by `sent`, the user message that is sent for the record, it is looked for, too. A row without a system
    message gets the one that the model's `training: {system: …}` states, as the trainer gives it. Else the layout of
    the built-in prompt formats, for a model of a trained type: the system text is the one the model was trained with
    where that was read, else what the format prescribes; the user message has the bytes of the evaluation.
    """
    known = workspace.models.get(model)
    if known and known.training_messages and (found := find_row(workspace, record, known.training_messages, sent)):
        return _make_row_assembly(*found, record, known)
    mode = MODES.get(known.type or "") if known else None
    if known is None or mode is None or all(p.syntax != "builder" for p in workspace.prompts.values()):
        return None
    trained = known.training
    system = (make_trained_system(trained),) if trained else make_format_system(known.type)
    user = builders.build_user_message(mode, record, known.type, workspace.options)
    reply = _find_reference(record)
    messages = [Message("system", drop_empty(system)), Message("user", user.segments)] if user.ok else []
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
    mark = compute_fingerprint(kept) if kept else ""
    choice = Selection(mode=mode)
    return Assembly(choice, record.id, record.place.index, kept, mark, user.names, tuple(diagnostics), record.masked)


def find_question(messages: Sequence[Message]) -> str:
    """The text of the last user message; "" where there is none."""
    return next((one.text for one in reversed(messages) if one.role == "user"), "")


def find_row_record(workspace: Workspace, record: Record, model: Model, sent: str = "") -> Record | None:
    """The row of a model's training file that stands for a record; None where there is none."""
    row = find_row(workspace, record, model.training_messages, sent) if model.training_messages else None
    return row[0] if row else None


def find_asking_row(workspace: Workspace, record: Record, model: Model, sent: str) -> Assembly | None:
    """The messages of the row of the model's training file that asks what the record asks; None where there is none.

    A row that has the record's id alone may be about something else.
    """
    found = find_row(workspace, record, model.training_messages, sent) if model.training_messages else None
    if found is None or not asks_question(record, found[1], sent):
        return None
    made = _make_row_assembly(*found, record, model)
    return made if made.messages else None


def find_source_row(made: Assembly) -> Location | None:
    """The row of a training file that training messages were read from; None where a layout made them."""
    read = (part for message in made.messages for part in message.segments if part.origin == "variable")
    first = next(read, None)
    return first.place if first and made.choice == ROW else None


def _make_row_assembly(found: Record, row: TrainingRow, record: Record, model: Model) -> Assembly:
    """A training row as an assembly for the record that asks what it asks."""
    messages = make_row_messages(found, row, model)
    mark = compute_fingerprint(messages) if messages else ""
    return Assembly(ROW, record.id, record.place.index, messages, mark, masked=record.masked or found.masked)


def make_row_messages(found: Record, row: TrainingRow, model: Model) -> tuple[Message, ...]:
    """The messages of a training row; of a pair the chosen answer. What it does not say of the system is stated."""
    answer = row.completion or row.chosen
    turns = ((turn, turn.role or role) for role, part in (("user", row.prompt), ("assistant", answer)) for turn in part)
    messages = tuple(Message(role, _make_turn_segments(turn, found), turn.whole) for turn, role in turns)
    return (*_make_stated_system(model), *messages) if row.system is None else messages


def _make_stated_system(model: Model) -> tuple[Message, ...]:
    """The system message that `training: {system: …}` states; what was only seen in the rows' own file is theirs."""
    said = model.training
    if said is None or not said.text or (said.verified and said.place.file == model.training_messages):
        return ()
    return (Message("system", (make_trained_system(said),)),)


def _make_turn_segments(turn: Turn, found: Record) -> tuple[Segment, ...]:
    parts = [
        Segment(one.text, "variable", one.field, row_fields.locate_field(found, one.field)) for one in turn.stretches
    ]
    joined = (part for one in parts for part in (Segment("\n", "joiner"), one))
    return tuple(joined)[1:]


def find_trained_message(workspace: Workspace, record: Record, choice: Selection) -> Message | None:
    """The user message that the model of a choice's condition was trained on for `record`; None where none is known."""
    condition = workspace.condition(choice.condition) if choice.condition and not choice.judge else None
    known = workspace.models.get(condition.model) if condition and condition.model else None
    mode = MODES.get(known.type or "") if known else None
    if known is None or mode is None or all(p.syntax != "builder" for p in workspace.prompts.values()):
        return None
    made = builders.build_user_message(mode, record, known.type, workspace.options)
    return Message("user", made.segments) if made.ok else None


def _find_reference(record: Record) -> Field | None:
    """The expected answer: the field training reads, else one of the spellings that evaluation tolerates."""
    own = record.fields.get("expected_response")
    return Field("expected_response", own) if isinstance(own, str) and own else row_fields.read_reference(record.fields)


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
    """What makes one text of training messages: a chat template or a format's name; `basis` says who says so.

    stated: the model's `training:`; serving: what also serves it; assumed: what its Modelfile's TEMPLATE looks like.
    `options` are what the template is given besides the messages.
    """

    name: str
    template: ChatTemplate | None
    basis: TrainingBasis
    options: Values = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TrainedText:
    """A record as a model saw it in training.

    `text` is None where `missing` says what is not known (its messages, its template) or that the template failed;
    `prompt` are its segments up to the character where the answer begins, which is what serving should send.
    """

    messages: Assembly | None
    text: ModelInput | None = None
    prompt: tuple[Segment, ...] = ()
    template: TrainingTemplate | None = None
    missing: Missing = ""
    diagnostics: tuple[Diagnostic, ...] = ()


def build_trained_text(opened: Workspace, record: Record, model: str, sent: Sequence[Message] = ()) -> TrainedText:
    """The training text of a record for a model, or why there is none. `sent` are the messages that it is sent for it,
    by which its row is looked for, too.
    """
    known, made = opened.models.get(model), find_training_messages(opened, record, model, find_question(sent))
    if known is None or made is None or not made.messages:
        return TrainedText(made, missing="messages", diagnostics=made.diagnostics if made else ())
    found = find_training_template(known)
    if found is None:
        return TrainedText(made, missing="template")
    found = add_row_options(found, find_row_record(opened, record, known, find_question(sent)))
    text = render_training_text(opened, found, made.messages)
    prompt = _cut_prompt(opened, found, made.messages, text)
    if not text.segments or not prompt:
        return TrainedText(made, None, (), found, "text", text.diagnostics)
    return TrainedText(made, text, prompt, found, diagnostics=text.diagnostics)


def build_trained_input(opened: Workspace, record: Record, choice: Selection) -> ModelInput | None:
    """The training text of a choice's record for its condition's model; None where none is known."""
    condition = opened.condition(choice.condition) if choice.condition and not choice.judge else None
    known = opened.models.get(condition.model) if condition and condition.model else None
    found = find_training_template(known) if known else None
    made = find_training_messages(opened, record, known.name) if known and found else None
    if known is None or found is None or made is None or not made.messages:
        return None
    return render_training_text(opened, add_row_options(found, find_row_record(opened, record, known)), made.messages)


def build_trained_prompt(opened: Workspace, record: Record, assembly: Assembly) -> TrainedPrompt | None:
    """What the model of an assembly's condition was trained on where it is sent this; None where nobody can tell.

    That is the row of its training file that asks what the record asks. Where no row does and no row of the file has a
    system message, the turns that are sent stand for such a row: what the training template writes in place of the
    system message is then seen.
    """
    choice = assembly.choice
    condition = opened.condition(choice.condition) if choice.condition and not choice.judge else None
    known = opened.models.get(condition.model) if condition and condition.model else None
    found = find_training_template(known) if known and known.training_messages else None
    if known is None or found is None or not assembly.messages:
        return None
    made = find_asking_row(opened, record, known, find_question(assembly.messages))
    messages = made.messages if made else _make_stand_in(opened, known, assembly.messages)
    if not messages:
        return None
    if made:
        found = add_row_options(found, find_row_record(opened, record, known, find_question(assembly.messages)))
    text = render_training_text(opened, found, messages)
    prompt = _cut_prompt(opened, found, messages, text)
    if not text.segments or not prompt:
        return None
    system = any(one.role == "system" and one.text.strip() for one in messages)
    return TrainedPrompt(prompt, system, found.name, found.basis, made is not None)


def render_row(opened: Workspace, record: Record) -> Iterator[tuple[Model, tuple[Message, ...], ModelInput]]:
    """What the models that were trained on a row's file read of it: the model, the row's messages, its training text.

    A template that is only guessed, or that makes no text of the row, is left out.
    """
    file = next((file for file in opened.training if file.path == record.place.file), None)
    row = training_reader.read(record.fields) if file and file.models else None
    rendered_by: set[tuple[str, str | None, str]] = set()
    for name in file.models if file and row else ():
        model = opened.models.get(name)
        by = find_training_template(model) if model else None
        if model is None or row is None or by is None or by.basis == "assumed" or _is_repeated(by, rendered_by):
            continue
        messages = make_row_messages(record, row, model)
        text = render_training_text(opened, add_row_options(by, record), messages) if messages else None
        if text and text.segments:
            yield model, messages, text


def _is_repeated(by: TrainingTemplate, rendered_by: set[tuple[str, str | None, str]]) -> bool:
    """Whether another model of the file has the same template and options, which then made the same text."""
    key = (by.name, by.template.text if by.template else None, repr(sorted(by.options.items())))
    if key in rendered_by:
        return True
    rendered_by.add(key)
    return False


def _make_stand_in(opened: Workspace, model: Model, sent: Sequence[Message]) -> tuple[Message, ...]:
    """The turns that are sent and an answer, as a row without a system message; empty where rows may have one."""
    if (model.training and model.training.text) or not lacks_system_messages(opened, model.training_messages or ""):
        return ()
    turns = tuple(message for message in sent if message.role != "system")
    return (*turns, _make_answer(STAND_INS[0])) if turns and turns[-1].role == "user" else ()


def find_training_template(model: Model) -> TrainingTemplate | None:
    """What a model's training messages went through; None where nothing says it."""
    options = model.training_options
    if model.training_template:
        return TrainingTemplate(model.training_template.name, model.training_template, "stated", options)
    if model.training_format:
        return TrainingTemplate(model.training_format, chat.load_format(model.training_format), "stated", options)
    if model.chat_template:
        return TrainingTemplate(model.chat_template.name, model.chat_template, "serving", options)
    if model.chat_format:
        return TrainingTemplate(model.chat_format, chat.load_format(model.chat_format), "serving", options)
    written = (model.modelfile.template or "") if model.modelfile else ""
    name = next((name for signs, name in FAMILIES if all(sign in written for sign in signs)), None)
    assumed = chat.load_format(name) if name else None
    return TrainingTemplate(assumed.name, assumed, "assumed", options) if assumed else None


def add_row_options(found: TrainingTemplate, row: Record | None) -> TrainingTemplate:
    """The template with the tools of a training row."""
    own = read_row_options(row.fields) if row else {}
    return replace(found, options={**found.options, **own}) if own else found


def is_guessed(model: Model) -> bool | None:
    """Whether what its training messages went through is a guess by its Modelfile; None where not even that."""
    found = find_training_template(model)
    return found.basis == "assumed" if found else None


def render_training_text(opened: Workspace, found: TrainingTemplate, messages: Sequence[Message]) -> ModelInput:
    """Messages as text to learn from: the answer included, nothing that asks for one."""
    if found.template:
        values = dict(found.options)
        made = chat.build_model_input(
            found.template, messages, today=resolve_today(opened), add_generation_prompt=False, values=values
        )
    else:
        made = named_formats.build_model_input(messages, found.name, training=True)
    return replace(made, assumed=found.basis == "assumed")


def prompt_of(opened: Workspace, found: TrainingTemplate, asked: Sequence[Message]) -> tuple[Segment, ...]:
    """The training text up to where an answer to these messages begins; empty where the template makes none."""
    one, other = (render_training_text(opened, found, (*asked, _make_answer(text))) for text in STAND_INS)
    return named_formats.cut_segments(one.segments, 0, _count_shared(one.text, other.text))


def _cut_prompt(
    opened: Workspace, found: TrainingTemplate, messages: Sequence[Message], text: ModelInput
) -> tuple[Segment, ...]:
    """The training text of some messages up to where their last answer begins; `text` is all of it."""
    asked, answer = _turns(messages)
    if answer and (at := _locate_answer(text, answer)) is not None:
        return named_formats.cut_segments(text.segments, 0, at)
    return prompt_of(opened, found, asked)


def _turns(messages: Sequence[Message]) -> tuple[tuple[Message, ...], Message | None]:
    """The messages before the last answer, and that."""
    if messages and messages[-1].role == "assistant":
        return tuple(messages[:-1]), messages[-1]
    return tuple(messages), None


def _locate_answer(made: ModelInput, answer: Message) -> int | None:
    """The character where the answer's own segments begin; None where the template did not keep them apart."""
    own = [segment for segment in answer.segments if segment.text]
    at, found = len(made.text), None
    for segment in reversed(made.segments):
        at -= len(segment.text)
        if any((segment.origin, segment.name, segment.place) == (s.origin, s.name, s.place) for s in own):
            found = at
        elif found is not None:
            break
    return found if found is not None and own and made.text.startswith(own[0].text.strip()[:1], found) else None


def _make_answer(text: str) -> Message:
    return Message("assistant", (Segment(text, "variable", "answer"),))


def _count_shared(one: str, other: str) -> int:
    """How many characters two texts share at their beginning."""
    pairs = zip(one, other, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))
