"""The TEMPLATE of a Modelfile as rules look at it: its nodes in order, and the names it uses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

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
from readback.serving.modelfile.grammar import find_line_starts, locate_offset

SAID = ("System", "Content", "Prompt", "Response")
KEPT = 64  # templates of a workspace that is open


@dataclass(frozen=True)
class Template:
    """A template that could be read; `names` are those Ollama sees in it, in lower case."""

    text: str
    tree: Tree
    names: frozenset[str]

    @property
    def nodes(self) -> Iterator[Node]:
        """Every node of every defined template in the order of the text."""
        for block in self.tree.templates.values():
            yield from _nodes(block)

    def offset(self, line: int, column: int) -> int:
        """The character of the text at a line and column."""
        return find_line_starts(self.text)[line - 1] + column - 1

    def at(self, offset: int) -> tuple[int, int]:
        """Line and column of a character of the text."""
        return locate_offset(find_line_starts(self.text), offset)

    def prints(self, line: int, column: int) -> Node | None:
        """The first node behind a place that prints something of the messages, else the first one there is."""
        found = [node for node in self.nodes if any(one.path[-1] in SAID for one in printed(node))]
        return next((node for node in found if (node.line, node.column) >= (line, column)), next(iter(found), None))

    def written(self, line: int, column: int) -> Text | None:
        """The text between actions that begins at a place."""
        places = (node for node in self.nodes if isinstance(node, Text))
        return next((node for node in places if (node.line, node.column) == (line, column)), None)


@lru_cache(KEPT)
def template(text: str) -> Template | None:
    """The template, or None where Go would refuse it."""
    try:
        tree = parse(text)
        return Template(text, tree, list_names(tree))
    except TemplateFault:
        return None


def used(operand: Operand) -> Iterator[Field | Variable]:
    """The fields and variables of a pipeline, in order."""
    match operand:
        case Field() | Variable():
            yield operand
        case Chain():
            yield from used(operand.operand)
        case Pipe():
            for command in operand.commands:
                for arg in command.args:
                    yield from used(arg)


def _nodes(block: Block) -> Iterator[Node]:
    for node in block:
        yield node
        if isinstance(node, Branch):
            yield from _nodes(node.body)
            yield from _nodes(node.otherwise or ())


def printed(node: Node) -> Iterator[Field | Variable]:
    """What an action prints, or a call hands on; nothing where it sets a variable."""
    match node:
        case Action(pipe=Pipe(variables=()) as pipe) | Call(pipe=Pipe() as pipe):
            yield from used(pipe)
