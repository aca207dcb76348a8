"""Render a chat template in the sandbox, and render it again to find who wrote which stretch.

The plain rendering is the text. The second one, of texts that carry their sources, only describes it; if it fails or
gives another text, no origin is claimed.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from functools import lru_cache
from types import TracebackType
from typing import Any

from jinja2 import Template as Compiled
from jinja2 import TemplateSyntaxError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from readback import sandbox
from readback.serving.chat import environment as chat_environment
from readback.serving.chat import tracing as chat_tracing
from readback.serving.chat.traced_text import (
    FIRST_VARIABLE,
    SERVING,
    Spans,
    TracedText,
    get_spans,
    list_spans,
    merge_spans,
)

CACHED = 64  # compiled templates in a child: more than the models of a workspace
LONGEST = 8 << 20  # characters of one rendered text
REASON = 300  # characters of a reason: an exception may repeat the data


class RenderError(Exception):
    """Say why a template gives no text; `raised` is true where the template itself refuses."""

    def __init__(self, when: str, reason: str, line: int | None = None, raised: bool = False) -> None:
        super().__init__(reason)
        self.verdict = {"when": when, "reason": reason[:REASON], "line": line, "raised": raised}


def work(payload: Mapping[str, Any]) -> Iterator[Any]:
    """Render a chat template in the sandbox: yield {"text"}, then its spans; or {"failed": verdict} alone.

    The payload is {"template", "variables", "today", "stretches"}. `stretches` holds, for each message of the variable
    `messages`, the lengths of the pieces of its content; a span names a piece by its number, counted over all messages.
    With null for `stretches` no spans are yielded. Where spans cannot be determined, null is yielded for them.
    """
    template, variables, today = payload["template"], payload["variables"], payload["today"]
    try:
        text = render_text(template, variables, today)
    except RenderError as error:
        yield {"failed": error.verdict}
        return
    yield {"text": text}
    if payload["stretches"] is not None:
        sandbox.beat()
        yield trace_text(template, variables, today, payload["stretches"], text)


def render_text(template: str, variables: Mapping[str, Any], today: str | None) -> str:
    """Return the text as transformers renders it. Raises RenderError."""
    compiled_template = compile_template(template, today)
    if isinstance(compiled_template, RenderError):
        raise compiled_template
    parts: list[str] = []
    characters_left = LONGEST
    random.seed(0)  # so that a template that draws random numbers gives the same text every time
    try:
        for part in compiled_template.root_render_func(compiled_template.new_context(dict(variables))):
            characters_left -= len(part)
            if characters_left < 0:
                raise RenderError("limit", "output")
            parts.append(part)
    except RenderError:
        raise
    except MemoryError:
        raise RenderError("limit", "memory") from None
    except Exception as error:
        raise _describe_failure("execute", error) from None
    return "".join(parts)


@lru_cache(CACHED)
def compile_template(template: str, today: str | None) -> Compiled | RenderError:
    """Return the compiled template, or why it does not compile.

    Constants are folded while compiling, so this too happens in the sandbox.
    """
    try:
        compiled_template = chat_environment.build_environment(today, ImmutableSandboxedEnvironment).from_string(
            template
        )
        compiled_template.globals = dict(
            compiled_template.globals
        )  # a plain dict: a ChainMap would be walked at every rendering
        return compiled_template
    except MemoryError:
        return RenderError("limit", "memory")
    except Exception as error:
        return _describe_failure("parse", error)


def trace_text(
    template: str, variables: Mapping[str, Any], today: str | None, stretches: list[list[int]], text: str
) -> Spans | None:
    """Return where the stretches of `text` came from, or None if that cannot be determined."""
    compiled_template = _compile_traced(template, today)
    if compiled_template is None:
        return None
    try:
        random.seed(0)
        traced_variables: dict[str, Any] = {}
        for i, (name, value) in enumerate(variables.items()):
            if name == "messages":
                continue
            if name.endswith("_token"):
                source = SERVING
            else:
                source = FIRST_VARIABLE + i
            traced_variables[name] = _trace_value(value, source)
        traced_variables["messages"] = _trace_messages(
            variables["messages"], stretches, FIRST_VARIABLE + len(variables)
        )
        parts = list(compiled_template.root_render_func(compiled_template.new_context(traced_variables)))
        merged_spans = merge_spans(span for part in parts for span in get_spans(part))
    except (Exception, MemoryError):  # only the origins are unknown; the text was rendered
        return None
    if "".join(parts) == text:
        return merged_spans
    return None


@lru_cache(CACHED)
def _compile_traced(template: str, today: str | None) -> Compiled | None:
    try:
        compiled_template: Compiled = chat_tracing.compile_template(template, today)
    except (Exception, MemoryError):
        return None
    return compiled_template


def _trace_messages(
    messages: list[dict[str, Any]], stretches: list[list[int]], first_extra: int
) -> list[dict[str, Any]]:
    """Return the messages with traced texts; a role is written by the server.

    `first_extra` is the source of the first value of a message besides role and content; the others are numbered on.
    """
    traced_messages = []
    number = 0
    for message, lengths in zip(messages, stretches, strict=True):
        traced_message = dict(message)
        for key, value in message.items():
            if key == "role":
                if isinstance(value, str):
                    traced_message[key] = TracedText(value, list_spans(value, SERVING))
            elif key == "content":
                traced_message[key] = _trace_content(value, lengths, number)
            else:
                traced_message[key] = _trace_value(value, first_extra)
                first_extra += 1
        number += len(lengths)
        traced_messages.append(traced_message)
    return traced_messages


def _trace_content(content: Any, lengths: list[int], number: int) -> Any:
    """Return a content with traced texts where their stretches are known; `number` is that of the first stretch."""
    sources = tuple((length, number + i) for i, length in enumerate(lengths) if length)
    match content:
        case str() if len(content) == sum(lengths):
            return TracedText(content, sources)
        case [{"text": str(text)} as part] if len(text) == sum(lengths):
            return [{**part, "text": TracedText(text, sources)}]
        case list():
            return _trace_parts(content, lengths, number)
    return content


def _trace_parts(content: list[Any], lengths: list[int], number: int) -> list[Any]:
    """Return a content of several parts: each text is a stretch, and a joiner stands between two texts."""
    texts = [part for part in content if isinstance(part, dict) and isinstance(part.get("text"), str)]
    if [len(part["text"]) for part in texts] != lengths[::2]:
        return content
    traced_parts: list[Any] = []
    for part in content:
        if isinstance(part, dict):
            text = part.get("text")
        else:
            text = None
        if isinstance(text, str):
            traced_parts.append({**part, "text": TracedText(text, list_spans(text, number))})
            number += 2
        else:
            traced_parts.append(part)
    return traced_parts


def _trace_value(value: Any, source: int) -> Any:
    """Return a variable with all texts traced to `source`."""
    if isinstance(value, str):
        if value:
            return TracedText(value, list_spans(value, source))
        return value
    if isinstance(value, list):
        return [_trace_value(item, source) for item in value]
    if isinstance(value, dict):
        return {name: _trace_value(item, source) for name, item in value.items()}
    return value


def _describe_failure(when: str, error: Exception) -> RenderError:
    """Describe an exception that was raised while compiling or rendering."""
    if isinstance(error, TemplateSyntaxError):
        return RenderError(when, (error.message or "not a Jinja template").removesuffix("."), error.lineno)
    line = _find_line(error.__traceback__)
    if isinstance(error, chat_environment.TemplateRefusal):
        return RenderError(when, str(error), line, raised=True)
    if isinstance(error, RecursionError):
        return RenderError("limit", "nesting", line)
    if isinstance(error, TypeError) and "no loader for this environment" in str(error):
        return RenderError(when, "it includes another file, and a chat template has none beside it", line)
    message = str(getattr(error, "message", None) or error)
    if type(error).__module__.startswith("jinja2"):
        return RenderError(when, message.removesuffix("."), line)
    return RenderError(when, f"{type(error).__name__}: {message}", line)


def _find_line(trace: TracebackType | None) -> int | None:
    """Return the template's line in the innermost frame that is compiled from it."""
    line = None
    while trace is not None:
        template = trace.tb_frame.f_globals.get("__jinja_template__")
        if isinstance(template, Compiled):
            line = template.get_corresponding_lineno(trace.tb_lineno)
        trace = trace.tb_next
    return line
