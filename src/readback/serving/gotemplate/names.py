"""The names a template mentions, by which Ollama decides what it gives it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

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


def names(tree: Tree) -> frozenset[str]:
    """Every part of every field and variable in any of the templates, in lower case.

    Not seen by Ollama, so not here: what is before `.A` in `(…).A`. Raises TemplateFault where a template is
    called without an argument, which Ollama refuses.
    """
    return frozenset(name.lower() for block in tree.templates.values() for name in _of_block(block))


def called(tree: Tree, functions: Collection[str]) -> Iterator[Name]:
    """Where the template calls one of these functions."""
    for block in tree.templates.values():
        for pipe in pipes(block):
            yield from (name for name in _calls(pipe) if name.name in functions)


def pipes(block: Block) -> Iterator[Pipe]:
    """Every pipeline of a block and of the blocks inside it."""
    for node in block:
        match node:
            case Action(pipe=Pipe() as pipe) | Call(pipe=Pipe() as pipe):
                yield pipe
            case If() | With() | Range():
                yield node.pipe
                yield from pipes(node.body)
                yield from pipes(node.otherwise or ())


def _calls(operand: Operand) -> Iterator[Name]:
    if isinstance(operand, Name):
        yield operand
    elif isinstance(operand, Chain):
        yield from _calls(operand.operand)
    elif isinstance(operand, Pipe):
        for command in operand.commands:
            for arg in command.args:
                yield from _calls(arg)


def _of_block(block: Block) -> Iterator[str]:
    for node in block:
        match node:
            case Action(pipe=pipe):
                yield from _of_operand(pipe)
            case Call(pipe=None):
                raise TemplateFault("undefined template specified: it is called without an argument", *_at(node))
            case Call(pipe=Pipe() as pipe):
                yield from _of_operand(pipe)
            case If() | With() | Range():
                yield from _of_operand(node.pipe)
                yield from _of_block(node.body)
                yield from _of_block(node.otherwise or ())


def _of_operand(operand: Operand) -> Iterable[str]:
    if isinstance(operand, Field | Variable):
        return operand.path
    if isinstance(operand, Pipe):
        return [name for command in operand.commands for arg in command.args for name in _of_operand(arg)]
    return ()


def _at(node: Call) -> tuple[int, int]:
    return node.line, node.column
