"""The one text that a model was trained on for a record: its training messages through its training template."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from readback.prompts.by_ollama import today
from readback.prompts.row_options import options_of_row
from readback.prompts.training_layout import asked_in, messages_of_row, row_record, row_that_asks, training
from readback.prompts.training_match import never_has_system
from readback.records import training_reader
from readback.serving import named_formats
from readback.serving.chat import model_input as chat
from readback.types import (
    Assembly,
    ChatTemplate,
    Diagnostic,
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
class Template:
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
    template: Template | None = None
    missing: Missing = ""
    diagnostics: tuple[Diagnostic, ...] = ()


def trained_text(opened: Workspace, record: Record, model: str, sent: Sequence[Message] = ()) -> TrainedText:
    """The training text of a record for a model, or why there is none. `sent` are the messages that it is sent for it,
    by which its row is looked for, too.
    """
    known, made = opened.models.get(model), training(opened, record, model, asked_in(sent))
    if known is None or made is None or not made.messages:
        return TrainedText(made, missing="messages", diagnostics=made.diagnostics if made else ())
    found = template(known)
    if found is None:
        return TrainedText(made, missing="template")
    found = with_row(found, row_record(opened, record, known, asked_in(sent)))
    text = rendered(opened, found, made.messages)
    prompt = _prompt(opened, found, made.messages, text)
    if not text.segments or not prompt:
        return TrainedText(made, None, (), found, "text", text.diagnostics)
    return TrainedText(made, text, prompt, found, diagnostics=text.diagnostics)


def trained_input(opened: Workspace, record: Record, choice: Selection) -> ModelInput | None:
    """The training text of a choice's record for its condition's model; None where none is known."""
    condition = opened.condition(choice.condition) if choice.condition and not choice.judge else None
    known = opened.models.get(condition.model) if condition and condition.model else None
    found = template(known) if known else None
    made = training(opened, record, known.name) if known and found else None
    if known is None or found is None or made is None or not made.messages:
        return None
    return rendered(opened, with_row(found, row_record(opened, record, known)), made.messages)


def trained_prompt(opened: Workspace, record: Record, assembly: Assembly) -> TrainedPrompt | None:
    """What the model of an assembly's condition was trained on where it is sent this; None where nobody can tell.

    That is the row of its training file that asks what the record asks. Where no row does and no row of the file has a
    system message, the turns that are sent stand for such a row: what the training template writes in place of the
    system message is then seen.
    """
    choice = assembly.choice
    condition = opened.condition(choice.condition) if choice.condition and not choice.judge else None
    known = opened.models.get(condition.model) if condition and condition.model else None
    found = template(known) if known and known.training_messages else None
    if known is None or found is None or not assembly.messages:
        return None
    made = row_that_asks(opened, record, known, asked_in(assembly.messages))
    messages = made.messages if made else _stand_in(opened, known, assembly.messages)
    if not messages:
        return None
    if made:
        found = with_row(found, row_record(opened, record, known, asked_in(assembly.messages)))
    text = rendered(opened, found, messages)
    prompt = _prompt(opened, found, messages, text)
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
        by = template(model) if model else None
        if model is None or row is None or by is None or by.basis == "assumed" or _ran_before(by, rendered_by):
            continue
        messages = messages_of_row(record, row, model)
        text = rendered(opened, with_row(by, record), messages) if messages else None
        if text and text.segments:
            yield model, messages, text


def _ran_before(by: Template, rendered_by: set[tuple[str, str | None, str]]) -> bool:
    """Whether another model of the file has the same template and options, which then made the same text."""
    key = (by.name, by.template.text if by.template else None, repr(sorted(by.options.items())))
    if key in rendered_by:
        return True
    rendered_by.add(key)
    return False


def _stand_in(opened: Workspace, model: Model, sent: Sequence[Message]) -> tuple[Message, ...]:
    """The turns that are sent and an answer, as a row without a system message; empty where rows may have one."""
    if (model.training and model.training.text) or not never_has_system(opened, model.training_messages or ""):
        return ()
    turns = tuple(message for message in sent if message.role != "system")
    return (*turns, _reply(STAND_INS[0])) if turns and turns[-1].role == "user" else ()


def template(model: Model) -> Template | None:
    """What a model's training messages went through; None where nothing says it."""
    options = model.training_options
    if model.training_template:
        return Template(model.training_template.name, model.training_template, "stated", options)
    if model.training_format:
        return Template(model.training_format, chat.load_format(model.training_format), "stated", options)
    if model.chat_template:
        return Template(model.chat_template.name, model.chat_template, "serving", options)
    if model.chat_format:
        return Template(model.chat_format, chat.load_format(model.chat_format), "serving", options)
    written = (model.modelfile.template or "") if model.modelfile else ""
    name = next((name for signs, name in FAMILIES if all(sign in written for sign in signs)), None)
    assumed = chat.load_format(name) if name else None
    return Template(assumed.name, assumed, "assumed", options) if assumed else None


def with_row(found: Template, row: Record | None) -> Template:
    """The template with the tools of a training row."""
    own = options_of_row(row.fields) if row else {}
    return replace(found, options={**found.options, **own}) if own else found


def guessed(model: Model) -> bool | None:
    """Whether what its training messages went through is a guess by its Modelfile; None where not even that."""
    found = template(model)
    return found.basis == "assumed" if found else None


def rendered(opened: Workspace, found: Template, messages: Sequence[Message]) -> ModelInput:
    """Messages as text to learn from: the answer included, nothing that asks for one."""
    if found.template:
        values = dict(found.options)
        made = chat.build_model_input(
            found.template, messages, today=today(opened), add_generation_prompt=False, values=values
        )
    else:
        made = named_formats.build_model_input(messages, found.name, training=True)
    return replace(made, assumed=found.basis == "assumed")


def prompt_of(opened: Workspace, found: Template, asked: Sequence[Message]) -> tuple[Segment, ...]:
    """The training text up to where an answer to these messages begins; empty where the template makes none."""
    one, other = (rendered(opened, found, (*asked, _reply(text))) for text in STAND_INS)
    return named_formats.cut_segments(one.segments, 0, _shared(one.text, other.text))


def _prompt(opened: Workspace, found: Template, messages: Sequence[Message], text: ModelInput) -> tuple[Segment, ...]:
    """The training text of some messages up to where their last answer begins; `text` is all of it."""
    asked, answer = _turns(messages)
    if answer and (at := _answer_at(text, answer)) is not None:
        return named_formats.cut_segments(text.segments, 0, at)
    return prompt_of(opened, found, asked)


def _turns(messages: Sequence[Message]) -> tuple[tuple[Message, ...], Message | None]:
    """The messages before the last answer, and that."""
    if messages and messages[-1].role == "assistant":
        return tuple(messages[:-1]), messages[-1]
    return tuple(messages), None


def _answer_at(made: ModelInput, answer: Message) -> int | None:
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


def _reply(text: str) -> Message:
    return Message("assistant", (Segment(text, "variable", "answer"),))


def _shared(one: str, other: str) -> int:
    """How many characters two texts share at their beginning."""
    pairs = zip(one, other, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))
