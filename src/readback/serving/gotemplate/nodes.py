"""Define the nodes of a parsed Go template; each one holds its line and column."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

LONGEST = 300  # characters of a reason, which may repeat the template


class TemplateFault(Exception):  # noqa: N818 - a fault of the template, not an error of ours
    """Say why a template cannot be read or executed, and where; line and column count from 1."""

    def __init__(self, reason: str, line: int, column: int) -> None:
        super().__init__(f"{line}:{column}: {reason}")
        self.reason, self.line, self.column = reason[:LONGEST], line, column


@dataclass(frozen=True, slots=True)
class Field:
    """Represent `.A.B`: names looked up one after the other, beginning with the current value."""

    path: tuple[str, ...]
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Variable:
    """Represent `$x.A`: the variable's name with its `$`, then names looked up in it."""

    path: tuple[str, ...]
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Chain:
    """Represent `(…).A`, or a function's name with fields behind it."""

    operand: Operand
    path: tuple[str, ...]
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Name:
    """Represent the name of a function."""

    name: str
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Dot:
    """Represent `.`, the current value."""

    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Nil:
    """Represent `nil`."""

    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Literal:
    """Represent a string, number, character or Boolean written in the template.

    `value` is None for a whole number that Go's int cannot hold: an error only where it is evaluated.
    """

    value: str | bool | int | float | complex | None
    source: str
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Command:
    """Represent operands in a row: a function with its arguments, or one value."""

    args: tuple[Operand, ...]
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Pipe:
    """Represent commands of which each gets the value of the one before as its last argument.

    `variables` are declared or, if `assigns`, set.
    """

    commands: tuple[Command, ...]
    variables: tuple[str, ...]
    assigns: bool
    line: int
    column: int


Operand: TypeAlias = Field | Variable | Chain | Name | Dot | Nil | Literal | Pipe


@dataclass(frozen=True, slots=True)
class Text:
    """Represent the text outside the braces, trimmed as the neighbouring braces ask."""

    text: str
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Action:
    """Represent `{{ pipeline }}`: its value is printed unless it goes into a variable."""

    pipe: Pipe
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class If:
    """Represent `if`; `otherwise` is None without an else, and holds a single If for `else if`."""

    pipe: Pipe
    body: Block
    otherwise: Block | None
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class With:
    """Represent `with`: like If, with the value as the current one inside."""

    pipe: Pipe
    body: Block
    otherwise: Block | None
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Range:
    """Represent `range`: `body` runs once for each element, `otherwise` if there is none."""

    pipe: Pipe
    body: Block
    otherwise: Block | None
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Call:
    """Represent `{{ template "name" pipeline }}`, and the call that a block leaves in its place."""

    name: str
    pipe: Pipe | None
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Break:
    """Represent `break`."""

    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Continue:
    """Represent `continue`."""

    line: int
    column: int


Branch: TypeAlias = If | With | Range
Node: TypeAlias = Text | Action | If | With | Range | Call | Break | Continue
Block: TypeAlias = tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Tree:
    """Hold the templates of one text by name; the whole text itself is under ""."""

    templates: Mapping[str, Block]

    @property
    def root(self) -> Block:
        """Return the nodes of the whole text."""
        return self.templates[""]
