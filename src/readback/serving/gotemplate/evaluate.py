"""The values of pipelines, commands and operands, as Go evaluates them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from readback.serving.gotemplate.functions import Function, Wrong
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
from readback.serving.gotemplate.traced_text import told
from readback.serving.gotemplate.values import ABSENT, Map, Struct, Value, method, truth, type_name

NOTHING = object()  # no value came down the pipeline
NO_ARGS: tuple[Operand, ...] = ()
STEPS = 200_000  # a quarter of a second
SIZE = 8 << 20  # characters of one text


@dataclass(slots=True)
class Limits:
    """What is left to use: steps to take, characters to write."""

    steps: int = STEPS
    size: int = SIZE


class Evaluator:
    """The variables in force and what is left of the limits; `node` is where a fault is."""

    def __init__(self, functions: Mapping[str, Function], zero: bool, limits: Limits) -> None:
        self.functions = functions
        self.absent: Value = None if zero else ABSENT
        self.variables: list[list[Value]] = []  # name, value; the last of a name is in force
        self.node: Node | Operand | Command = Dot(1, 1)
        self.limits = limits

    def fault(self, reason: str) -> TemplateFault:
        return TemplateFault(reason, self.node.line, self.node.column)

    def step(self, count: int = 1) -> None:
        self.limits.steps -= count
        if self.limits.steps < 0:
            raise self.fault("the template takes too many steps")

    def grow(self, count: int) -> None:
        self.limits.size -= count
        if self.limits.size < 0:
            raise self.fault(f"more than {SIZE:,} characters of text")

    def set(self, name: str, value: Value) -> None:
        for variable in reversed(self.variables):
            if variable[0] == name:
                variable[1] = value
                return
        raise self.fault(f"undefined variable: {name}")

    def variable(self, name: str) -> Value:
        for known, value in reversed(self.variables):
            if known == name:
                return value
        raise self.fault(f"undefined variable: {name}")

    def pipe(self, pipe: Pipe, dot: Value) -> Value:
        value: Value = NOTHING
        for command in pipe.commands:
            value = self.command(command, dot, value)
            if value is None:  # an interface without a value in it is no value, once it went through a pipeline
                value = ABSENT
        for name in pipe.variables:
            if pipe.assigns:
                self.node = pipe
                self.set(name, value)
            else:
                self.variables.append([name, value])
        return value

    def command(self, command: Command, dot: Value, final: Value) -> Value:
        first = command.args[0]
        self.step()
        if isinstance(first, Field):
            self.node = first
            return self.chain(dot, first.path, command.args, final)
        if isinstance(first, Name):
            return self.function(first, dot, command.args[1:], final)
        if isinstance(first, Variable):
            self.node = first
            value = self.variable(first.path[0])
            if len(first.path) > 1:
                return self.chain(value, first.path[1:], command.args, final)
        elif isinstance(first, Chain):
            return self.chained(first, dot, command.args, final)
        self.node = first
        if len(command.args) > 1 or final is not NOTHING:
            raise self.fault("can't give argument to something that is no function")
        if isinstance(first, Nil):
            raise self.fault("nil is not a command")
        return self.operand(first, dot)

    def operand(self, operand: Operand, dot: Value) -> Value:
        """The value of one operand; a function there is called without arguments."""
        self.node = operand
        if isinstance(operand, Field):
            return self.chain(dot, operand.path, NO_ARGS, NOTHING)
        if isinstance(operand, Literal):
            if operand.value is None:
                raise self.fault(f"{operand.written} overflows int")
            if isinstance(operand.value, str):
                return told(((operand.value, (operand.line, operand.column)),))
            return operand.value
        if isinstance(operand, Variable):
            value = self.variable(operand.path[0])
            return self.chain(value, operand.path[1:], NO_ARGS, NOTHING) if len(operand.path) > 1 else value
        if isinstance(operand, Pipe):
            return self.pipe(operand, dot)
        if isinstance(operand, Name):
            return self.function(operand, dot, NO_ARGS, NOTHING)
        if isinstance(operand, Chain):
            return self.chained(operand, dot, NO_ARGS, NOTHING)
        return dot if isinstance(operand, Dot) else None

    def chained(self, chain: Chain, dot: Value, args: Sequence[Operand], final: Value) -> Value:
        value = self.operand(chain.operand, dot)
        self.node = chain
        return self.chain(value, chain.path, args, final)

    def chain(self, value: Value, path: Sequence[str], args: Sequence[Operand], final: Value) -> Value:
        """The value at the end of a path; fields and keys take no arguments."""
        at = self.node
        last = len(path) - 1
        for i, name in enumerate(path):
            self.node = at
            value = self.field(value, name, i == last and (len(args) > 1 or final is not NOTHING))
        return value

    def field(self, value: Value, name: str, has_args: bool) -> Value:
        if value is ABSENT:
            return ABSENT
        if value is None:
            raise self.fault(f"nil pointer evaluating interface {{}}.{name}")
        if own := method(value, name):
            if has_args:
                raise self.fault(f"wrong number of args for {name}: want 0")
            return own(value)
        if isinstance(value, Map):
            if has_args:
                raise self.fault(f"{name} is not a method but has arguments")
            found = value.items.get(name, ABSENT)
            if found is not ABSENT:
                return found
            return value.type.zero() if value.type.zero and self.absent is None else self.absent
        if isinstance(value, Struct) and value.nil:
            raise self.fault(f"nil pointer evaluating {type_name(value)}.{name}")
        if isinstance(value, Struct) and name in value.fields:
            if name[:1].islower():
                raise self.fault(f"{name} is an unexported field of struct type {type_name(value)}")
            if has_args:
                raise self.fault(f"{name} has arguments but cannot be invoked as function")
            return value.fields[name]
        raise self.fault(f"can't evaluate field {name} in type {type_name(value)}")

    def function(self, name: Name, dot: Value, args: Sequence[Operand], final: Value) -> Value:
        self.node = name
        function = self.functions.get(name.name)
        if function is None:
            raise self.fault(f"{name.name!r} is not a defined function")
        count = len(args) + (final is not NOTHING)
        if count < function.least or (function.most is not None and count > function.most):
            want = f"{function.least}" if function.most is not None else f"at least {function.least}"
            raise self.fault(f"wrong number of args for {name.name}: want {want} got {count}")
        if name.name in ("and", "or"):
            return self.either(name.name == "or", dot, args, final)
        values = [self.argument(arg, dot, i < function.texts) for i, arg in enumerate(args)]
        if final is not NOTHING:
            self.node = name
            values.append(self.checked(final, len(args) < function.texts))
        self.node = name
        try:
            result = function.run(values)
        except Wrong as wrong:
            raise self.fault(f"error calling {name.name}: {wrong}") from None
        if isinstance(result, str):
            self.step(len(result) >> 8)
            if len(result) > SIZE:
                raise self.fault(f"more than {SIZE:,} characters of text")
        return result

    def either(self, wanted: bool, dot: Value, args: Sequence[Operand], final: Value) -> Value:
        """`or` (wanted) and `and`: the first argument that settles it, else the last; the others stay untouched."""
        value: Value = ABSENT
        for arg in args:
            value = self.operand(arg, dot)
            if truth(value) == wanted:
                return value
        return value if final is NOTHING else final

    def argument(self, arg: Operand, dot: Value, text: bool) -> Value:
        """An argument of a function; `text`: it must be a text."""
        if text and isinstance(arg, Nil):
            self.node = arg
            raise self.fault("cannot assign nil to string")
        value = self.operand(arg, dot)
        self.node = arg
        return self.checked(value, text)

    def checked(self, value: Value, text: bool) -> Value:
        if text and not isinstance(value, str):
            nil = value is None or value is ABSENT
            raise self.fault("invalid value; expected string" if nil else f"expected string; got {type_name(value)}")
        return None if value is ABSENT else value
