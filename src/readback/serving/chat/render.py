"""In the sandbox: compile a chat template, render it, and render it once more to say who wrote what.

The plain rendering is the text. The followed one, of texts that remember where they came from, only tells of it;
where it fails or gives another text, nothing is claimed.
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
from readback.serving.chat import followed as chat_followed
from readback.serving.chat.traced import GIVEN, SERVING, Spans, Traced, merged, spans

KEPT = 64  # compiled templates kept in a child: more than the models of a workspace
LONGEST = 8 << 20  # characters of one rendered text
REASON = 300  # characters of a reason: an exception may repeat the data


class Failed(Exception):  # noqa: N818 - carries the verdict on a template
    """A template that gives no text, and why; `raised`: it says so itself."""

    def __init__(self, when: str, reason: str, line: int | None = None, raised: bool = False) -> None:
        super().__init__(reason)
        self.verdict = {"when": when, "reason": reason[:REASON], "line": line, "raised": raised}


def work(payload: Mapping[str, Any]) -> Iterator[Any]:
    """{"template", "variables", "today", "stretches"} → {"text"} or {"failed": verdict}, and then the spans.

    `stretches` are, for each of the variable `messages`, the lengths of the stretches of its content, which the
    spans number through; null: no spans are asked for. Spans that cannot be told are null.
    """
    template, variables, today = payload["template"], payload["variables"], payload["today"]
    try:
        text = plainly(template, variables, today)
    except Failed as failed:
        yield {"failed": failed.verdict}
        return
    yield {"text": text}
    if payload["stretches"] is not None:
        sandbox.beat()
        yield followed(template, variables, today, payload["stretches"], text)


def plainly(template: str, variables: Mapping[str, Any], today: str | None) -> str:
    """The text as transformers renders it. Raises Failed."""
    made = compiled(template, today)
    if isinstance(made, Failed):
        raise made
    parts: list[str] = []
    left = LONGEST
    random.seed(0)  # so that a template that draws shows everybody the same
    try:
        for part in made.root_render_func(made.new_context(dict(variables))):
            left -= len(part)
            if left < 0:
                raise Failed("limit", "output")
            parts.append(part)
    except Failed:
        raise
    except MemoryError:
        raise Failed("limit", "memory") from None
    except Exception as error:
        raise _failure("execute", error) from None
    return "".join(parts)


@lru_cache(KEPT)
def compiled(template: str, today: str | None) -> Compiled | Failed:
    """The template compiled, or why not; constants fold while compiling, so this too happens in the sandbox."""
    try:
        made = chat_environment.environment(today, ImmutableSandboxedEnvironment).from_string(template)
        made.globals = dict(made.globals)  # a plain dict: a ChainMap would be walked at every rendering
        return made
    except MemoryError:
        return Failed("limit", "memory")
    except Exception as error:
        return _failure("parse", error)


def followed(
    template: str, variables: Mapping[str, Any], today: str | None, stretches: list[list[int]], text: str
) -> Spans | None:
    """Where the stretches of `text` came from, None where that cannot be told of any."""
    made = _followed(template, today)
    if made is None:
        return None
    try:
        random.seed(0)
        given = {
            name: _given(value, SERVING if name.endswith("_token") else GIVEN + i)
            for i, (name, value) in enumerate(variables.items())
            if name != "messages"
        }
        messages = _messages(variables["messages"], stretches, GIVEN + len(variables))
        parts = list(made.root_render_func(made.new_context({**given, "messages": messages})))
        told = merged(span for part in parts for span in spans(part))
    except (Exception, MemoryError):  # only the account of origins failed; the text is
        return None
    return told if "".join(parts) == text else None


@lru_cache(KEPT)
def _followed(template: str, today: str | None) -> Compiled | None:
    try:
        made: Compiled = chat_followed.compiled(template, today)
    except (Exception, MemoryError):
        return None
    return made


def _messages(messages: list[dict[str, Any]], stretches: list[list[int]], beside: int) -> list[dict[str, Any]]:
    """The messages with texts that are followed; a role is written by the server.

    `beside` is the source of the first thing that a message says beside role and content; the others follow.
    """
    made = []
    number = 0
    for message, lengths in zip(messages, stretches, strict=True):
        one = dict(message)
        for key, value in message.items():
            if key == "role":
                one[key] = Traced(value, ((len(value), SERVING),) if value else ()) if isinstance(value, str) else value
            elif key == "content":
                one[key] = _content(value, lengths, number)
            else:
                one[key] = _given(value, beside)
                beside += 1
        number += len(lengths)
        made.append(one)
    return made


def _content(content: Any, lengths: list[int], number: int) -> Any:
    """A content whose texts are followed where their stretches are known; `number` is that of the first stretch."""
    sources = tuple((length, number + i) for i, length in enumerate(lengths) if length)
    match content:
        case str() if len(content) == sum(lengths):
            return Traced(content, sources)
        case [{"text": str(text)} as part] if len(text) == sum(lengths):
            return [{**part, "text": Traced(text, sources)}]
        case list():
            return _parts(content, lengths, number)
    return content


def _parts(content: list[Any], lengths: list[int], number: int) -> list[Any]:
    """Several parts: each text is a stretch, and between two texts is one that joins them."""
    texts = [part for part in content if isinstance(part, dict) and isinstance(part.get("text"), str)]
    if [len(part["text"]) for part in texts] != lengths[::2]:
        return content
    made: list[Any] = []
    at = number
    for part in content:
        if isinstance(part, dict) and isinstance(text := part.get("text"), str):
            made.append({**part, "text": Traced(text, ((len(text), at),) if text else ())})
            at += 2
        else:
            made.append(part)
    return made


def _given(value: Any, source: int) -> Any:
    """A variable whose texts come from `source`."""
    if isinstance(value, str):
        return Traced(value, ((len(value), source),)) if value else value
    if isinstance(value, list):
        return [_given(each, source) for each in value]
    if isinstance(value, dict):
        return {name: _given(each, source) for name, each in value.items()}
    return value


def _failure(when: str, error: Exception) -> Failed:
    """What an exception while compiling or rendering says about the template."""
    if isinstance(error, TemplateSyntaxError):
        return Failed(when, _sentence(error.message or "not a Jinja template"), error.lineno)
    line = _line(error.__traceback__)
    if isinstance(error, chat_environment.Raised):
        return Failed(when, str(error), line, raised=True)
    if isinstance(error, RecursionError):
        return Failed("limit", "nesting", line)
    if isinstance(error, TypeError) and "no loader for this environment" in str(error):
        return Failed(when, "it includes another file, and a chat template has none beside it", line)
    message = str(getattr(error, "message", None) or error)
    ours = type(error).__module__.startswith("jinja2")
    return Failed(when, _sentence(message) if ours else f"{type(error).__name__}: {message}", line)


def _sentence(message: str) -> str:
    return message.removesuffix(".")


def _line(trace: TracebackType | None) -> int | None:
    """The template's line in the innermost frame that is compiled from it."""
    line = None
    while trace is not None:
        template = trace.tb_frame.f_globals.get("__jinja_template__")
        if isinstance(template, Compiled):
            line = template.get_corresponding_lineno(trace.tb_lineno)
        trace = trace.tb_next
    return line
