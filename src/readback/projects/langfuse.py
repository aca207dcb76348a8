"""Prompts of Langfuse as its server exports them: JSON with `prompt`, a text or a list of messages and placeholders.

`{{ name }}` is replaced once, from left to right; a name that the row lacks stays as typed, null writes nothing, and
values are written as Python writes them. A placeholder is replaced by the messages of its value, in which names are
replaced as well; one without a value stays in the list as the object that it is. Source: langfuse 5.0.4, model.py
(`compile`) and api/prompts. `render_row` runs in the bounded child.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from readback.projects.child_answers import make_row_work
from readback.projects.model import PromptFile, RenderedMessages, TextSegment
from readback.projects.stored_prompts import describe_messages, open_stored_prompts
from readback.projects.value_notes import TYPED, note_missing, note_rendered

TOOL = "langfuse"
NAME = re.compile(r"\{\{\s*([^\W\d]\w*)\s*\}\}")
OPENING, CLOSING = "{{", "}}"
PLACEHOLDER = "placeholder"
MESSAGE_KINDS = (None, "chatmessage", "message")  # the last is what the client writes
LEFT = "the placeholder stays among the messages as an object"
NO_ROLE = "NOT_GIVEN"  # the role of what a placeholder's value has none for
KINDS = ("text", "chat")
BESIDE = ("labels", "tags", "config", "type")  # what an export has beside name, version and prompt
MOST = 10_000  # messages of one prompt

Built = tuple[dict[str, Any], tuple[TextSegment, ...]]


class Uncompiled(Exception):  # noqa: N818 - carries the reason that Langfuse has
    """Langfuse fails for a value."""


def recognise(value: Mapping[str, Any]) -> bool:
    """Tell whether a parsed file is a prompt of Langfuse."""
    if not isinstance(value.get("name"), str) or "version" not in value or value.get("type", KINDS[0]) not in KINDS:
        return False
    return isinstance(value.get("prompt"), str | list) and any(key in value for key in BESIDE)


def read_prompt(path: Path, root: Path, name: str) -> PromptFile:
    """Return exported prompts as modes, with the reason where Langfuse does not take one."""
    return open_stored_prompts(path, root, name, "prompt", _make_settings)


def _make_settings(value: Mapping[str, Any]) -> tuple[str, dict[str, Any], str | None]:
    prompt = value.get("prompt")
    refused = _find_fault(prompt, value.get("type"))
    if isinstance(prompt, list):
        template = describe_messages(prompt)
    else:
        template = str(prompt or "")
    return template, {"tool": TOOL, "prompt": None if refused else prompt, "refused": refused}, refused


def _find_fault(prompt: Any, kind: Any) -> str | None:
    """Return why the client of Langfuse refuses a prompt."""
    if kind not in (None, *KINDS):
        return f"its type is {kind!r}; Langfuse knows {' and '.join(KINDS)}"
    if isinstance(prompt, str) and kind != "chat":
        return None
    if not isinstance(prompt, list) or kind == "text":
        return "its prompt is missing, or is neither a text nor a list of messages as its type says"
    for number, item in enumerate(prompt, 1):
        if not isinstance(item, Mapping):
            return f"message {number} is no object"
        is_place = isinstance(item.get("name"), str) and item.get("type") in (None, PLACEHOLDER)
        is_message = isinstance(item.get("role"), str) and isinstance(item.get("content"), str)
        if not is_place and not (is_message and item.get("type") in MESSAGE_KINDS):
            return f"message {number} has neither a role and a text nor the name of a placeholder"
    return None


def render_messages(settings: Mapping[str, Any], fields: Mapping[str, Any]) -> RenderedMessages:
    """Return what `compile` returns for the fields of a row."""
    if settings.get("refused"):
        return RenderedMessages(None, error=f"the prompt cannot be loaded: {settings['refused']}")
    prompt = settings["prompt"]
    if isinstance(prompt, str):
        segments = compile_text(prompt, fields)
        notes = note_missing(_list_missing(prompt, fields), TYPED)
        return RenderedMessages(None, "".join(each.text for each in segments), segments=(segments,), notes=notes)
    rendered: list[tuple[str, str]] = []
    try:
        built = list(_build_messages(prompt, fields, rendered))
    except Uncompiled as fault:
        return RenderedMessages(None, error=str(fault))
    texts = [item["content"] for item in prompt if item.get("type") != PLACEHOLDER and "content" in item]
    missing = [name for text in texts for name in _list_missing(text, fields)]
    places = [item["name"] for item in prompt if item.get("type") == PLACEHOLDER and item["name"] not in fields]
    return RenderedMessages(
        tuple(message for message, _ in built),
        segments=tuple(segments for _, segments in built),
        notes=(*note_missing(missing, TYPED), *note_missing(places, LEFT), *note_rendered(rendered)),
    )


render_row = make_row_work(render_messages)  # in the child


def _list_missing(template: str, values: Mapping[str, Any]) -> list[str]:
    """Return the names in a template that have no value, but for what is no name of a variable."""
    return [name for name in NAME.findall(template) if name not in values]


def compile_text(template: str, values: Mapping[str, Any]) -> tuple[TextSegment, ...]:
    """Return a template with its names replaced, in stretches."""
    segments: list[TextSegment] = []
    at = 0
    while (start := template.find(OPENING, at)) >= 0 and (end := template.find(CLOSING, start)) >= 0:
        name = template[start + len(OPENING) : end].strip()
        end += len(CLOSING)
        segments.append(TextSegment(template[at:start]))
        if name not in values:
            segments.append(TextSegment(template[start:end]))
        elif values[name] is not None:
            segments.append(TextSegment(str(values[name]), "variable", name))
        at = end
    segments.append(TextSegment(template[at:]))
    return tuple(segment for segment in segments if segment.text)


def _build_messages(
    items: Sequence[Mapping[str, Any]], values: Mapping[str, Any], rendered: list[tuple[str, str]]
) -> Iterator[Built]:
    """Yield the messages; what a value has to be filled in is added to `rendered`, with the name of the value."""
    for item in items:
        if item.get("type") != PLACEHOLDER:
            if "content" in item:  # one with nothing but a name is dropped
                segments = compile_text(item["content"], values)
                yield {"role": item["role"], "content": "".join(each.text for each in segments)}, segments
        elif item["name"] in values:
            yield from _build_inserted(item["name"], values, rendered)
        else:
            yield {"type": PLACEHOLDER, "name": item["name"]}, ()


def _build_inserted(name: str, values: Mapping[str, Any], rendered: list[tuple[str, str]]) -> Iterator[Built]:
    """Yield the messages of a placeholder's value; whatever is no list of objects is written as text."""
    value = values[name]
    if not isinstance(value, list):
        yield _write_whole(name, value)
        return
    if len(value) > MOST:
        raise Uncompiled(f"'{name}' has more than {MOST:,} messages")
    for each in value:
        if not isinstance(each, dict):
            yield _write_whole(name, value)
            continue
        content = each.get("content", "")
        if content in ([], {}):
            content = ""
        if not isinstance(content, str):
            raise Uncompiled(f"a message of '{name}' has a content that is no text")
        compiled = compile_text(content, values)
        rendered += [(name, f"{{{{{part.variable}}}}}") for part in compiled if part.variable is not None]
        segments = tuple(TextSegment(part.text, "variable", part.variable or name) for part in compiled)
        text = "".join(part.text for part in segments)
        yield {**each, "role": each.get("role", NO_ROLE), "content": text}, segments


def _write_whole(name: str, value: Any) -> Built:
    text = str(value)
    return {"role": NO_ROLE, "content": text}, (TextSegment(text, "variable", name),)
