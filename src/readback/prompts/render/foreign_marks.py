"""Which mark of a template Jinja cannot read, and what it is where it is known: another program's expression, a minus.

Sources of the forms: the template pages of n8n (`$now`), Handlebars and mustache (`#if`, `/if`, `>`, `@index`), Go
(`.Prompt`).
"""

from __future__ import annotations

import re
from typing import NamedTuple

MARK = re.compile(r"\{\{[-+]?(.*?)[-+]?\}\}", re.DOTALL)
MINUS = re.compile(r"[^\W\d]\w*(?:-[^\W\d]\w*)+\Z")
BLANK = re.compile(r"[^\W\d]\w*(?:[ \t]+[^\W\d]\w*)+\Z")
WORDS = frozenset({"is", "in", "and", "or", "not", "if", "else"})  # of Jinja's own expressions
OTHERS = (  # what a mark begins with, and whose it is
    ("$", "an expression of another program, such as n8n"),
    ("#", "a block of another program, such as Handlebars"),
    ("/", "the end of a block of another program, such as Handlebars"),
    ("^", "a section of another program, such as mustache"),
    (">", "a partial of another program, such as Handlebars"),
    ("@", "a variable of another program, such as Handlebars"),
    (".", "an expression of another program, such as Go's templates"),
    ("&", "an unescaped name of another program, such as mustache"),
    ("=", "an expression of another program"),
)


class Unreadable(NamedTuple):
    """A mark as it is written, and why Jinja does not read it as it is meant."""

    mark: str
    why: str


def find_unreadable(text: str, line: int | None) -> Unreadable | None:
    """Return the first mark that Jinja cannot read as it is meant, on that line (from 1; None: on any); None where no
    mark is known to be of that kind.
    """
    marks = [(text.count("\n", 0, hit.start()) + 1, hit) for hit in MARK.finditer(text)]
    found = [(at, one) for at, hit in marks if (one := _read(hit)) is not None]
    return next((one for at, one in found if line is None or at == line), None)


def _read(hit: re.Match[str]) -> Unreadable | None:
    inside = hit[1].strip()
    whose = next((whose for begin, whose in OTHERS if inside.startswith(begin)), None)
    if whose:
        return Unreadable(hit[0], f"is {whose}, and no program but that one fills it in")
    if MINUS.fullmatch(inside):
        first, _, rest = inside.partition("-")
        return Unreadable(hit[0], f"is read as {first} minus {rest}: a name in Jinja has no minus, but may have _")
    if BLANK.fullmatch(inside) and not WORDS & set(inside.split()):
        return Unreadable(hit[0], "is not one name: a name in Jinja has no blank, but may have _")
    return None
