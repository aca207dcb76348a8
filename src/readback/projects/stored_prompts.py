"""Prompts that a registry keeps: a JSON object with a text or a list of messages; or a text file that is the prompt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from readback.readers.paths import format_relative
from readback.readers.text_file import read_text
from readback.readers.yaml_file import read_yaml
from readback.types import Diagnostic, Location

OBJECTS = (".json", ".yaml", ".yml")


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
        reason = "it holds no object with a prompt" if parsed.value is not None else "it cannot be read"
        return StoredPrompt({}, parsed.place(), reason, parsed.diagnostics)
    text, diagnostics = read_text(path, file)
    place = Location(file=file, line=1)
    if text is None:
        return StoredPrompt({}, place, "it cannot be read", diagnostics)
    return StoredPrompt({key: text.replace("\r\n", "\n").replace("\r", "\n")}, place, None, diagnostics)


def describe_messages(messages: Sequence[Any]) -> str:
    """Return the templates of messages as one text for people: each below its role."""
    return "\n\n".join(_describe_message(each) for each in messages)


def _describe_message(message: Any) -> str:
    if not isinstance(message, Mapping):
        return str(message)
    if "role" not in message:
        return f"[messages of {message.get('name')}]"
    return f"{message['role']}:\n{message.get('content')}"
