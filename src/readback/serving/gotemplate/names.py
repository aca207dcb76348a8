"""List the names that a template mentions, by which Ollama decides what values it passes."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from readback.serving.gotemplate.nodes import (
    Action,
    Block,
    Call,
    Chain,
    Field,
    If,
    Name,
    Operand,
    Pipe,
    Range,
    TemplateFault,
    Tree,
    Variable,
    With,
)


def list_names(tree: Tree) -> frozenset[str]:
    """Return every part of every field and variable in any of the templates, in lower case.

    What stands before `.A` in `(…).A` is left out, because Ollama does not see it. Raises TemplateFault where a
    template is called without an argument, which Ollama refuses.
    """
    mentioned: set[str] = set()
    for block in tree.templates.values():
        mentioned.update(name.lower() for name in _list_block_names(block))
    return frozenset(mentioned)


def find_calls(tree: Tree, functions: Collection[str]) -> Iterator[Name]:
    """Yield the places where the template calls one of these functions."""
    for block in tree.templates.values():
        for pipe in list_pipes(block):
            for name in _find_calls_in(pipe):
                if name.name in functions:
                    yield name


def list_pipes(block: Block) -> Iterator[Pipe]:
    """Yield every pipeline of a block and of the blocks inside it."""
    for node in block:
        match node:
            case Action(pipe=Pipe() as pipe) | Call(pipe=Pipe() as pipe):
                yield pipe
            case If() | With() | Range():
                yield node.pipe
                yield from list_pipes(node.body)
                yield from list_pipes(node.otherwise or ())


def _find_calls_in(operand: Operand) -> Iterator[Name]:
    if isinstance(operand, Name):
        yield operand
    elif isinstance(operand, Chain):
        yield from _find_calls_in(operand.operand)
    elif isinstance(operand, Pipe):
        for command in operand.commands:
            for arg in command.args:
                yield from _find_calls_in(arg)


def _list_block_names(block: Block) -> Iterator[str]:
    for node in block:
        match node:
            case Action(pipe=pipe):
                yield from _list_operand_names(pipe)
            case Call(pipe=None):
                reason = "undefined template specified: it is called without an argument"
                raise TemplateFault(reason, node.line, node.column)
            case Call(pipe=Pipe() as pipe):
                yield from _list_operand_names(pipe)
            case If() | With() | Range():
                yield from _list_operand_names(node.pipe)
                yield from _list_block_names(node.body)
                yield from _list_block_names(node.otherwise or ())


def _list_operand_names(operand: Operand) -> Iterator[str]:
    if isinstance(operand, Field | Variable):
        yield from operand.path
    elif isinstance(operand, Pipe):
        for command in operand.commands:
            for arg in command.args:
                yield from _list_operand_names(arg)
