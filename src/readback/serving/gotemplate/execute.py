"""Carry out a Go template over a value, within limits of steps, depth and size."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from readback.serving.gotemplate.evaluate import Evaluator, Limits
from readback.serving.gotemplate.formatting import shown, written_by
from readback.serving.gotemplate.functions import Function
from readback.serving.gotemplate.nodes import (
    Action,
    Block,
    Break,
    Call,
    If,
    Range,
    Text,
    Tree,
    With,
)
from readback.serving.gotemplate.traced_text import HERE, Piece, Told
from readback.serving.gotemplate.values import ABSENT, Byte, List, Map, Value, followed, truth, type_name

DEEPEST = 100  # templates within templates; Go stops at 100,000


class _Left(Exception):  # noqa: N818 - how a loop is left, not an error
    """A break (`over`) or a continue."""

    def __init__(self, over: bool) -> None:
        super().__init__()
        self.over = over


def execute(
    tree: Tree,
    data: Value,
    functions: Mapping[str, Function],
    *,
    zero: bool = True,
    limits: Limits | None = None,
) -> list[Piece]:
    """What the template prints for `data`, in pieces that know their source. Raises TemplateFault.

    `zero`: an absent key is nil (Ollama's option missingkey=zero), else no value at all.
    """
    run = _Run(tree, functions, zero, limits or Limits())
    try:
        run.template("", data)
    except RecursionError:
        raise run.fault("too deeply nested") from None
    return run.out


class _Run(Evaluator):
    """One execution: what was printed so far, and the variables in force."""

    def __init__(self, tree: Tree, functions: Mapping[str, Function], zero: bool, limits: Limits) -> None:
        super().__init__(functions, zero, limits)
        self.templates = tree.templates
        self.out: list[Piece] = []
        self.depth = 0

    def template(self, name: str, dot: Value) -> None:
        """A template of its own: it sees no variable but `$`."""
        outside = self.variables
        self.variables = [["$", dot]]
        self.block(self.templates[name], dot)
        self.variables = outside

    def block(self, nodes: Block, dot: Value) -> None:
        for node in nodes:
            self.node = node
            self.step()
            if isinstance(node, Text):
                self.grow(len(node.text))
                self.out.append((node.text, (node.line, node.column)))
            elif isinstance(node, Action):
                value = self.pipe(node.pipe, dot)
                if not node.pipe.variables:
                    self.node = node
                    self.print(value, (node.line, node.column))
            elif isinstance(node, If | With):
                self.choose(node, dot)
            elif isinstance(node, Range):
                self.repeat(node, dot)
            elif isinstance(node, Call):
                self.call(node, dot)
            else:
                raise _Left(isinstance(node, Break))

    def choose(self, node: If | With, dot: Value) -> None:
        known = len(self.variables)
        value = self.pipe(node.pipe, dot)
        if truth(value):
            self.block(node.body, value if isinstance(node, With) else dot)
        elif node.otherwise is not None:
            self.block(node.otherwise, dot)
        del self.variables[known:]

    def repeat(self, node: Range, dot: Value) -> None:
        known = len(self.variables)
        items = self.elements(node, self.pipe(node.pipe, dot))
        inside = len(self.variables)
        try:
            empty = True
            for index, element in items:
                empty = False
                self.step()
                self.assign(node, index, element)
                try:
                    self.block(node.body, element)
                except _Left as left:
                    if left.over:
                        break
                del self.variables[inside:]
            if empty and node.otherwise is not None:
                self.block(node.otherwise, dot)
        finally:
            del self.variables[known:]

    def elements(self, node: Range, value: Value) -> Iterable[tuple[Value, Value]]:
        self.node = node
        if isinstance(value, List):
            return tuple(enumerate(value.items))
        if isinstance(value, Map):
            return sorted(value.items.items())
        if isinstance(value, int) and not isinstance(value, bool):
            if len(node.pipe.variables) > 1:
                raise self.fault(f"can't use {int(value)} to iterate over more than one variable")
            kind = Byte if isinstance(value, Byte) else int
            return ((ABSENT, kind(number)) for number in range(value))
        if value is None or value is ABSENT:
            return ()
        raise self.fault(f"range can't iterate over a value of type {type_name(value)}")

    def assign(self, node: Range, index: Value, element: Value) -> None:
        """The variables of a range: one is the element, two are index and element."""
        names = node.pipe.variables
        values = (index, element)[-len(names) :] if names else ()
        for place, (name, value) in enumerate(zip(names, values, strict=True)):
            if node.pipe.assigns:
                self.set(name, value)
            else:
                self.variables[len(self.variables) - len(names) + place][1] = value

    def call(self, node: Call, dot: Value) -> None:
        if node.name not in self.templates:
            raise self.fault(f"template {node.name!r} not defined")
        if self.depth >= DEEPEST:
            raise self.fault(f"more than {DEEPEST} templates within each other")
        value = ABSENT if node.pipe is None else self.pipe(node.pipe, dot)
        self.depth += 1
        self.template(node.name, value)
        self.depth -= 1

    def print(self, value: Value, at: tuple[int, int]) -> None:
        """Add what an action prints for its value."""
        if isinstance(value, Told):
            self.grow(len(value))
            self.out.extend((text, at if source == HERE else source) for text, source in value.pieces)
            return
        if value is None or value is ABSENT:
            text, source = "<no value>", HERE
        elif isinstance(value, str):
            text, source = value, None
        else:
            value = followed(value)
            text, source = shown(value), written_by(value)
        self.grow(len(text))
        if text:
            self.out.append((text, at if source == HERE else source))
