"""The tree of a template: expressions, which have a value, and statements, which write."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True, eq=False)
class Node:
    """Any part of a template, with the offset at which it begins."""

    offset: int


@dataclass(slots=True, eq=False)
class Literal(Node):
    """A text, number, true, false or none."""

    value: Any


@dataclass(slots=True, eq=False)
class Symbol(Node):
    """The name of a variable."""

    name: str


@dataclass(slots=True, eq=False)
class Group(Node):
    """Expressions in parentheses: the last is the value."""

    items: list[Node]


@dataclass(slots=True, eq=False)
class ListOf(Node):
    """A list in brackets."""

    items: list[Node]


@dataclass(slots=True, eq=False)
class DictOf(Node):
    """An object in braces; `keywords` where it is the named arguments of a call."""

    pairs: list[tuple[str, Node]]
    keywords: bool = False


@dataclass(slots=True, eq=False)
class Member(Node):
    """`target.name` or `target[key]`."""

    target: Node
    key: Node


@dataclass(slots=True, eq=False)
class Call(Node):
    """A call of a macro, a global or a method."""

    target: Node
    args: list[Node]


@dataclass(slots=True, eq=False)
class Filter(Node):
    """`value | name(args)`; the value is the first of `args`."""

    name: str
    args: list[Node]


@dataclass(slots=True, eq=False)
class Binary(Node):
    """Two operands and an operator of JavaScript, or `floor`, `pow`, `in`."""

    operator: str
    left: Node
    right: Node


@dataclass(slots=True, eq=False)
class Unary(Node):
    """`!`, `-` or `+` before an operand."""

    operator: str
    operand: Node


@dataclass(slots=True, eq=False)
class Is(Node):
    """`left is test(args)`."""

    left: Node
    test: str
    args: list[Node]


@dataclass(slots=True, eq=False)
class Choice(Node):
    """`body if condition else other`."""

    condition: Node
    body: Node
    other: Node


@dataclass(slots=True, eq=False)
class Compared(Node):
    """Operands and comparisons in a row, as they are written."""

    first: Node
    rest: list[tuple[str, Node]]


@dataclass(slots=True, eq=False)
class Capture(Node):
    """What the statements inside write, as a text."""

    body: list[Node]


@dataclass(slots=True, eq=False)
class Macro(Node):
    """A macro, or the body of a call block where `name` is empty."""

    name: str
    args: list[str]
    defaults: list[tuple[str, Node]]
    body: list[Node]


@dataclass(slots=True, eq=False)
class Data(Node):
    """Text of the template as it stands."""

    text: str


@dataclass(slots=True, eq=False)
class Output(Node):
    """`{{ expression }}`."""

    expression: Node


@dataclass(slots=True, eq=False)
class If(Node):
    """A condition with its body and what stands for else."""

    condition: Node
    body: list[Node]
    other: list[Node]


@dataclass(slots=True, eq=False)
class For(Node):
    """A loop over a list with one name, or over pairs or an object with several."""

    names: list[str]
    over: Node
    body: list[Node]
    other: list[Node]


@dataclass(slots=True, eq=False)
class Set(Node):
    """Assign a value, or what a block writes, to names."""

    names: list[str]
    value: Node


@dataclass(slots=True, eq=False)
class Block(Node):
    """A named block, which runs where it stands."""

    name: str
    body: list[Node]


@dataclass(slots=True, eq=False)
class Switch(Node):
    """Cases by strict equality; an empty case falls through."""

    subject: Node
    cases: list[tuple[Node, list[Node]]]
    default: list[Node] | None = field(default=None)
