"""In which language a template is written: its file's ending says so, else its text, held against the fields there are.

Each language fills in as one engine does: Jinja2, chevron's mustache, Python's `str.format`, `%` and `string.Template`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from string import Formatter
from typing import NamedTuple, get_args

from readback.records.field_likeness import compute_likeness
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
LANGUAGES: tuple[Syntax, ...] = tuple(one for one in get_args(Syntax) if one != "builder")
SAID: dict[str, str] = {
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
    """The language, and why it is thought to be."""

    syntax: Syntax
    reason: str


def language(name: str, text: str, fields: Collection[str] | None) -> Language:
    """The language of the template in the file `name`; `fields` are those of the records, None where there are none."""
    ending = next((ending for ending in ENDINGS if name.lower().endswith(ending)), "")
    if said := ENDINGS.get(ending):
        return Language(said, f"its name ends in {ending}")
    if single := _by_fields(text, fields or ()):
        return single
    if found := BLOCK.search(text):
        return Language("jinja", f"it holds {_short(found[0])}")
    if found := SECTION.search(text):
        return Language("mustache", f"it holds {_short(found[0])}")
    if found := BRACED.search(text):
        return Language("jinja", f"it holds {_short(found[0])}")
    for syntax, names in (("format", tuple(_format_names(text))), ("percent", tuple(PERCENT.findall(text)))):
        if one := _known(names, fields):
            spelt = f"{{{one}}}" if syntax == "format" else f"%({one})…"
            return Language("format" if syntax == "format" else "percent", f"it holds {spelt}")
    dollars = [one or other for one, other in DOLLAR.findall(text)]
    if fields and (one := next((one for one in dollars if one in fields), None)):
        return Language("dollar", f"it holds ${one}, which is a field")
    return Language("text", "nothing in it is filled in")


def _by_fields(text: str, fields: Collection[str]) -> Language | None:
    """The language of single marks that are fields, in a text whose double braces name none; else None.

    `Answer {question}. Use {{braces}}.` over rows with a question is Python's format, whose double braces are braces.
    """
    doubles = DOUBLE.findall(text)
    if not doubles or TAG.search(text) or any(name in fields for name in doubles):
        return None
    if one := next((name for name in _format_names(text) if name in fields), None):
        return Language("format", f"it holds {{{one}}}, which is a field")
    if one := next((name for name in PERCENT.findall(text) if name in fields), None):
        return Language("percent", f"it holds %({one})…, which is a field")
    dollars = (one or other for one, other in DOLLAR.findall(text))
    if one := next((name for name in dollars if name in fields), None):
        return Language("dollar", f"it holds ${one}, which is a field")
    return None


def names_a_field(text: str, fields: Collection[str]) -> bool:
    """Whether one of the fields is named in the text in the way of any of the languages."""
    words = frozenset(re.findall(r"[^\W\d]\w*", " ".join(found[0] for found in MARKED.finditer(text))))
    return not words.isdisjoint(fields)


def left_as_they_are(text: str) -> tuple[str, ...]:
    """What looks like something to fill in, in a text in which nothing is: `{question}`, `%(question)s`."""
    return tuple(dict.fromkeys(found[0] for found in UNFILLED.finditer(text)))


class NoName(NamedTuple):
    """A mark in double braces, and why what is in it is no name."""

    mark: str
    why: str


def find_no_names(text: str, fields: Collection[str]) -> tuple[NoName, ...]:
    """Return the marks such as `{{user-name}}` that look like a name and are none, in the order of the text.

    Several words in braces (`{{see below}}`) are only meant to be a name where a field is called so.
    """
    found: dict[str, tuple[int, NoName]] = {}
    for pattern, why in NO_NAMES.items():
        for hit in pattern.finditer(text):
            if pattern is MINUS or hit[1] in fields:
                found.setdefault(hit[0], (hit.start(), NoName(hit[0], why)))
    return tuple(one for _, one in sorted(found.values()))


def name_in(mark: str) -> str:
    """Return the name in a mark: question of `{question}`, `{{ question }}` and `%(question)s`."""
    inner = mark[2:].rpartition(")")[0] if mark.startswith("%(") else mark.strip("{}")
    return inner.strip()


def _format_names(text: str) -> Iterator[str]:
    """The plain names in braces; none where `str.format` would refuse the braces."""
    try:
        names = [name for _, name, _, _ in Formatter().parse(text) if name is not None]
    except ValueError:
        return
    yield from (name for name in names if name.isidentifier())


def _known(names: Collection[str], fields: Collection[str] | None) -> str | None:
    """The first of the names that is a field, or nearly one; without records the first."""
    if fields is None:
        return next(iter(names), None)
    near = (one for one in names if any(compute_likeness(one, field) >= NEAR for field in fields))
    return next((one for one in names if one in fields), None) or next(near, None)


def _short(text: str) -> str:
    one = " ".join(text.split())
    return one if len(one) <= 40 else f"{one[:40]}…"
