"""The messages that promptfoo sends for one row under one prompt, as its OpenAI chat provider sends them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from readback.projects.javascript_text import (
    SPACES,
    TooDeep,
    export_value,
    import_value,
    is_true,
    join_surrogates,
    parse_json,
    stringify,
)
from readback.projects.model import RenderedMessages, TextSegment
from readback.projects.nunjucks import Chunk, TemplateFault, render
from readback.projects.promptfoo.prompts import is_allowed
from readback.projects.promptfoo.value_changes import list_notes
from readback.projects.promptfoo.values import (
    Trace,
    cut_line_break,
    fill_placeholders,
    render_values,
    wrap_partial,
)
from readback.readers.yaml.yaml_core import read_core_yaml

CONVERSATION = "_conversation"
ANSWERS = re.compile(r"\b(?:output|metadata)\b")
TEMPLATES = 256  # kept parsed
JSON_BEGINS = frozenset('{["-0123456789tfn')
SERVER_REFUSES = "a server refuses it"


class Unrendered(Exception):  # noqa: N818 - carries the reason, as every fault of the input does
    """A row has no messages under a prompt."""


@dataclass(frozen=True, slots=True)
class _Text:
    """What the tool calls the rendered prompt, with stretches; `chat` where it was a chat before rendering.

    `values` are those with which it was filled in.
    """

    text: str
    chunks: list[Chunk]
    chat: Any = None
    messages: list[list[Chunk]] | None = None
    values: Mapping[str, Any] = field(default_factory=dict)


def render_messages(
    mode_settings: Mapping[str, Any], row_settings: Mapping[str, Any], fields: Mapping[str, Any]
) -> RenderedMessages:
    """Return the messages of a row under a prompt; a row that fails has the reason as its error.

    Call it in a bounded child, by `readback.projects.promptfoo:work`.
    """
    mode, row = mode_settings, row_settings
    if not mode.get("applies", True) or not is_allowed(row.get("prompts"), mode["label"], mode.get("id")):
        return RenderedMessages(None, applies=False)
    try:
        history = _make_history(mode, row)
        rendered = _render_prompt(mode, row, fields, history)
        answer = _read_chat(mode, row, rendered)
        return replace(answer, notes=list_notes(_glue(mode, row), fields, rendered.values, answer))
    except Unrendered as fault:
        return RenderedMessages(None, error=str(fault))
    except TemplateFault as fault:
        return RenderedMessages(None, error=describe_fault(fault, str(mode["raw"]), len(row.get("prefix", ""))))
    except (TooDeep, RecursionError):
        return RenderedMessages(None, error="a value has too many levels")


def describe_fault(fault: TemplateFault, raw: str, shift: int) -> str:
    """Return the reason of a fault with its line and column in the prompt."""
    if fault.offset is None or not 0 <= fault.offset - shift <= len(raw):
        return fault.reason
    before = raw[: fault.offset - shift]
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    return f"{fault.reason} (line {line}, column {column} of the prompt)"


def _make_history(mode: Mapping[str, Any], row: Mapping[str, Any]) -> list[Any] | None:
    """Return the earlier turns of the conversation; None for a prompt that does not ask for them."""
    raw = _glue(mode, row)
    if not re.search(rf"\b{CONVERSATION}\b", raw):
        return None
    earlier = row.get("earlier", [])
    if row.get("too_many_earlier"):
        raise Unrendered("its conversation has more earlier rows than Readback renders")
    if earlier and ANSWERS.search(raw):
        raise Unrendered("the prompt prints answers to earlier rows, which the project does not hold")
    history: list[Any] = []
    for each in earlier:
        if not is_allowed(each["settings"].get("prompts"), mode["label"], mode.get("id")):
            continue
        try:
            rendered = _render_prompt(mode, each["settings"], each["fields"], list(history))
            if rendered.chat is None:
                text = rendered.text
            else:
                text = str(stringify(rendered.chat))
        except (TemplateFault, Unrendered):
            continue  # a row that failed is no turn
        history.append(_make_turn(text))
    return history


def _make_turn(text: str) -> dict[str, Any]:
    """Return what the tool remembers of a row: the prompt, and its last message as the input."""
    try:
        parsed = parse_json(text)
    except ValueError:
        parsed = None
    last = None
    if isinstance(parsed, list) and parsed:
        if isinstance(parsed[-1], dict):
            last = parsed[-1].get("content")
        else:
            last = parsed[-1]
        last = last if is_true(last) else parsed[-1]
    prompt = parsed if is_true(parsed) else text
    return {"prompt": prompt, "input": last if is_true(last) else prompt, "output": ""}


def _glue(mode: Mapping[str, Any], row: Mapping[str, Any]) -> str:
    return f"{row.get('prefix', '')}{mode['raw']}{row.get('suffix', '')}"


def _render_prompt(
    mode: Mapping[str, Any], row: Mapping[str, Any], fields: Mapping[str, Any], history: list[Any] | None
) -> _Text:
    """Return the rendered prompt; raises TemplateFault or Unrendered."""
    template = _glue(mode, row)
    variables = _load_values(row, fields)
    if "repeat" in row:
        variables["__repeatIndex"] = float(row["repeat"])
    if history is not None:
        variables[CONVERSATION] = history
    flags = mode.get("flags", {})
    environment: Mapping[str, Any] = import_value(dict(mode.get("environment", {})))
    for name, value in variables.items():
        variables[name] = cut_line_break(value)
    traces = fill_placeholders(variables)
    if flags.get("without_templates"):
        return _Text(template, [Chunk(template, offset=0)])
    if not flags.get("without_escapes"):
        try:
            return replace(_render_chat(_parse_chat(template), variables, traces, environment), values=variables)
        except (ValueError, TemplateFault):
            pass  # no JSON, or a text in it that fails: the tool renders the whole as a text
        values, traces = render_values(variables, traces, environment)
    else:
        values = variables
    wrapped, shift = wrap_partial(template)
    chunks = render(wrapped, values, environment, traces)
    if shift:
        chunks = [
            Chunk(each.text, each.variable, None if each.offset is None else each.offset - shift) for each in chunks
        ]
    return _Text("".join(chunk.text for chunk in chunks), chunks, values=values)


def _load_values(row: Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the variables with what files hold in their places."""
    variables: dict[str, Any] = dict(import_value(dict(fields)))
    for name, loaded in row.get("loaded", {}).items():
        if "error" in loaded:
            raise Unrendered(loaded["error"])
        variables[name] = loaded["text"]
    return variables


def _render_chat(
    chat: Any, variables: Mapping[str, Any], traces: Mapping[str, Trace], environment: Mapping[str, Any]
) -> _Text:
    """Render every text inside a JSON value; the contents of messages keep their stretches."""

    def fill(value: Any) -> Any:
        if isinstance(value, str):
            return _join(render(value, variables, environment, traces))
        if isinstance(value, list):
            return [fill(each) for each in value]
        if isinstance(value, dict):
            return {key: fill(each) for key, each in value.items()}
        return value

    if not isinstance(chat, list):
        filled = fill(chat)
        return _Text(str(stringify(filled)), [], filled)
    messages: list[Any] = []
    contents: list[list[Chunk]] = []
    for message in chat:
        if isinstance(message, dict):
            content = message.get("content")
        else:
            content = None
        if not isinstance(content, str):
            messages.append(fill(message))
            contents.append([])
            continue
        chunks = render(content, variables, environment, traces)
        # an offset here is in a text of the chat, not in the file
        contents.append([Chunk(chunk.text, chunk.variable) for chunk in chunks])
        parts = {key: None if key == "content" else fill(each) for key, each in message.items()}
        messages.append(parts | {"content": _join(chunks)})
    return _Text("", [], messages, contents)


def _join(chunks: Iterable[Chunk]) -> str:
    return join_surrogates("".join(chunk.text for chunk in chunks))


@lru_cache(maxsize=TEMPLATES)
def _parse_chat(template: str) -> Any:
    """Return what a template is before rendering if it is JSON; raises ValueError. Nobody changes the value."""
    if template.lstrip(SPACES)[:1] not in JSON_BEGINS:
        raise ValueError("no JSON")
    return parse_json(template)


def _read_chat(mode: Mapping[str, Any], row: Mapping[str, Any], rendered: _Text) -> RenderedMessages:
    """Return the messages that a rendered prompt is: a chat in JSON or YAML, or one message of the user."""
    if rendered.chat is not None and isinstance(rendered.chat, list):
        return _list_messages(rendered.chat, rendered.messages)
    text = rendered.text
    stripped = text.strip(SPACES)
    if stripped.startswith("- role:"):
        decoded = read_core_yaml(text, "text")
        if decoded.refusal:
            raise Unrendered(f"the chat is not YAML once it is rendered: {decoded.refusal}")
        return _list_messages(import_value(decoded.value), None)
    try:
        value = _parse_rendered(text, stripped)
    except ValueError as error:
        if mode.get("flags", {}).get("needs_json") or looks_like_json(stripped):
            raise Unrendered(
                f"the chat is not JSON once it is rendered: {error}; a quote or line break in a value breaks it,"
                " use `| dump`"
            ) from None
        segments = _make_segments(rendered.chunks, len(row.get("prefix", "")), len(mode["raw"]))
        message = {"role": "user", "content": join_surrogates(text)}
        return RenderedMessages((message,), segments=(segments,))
    return _list_messages(value, None)


def _parse_rendered(text: str, stripped: str) -> Any:
    if stripped[:1] not in JSON_BEGINS:
        raise ValueError("it begins like no JSON")
    return parse_json(text)


def looks_like_json(text: str) -> bool:
    """Whether promptfoo takes a text that is no JSON for a chat that broke."""
    if text.startswith("{") and text.endswith("}"):
        return True
    if not (text.startswith("[") and text.endswith("]")):
        return False
    inside = text[1:].lstrip(SPACES)
    return (
        inside[:1] in ('"', "{", "[", "-")
        or inside[:1] in set("0123456789")
        or inside.startswith(("true", "false", "null"))
    )


def _list_messages(value: Any, contents: list[list[Chunk]] | None) -> RenderedMessages:
    """Return the messages in a value; one that is no list of objects is what a server refuses."""
    exported = export_value(value)
    is_list = isinstance(exported, list) and all(isinstance(each, dict) for each in exported)
    if not is_list:
        written = str(stringify(value))
        if not (len(written) <= 60):
            written = f"{written[:60]}…"
        raise Unrendered(f"the messages would be `{written}`, which is no list of messages: {SERVER_REFUSES}")
    segments: list[tuple[TextSegment, ...]] = []
    for index, message in enumerate(exported):
        content = message.get("content")
        chunks = contents[index] if contents else []
        if not isinstance(content, str):
            segments.append(())
        elif "".join(chunk.text for chunk in chunks) == content:
            segments.append(_make_segments(chunks, 0, None))
        else:
            segments.append((TextSegment(content),) if content else ())
    return RenderedMessages(tuple(exported), segments=tuple(segments))


def _make_segments(chunks: Iterable[Chunk], prefix: int, size: int | None) -> tuple[TextSegment, ...]:
    """Return stretches with their origin: what stands before or behind the template is the adapter's."""
    segments: list[TextSegment] = []
    for chunk in chunks:
        if chunk.variable is not None:
            segments.append(TextSegment(chunk.text, "variable", chunk.variable))
        elif size is None or chunk.offset is None:
            segments.append(TextSegment(chunk.text))
        else:
            segments.extend(_split_affixes(chunk.text, chunk.offset, prefix, prefix + size))
    return _merge([segment for segment in segments if segment.text])


def _split_affixes(text: str, offset: int, start: int, end: int) -> list[TextSegment]:
    """Cut a stretch of the glued template at the ends of the prompt."""
    first, last = min(max(start - offset, 0), len(text)), min(max(end - offset, 0), len(text))
    return [
        TextSegment(text[:first], "adapter"),
        TextSegment(text[first:last]),
        TextSegment(text[last:], "adapter"),
    ]


def _merge(segments: list[TextSegment]) -> tuple[TextSegment, ...]:
    merged: list[TextSegment] = []
    for segment in segments:
        if merged and (merged[-1].origin, merged[-1].variable) == (segment.origin, segment.variable):
            merged[-1] = TextSegment(merged[-1].text + segment.text, segment.origin, segment.variable)
        else:
            merged.append(segment)
    return tuple(merged)
