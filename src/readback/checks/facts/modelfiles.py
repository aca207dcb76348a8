"""Show rules the Modelfiles of a workspace: their templates, what those make of a self-test, and Ollama's choice."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from readback.serving.gotemplate import list_names, parse
from readback.serving.gotemplate.nodes import (
    Action,
    Block,
    Branch,
    Call,
    Chain,
    Field,
    Node,
    Operand,
    Pipe,
    TemplateFault,
    Text,
    Tree,
    Variable,
)
from readback.serving.message_location import find_text, locate_segments
from readback.serving.modelfile.grammar import find_line_starts, locate_offset
from readback.types import Engine, Location, Model, Modelfile, ModelInput, RuleContext, Segment, SelfTest

__all__ = [
    "EngineOfModel",
    "GoTemplate",
    "ServedModel",
    "find_block_spans",
    "find_template_offset",
    "has_different_texts",
    "is_file",
    "list_engines",
    "list_printed_names",
    "list_served_models",
    "locate_message_action",
    "locate_segments",
    "parse_template",
    "quote",
    "was_written",
]

MESSAGE_FIELDS = ("System", "Content", "Prompt", "Response")
MAX_TEMPLATES = 64  # parsed templates that are cached: those of the open workspace
TURN_END = re.compile(r"\s*<[^\s<>]{1,40}>\s*|\s*\[/[A-Z]+\]\s*")  # by which models recognise that a turn ends
FILE = re.compile(r"^[./~]|^[A-Za-z]:\\|[/\\].*\.(gguf|bin|safetensors)$|\.(gguf|bin|safetensors)$")
UNESCAPED = re.compile(r"[^\n\"'<>&\\]+")  # characters that no escaping changes


# Templates


@dataclass(frozen=True)
class GoTemplate:
    """A template that Go accepts; `names` are those that Ollama sees in it, in lower case."""

    text: str
    tree: Tree
    names: frozenset[str]

    @property
    def nodes(self) -> Iterator[Node]:
        """Every node of every defined template in the order of the text."""
        for block in self.tree.templates.values():
            yield from _list_nodes(block)

    def get_offset(self, line: int, column: int) -> int:
        """Return the offset of a line and column, which count from 1."""
        return find_line_starts(self.text)[line - 1] + column - 1

    def get_position(self, offset: int) -> tuple[int, int]:
        """Return line and column of an offset."""
        return locate_offset(find_line_starts(self.text), offset)

    def find_message_node(self, line: int, column: int) -> Node | None:
        """Return the first node from a position on that prints a part of a message, else the first of all."""
        nodes = [
            node for node in self.nodes if any(name.path[-1] in MESSAGE_FIELDS for name in list_printed_names(node))
        ]
        following = (node for node in nodes if (node.line, node.column) >= (line, column))
        return next(following, nodes[0] if nodes else None)

    def find_text_node(self, line: int, column: int) -> Text | None:
        """Return the text between actions that begins at a position."""
        texts = (node for node in self.nodes if isinstance(node, Text))
        return next((node for node in texts if (node.line, node.column) == (line, column)), None)


@lru_cache(MAX_TEMPLATES)
def parse_template(text: str) -> GoTemplate | None:
    """Return the template, or None if Go would refuse it."""
    try:
        tree = parse(text)
        return GoTemplate(text, tree, list_names(tree))
    except TemplateFault:
        return None


def list_printed_names(node: Node) -> Iterator[Field | Variable]:
    """Yield the names of which an action prints the values, or which a call passes on; none where a variable is set."""
    match node:
        case Action(pipe=Pipe(variables=()) as pipe) | Call(pipe=Pipe() as pipe):
            yield from _list_operand_names(pipe)


def _prints_message(node: Node) -> bool:
    return any(name.path[-1] in MESSAGE_FIELDS for name in list_printed_names(node))


def _list_operand_names(operand: Operand) -> Iterator[Field | Variable]:
    match operand:
        case Field() | Variable():
            yield operand
        case Chain():
            yield from _list_operand_names(operand.operand)
        case Pipe():
            for command in operand.commands:
                for argument in command.args:
                    yield from _list_operand_names(argument)


def _list_nodes(block: Block) -> Iterator[Node]:
    for node in block:
        yield node
        if isinstance(node, Branch):
            yield from _list_nodes(node.body)
            yield from _list_nodes(node.otherwise or ())


# Models and what is made of the self-test


@dataclass(frozen=True)
class ServedModel:
    """A model with its Modelfile; `template` and `self_test` if its TEMPLATE makes the text and could be read."""

    model: Model
    modelfile: Modelfile
    template: GoTemplate | None = None
    self_test: SelfTest | None = None

    @property
    def name(self) -> str:
        """The name of the model."""
        return self.model.name

    @cached_property
    def texts(self) -> tuple[ModelInput, ...]:
        """What the template makes of the self-test and of its longer form, without a text that could not be made."""
        if self.self_test is None:
            return ()
        return tuple(text for text in (self.self_test.first, self.self_test.later) if text.segments)

    def find_system_spans(self, model_input: ModelInput) -> list[tuple[int, int]]:
        """Return the spans of the system text in one of the texts."""
        if self.self_test is None:
            return []
        question_and_answer = (Segment("", "variable", name) for name in ("question", "answer"))
        return find_text(model_input, self.self_test.system, question_and_answer)

    def locate(self, line: int, column: int) -> Location:
        """Return the place in the file of a line and column of the template."""
        start = self.modelfile.template_place
        if line == 1:
            shift = (start.column or 1) - 1
        else:
            shift = 0
        return replace(start, line=(start.line or 1) + line - 1, column=shift + column)

    def locate_offset(self, offset: int) -> Location:
        """Return the place in the file of an offset of the template."""
        if self.template is None:
            return self.modelfile.template_place
        return self.locate(*self.template.get_position(offset))

    def find_position(self, place: Location) -> tuple[int, int] | None:
        """Return line and column in the template of a place in the file; None if it is outside of the template."""
        start = self.modelfile.template_place
        if place.file != start.file or place.line is None or place.line < (start.line or 1):
            return None
        line = place.line - (start.line or 1) + 1
        if line == 1:
            shift = (start.column or 1) - 1
        else:
            shift = 0
        return line, (place.column or 1) - shift


def list_served_models(case: RuleContext) -> Iterator[ServedModel]:
    """Yield each Modelfile that serves a model once, whatever the number of models it serves."""
    files: set[str | None] = set()
    for model in case.workspace.models.values():
        modelfile = model.modelfile
        if modelfile is None or (modelfile.place.file in files and modelfile.place.file is not None):
            continue
        files.add(modelfile.place.file)
        self_test = case.self_tests.get(model.name)
        template = None
        if modelfile.template and self_test is not None and _is_template_used(modelfile, self_test):
            template = parse_template(modelfile.template)
        yield ServedModel(model, modelfile, template, self_test if template else None)


def _is_template_used(modelfile: Modelfile, self_test: SelfTest) -> bool:
    """Return whether TEMPLATE made the text, and the bounded child finished with it, so that it may be parsed here."""
    if self_test.first.kind != "modelfile" or any(name == "renderer" for name, _, _ in modelfile.commands):
        return False
    diagnostics = (*self_test.first.diagnostics, *self_test.later.diagnostics)
    return not any(
        diagnostic.code == "dat-limit" or diagnostic.values.get("when") == "parse" for diagnostic in diagnostics
    )


def is_file(base: str) -> bool:
    """Return whether FROM names weights in a file rather than a model of the library."""
    return FILE.search(base) is not None


def find_block_spans(model_input: ModelInput, spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the spans of messages' texts, each extended by what the server writes around it."""
    segments = locate_segments(model_input)
    served_spans = [(start, end) for segment, start, end in segments if segment.origin == "serving"]
    blocks = []
    for start, end in spans:
        first, last = start, end
        while True:
            previous = next((a for a, b in served_spans if b == first and a < b), None)
            if previous is None:
                break
            first = previous
        # What ends the message before does not belong to this one.
        previous_end = TURN_END.match(model_input.text[first:start])
        if first and previous_end:
            first += previous_end.end()
        own_end = TURN_END.match(model_input.text, end)
        if own_end:
            last = end + len(own_end[0].rstrip())
        blocks.append((first, last))
    return blocks


def locate_message_action(served: ServedModel, model_input: ModelInput, offset: int) -> Location:
    """Return the place in the file of the action that prints the message at an offset of the text."""
    position = None
    for segment, _, end in locate_segments(model_input):
        if end > offset:
            break
        if segment.origin == "serving":
            position = served.find_position(segment.place) or position
    if served.template:
        node = served.template.find_message_node(*(position or (1, 1)))
    else:
        node = None
    if node:
        return served.locate(node.line, node.column)
    return served.modelfile.template_place


def find_template_offset(served: ServedModel, model_input: ModelInput, offset: int) -> int | None:
    """Return the offset in the template of a character of the text; None if an action printed the character."""
    for segment, start, end in locate_segments(model_input):
        if not start <= offset < end:
            continue
        if segment.origin == "serving":
            position = served.find_position(segment.place)
        else:
            position = None
        template = served.template
        if template is None or position is None or template.find_text_node(*position) is None:
            return None
        return template.get_offset(*position) + offset - start
    return None


def was_written(model_input: ModelInput, content: str) -> bool:
    """Return whether a message's content is in the text, perhaps escaped."""
    if content in model_input.text:
        return True
    stretches = [stretch.strip() for stretch in UNESCAPED.findall(content)]
    return max(stretches, key=len, default="") in model_input.text


def quote(text: str, length: int = 90) -> str:
    """Return a text for a sentence: in quotes, so that blanks can be seen; a long text without its middle."""
    half = length // 2
    return repr(text if len(text) <= length else f"{text[:half]}…{text[-half:]}")


# Which template Ollama uses


@dataclass(frozen=True, slots=True)
class EngineOfModel:
    """A model with Ollama's decision what is sent for it, and the self-test by both templates.

    `first` and `later` are the self-test and its longer form by the template in use; `alternatives` the same two by the
    other template, if it is known.
    """

    model: Model
    engine: Engine
    place: Location
    first: ModelInput
    later: ModelInput
    alternatives: tuple[ModelInput, ModelInput] | None


def list_engines(case: RuleContext) -> Iterator[EngineOfModel]:
    """Yield each Modelfile of the workspace's models once, whatever the number of models it serves."""
    files: set[str | None] = set()
    for model in case.workspace.models.values():
        self_test = case.self_tests.get(model.name)
        if model.modelfile is None or self_test is None or self_test.first.engine is None:
            continue
        file = model.modelfile.place.file
        if file not in files:
            files.add(file)
            yield EngineOfModel(
                model=model,
                engine=self_test.first.engine,
                place=model.modelfile.template_place,
                first=self_test.first,
                later=self_test.later,
                alternatives=self_test.others,
            )


def has_different_texts(served: EngineOfModel) -> bool:
    """Return whether the two templates make different texts of the self-test, or one of them makes none."""
    if served.alternatives is None:
        return False
    pairs = zip((served.first, served.later), served.alternatives, strict=True)
    return any(text.text != alternative.text for text, alternative in pairs)
