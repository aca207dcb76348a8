"""Templates with single braces, as LangChain fills them: Python's format on the names of variables alone.

Conversions and format specifications work; `.name` and `[key]` are refused when a prompt is loaded. What is filled in
again - the examples of a few-shot prompt - is not looked at then, so it can read a key of a value here too; attributes
of values are never read. Source: langchain_core 1.7.2, prompts/string.py and utils/formatting.py, and the format
string syntax of Python's `string`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from string import Formatter
from typing import Any

from readback.projects.langchain.faults import Unfilled, Unloadable
from readback.projects.model import TextSegment

CONVERSIONS: dict[str, Callable[[Any], str]] = {"s": str, "r": repr, "a": ascii}
KEYS = re.compile(r"\[([^\]]+)\]")
WIDE = re.compile(r"\d{7,}")  # columns that nobody pads a prompt to


def list_variables(template: str) -> list[str]:
    """Return the variables of a template, sorted; raises Unloadable for what LangChain refuses in one."""
    names: set[str] = set()
    try:
        parsed = list(Formatter().parse(template))
    except ValueError as error:
        raise Unloadable(f"the template is no f-string: {error}") from None
    for _, name, specification, _ in parsed:
        if name is None:
            continue
        if any(sign in name for sign in ".[]"):
            raise Unloadable(f"the variable '{name}' reads into a value, which is refused in an f-string template")
        if name.isdigit():
            raise Unloadable(f"the variable '{name}' is a number, which stands for a position")
        if specification and ("{" in specification or "}" in specification):
            raise Unloadable(f"the format of '{name}' holds a variable")
        names.add(name)
    return sorted(names)


def fill_fields(template: str, values: Mapping[str, Any]) -> list[TextSegment]:
    """Return the filled template in stretches; raises Unfilled."""
    segments: list[TextSegment] = []
    try:
        parsed = list(Formatter().parse(template))
    except ValueError as error:
        raise Unfilled(f"the text is no f-string: {error}") from None
    lacking = sorted({name for _, name, _, _ in parsed if name and _is_plain(name) and name not in values})
    if lacking:
        raise Unfilled(f"the row lacks {', '.join(lacking)}")
    for literal, name, specification, conversion in parsed:
        segments.append(TextSegment(literal))
        if name is not None:
            segments.append(_fill_field(name, specification or "", conversion, values))
    return [segment for segment in segments if segment.text]


def _is_plain(name: str) -> bool:
    return not any(sign in name for sign in ".[")


def _fill_field(name: str, specification: str, conversion: str | None, values: Mapping[str, Any]) -> TextSegment:
    value = _find_value(name, values)
    if conversion:
        if conversion not in CONVERSIONS:
            raise Unfilled(f"'{name}' has the conversion '!{conversion}', which does not exist")
        value = CONVERSIONS[conversion](value)
    if "{" in specification or "}" in specification:
        raise Unfilled(f"the format of '{name}' holds a variable, which Readback does not fill")
    if WIDE.search(specification):
        raise Unfilled(f"'{name}' would be padded to millions of characters")
    try:
        text = format(value, specification)
    except (TypeError, ValueError, OverflowError) as error:
        raise Unfilled(f"'{name}': {error}") from None
    return TextSegment(text, "variable", name)


def _find_value(name: str, values: Mapping[str, Any]) -> Any:
    """Return the value of a name, or what a key in brackets behind it leads to."""
    if not name or name.isdigit():
        raise Unfilled(f"'{{{name}}}' stands for a position, and there are none")
    first, bracket, _ = name.partition("[")
    if "." in name:
        raise Unfilled(f"'{{{name}}}' reads an attribute of a value, which Readback does not")
    if first not in values:
        raise Unfilled(f"the row lacks {first}")
    value = values[first]
    steps = KEYS.findall(name[len(first) :])
    if bracket and "".join(f"[{step}]" for step in steps) != name[len(first) :]:
        raise Unfilled(f"'{{{name}}}' has brackets that do not close")
    for step in steps:
        try:
            value = value[int(step) if step.isdigit() else step]
        except (KeyError, IndexError, TypeError, ValueError):
            raise Unfilled(f"'{{{name}}}' leads to nothing in the value of '{first}'") from None
    return value
