"""Change a template around `.Response` as Ollama does: append one, and cut off what is behind it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from readback.serving.gotemplate.names import list_names
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


def append_response(tree: Tree, line: int, column: int) -> Tree:
    """Return the tree with `{{ .Response }}` at its end, unless it names messages or response.

    Raises TemplateFault.
    """
    if list_names(tree) & {"messages", "response"}:
        return tree
    place = (line, column)
    command = Command((Field((RESPONSE,), *place),), *place)
    action = Action(Pipe((command,), (), False, *place), *place)
    return Tree({**tree.templates, "": (*tree.root, action)})


def cut_after_response(tree: Tree) -> Tree:
    """Return the copy that Ollama makes for the last turn.

    It ends at the first `.Response` and has no defined templates. Raises TemplateFault where Ollama crashes on it.
    """
    block, _ = _cut_block(tree.root, False)
    return Tree({"": block})


def _cut_block(block: Block, has_response: bool) -> tuple[Block, bool]:
    nodes: list[Node] = []
    for node in block:
        if has_response:
            break
        cut_node, has_response = _cut_node(node)
        if cut_node is not None:
            nodes.append(cut_node)
    return tuple(nodes), has_response


def _cut_node(node: Node) -> tuple[Node | None, bool]:
    """Return what is left of a node, and whether `.Response` was in it.

    Conditions and called templates are not searched.
    """
    if isinstance(node, Action):
        pipe, has_response = _cut_pipe(node.pipe, False)
        return (None if pipe is None else replace(node, pipe=pipe)), has_response
    if isinstance(node, If | With | Range):
        return _cut_branch(node)
    return node, False


def _cut_branch(node: Branch) -> tuple[Branch, bool]:
    body, has_response = _cut_block(node.body, False)
    if node.otherwise is None:
        return replace(node, body=body), has_response
    if has_response:
        raise TemplateFault(CRASH, node.line, node.column)
    otherwise, has_response = _cut_block(node.otherwise, False)
    return replace(node, body=body, otherwise=otherwise), has_response


def _cut_pipe(pipe: Pipe, has_response: bool) -> tuple[Pipe | None, bool]:
    """Return what is left of a pipeline, None if a whole command of it is removed."""
    commands: list[Command] = []
    for command in pipe.commands:
        args, has_response = _cut_operands(command.args, has_response)
        if not args:
            return None, has_response
        commands.append(replace(command, args=args))
    return replace(pipe, commands=tuple(commands)), has_response


def _cut_operands(args: Iterable[Operand], has_response: bool) -> tuple[tuple[Operand, ...], bool]:
    """Return the operands up to the first `.Response`; further ones that are `.Response` themselves stay."""
    operands: list[Operand] = []
    for arg in args:
        if isinstance(arg, Field) and RESPONSE in arg.path:
            has_response = True
            operands.append(arg)
        elif has_response:
            continue
        elif isinstance(arg, Pipe):
            inner, has_response = _cut_pipe(arg, False)
            if inner is not None:
                operands.append(inner)
        else:
            operands.append(arg)
    return tuple(operands), has_response
