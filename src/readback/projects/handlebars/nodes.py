"""What a Handlebars template is made of, after it is parsed."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

SCOPED = re.compile(r"^\.|this\b", re.ASCII)


class HandlebarsFault(Exception):  # noqa: N818 - carries the reason that the tool has
    """A template that cannot be parsed, or gives no text for these values."""


@dataclass(frozen=True, slots=True)
class Strip:
    """Whether a tag has a tilde at its beginning or its end, which takes away the white space on that side."""

    open: bool = False
    close: bool = False


@dataclass(frozen=True, slots=True)
class Literal:
    """A text, number, boolean, null or undefined that stands in a tag."""

    value: object
    original: str


@dataclass(frozen=True, slots=True)
class Path:
    """A name: of a member (`a.b`), of the block around (`../a`), or of the data of a block (`@index`)."""

    parts: tuple[str, ...]
    original: str
    depth: int = 0
    of_data: bool = False

    @property
    def is_scoped(self) -> bool:
        """Whether it begins at the context and so names no helper: `this.a`, `./a`, `..`."""
        return SCOPED.search(self.original) is not None

    @property
    def is_simple(self) -> bool:
        """Whether it is one name that a helper may have."""
        return len(self.parts) == 1 and not self.is_scoped and not self.depth


@dataclass(frozen=True, slots=True)
class Call:
    """A name with its arguments: what stands in a tag, or in parentheses inside of one."""

    path: Path
    params: tuple[Expression, ...] = ()
    pairs: tuple[tuple[str, Expression], ...] = ()


Expression = Literal | Path | Call


@dataclass(slots=True)
class Content:
    """Text. `value` is what is left of it once white space is taken away."""

    value: str
    original: str
    left_stripped: bool = False
    right_stripped: bool = False


@dataclass(slots=True)
class Comment:
    """A comment."""

    strip: Strip


@dataclass(slots=True)
class Mustache:
    """A tag that prints; `escaped` ones make text safe for HTML where the tool does so."""

    call: Call
    escaped: bool
    strip: Strip


@dataclass(slots=True)
class Partial:
    """A place for another template, or for what stands inside of it where there is none (`program`)."""

    name: Expression
    call: Call
    strip: Strip
    close_strip: Strip = field(default_factory=Strip)
    program: Program | None = None
    indent: str = ""


@dataclass(slots=True)
class Program:
    """A stretch of a template; `names` are what a block calls its values. A chained one is that of an `else if`."""

    body: list[Statement]
    names: tuple[str, ...] = ()
    is_chained: bool = False


@dataclass(slots=True)
class Block:
    """A block, with the stretch for `else`. An `inline` one defines a partial."""

    call: Call
    program: Program | None
    inverse: Program | None
    open_strip: Strip
    inverse_strip: Strip
    close_strip: Strip
    is_inline: bool = False


Statement = Content | Comment | Mustache | Partial | Block
