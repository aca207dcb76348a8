"""Prompts written in the workspace file itself: `modes:` and `tasks:`, as texts or as files beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

from readback.readers.paths import resolve, show
from readback.readers.text_file import read_text
from readback.readers.yaml_file import read_yaml
from readback.readers.yaml_node import Node
from readback.sources import plain_prompts
from readback.types import NOWHERE, Diagnostic, Location, Prompt, Syntax

NAME = "inline"
BLOCK = re.compile(r":\s*(?:[&!]\S*\s+)*[|>][-+0-9]{0,2}\s*(?:#.*)?$")
SYNTAXES = tuple(s for s in get_args(Syntax) if s != "builder")
PART = "part"  # also the key of Prompt.settings under which the number is kept
MODE = (
    "mode", "template", "template_file", PART, "system", "system_file", "syntax", "system_syntax", "default",
    "settings",
)  # fmt: skip
TASK = ("system", "system_file", "user", "user_file", "syntax", "system_syntax", "default")
NOTED = ("wording", "origin")  # of a task's own file: whose words they are, for people


def modes(node: Node, root: Path) -> Iterator[Prompt]:
    """The prompts of `modes:`, a list of mappings with `mode`; one without a name is left out with a diagnostic."""
    lines = _lines(node, root)
    for item in node.listed():
        parts = item.mapping(*MODE)
        name = parts["mode"].text() if "mode" in parts else None
        if name:
            yield _prompt(name, parts, "template", root, item.place, lines)
        elif "mode" not in parts:
            item.wrong("a mode with a name under mode")


def tasks(node: Node, root: Path) -> Iterator[Prompt]:
    """The base texts of `tasks:`, a mapping from task to system and user text."""
    lines = _lines(node, root)
    for name, part in node.entries():
        if isinstance(part.value, str):
            yield from _task_file(name, part, root)
        else:
            yield _prompt(name, part.mapping(*TASK), "user", root, part.place, lines)


def _task_file(name: str, named: Node, root: Path) -> Iterator[Prompt]:
    """The base texts of a task in a YAML file of its own, as `readback import-adapter` writes them."""
    path = resolve(root, named.value, place=named.place)
    if isinstance(path, Diagnostic):
        named.diagnostics.append(path)
        return
    parsed = read_yaml(path, show(root, path))
    top = Node(parsed.value, parsed, named.diagnostics)
    named.diagnostics.extend(parsed.diagnostics)
    parts = {key: part for key, part in top.mapping(*TASK, *NOTED).items() if key in TASK}
    yield _prompt(name, parts, "user", root, top.place, _lines(top, root))


def _prompt(
    name: str, parts: Mapping[str, Node], user: str, root: Path, place: Location, lines: Sequence[str]
) -> Prompt:
    template, template_place = _text(parts, user, root, lines)
    system, system_place = _text(parts, "system", root, lines)
    part = parts.get(PART)
    if part is not None:
        template, template_place = _part(part, template, template_place)
    syntax: Any = parts["syntax"].one_of(SYNTAXES) if "syntax" in parts else None
    of_system: Any = parts["system_syntax"].one_of(SYNTAXES) if "system_syntax" in parts else None
    return Prompt(
        mode=name,
        template=template,
        system=system,
        syntax=syntax or "jinja",
        system_syntax=of_system or syntax or "jinja",
        defaults=_values(parts.get("default")),
        settings={**_values(parts.get("settings")), **({PART: part.value} if part and template is not None else {})},
        place=place if template is None else template_place,
        system_place=system_place,
    )


def _text(parts: Mapping[str, Node], key: str, root: Path, lines: Sequence[str]) -> tuple[str | None, Location]:
    """The text under `key`, or of the file under `<key>_file`, and where it begins."""
    inline, file = parts.get(key), parts.get(f"{key}_file")
    if inline and file:
        file.wrong(f"nothing, since {key} is given too")
    if inline:
        return inline.text(), _begins(inline.place, lines)
    named = file.text() if file else None
    if file is None or named is None:
        return None, NOWHERE
    path = resolve(root, named, place=file.place)
    if isinstance(path, Diagnostic):
        file.diagnostics.append(path)
        return None, NOWHERE
    text, diagnostics = read_text(path, show(root, path))
    file.diagnostics.extend(diagnostics)
    return text, Location(file=show(root, path), line=1, column=1)


def _part(node: Node, text: str | None, place: Location) -> tuple[str | None, Location]:
    """One of the prompts that lines of three dashes part in a text file, counted from 1."""
    number = node.whole(1)
    if text is None or number is None:
        return None, place
    if not plain_prompts.may_be_cut(place.file or "", text) or number > plain_prompts.parts(text):
        there = plain_prompts.parts(text) if plain_prompts.may_be_cut(place.file or "", text) else 0
        node.wrong(f"a number up to {there}" if there else "nothing: the text is no .txt file with lines of ---")
        return None, place
    piece, line = plain_prompts.pieces(text)[number - 1]
    return piece, replace(place, line=line)


def _lines(node: Node, root: Path) -> list[str]:
    """The lines of the workspace file, in which a text's first line is looked up."""
    text, _ = read_text(root / node.parsed.file, node.parsed.file)
    return (text or "").split("\n")


def _begins(place: Location, lines: Sequence[str]) -> Location:
    """Where a text begins whose key is at `place`: for a block (`template: |`) that is the line below."""
    if place.line is None or place.line >= len(lines) or not BLOCK.search(lines[place.line - 1]):
        return place
    first = next((line for line in lines[place.line :] if line.strip()), "")
    return replace(place, line=place.line + 1, column=len(first) - len(first.lstrip()) + 1)


def _values(node: Node | None) -> dict[str, Any]:
    return node.values() if node else {}
