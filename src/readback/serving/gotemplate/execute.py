"""Execute a Go template on a value, within limits of steps, depth and size."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from readback.serving.gotemplate.evaluate import Evaluator, Limits
from readback.serving.gotemplate.formatting import find_source, format_value
from readback.serving.gotemplate.functions import Function
from readback.serving.gotemplate.nodes import Action, Block, Break, Call, If, Range, Text, Tree, With
from readback.serving.gotemplate.traced_text import ACTION, Piece, TracedText
from readback.serving.gotemplate.values import (
    ABSENT,
    Byte,
    List,
    Map,
    Value,
    dereference,
    is_missing,
    is_true,
    name_type,
)

DEEPEST = 100  # templates within templates; Go stops at 100,000


class LoopJump(Exception):  # noqa: N818 - how a loop is left, not an error
    """Signal a break (`over`) or a continue."""

    def __init__(self, ends_loop: bool) -> None:
        super().__init__()
        self.ends_loop = ends_loop


def execute(
    tree: Tree,
    data: Value,
    functions: Mapping[str, Function],
    *,
    zero: bool = True,
    limits: Limits | None = None,
) -> list[Piece]:
    """Return what the template prints for `data`, in pieces that know their source. Raises TemplateFault.

    `zero`: an absent key is nil (Ollama's option missingkey=zero), else an absent value.
    """
    run = _Run(tree, functions, zero, limits or Limits())
    try:
        run.run_template("", data)
    except RecursionError:
        raise run.fault("too deeply nested") from None
    return run.out


class _Run(Evaluator):
    """Hold one execution: what was printed so far, and the variables in force."""

    def __init__(self, tree: Tree, functions: Mapping[str, Function], zero: bool, limits: Limits) -> None:
        super().__init__(functions, zero, limits)
        self.templates = tree.templates
        self.out: list[Piece] = []
        self.depth = 0

    def run_template(self, name: str, dot: Value) -> None:
        """Execute one defined template, which sees only the variable `$`."""
        outside = self.variables
        self.variables = [["$", dot]]
        self.run_block(self.templates[name], dot)
        self.variables = outside

    def run_block(self, nodes: Block, dot: Value) -> None:
        """Execute the nodes of a block."""
        for node in nodes:
            self.node = node
            self.count_steps()
            if isinstance(node, Text):
                self.count_text(len(node.text))
                self.out.append((node.text, (node.line, node.column)))
            elif isinstance(node, Action):
                value = self.evaluate_pipe(node.pipe, dot)
                if not node.pipe.variables:
                    self.node = node
                    self.print(value, (node.line, node.column))
            elif isinstance(node, If | With):
                self.run_condition(node, dot)
            elif isinstance(node, Range):
                self.run_range(node, dot)
            elif isinstance(node, Call):
                self.run_call(node, dot)
            else:
                raise LoopJump(isinstance(node, Break))

    def run_condition(self, node: If | With, dot: Value) -> None:
        """Execute the branch of an `if` or `with` that its pipeline selects."""
        outer_count = len(self.variables)
        value = self.evaluate_pipe(node.pipe, dot)
        if is_true(value):
            self.run_block(node.body, value if isinstance(node, With) else dot)
        elif node.otherwise is not None:
            self.run_block(node.otherwise, dot)
        del self.variables[outer_count:]

    def run_range(self, node: Range, dot: Value) -> None:
        """Execute the body of a `range` for each element."""
        outer_count = len(self.variables)
        items = self.list_elements(node, self.evaluate_pipe(node.pipe, dot))
        inner_count = len(self.variables)
        try:
            empty = True
            for index, element in items:
                empty = False
                self.count_steps()
                self.assign_elements(node, index, element)
                try:
                    self.run_block(node.body, element)
                except LoopJump as jump:
                    if jump.ends_loop:
                        break
                del self.variables[inner_count:]
            if empty and node.otherwise is not None:
                self.run_block(node.otherwise, dot)
        finally:
            del self.variables[outer_count:]

    def list_elements(self, node: Range, value: Value) -> Iterable[tuple[Value, Value]]:
        """Return pairs of index and element that a `range` goes over."""
        self.node = node
        if isinstance(value, List):
            return tuple(enumerate(value.items))
        if isinstance(value, Map):
            return sorted(value.items.items())
        if isinstance(value, int) and not isinstance(value, bool):
            if len(node.pipe.variables) > 1:
                raise self.fault(f"can't use {int(value)} to iterate over more than one variable")
            number_type = Byte if isinstance(value, Byte) else int
            return ((ABSENT, number_type(number)) for number in range(value))
        if value is None or value is ABSENT:
            return ()
        raise self.fault(f"range can't iterate over a value of type {name_type(value)}")

    def assign_elements(self, node: Range, index: Value, element: Value) -> None:
        """Set the variables of a range: one is the element, two are index and element."""
        names = node.pipe.variables
        if names:
            values = (index, element)[-len(names) :]
        else:
            values = ()
        for position, (name, value) in enumerate(zip(names, values, strict=True)):
            if node.pipe.assigns:
                self.set_variable(name, value)
            else:
                self.variables[len(self.variables) - len(names) + position][1] = value

    def run_call(self, node: Call, dot: Value) -> None:
        """Execute a template that another one calls."""
        if node.name not in self.templates:
            raise self.fault(f"template {node.name!r} not defined")
        if self.depth >= DEEPEST:
            raise self.fault(f"more than {DEEPEST} templates within each other")
        if node.pipe is None:
            value = ABSENT
        else:
            value = self.evaluate_pipe(node.pipe, dot)
        self.depth += 1
        self.run_template(node.name, value)
        self.depth -= 1

    def print(self, value: Value, place: tuple[int, int]) -> None:
        """Append what an action prints for its value."""
        if isinstance(value, TracedText):
            self.count_text(len(value))
            for text, source in value.pieces:
                self.out.append((text, place if source == ACTION else source))
            return
        if is_missing(value):
            text, source = "<no value>", ACTION
        elif isinstance(value, str):
            text, source = value, None
        else:
            value = dereference(value)
            text, source = format_value(value), find_source(value)
        self.count_text(len(text))
        if text:
            self.out.append((text, place if source == ACTION else source))
