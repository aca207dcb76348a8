"""The messages of a prompt for one row, as `prompt.invoke(row)` builds them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from readback.projects.langchain import texts
from readback.projects.langchain.faults import Unfilled
from readback.projects.langchain.messages import read_message
from readback.projects.langchain.plan import Json
from readback.projects.model import RenderedMessages, TextSegment

MOST = 10_000  # messages of one prompt

Built = list[tuple[Json, tuple[TextSegment, ...]]]


def render_prompt(prompt: Mapping[str, Any], row: Mapping[str, Any]) -> RenderedMessages:
    """Return the messages for a row; one that lacks a value, or that a template fails for, has that as its error.

    Call it in a bounded child, by `readback.projects.langchain:render_row`.
    """
    if reason := prompt.get("unloadable"):
        return RenderedMessages(None, error=f"the prompt cannot be loaded: {reason}")
    try:
        if lacking := [name for name in prompt["variables"] if name not in row]:
            raise Unfilled(f"the row lacks {', '.join(lacking)}")
        if "text" in prompt:
            segments = _fill_text(prompt["text"], row)
            built: Built = [({"role": "user", "content": _join(segments)}, tuple(segments))]
        else:
            built = _build_chat(prompt, row)
    except Unfilled as fault:
        return RenderedMessages(None, error=str(fault))
    except RecursionError:
        return RenderedMessages(None, error="a value has too many levels")
    return RenderedMessages(tuple(message for message, _ in built), segments=tuple(segments for _, segments in built))


def _fill_text(text: Mapping[str, Any], values: Mapping[str, Any]) -> list[TextSegment]:
    """Fill a text in. Examples are filled first, and what results is filled in once more together with the rest."""
    values = {**text["partial"], **values}
    template = text["template"]
    if "examples" in text:
        example = text["example"]
        pieces = [text["prefix"]]
        for number, each in enumerate(text["examples"], 1):
            if lacking := [name for name in example["variables"] if name not in each]:
                raise Unfilled(f"example {number} lacks {', '.join(lacking)}")
            chosen = {name: each[name] for name in example["variables"]}
            pieces.append(_join(_fill_text(example, chosen)))
        template = text["separator"].join(piece for piece in (*pieces, text["suffix"]) if piece)
        try:
            return texts.fill(template, text["language"], values)
        except Unfilled as fault:
            raise Unfilled(f"{fault} (braces in examples are filled in, too)") from None
    return texts.fill(template, text["language"], values)


def _build_chat(chat: Mapping[str, Any], row: Mapping[str, Any]) -> Built:
    values = {**chat["partial"], **row}
    built: Built = []
    for item in chat["items"]:
        built += _build_item(item, values)
        if len(built) > MOST:
            raise Unfilled(f"the prompt has more than {MOST} messages")
    return built


def _build_item(item: Mapping[str, Any], values: Mapping[str, Any]) -> Built:
    if "message" in item:
        return [_trace(item["message"], None)]
    if "place" in item:
        return _build_place(item, values)
    if "chat" in item:
        return _build_chat(item["chat"], values)
    if "text" in item:
        segments = _fill_text(item["text"], values)
        return [({"role": item["role"], "content": _join(segments)}, tuple(segments))]
    return [({"role": item["role"], "content": _build_parts(item["parts"], values)}, ())]


def _build_place(item: Mapping[str, Any], values: Mapping[str, Any]) -> Built:
    """Return the messages that a row has for a place."""
    name = item["place"]
    listed = values.get(name, [])
    if not isinstance(listed, list):
        raise Unfilled(f"'{name}' has to be a list of messages")
    messages = [read_message(each) for each in listed]
    return [_trace(message, name) for message in (messages[-item["most"] :] if item["most"] else messages)]


def _trace(message: Json, variable: str | None) -> tuple[Json, tuple[TextSegment, ...]]:
    content = message["content"]
    if not isinstance(content, str) or not content:
        return message, ()
    return message, (TextSegment(content, "variable" if variable else "template", variable),)


def _build_parts(parts: Sequence[Mapping[str, Any]], values: Mapping[str, Any]) -> list[Json]:
    """Return the parts of a content; a text that comes out empty is left out."""
    content: list[Json] = []
    for part in parts:
        if lacking := [name for name in part["variables"] if name not in values]:
            raise Unfilled(f"the row lacks {', '.join(lacking)}")
        chosen = {name: values[name] for name in part["variables"]}
        if "object" not in part:
            text = _join(_fill_text(part, chosen))
            if text:
                content.append({"type": "text", "text": text})
        elif part["image"]:
            content.append({"type": "image_url", "image_url": _build_image(part, chosen)})
        else:
            content.append(_fill_object(part["object"], part["language"], chosen))
    return content


def _build_image(part: Mapping[str, Any], values: Mapping[str, Any]) -> Json:
    filled = {
        key: _join(texts.fill(each, part["language"], values)) if isinstance(each, str) else each
        for key, each in part["object"].items()
    }
    if filled.get("path"):
        raise Unfilled("an image is named by its path, which LangChain refuses")
    url = filled.get("url")
    if not isinstance(url, str) or not url:
        raise Unfilled("an image has no address")
    if filled.get("detail"):
        return {"url": url, "detail": filled["detail"]}
    return {"url": url}


def _fill_object(template: Mapping[str, Any], language: str, values: Mapping[str, Any]) -> Json:
    def fill(value: Any) -> Any:
        if isinstance(value, str):
            return _join(texts.fill(value, language, values))
        if isinstance(value, dict):
            return _fill_object(value, language, values)
        return value

    return {
        key: [fill(each) for each in value] if isinstance(value, list) else fill(value)
        for key, value in template.items()
    }


def _join(segments: Sequence[TextSegment]) -> str:
    return "".join(segment.text for segment in segments)
