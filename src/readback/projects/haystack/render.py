"""The text or the messages of a prompt builder of Haystack for a row, as the pipeline sends them."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Iterator, Mapping
from typing import Any

from readback.projects.haystack.message_tags import make_chat_options
from readback.projects.haystack.pipeline import PART_FILTER, RENDERED, Unloadable, read_message
from readback.projects.jinja_text import JinjaFault, JinjaOptions, render_jinja
from readback.projects.model import RenderedMessages, TextSegment
from readback.projects.owned_text import OwnedText, decode_escapes, join_owned
from readback.projects.value_notes import EMPTY, note_missing, note_roles

BLOCK_TEXT = re.compile(r'"content": \[\{"text": "((?:[^"\\]|\\.)*+)"\}\]\}')
PLAIN = JinjaOptions()
IMAGE, FILE = "image/jpeg", "application/pdf"  # what an image and a file are sent as that name no kind

Built = tuple[dict[str, Any], tuple[TextSegment, ...]]


class Unbuilt(Exception):  # noqa: N818 - carries the reason that Haystack has
    """Haystack sends nothing for a row."""


def render_builder(builder: Mapping[str, Any], fields: Mapping[str, Any]) -> RenderedMessages:
    """Return what a builder makes of a row. In the bounded child."""
    if builder.get("refused"):
        return RenderedMessages(None, error=f"the pipeline cannot be loaded: {builder['refused']}")
    template = builder["template"]
    missing: list[str] = []
    roles: list[tuple[str, str]] = []
    try:
        values = _choose_values(builder, fields)
        if not builder["chat"]:
            text = render_jinja(template, values, PLAIN, missing=missing)
            notes = note_missing(missing, EMPTY)
            return RenderedMessages(None, text.text, segments=(text.list_segments(),), notes=notes)
        if not template:
            raise Unbuilt("its template is empty")
        if isinstance(template, str):
            built = list(_render_text(template, values, missing, roles))
        else:
            built = list(_render_list(template, values, missing))
    except (Unbuilt, JinjaFault, Unloadable) as fault:
        return RenderedMessages(None, error=str(fault))
    messages, segments = tuple(message for message, _ in built), tuple(segments for _, segments in built)
    notes = (*note_missing(missing, EMPTY), *note_roles(roles))
    return RenderedMessages(messages, segments=segments, notes=notes)


def _choose_values(builder: Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a builder's variables: an empty text for one that is not required and that the row lacks.

    A variable is given under its own name, or else under the one that the pipeline's inputs state.
    """
    inputs = builder.get("inputs", {})
    fields = {**{name: fields[label] for name, label in inputs.items() if label in fields}, **fields}
    variables, required, template = builder["variables"], builder["required"], builder["template"]
    if required == "*":
        required = variables
    elif isinstance(template, list) and not any(message["role"] in RENDERED for message in template):
        required = [name for name in required if name in variables]  # nothing is rendered, so no other is asked for
    lacking = [name for name in required if name not in variables or name not in fields]
    if lacking:
        gives = [f"{name} comes from {builder['senders'][name]}" for name in lacking if name in builder["senders"]]
        if gives:
            hint = f" (while the pipeline runs, {', '.join(gives)})"
        else:
            hint = ""
        raise Unbuilt(f"the row lacks {', '.join(lacking)}, which '{builder['name']}' needs{hint}")
    return {name: fields.get(name, "") for name in variables}


def _render_list(template: list[dict[str, Any]], values: Mapping[str, Any], missing: list[str]) -> Iterator[Built]:
    options = make_chat_options()
    for message in template:
        parts: list[Any] = []
        for part in message["content"]:
            is_template = "text" in part and message["role"] in RENDERED
            if is_template and PART_FILTER in part["text"]:
                raise Unbuilt(f"{PART_FILTER} may not stand in a template that is a list of messages")
            parts.append(
                {"text": render_jinja(part["text"], values, options, missing=missing)} if is_template else part
            )
        yield _write_message(message["role"], message["name"], parts)


def _render_text(
    template: str, values: Mapping[str, Any], missing: list[str], roles: list[tuple[str, str]]
) -> Iterator[Built]:
    """Yield the messages of a rendered text: each of its lines has to be one, as JSON.

    A line that a value wrote is added to `roles`, with the name of the value.
    """
    sign = secrets.token_hex(16)
    text = render_jinja(template, values, make_chat_options(sign), missing=missing)
    start = 0
    for line in text.text.split("\n"):
        end = start + len(line)
        written = text.cut(start, end).strip()
        start = end + 1
        if written.text.startswith(sign):
            match = BLOCK_TEXT.search(written.text)
        else:
            match = None
        if match:
            about = json.loads(written.text.removeprefix(sign))
            content = decode_escapes(written.cut(match.start(1), match.end(1)))
            yield _write_message(about["role"], about["name"], [{"text": content}])
        elif written.text:
            yield _read_line(written.text)
            roles += [(owner, written.text) for owner in written.owners if owner is not None][:1]


def _read_line(line: str) -> Built:
    """Return the message that a line outside of all message blocks is, if it is the JSON of one."""
    try:
        message = read_message(json.loads(line))
    except (ValueError, RecursionError):
        if len(line) <= 60:
            start = line
        else:
            start = line[:60] + "…"
        raise Unbuilt(f"text outside of message blocks is no message: {start!r}") from None
    return _write_message(message["role"], message["name"], message["content"])


def _write_message(role: str, name: Any, parts: list[Any]) -> Built:
    """Return a message as it is sent to a server that speaks OpenAI's form, with the origins of its text."""
    texts = [_own(part["text"]) for part in parts if "text" in part]
    message: dict[str, Any] = {"role": role}
    if name is not None:
        message["name"] = name
    if role == "user" and (len(parts) > 1 or not texts):
        message["content"] = [_write_part(part) for part in parts]
        return message, join_owned(texts, "\n").list_segments()
    results = [part["tool_call_result"] for part in parts if "tool_call_result" in part]
    calls = [part["tool_call"] for part in parts if "tool_call" in part]
    if results:
        message["content"] = results[0].get("result")
        origin = results[0].get("origin")
        message["tool_call_id"] = origin.get("id") if isinstance(origin, Mapping) else None
        return message, ()
    if texts:
        message["content"] = texts[0].text
    if calls:
        message["tool_calls"] = [_write_call(call) for call in calls]
    if not (texts or calls):
        message["content"] = ""
    return message, texts[0].list_segments() if texts else ()


def _own(text: Any) -> OwnedText:
    if isinstance(text, OwnedText):
        return text
    return OwnedText(str(text))


def _write_part(part: Mapping[str, Any]) -> dict[str, Any]:
    if "text" in part:
        return {"type": "text", "text": _own(part["text"]).text}
    if "image" in part:
        image = part["image"]
        url: dict[str, Any] = {"url": f"data:{image.get('mime_type') or IMAGE};base64,{image.get('base64_image')}"}
        if image.get("detail"):
            url["detail"] = image["detail"]
        return {"type": "image_url", "image_url": url}
    if "file" in part:
        about = part["file"]
        data = f"data:{about.get('mime_type') or FILE};base64,{about.get('base64_data')}"
        return {"type": "file", "file": {"file_data": data, "filename": about.get("filename") or "filename"}}
    raise Unbuilt("a message of the user holds a part that is neither a text nor an image nor a file")


def _write_call(call: Mapping[str, Any]) -> dict[str, Any]:
    arguments = json.dumps(call.get("arguments"), ensure_ascii=False)
    written = {"type": "function", "function": {"name": call.get("tool_name"), "arguments": arguments}}
    if call.get("id") is not None:
        return {**written, "id": call["id"]}
    return written
