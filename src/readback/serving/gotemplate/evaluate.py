"""Evaluate pipelines, commands and operands as Go does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from readback.serving.gotemplate.functions import CallError, Function
from readback.serving.gotemplate.nodes import (
    Chain,
    Command,
    Dot,
    Field,
    Literal,
    Name,
    Nil,
    Node,
    Operand,
    Pipe,
    TemplateFault,
    Variable,
)
from readback.serving.gotemplate.traced_text import join_pieces
from readback.serving.gotemplate.values import (
    ABSENT,
    Map,
    Struct,
    Value,
    find_method,
    is_missing,
    is_true,
    name_type,
)

NOTHING = object()  # no value came down the pipeline
NO_ARGS: tuple[Operand, ...] = ()
STEPS = 200_000  # a quarter of a second
SIZE = 8 << 20  # characters of one text


@dataclass(slots=True)
class Limits:
    """Hold what is left to use: steps to take, characters to write."""

    steps: int = STEPS
    size: int = SIZE


class Evaluator:
    """Hold the variables in force and what is left of the limits; `node` is where a fault is reported."""

    def __init__(self, functions: Mapping[str, Function], zero: bool, limits: Limits) -> None:
        self.functions = functions
        self.absent: Value = None if zero else ABSENT
        self.variables: list[list[Value]] = []  # name, value; the last of a name is in force
        self.node: Node | Operand | Command = Dot(1, 1)
        self.limits = limits

    def fault(self, reason: str) -> TemplateFault:
        """Return the fault for a reason at the current node."""
        return TemplateFault(reason, self.node.line, self.node.column)

    def count_steps(self, count: int = 1) -> None:
        """Use up steps. Raises TemplateFault if none is left."""
        self.limits.steps -= count
        if self.limits.steps < 0:
            raise self.fault("the template takes too many steps")

    def count_text(self, count: int) -> None:
        """Use up characters of text. Raises TemplateFault if none is left."""
        self.limits.size -= count
        if self.limits.size < 0:
            raise self.fault(f"more than {SIZE:,} characters of text")

    def set_variable(self, name: str, value: Value) -> None:
        """Set a declared variable."""
        for variable in reversed(self.variables):
            if variable[0] == name:
                variable[1] = value
                return
        raise self.fault(f"undefined variable: {name}")

    def get_variable(self, name: str) -> Value:
        """Return the value of a variable."""
        for variable_name, value in reversed(self.variables):
            if variable_name == name:
                return value
        raise self.fault(f"undefined variable: {name}")

    def evaluate_pipe(self, pipe: Pipe, dot: Value) -> Value:
        """Return the value of a pipeline, after it was assigned to the pipeline's variables."""
        value: Value = NOTHING
        for command in pipe.commands:
            value = self.evaluate_command(command, dot, value)
            if value is None:  # an interface without a value in it is no value, once it went through a pipeline
                value = ABSENT
        for name in pipe.variables:
            if pipe.assigns:
                self.node = pipe
                self.set_variable(name, value)
            else:
                self.variables.append([name, value])
        return value

    def evaluate_command(self, command: Command, dot: Value, final: Value) -> Value:
        """Return the value of a command; `final` comes down the pipeline as its last argument."""
        first = command.args[0]
        self.count_steps()
        if isinstance(first, Field):
            self.node = first
            return self.follow_path(dot, first.path, command.args, final)
        if isinstance(first, Name):
            return self.call_function(first, dot, command.args[1:], final)
        if isinstance(first, Variable):
            self.node = first
            value = self.get_variable(first.path[0])
            if len(first.path) > 1:
                return self.follow_path(value, first.path[1:], command.args, final)
        elif isinstance(first, Chain):
            return self.evaluate_chain(first, dot, command.args, final)
        self.node = first
        if len(command.args) > 1 or final is not NOTHING:
            raise self.fault("can't give argument to something that is no function")
        if isinstance(first, Nil):
            raise self.fault("nil is not a command")
        return self.evaluate_operand(first, dot)

    def evaluate_operand(self, operand: Operand, dot: Value) -> Value:
        """Return the value of one operand; a function there is called without arguments."""
        self.node = operand
        if isinstance(operand, Field):
            return self.follow_path(dot, operand.path, NO_ARGS, NOTHING)
        if isinstance(operand, Literal):
            if operand.value is None:
                raise self.fault(f"{operand.source} overflows int")
            if isinstance(operand.value, str):
                return join_pieces(((operand.value, (operand.line, operand.column)),))
            return operand.value
        if isinstance(operand, Variable):
            value = self.get_variable(operand.path[0])
            if len(operand.path) == 1:
                return value
            return self.follow_path(value, operand.path[1:], NO_ARGS, NOTHING)
        if isinstance(operand, Pipe):
            return self.evaluate_pipe(operand, dot)
        if isinstance(operand, Name):
            return self.call_function(operand, dot, NO_ARGS, NOTHING)
        if isinstance(operand, Chain):
            return self.evaluate_chain(operand, dot, NO_ARGS, NOTHING)
        if isinstance(operand, Dot):
            return dot
        return None

    def evaluate_chain(self, chain: Chain, dot: Value, args: Sequence[Operand], final: Value) -> Value:
        """Return the value of a chain: its operand's value, then the fields behind it."""
        value = self.evaluate_operand(chain.operand, dot)
        self.node = chain
        return self.follow_path(value, chain.path, args, final)

    def follow_path(self, value: Value, path: Sequence[str], args: Sequence[Operand], final: Value) -> Value:
        """Return the value at the end of a path; fields and keys take no arguments."""
        node = self.node
        has_args = len(args) > 1 or final is not NOTHING
        last = len(path) - 1
        for i, name in enumerate(path):
            self.node = node
            value = self.read_field(value, name, has_args and i == last)
        return value

    def read_field(self, value: Value, name: str, has_args: bool) -> Value:
        """Return a field, key or method's result of a value, as `.name` reads it."""
        if value is ABSENT:
            return ABSENT
        if value is None:
            raise self.fault(f"nil pointer evaluating interface {{}}.{name}")
        method = find_method(value, name)
        if method is not None:
            if has_args:
                raise self.fault(f"wrong number of args for {name}: want 0")
            return method(value)
        if isinstance(value, Map):
            if has_args:
                raise self.fault(f"{name} is not a method but has arguments")
            item = value.items.get(name, ABSENT)
            if item is not ABSENT:
                return item
            if value.type.zero and self.absent is None:
                return value.type.zero()
            return self.absent
        if isinstance(value, Struct) and value.nil:
            raise self.fault(f"nil pointer evaluating {name_type(value)}.{name}")
        if isinstance(value, Struct) and name in value.fields:
            if name[:1].islower():
                raise self.fault(f"{name} is an unexported field of struct type {name_type(value)}")
            if has_args:
                raise self.fault(f"{name} has arguments but cannot be invoked as function")
            return value.fields[name]
        raise self.fault(f"can't evaluate field {name} in type {name_type(value)}")

    def call_function(self, name: Name, dot: Value, args: Sequence[Operand], final: Value) -> Value:
        """Call a function with its arguments and return the result."""
        self.node = name
        function = self.functions.get(name.name)
        if function is None:
            raise self.fault(f"{name.name!r} is not a defined function")
        count = len(args) + (final is not NOTHING)
        if count < function.least or (function.most is not None and count > function.most):
            if function.most is not None:
                want = f"{function.least}"
            else:
                want = f"at least {function.least}"
            raise self.fault(f"wrong number of args for {name.name}: want {want} got {count}")
        if name.name in ("and", "or"):
            return self.evaluate_logic(name.name == "or", dot, args, final)
        values = [self.evaluate_argument(arg, dot, i < function.texts) for i, arg in enumerate(args)]
        if final is not NOTHING:
            self.node = name
            values.append(self.check_argument(final, len(args) < function.texts))
        self.node = name
        try:
            result = function.run(values)
        except CallError as error:
            raise self.fault(f"error calling {name.name}: {error}") from None
        if isinstance(result, str):
            self.count_steps(len(result) >> 8)
            if len(result) > SIZE:
                raise self.fault(f"more than {SIZE:,} characters of text")
        return result

    def evaluate_logic(self, wanted: bool, dot: Value, args: Sequence[Operand], final: Value) -> Value:
        """Return what `or` (`wanted` is true) or `and` gives: the first argument that settles it, else the last.

        The arguments behind it are not evaluated.
        """
        value: Value = ABSENT
        for arg in args:
            value = self.evaluate_operand(arg, dot)
            if is_true(value) == wanted:
                return value
        if final is NOTHING:
            return value
        return final

    def evaluate_argument(self, arg: Operand, dot: Value, text: bool) -> Value:
        """Return an argument of a function; `text` says that it must be a text."""
        if text and isinstance(arg, Nil):
            self.node = arg
            raise self.fault("cannot assign nil to string")
        value = self.evaluate_operand(arg, dot)
        self.node = arg
        return self.check_argument(value, text)

    def check_argument(self, value: Value, text: bool) -> Value:
        """Return an argument's value, None if it is absent; `text` says that it must be a text."""
        if text and not isinstance(value, str):
            if is_missing(value):
                raise self.fault("invalid value; expected string")
            raise self.fault(f"expected string; got {name_type(value)}")
        if value is ABSENT:
            return None
        return value
