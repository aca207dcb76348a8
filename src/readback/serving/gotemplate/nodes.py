"""The parts of a Go template: frozen nodes, each with the line and column where it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

LONGEST = 300  # characters of a reason, which may repeat the template


class TemplateFault(Exception):  # noqa: N818 - a fault of the template, not an error of ours
    """Why a template cannot be read or carried out, and where in its text; line and column count from 1."""

    def __init__(self, reason: str, line: int, column: int) -> None:
        super().__init__(f"{line}:{column}: {reason}")
        self.reason, self.line, self.column = reason[:LONGEST], line, column


@dataclass(frozen=True, slots=True)
class Field:
    """`.A.B`: names looked up in the current value, one in the other."""

    path: tuple[str, ...]
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Variable:
    """`$x.A`: the variable's name with its `$`, then names looked up in it."""

    path: tuple[str, ...]
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Chain:
    """`(…).A`, or a function's name with fields behind it."""

    operand: Operand
    path: tuple[str, ...]
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Name:
    """The name of a function."""

    name: str
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Dot:
    """`.`: the current value."""

    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Nil:
    """`nil`."""

    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Literal:
    """A text, number, character or truth value written in the template.

    `value` is None for a whole number that Go's int cannot hold: an error only where it is evaluated.
    """

    value: str | bool | int | float | complex | None
    written: str
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Command:
    """Operands in a row: a function with its arguments, or one value."""

    args: tuple[Operand, ...]
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Pipe:
    """Commands, each given the one before as its last argument; `variables` are declared or, if `assigns`, set."""

    commands: tuple[Command, ...]
    variables: tuple[str, ...]
    assigns: bool
    line: int
    column: int


Operand: TypeAlias = Field | Variable | Chain | Name | Dot | Nil | Literal | Pipe


@dataclass(frozen=True, slots=True)
class Text:
    """What is outside the braces, trimmed as the braces beside it say."""

    text: str
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Action:
    """`{{ pipeline }}`: its value is printed unless it goes into a variable."""

    pipe: Pipe
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class If:
    """`otherwise` is None without an else; `else if` is an If alone in it."""

    pipe: Pipe
    body: Block
    otherwise: Block | None
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class With:
    """Like If, with the value as the current one inside."""

    pipe: Pipe
    body: Block
    otherwise: Block | None
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Range:
    """`body` once for each element; `otherwise` where there is none."""

    pipe: Pipe
    body: Block
    otherwise: Block | None
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Call:
    """`{{ template "name" pipeline }}`, and what a block leaves where it is."""

    name: str
    pipe: Pipe | None
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Break:
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Continue:
    line: int
    column: int


Branch: TypeAlias = If | With | Range
Node: TypeAlias = Text | Action | If | With | Range | Call | Break | Continue
Block: TypeAlias = tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Tree:
    """A template that was read. `templates` are the defined ones by name, the whole text itself under ""."""

    templates: Mapping[str, Block]

    @property
    def root(self) -> Block:
        return self.templates[""]
