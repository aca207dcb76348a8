"""Prompts of LlamaIndex: templates with single braces, rich ones in Jinja, and both as `model_dump_json` writes them.

In a `PromptTemplate` `{name}` is replaced once; whatever else stands in braces, also a name that the row lacks, stays
as typed, and values are written as Python writes them. A `RichPromptTemplate` is a template of banks (`chat_blocks`). A
text is sent as the user's. A file of text is a rich template where its ending is one of Jinja's, or where it has a tag
of Jinja; any other is a plain one. Source: llama-index-core 0.14.25, prompts/base.py, prompts/rich.py and
prompts/utils.py. `render_row` runs in the bounded child.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from readback.projects.chat_blocks import ChatBlock, find_template_fault, render_chat_blocks
from readback.projects.child_answers import make_row_work
from readback.projects.jinja_text import JinjaFault
from readback.projects.model import ProjectMode, PromptFile, RenderedMessages, TextSegment
from readback.projects.owned_text import join_owned
from readback.projects.stored_prompts import OBJECTS, describe_messages, read_stored_prompt
from readback.projects.value_notes import EMPTY, TYPED, note_missing

TOOL = "llamaindex"
RICH_ENDINGS = (".jinja", ".jinja2", ".j2")
TAG = re.compile(r"\{%.*?%\}", re.DOTALL)
NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*(?:\.[a-zA-Z_][a-zA-Z0-9_]*)*")
FIELD = re.compile(r"\{([^{}]+)\}")
MAPPINGS = "template_var_mappings"
TEMPLATES = ("template", "template_str", "message_templates")
MODEL = "llm"  # a name that the tool takes for itself

Built = tuple[dict[str, Any], tuple[TextSegment, ...]]


def recognise(value: Mapping[str, Any]) -> bool:
    """Tell whether a parsed file is a prompt of LlamaIndex as its `model_dump_json` writes one."""
    return {"template_vars", MAPPINGS} <= value.keys() and any(key in value for key in TEMPLATES)


def read_prompt(path: Path, root: Path, name: str) -> PromptFile:
    """Return a template or a dumped prompt as a mode."""
    is_dump = path.suffix.lower() in OBJECTS
    stored = read_stored_prompt(path, root, "template")
    value: dict[str, Any] = dict(stored.value)
    if not is_dump and _is_rich(path, str(value.get("template", ""))):
        value = {"template_str": value["template"]}
    refused = stored.refused or _find_fault(value)
    if not refused and "template_str" in value:
        refused = find_template_fault(value["template_str"])
    messages = value.get("message_templates")
    if isinstance(messages, list):
        described = _list_described(messages)
    else:
        described = []
    template = value.get("template_str", value.get("template", ""))
    if described:
        text = describe_messages(described)
    else:
        text = str(template or "")
    stored_keys = {key: value[key] for key in (*TEMPLATES, MAPPINGS, "kwargs") if key in value}
    settings = {"tool": TOOL, "refused": refused, **({} if refused else stored_keys)}
    return PromptFile(ProjectMode(name, text, settings, stored.place), refused, diagnostics=stored.diagnostics)


def _is_rich(path: Path, text: str) -> bool:
    return path.suffix.lower() in RICH_ENDINGS or TAG.search(text) is not None


def _find_fault(value: Mapping[str, Any]) -> str | None:
    """Return why LlamaIndex would not load what was dumped, or why nobody can tell what it would send."""
    if value.get("function_mappings"):
        return "some of its variables are made by functions, which are in no file"
    if value.get("output_parser"):
        return "its output parser adds to the prompt, and it is in no file"
    if not isinstance(value.get(MAPPINGS) or {}, Mapping) or not isinstance(value.get("kwargs") or {}, Mapping):
        return "its variables are no mapping"
    messages = value.get("message_templates")
    if messages is None:
        is_text = isinstance(value.get("template_str", value.get("template")), str)
        if is_text:
            return None
        return "its template is missing, or is no text"
    if not isinstance(messages, list):
        return "its messages are no list"
    for number, each in enumerate(messages, 1):
        if isinstance(each, Mapping):
            blocks = each.get("blocks")
        else:
            blocks = None
        if not isinstance(blocks, list) or not all(isinstance(block, Mapping) for block in blocks):
            return f"message {number} has no list of blocks"
        if not all(isinstance(block.get("text"), str) for block in blocks if _is_text(block)):
            return f"a text of message {number} is no text"
    return None


def _is_text(block: Mapping[str, Any]) -> bool:
    return bool(block.get("block_type", "text") == "text")


def _list_described(messages: list[Any]) -> list[dict[str, Any]]:
    """Return messages with their texts joined, for people."""
    described = []
    for each in messages:
        about = each if isinstance(each, Mapping) else {}
        blocks = about.get("blocks")
        texts = [
            str(block.get("text", block.get("block_type", "")))
            for block in (blocks if isinstance(blocks, list) else ())
            if isinstance(block, Mapping)
        ]
        described.append({"role": about.get("role", ""), "content": "\n".join(texts)})
    return described


def render_messages(settings: Mapping[str, Any], fields: Mapping[str, Any]) -> RenderedMessages:
    """Return what `format_messages` returns for the fields of a row."""
    if settings.get("refused"):
        return RenderedMessages(None, error=f"the prompt cannot be loaded: {settings['refused']}")
    values = _map_names(settings, fields)
    missing: list[str] = []
    try:
        built = list(_build_messages(settings, values, missing))
    except JinjaFault as fault:
        return RenderedMessages(None, error=str(fault))
    notes = note_missing(missing, EMPTY if "template_str" in settings else TYPED)
    messages, segments = tuple(message for message, _ in built), tuple(segments for _, segments in built)
    return RenderedMessages(messages, segments=segments, notes=notes)


render_row = make_row_work(render_messages)  # in the child


def _map_names(settings: Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values by the names that the template has for them."""
    names = settings.get(MAPPINGS) or {}
    values = {**(settings.get("kwargs") or {}), **fields}
    return {str(names.get(name, name)): value for name, value in values.items() if name != MODEL}


def _build_messages(settings: Mapping[str, Any], values: Mapping[str, Any], missing: list[str]) -> Iterator[Built]:
    if "message_templates" in settings:
        for each in settings["message_templates"]:
            yield _build_message(each, values, missing)
    elif "template_str" in settings:
        for block in render_chat_blocks(settings["template_str"], values, missing):
            yield _build_block(block)
    else:
        missing += _list_missing(settings["template"], values)
        segments = fill_fields(settings["template"], values)
        yield {"role": "user", "content": "".join(part.text for part in segments)}, segments


def _list_missing(template: str, values: Mapping[str, Any]) -> list[str]:
    """Return the names in single braces that have no value; what else stands in braces is no name."""
    return [match[1] for match in FIELD.finditer(template) if NAME.fullmatch(match[1]) and match[1] not in values]


def fill_fields(template: str, values: Mapping[str, Any]) -> tuple[TextSegment, ...]:
    """Return a template with the names in single braces replaced, in stretches."""
    segments, at = [], 0
    for match in FIELD.finditer(template):
        if match[1] in values:
            segments.append(TextSegment(template[at : match.start()]))
            segments.append(TextSegment(str(values[match[1]]), "variable", match[1]))
            at = match.end()
    segments.append(TextSegment(template[at:]))
    return tuple(segment for segment in segments if segment.text)


def _build_message(message: Mapping[str, Any], values: Mapping[str, Any], missing: list[str]) -> Built:
    """Return a message whose texts are filled; one with a block of another kind has its parts as they are."""
    role = str(message.get("role", "user"))
    values = {name: value for name, value in values.items() if NAME.fullmatch(name)}  # messages have no other names
    parts: list[dict[str, Any]] = []
    segments: list[TextSegment] = []
    for block in message["blocks"]:
        if not _is_text(block):
            parts.append(dict(block))
            continue
        missing += _list_missing(block["text"], values)
        filled = fill_fields(block["text"], values)
        parts.append({"type": "text", "text": "".join(part.text for part in filled)})
        segments += [TextSegment("\n"), *filled] if segments else filled
    if all(part.get("type") == "text" for part in parts):
        return {"role": role, "content": "\n".join(part["text"] for part in parts)}, tuple(segments)
    return {"role": role, "content": parts}, tuple(segments)


def _build_block(block: ChatBlock) -> Built:
    """Return a message of banks; the texts of its parts are joined where it has no part of another kind."""
    texts = [part.text for part in block.parts if part.text is not None]
    segments = join_owned(texts, "\n").list_segments()
    if len(texts) == len(block.parts):
        return {"role": block.role, "content": "\n".join(text.text for text in texts)}, segments
    return {"role": block.role, "content": [part.value for part in block.parts]}, segments
