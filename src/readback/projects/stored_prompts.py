"""Prompts that a registry keeps: a JSON object with a text or a list of messages, or a list of such objects.

A text file is the prompt itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from readback.projects.model import ProjectMode, PromptFile
from readback.readers.files.paths import format_relative
from readback.readers.files.text_file import read_text
from readback.readers.yaml.yaml_file import read_yaml
from readback.types import Diagnostic, Location

OBJECTS = (".json", ".yaml", ".yml")
MOST = 500  # prompts of one list

Maker = Callable[[Mapping[str, Any]], tuple[str, dict[str, Any], str | None]]


@dataclass(frozen=True, slots=True)
class StoredPrompt:
    """What a file of a registry holds; `refused` says why it holds nothing."""

    value: Mapping[str, Any]
    place: Location
    refused: str | None = None
    diagnostics: tuple[Diagnostic, ...] = ()


def read_stored_prompt(path: Path, root: Path, key: str) -> StoredPrompt:
    """Return the object in a file whose prompt stands under `key`; a file that is no JSON and no YAML is the text."""
    file = format_relative(root, path)
    if path.suffix.lower() in OBJECTS:
        parsed = read_yaml(path, file)
        if isinstance(parsed.value, Mapping):
            return StoredPrompt(parsed.value, parsed.place(key), None, parsed.diagnostics)
        if parsed.value is not None:
            reason = "it holds no object with a prompt"
        else:
            reason = "it cannot be read"
        return StoredPrompt({}, parsed.place(), reason, parsed.diagnostics)
    text, diagnostics = read_text(path, file)
    place = Location(file=file, line=1)
    if text is None:
        return StoredPrompt({}, place, "it cannot be read", diagnostics)
    return StoredPrompt({key: text.replace("\r\n", "\n").replace("\r", "\n")}, place, None, diagnostics)


def open_stored_prompts(path: Path, root: Path, name: str, key: str, make: Maker) -> PromptFile:
    """Return the prompt of a file as a mode, or each of a list of them; `make` reads an object.

    It gives the template for people, the settings of the mode, and why the tool refuses the prompt.
    """
    file = format_relative(root, path)
    if path.suffix.lower() in OBJECTS:
        parsed = read_yaml(path, file)
    else:
        parsed = None
    if parsed is None or not isinstance(parsed.value, list) or not parsed.value:
        stored = read_stored_prompt(path, root, key)
        template, settings, refused = make(stored.value)
        if stored.refused:
            refused, settings = stored.refused, {**settings, "refused": stored.refused}
        return PromptFile(ProjectMode(name, template, settings, stored.place), refused, diagnostics=stored.diagnostics)
    modes, reasons = [], []
    names = Counter(_find_name(each) for each in parsed.value)
    for number, each in enumerate(parsed.value[:MOST]):
        template, settings, refused = make(each if isinstance(each, Mapping) else {})
        label = _find_name(each) or str(number + 1)
        if names[label] > 1 and isinstance(each, Mapping) and "version" in each:
            label = f"{label} v{each['version']}"
        modes.append(ProjectMode(f"{name} · {label}", template, settings, parsed.place(number, key)))
        reasons += [f"'{label}': {refused}"] if refused else []
    left_out = len(parsed.value) - len(modes)
    notes = (f"the first {MOST} prompts, {left_out} more are left out",) if left_out else ()
    return PromptFile(
        modes[0], "; ".join(reasons) or None, notes=notes, diagnostics=parsed.diagnostics, others=tuple(modes[1:])
    )


def _find_name(value: Any) -> str:
    if isinstance(value, Mapping):
        return str(value.get("name") or "")
    return ""


def describe_messages(messages: Sequence[Any]) -> str:
    """Return the templates of messages as one text for people: each below its role."""
    return "\n\n".join(_describe_message(each) for each in messages)


def _describe_message(message: Any) -> str:
    if not isinstance(message, Mapping):
        return str(message)
    if "role" not in message:
        return f"[messages of {message.get('name')}]"
    return f"{message['role']}:\n{message.get('content')}"
