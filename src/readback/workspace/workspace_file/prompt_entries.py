"""Prompts of `modes:` and `tasks:`, as texts in readback.yml or in files beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from readback.readers.files.paths import format_relative, resolve
from readback.readers.files.text_file import read_text
from readback.readers.yaml.yaml_file import Node, read_yaml
from readback.sources.templates import plain_prompts
from readback.sources.templates.plain_prompts import PART
from readback.types import NOWHERE, Diagnostic, Location, Prompt
from readback.workspace.workspace_file.schema import PROMPT_FILE, NamedPrompts, PromptSection
from readback.workspace.workspace_file.values import TextNode

BLOCK = re.compile(r":\s*(?:[&!]\S*\s+)*[|>][-+0-9]{0,2}\s*(?:#.*)?$")
CONFIGURATIONS = (".yml", ".yaml", ".json")  # what holds a prompt's texts under keys; other files are a template


def read_prompts(section: NamedPrompts, root: Path, *, tasks: bool = False) -> Iterator[Prompt]:
    """Yield the prompts that `modes:` or, with `tasks`, `tasks:` define. What cannot be read is reported."""
    lines = _read_lines(section.node, root)
    for name, entry in section.prompts:
        if isinstance(entry, PromptSection):
            yield _build_prompt(name, entry, root, lines)
        elif tasks or entry.text.lower().endswith(CONFIGURATIONS):
            yield from _read_configuration(name, entry, root)
        else:
            parts = {"template_file": entry.node}
            named = PromptSection(node=entry.node, parts=parts, template_file=entry)
            yield _build_prompt(name, named, root, lines)


def _read_configuration(name: str, named: TextNode, root: Path) -> Iterator[Prompt]:
    """Yield the prompt of a YAML file of its own, as `readback import-adapter` writes them."""
    path = resolve(root, named.text, place=named.place)
    if isinstance(path, Diagnostic):
        named.node.diagnostics.append(path)
        return
    parsed = read_yaml(path, format_relative(root, path))
    top = Node(parsed.value, parsed, named.node.diagnostics)
    named.node.diagnostics.extend(parsed.diagnostics)
    section = PROMPT_FILE.read(top)
    if section:
        yield _build_prompt(name, section, root, _read_lines(top, root))


def _build_prompt(name: str, section: PromptSection, root: Path, lines: Sequence[str]) -> Prompt:
    template, place = _read_text("template", section.template, section.template_file, section, root, lines)
    system, system_place = _read_text("system", section.system, section.system_file, section, root, lines)
    settings = dict(section.settings)
    if PART in section.parts:
        template, place = _cut_part(section.parts[PART], section.part, template, place)
        if template is not None:
            settings[PART] = section.part
    syntax: Any = section.syntax or "jinja"
    system_syntax: Any = section.system_syntax or syntax
    return Prompt(
        mode=name,
        template=template,
        system=system,
        syntax=syntax,
        system_syntax=system_syntax,
        defaults=section.default,
        settings=settings,
        place=section.place if template is None else place,
        system_place=system_place,
    )


def _read_text(
    key: str, text: str | None, file: TextNode | None, section: PromptSection, root: Path, lines: Sequence[str]
) -> tuple[str | None, Location]:
    """Return a text that is written in the section, or that of the file which it names, and where it begins."""
    written = section.parts.get(key)
    if written and file:
        file.node.wrong(f"nothing, since {written.keys[-1]} is given too")
    if written:
        return text, _locate_text(written.place, lines)
    if file is None:
        return None, NOWHERE
    path = resolve(root, file.text, place=file.place)
    if isinstance(path, Diagnostic):
        file.node.diagnostics.append(path)
        return None, NOWHERE
    text, diagnostics = read_text(path, format_relative(root, path))
    file.node.diagnostics.extend(diagnostics)
    return text, Location(file=format_relative(root, path), line=1, column=1)


def _cut_part(node: Node, number: int | None, text: str | None, place: Location) -> tuple[str | None, Location]:
    """Return one of the prompts that lines of three dashes part in a text file, counted from 1, and its place."""
    if text is None or number is None:
        return None, place
    if plain_prompts.has_parts(place.file or "", text):
        count = plain_prompts.count_parts(text)
    else:
        count = 0
    if number > count:
        node.wrong(f"a number up to {count}" if count else "nothing: the text is no .txt file with lines of ---")
        return None, place
    part, line = plain_prompts.split_parts(text)[number - 1]
    return part, replace(place, line=line)


def _read_lines(node: Node, root: Path) -> list[str]:
    """Return the lines of the file that a node is in, in which a text's first line is looked up."""
    text, _ = read_text(root / node.parsed.file, node.parsed.file)
    return (text or "").split("\n")


def _locate_text(place: Location, lines: Sequence[str]) -> Location:
    """Return where a text begins whose key is at `place`: for a block (`template: |`) that is the line below."""
    if place.line is None or place.line >= len(lines) or not BLOCK.search(lines[place.line - 1]):
        return place
    first = next((line for line in lines[place.line :] if line.strip()), "")
    return replace(place, line=place.line + 1, column=len(first) - len(first.lstrip()) + 1)
