"""Detect the language of a template: by its file's ending, else by its text, compared with the fields there are.

Each language fills in as one engine does: Jinja2, chevron's mustache, Python's `str.format`, `%` and `string.Template`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from string import Formatter
from typing import NamedTuple, get_args

from readback.records.fields.field_likeness import compute_likeness
from readback.types import Syntax

ENDINGS: dict[str, Syntax | None] = {
    ".j2": "jinja",
    ".jinja": "jinja",
    ".jinja2": "jinja",
    ".mustache": "mustache",
    ".prompt": None,
    ".txt": None,
    ".md": None,
}
LANGUAGES: tuple[Syntax, ...] = tuple(syntax for syntax in get_args(Syntax) if syntax != "builder")
LANGUAGE_NAMES: dict[str, str] = {
    "jinja": "Jinja",
    "mustache": "mustache",
    "format": "Python format",
    "percent": "Python %",
    "dollar": "Python string.Template",
    "placeholder": "{{NAME}} placeholders",
    "text": "plain text",
}
BLOCK = re.compile(r"\{%|\{\{[^{}]*\|[^{}]*\}\}")
SECTION = re.compile(r"\{\{[#^/]")
BRACED = re.compile(r"\{\{[-+]?\s*[^\W\d][\w.\[\]\"']*\s*[-+]?\}\}")
DOUBLE = re.compile(r"\{\{[-+#^]?\s*([^\W\d]\w*)[^{}]*\}\}")  # the first name in double braces
TAG = re.compile(r"\{%|\{\{[#^/]")  # what no text for another language has by chance
PERCENT = re.compile(r"%\(([^()\n]+)\)[#0\- +]*\d*(?:\.\d+)?[diouxXeEfFgGcrsa]")
DOLLAR = re.compile(r"(?<!\$)\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})", re.ASCII)  # as string.Template has it
MARKED = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|\{[^{}\n]*\}|%\([^()\n]+\)|\$\w+|\$\{\w+\}")
UNFILLED = re.compile(  # no LaTeX, no JSON; the last are other programs' ({{ $now }}, {{ @index }})
    r"(?<![\\\w{}])\{[^\W\d]\w{2,}\}(?!\})|%\([^\W\d]\w+\)s|\{\{\s*[$@][^\W\d][^{}\n]*\}\}"
)
# A name in double braces that no name of Jinja is: with a minus, or of several words.
MINUS = re.compile(r"(?<![\\\w{}^])\{\{\s*([^\W\d]\w+(?:-[^\W\d]\w+)+)\s*\}\}(?!\})")
WORDY = re.compile(r"(?<![\\\w{}^])\{\{\s*([^\W\d]\w*(?:[ -]+\w+)+)\s*\}\}(?!\})")
NO_NAMES = {
    MINUS: "whose minus is no part of a name in Jinja",
    WORDY: "whose name is no name in Jinja, which has no blank and no minus",
}
NEAR = 0.5  # how much alike a name and a field are where one may be meant by the other


class Language(NamedTuple):
    """The language of a template, and the reason for it."""

    syntax: Syntax
    reason: str


def detect_language(name: str, text: str, fields: Collection[str] | None) -> Language:
    """Return the language of the template in the file `name`.

    `fields` are those of the records, None where there are none.
    """
    ending = next((ending for ending in ENDINGS if name.lower().endswith(ending)), "")
    by_ending = ENDINGS.get(ending)
    if by_ending:
        return Language(by_ending, f"its name ends in {ending}")
    if _has_foreign_braces(text, fields or ()):
        by_field = _detect_by_field(text, fields or ())
        if by_field:
            return by_field
    patterns: tuple[tuple[Syntax, re.Pattern[str]], ...] = (("jinja", BLOCK), ("mustache", SECTION), ("jinja", BRACED))
    for syntax, pattern in patterns:
        match = pattern.search(text)
        if match:
            return Language(syntax, f"it holds {_shorten(match[0])}")
    name_in_format = _find_known(tuple(_list_format_names(text)), fields)
    if name_in_format:
        return Language("format", f"it holds {{{name_in_format}}}")
    name_in_percent = _find_known(tuple(PERCENT.findall(text)), fields)
    if name_in_percent:
        return Language("percent", f"it holds %({name_in_percent})…")
    name_in_dollar = _find_dollar_field(text, fields or ())
    if name_in_dollar:
        return Language("dollar", f"it holds ${name_in_dollar}, which is a field")
    return Language("text", "nothing in it is filled in")


def _has_foreign_braces(text: str, fields: Collection[str]) -> bool:
    """Return whether a text has double braces of which none names a field, and no tags of Jinja or mustache.

    `Answer {question}. Use {{braces}}.` over rows with a question is Python's format, whose double braces are braces.
    """
    names = DOUBLE.findall(text)
    return bool(names) and not TAG.search(text) and not any(name in fields for name in names)


def _detect_by_field(text: str, fields: Collection[str]) -> Language | None:
    """Return the language of single marks that are fields; None where there are none."""
    for name in _list_format_names(text):
        if name in fields:
            return Language("format", f"it holds {{{name}}}, which is a field")
    for name in PERCENT.findall(text):
        if name in fields:
            return Language("percent", f"it holds %({name})…, which is a field")
    dollar = _find_dollar_field(text, fields)
    if dollar:
        return Language("dollar", f"it holds ${dollar}, which is a field")
    return None


def _find_dollar_field(text: str, fields: Collection[str]) -> str | None:
    """Return the first field that is named as string.Template has it; None where there is none."""
    names = (plain or braced for plain, braced in DOLLAR.findall(text))
    return next((name for name in names if name in fields), None)


def names_a_field(text: str, fields: Collection[str]) -> bool:
    """Return whether one of the fields is named in the text in the way of any of the languages."""
    words = frozenset(re.findall(r"[^\W\d]\w*", " ".join(match[0] for match in MARKED.finditer(text))))
    return not words.isdisjoint(fields)


def find_unfilled_marks(text: str) -> tuple[str, ...]:
    """Return what looks like something to fill in, in a text in which nothing is: `{question}`, `%(question)s`."""
    return tuple(dict.fromkeys(match[0] for match in UNFILLED.finditer(text)))


class NoName(NamedTuple):
    """A mark in double braces, and why what is in it is no name."""

    mark: str
    why: str


def find_no_names(text: str, fields: Collection[str]) -> tuple[NoName, ...]:
    """Return the marks such as `{{user-name}}` that look like a name and are none, in the order of the text.

    Several words in braces (`{{see below}}`) are only meant to be a name where a field is called so.
    """
    first_places: dict[str, tuple[int, NoName]] = {}
    for pattern, why in NO_NAMES.items():
        for match in pattern.finditer(text):
            if pattern is MINUS or match[1] in fields:
                first_places.setdefault(match[0], (match.start(), NoName(match[0], why)))
    return tuple(no_name for _, no_name in sorted(first_places.values()))


def extract_name(mark: str) -> str:
    """Return the name in a mark: question of `{question}`, `{{ question }}` and `%(question)s`."""
    if mark.startswith("%("):
        name = mark[2:].rpartition(")")[0]
    else:
        name = mark.strip("{}")
    return name.strip()


def _list_format_names(text: str) -> Iterator[str]:
    """Yield the plain names in braces; none where `str.format` would refuse the braces."""
    try:
        names = [name for _, name, _, _ in Formatter().parse(text) if name is not None]
    except ValueError:
        return
    yield from (name for name in names if name.isidentifier())


def _find_known(names: Collection[str], fields: Collection[str] | None) -> str | None:
    """Return the first of the names that is a field, else the first that is nearly one; without records the first."""
    if fields is None:
        return next(iter(names), None)
    for name in names:
        if name in fields:
            return name
    for name in names:
        if any(compute_likeness(name, field) >= NEAR for field in fields):
            return name
    return None


def _shorten(text: str) -> str:
    line = " ".join(text.split())
    if len(line) <= 40:
        return line
    return f"{line[:40]}…"
