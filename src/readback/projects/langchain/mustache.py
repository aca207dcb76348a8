"""Templates with sections, as LangChain's own mustache renders them, into stretches that remember their variable.

It is chevron without partials (they are empty) that steps into objects and lists alone. What is peculiar there stays:
an empty value is no text but 0 and false are, a delimiter that ends the text is dropped, `{{{x}}` writes nothing.
Source: langchain_core 1.7.2, utils/mustache.py, after chevron (MIT).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from readback.projects.langchain.faults import Unfilled, Unloadable
from readback.projects.model import TextSegment

KINDS = {
    "!": "comment",
    "#": "section",
    "^": "inverted",
    "/": "end",
    ">": "partial",
    "=": "delimiters",
    "{": "raw?",
    "&": "raw",
}
OPENING = ("section", "inverted")
READING = ("variable", "raw", *OPENING)
ESCAPES = (("&", "&amp;"), ('"', "&quot;"), ("<", "&lt;"), (">", "&gt;"))
STEPS = 500_000  # tags that one rendering goes through: lists within lists multiply
DEEP = 100  # sections over lists within each other


class Tag(NamedTuple):
    """A stretch of the template: `kind` literal with its text, or a tag with its key."""

    kind: str
    key: str


def list_variables(template: str) -> list[str]:
    """Return the variables outside of sections, without what follows a dot, sorted; raises Unloadable."""
    names: set[str] = set()
    depth = 0
    for kind, key in split_tags(template):
        depth -= kind == "end"
        if kind in READING and key != "." and depth == 0:
            names.add(key.split(".")[0])
        depth += kind in OPENING
    return sorted(names)


def fill_mustache(template: str, values: dict[str, Any]) -> list[TextSegment]:
    """Return the filled template in stretches; raises Unfilled or Unloadable."""
    run = _Run()
    run.render(list(split_tags(template)), [values], 0)
    return [segment for segment in run.segments if segment.text]


def split_tags(template: str) -> Iterator[Tag]:
    """Cut a template into literals and tags; a tag alone on its line takes the line with it. Raises Unloadable."""
    left, right = "{{", "}}"
    alone = True
    opened: list[str] = []
    while template:
        literal, _, template = template.partition(left)
        if not template:
            yield Tag("literal", literal)
            break
        padding = literal.rpartition("\n")[2]
        alone = ("\n" in literal or alone) and (not padding or padding.isspace())
        inside, delimiter, template = template.partition(right)
        if not delimiter:
            raise Unloadable("the mustache template has a tag that is not closed")
        if not inside.strip():
            raise Unloadable("the mustache template has an empty tag")
        kind = KINDS.get(inside[0], "variable")
        key = inside[1:] if kind != "variable" else inside
        if kind == "delimiters":
            if not key.endswith("="):
                raise Unloadable("the mustache template has a tag for delimiters that is not closed")
            key = key[:-1]
        elif kind == "raw?" and (left, right) == ("{{", "}}") and template.startswith("}"):
            template, kind = template[1:], "raw"
        key = key.strip()
        if kind == "delimiters":
            left, right = key.split(" ")[0], key.split(" ")[-1]
            if not (left and right):
                raise Unloadable("the mustache template has an empty delimiter")
        elif kind in OPENING:
            opened.append(key)
        elif kind == "end":
            if not opened:
                raise Unloadable(f"the section '{key}' of the mustache template is closed and was not opened")
            if (last := opened.pop()) != key:
                raise Unloadable(f"the section '{key}' of the mustache template is closed where '{last}' is open")
        after = template.partition("\n")[0]
        alone = alone and kind not in ("variable", "raw") and (not after or after.isspace())
        if alone:
            template = template.split("\n", 1)[-1]
            if kind != "partial":
                literal = literal.rstrip(" ")
        if literal:
            yield Tag("literal", literal)
        if kind != "comment":
            yield Tag(kind, key)
    if opened:
        raise Unloadable(f"the section '{opened[-1]}' of the mustache template is not closed")


class _Run:
    """One rendering and what it has written."""

    def __init__(self) -> None:
        self.segments: list[TextSegment] = []
        self.steps = 0

    def render(self, tags: Sequence[Tag], scopes: list[Any], depth: int) -> None:
        """Write the tags; `scopes` has the innermost first and is changed."""
        index = 0
        while index < len(tags):
            kind, key = tags[index]
            index += 1
            self.steps += 1
            if self.steps > STEPS or depth > DEEP:
                raise Unfilled("the mustache template has more sections within sections than Readback renders")
            if not scopes:
                raise Unfilled(f"the section '{key}' holds another one of the same name")
            if kind == "end":
                del scopes[0]
            elif not scopes[0] and len(scopes) != 1:
                if kind in OPENING:
                    scopes.insert(0, False)
            elif kind == "literal":
                self.segments.append(TextSegment(key))
            elif kind in ("variable", "raw"):
                self._write_value(kind, key, scopes)
            elif kind == "inverted":
                scopes.insert(0, not _find_value(key, scopes))
            elif kind == "section":
                value = _find_value(key, scopes)
                if not isinstance(value, list):
                    scopes.insert(0, value)
                    continue
                inner, index = _cut_section(tags, index, key)
                for each in value:
                    self.render(inner, [each, *scopes], depth + 1)

    def _write_value(self, kind: str, key: str, scopes: list[Any]) -> None:
        value = _find_value(key, scopes)
        if value is True and key == "." and kind == "variable" and len(scopes) > 1:
            value = scopes[1]
        if isinstance(value, str):
            text = value
        else:
            text = str(value)
        if kind == "variable":
            for sign, escape in ESCAPES:
                text = text.replace(sign, escape)
        self.segments.append(TextSegment(text, "variable", key))


def _cut_section(tags: Sequence[Tag], start: int, key: str) -> tuple[Sequence[Tag], int]:
    """Return the tags of a section that was just opened, and the index behind its end."""
    nested = 0
    for index in range(start, len(tags)):
        nested += tags[index] == ("section", key)
        nested -= tags[index] == ("end", key)
        if nested < 0:
            return tags[start:index], index + 1
    return tags[start:], len(tags)


def _find_value(key: str, scopes: Sequence[Any]) -> Any:
    """Return the value of a key in the innermost scope that has it; empty values become no text, but 0 and false."""
    if key == ".":
        return scopes[0]
    for scope in scopes:
        if scope in (0, False):
            return scope
        value = scope
        try:
            for step in key.split("."):
                if value in (0, False):
                    break
                value = _step_into(value, step)
        except (KeyError, IndexError, ValueError):
            continue
        if value in (0, False):
            return value
        return value or ""
    return ""


def _step_into(value: Any, step: str) -> Any:
    if isinstance(value, dict):
        return value[step]
    if isinstance(value, list):
        return value[int(step)]
    raise KeyError(step)
