"""What Ollama does to a template around `.Response`: it appends one, and cuts the last turn off behind it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from readback.serving.gotemplate.names import names
from readback.serving.gotemplate.nodes import (
    Action,
    Block,
    Branch,
    Command,
    Field,
    If,
    Node,
    Operand,
    Pipe,
    Range,
    TemplateFault,
    Tree,
    With,
)

RESPONSE = "Response"
CRASH = "Ollama crashes here: .Response is in a branch that has an else"


def with_response(tree: Tree, line: int, column: int) -> Tree:
    """The tree with `{{ .Response }}` at its end, unless it names messages or response. Raises TemplateFault."""
    if names(tree) & {"messages", "response"}:
        return tree
    at = (line, column)
    field = Field((RESPONSE,), *at)
    action = Action(Pipe((Command((field,), *at),), (), False, *at), *at)
    return Tree({**tree.templates, "": (*tree.root, action)})


def cut(tree: Tree) -> Tree:
    """The copy that Ollama makes for the last turn: nothing behind the first `.Response`, and no defined templates.

    Raises TemplateFault where Ollama crashes on it.
    """
    block, _ = _block(tree.root, False)
    return Tree({"": block})


def _block(block: Block, found: bool) -> tuple[Block, bool]:
    kept: list[Node] = []
    for node in block:
        if found:
            break
        left, found = _node(node)
        if left is not None:
            kept.append(left)
    return tuple(kept), found


def _node(node: Node) -> tuple[Node | None, bool]:
    """What is left of a node, and whether `.Response` was in it. Conditions and called templates are not looked at."""
    if isinstance(node, Action):
        pipe, found = _pipe(node.pipe, False)
        return (None if pipe is None else replace(node, pipe=pipe)), found
    if isinstance(node, If | With | Range):
        return _branch(node)
    return node, False


def _branch(node: Branch) -> tuple[Branch, bool]:
    body, found = _block(node.body, False)
    if node.otherwise is None:
        return replace(node, body=body), found
    if found:
        raise TemplateFault(CRASH, node.line, node.column)
    otherwise, found = _block(node.otherwise, False)
    return replace(node, body=body, otherwise=otherwise), found


def _pipe(pipe: Pipe, found: bool) -> tuple[Pipe | None, bool]:
    """A pipeline of which a whole command goes is gone itself."""
    commands: list[Command] = []
    for command in pipe.commands:
        args, found = _operands(command.args, found)
        if not args:
            return None, found
        commands.append(replace(command, args=args))
    return replace(pipe, commands=tuple(commands)), found


def _operands(args: Iterable[Operand], found: bool) -> tuple[tuple[Operand, ...], bool]:
    """The operands up to the first `.Response`; further ones that are `.Response` themselves stay."""
    kept: list[Operand] = []
    for arg in args:
        if isinstance(arg, Field) and RESPONSE in arg.path:
            found = True
            kept.append(arg)
        elif found:
            continue
        elif isinstance(arg, Pipe):
            inner, found = _pipe(arg, False)
            if inner is not None:
                kept.append(inner)
        else:
            kept.append(arg)
    return tuple(kept), found
