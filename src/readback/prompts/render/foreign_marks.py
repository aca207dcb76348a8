"""Find the mark of a template that Jinja cannot read, and say what it is where that is known.

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
    """Hold a mark as it is written, and why Jinja does not read it as it is meant."""

    mark: str
    why: str


def find_unreadable(text: str, line: int | None) -> Unreadable | None:
    """Return the first mark that Jinja cannot read as it is meant, on that line (from 1; None: on any).

    Returns None where no mark is known to be of that kind.
    """
    marks = [(text.count("\n", 0, hit.start()) + 1, hit) for hit in MARK.finditer(text)]
    unreadable = [(mark_line, mark) for mark_line, hit in marks if (mark := _classify_mark(hit)) is not None]
    return next((mark for mark_line, mark in unreadable if line is None or mark_line == line), None)


def _classify_mark(hit: re.Match[str]) -> Unreadable | None:
    inside = hit[1].strip()
    owner = next((owner for begin, owner in OTHERS if inside.startswith(begin)), None)
    if owner:
        return Unreadable(hit[0], f"is {owner}, and no program but that one fills it in")
    if MINUS.fullmatch(inside):
        first, _, rest = inside.partition("-")
        return Unreadable(hit[0], f"is read as {first} minus {rest}: a name in Jinja has no minus, but may have _")
    if BLANK.fullmatch(inside) and not WORDS & set(inside.split()):
        return Unreadable(hit[0], "is not one name: a name in Jinja has no blank, but may have _")
    return None
