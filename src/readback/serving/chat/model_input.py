"""Build the text that a model receives for messages through a Jinja chat template, as transformers and vLLM do."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal

from readback import sandbox
from readback.sandbox.answer_cache import PIECE, AnswerCache
from readback.serving.chat import request_messages
from readback.serving.chat.files import read as read
from readback.serving.chat.formats import list_formats as list_formats
from readback.serving.chat.formats import load_format as load_format
from readback.serving.chat.origins import Piece, list_pieces
from readback.serving.chat.tokenizer_config import TOKENS
from readback.types import NOWHERE, ChatTemplate, Diagnostic, Location, Message, ModelInput, Segment, Severity

WORK = "readback.serving.chat.render:work"
# As for any other template; ordinary ones take milliseconds.
LIMITS = sandbox.Limits(seconds=0.8, total=1.7, closed=True)
# Only the files of a tokenizer define these.
UNDEFINED_TOKENS = tuple(f"'{name}' is undefined" for name in TOKENS)
# Jinja's error where a template looks for a part in a text, as in message['content'][0]['text'].
NOT_A_LIST = "'str object' has no "
UNKNOWN_KEY = re.compile(r"'dict object' has no attribute '\w+'")
CONTENT = re.compile(r"[.'\"]content\b")  # how a template reads the content of a message
EXCESS: Mapping[str, tuple[str, str]] = {
    "time": ("time to render the chat template", sandbox.format_time_limit(LIMITS.seconds)),
    "memory": ("memory to render the chat template", f"{LIMITS.memory >> 20} MiB"),
    "output": ("text of the chat template", "8 Mi characters"),
    "nesting": ("nesting in the chat template", "the depth that Jinja can read"),
    "crash": ("the chat template's process", "its own crash"),
}


@dataclass(frozen=True, slots=True)
class Rendering:
    """Hold what a template gave: a text, or the reason why there is none, with its line.

    `raised`: the template itself refuses; `when` is then "system" if it refuses every system message.
    """

    text: str | None
    reason: str = ""
    line: int | None = None
    when: Literal["", "parse", "execute", "limit", "system"] = ""
    raised: bool = False


Answer = tuple[Rendering, list[list[int]] | None]
_cache = AnswerCache[Answer](lambda answer: len(answer[0].text or "") + PIECE * len(answer[1] or ()))


def render_raw(template: str, variables: Mapping[str, Any], *, today: str | None = None) -> Rendering:
    """Return the text of a template for `variables` (JSON values, `messages` among them); absent ones are undefined."""
    return _render(template, variables, today, None)[0]


def build_model_input(
    template: ChatTemplate,
    messages: Sequence[Message],
    *,
    today: str | None = None,
    add_generation_prompt: bool = True,
    values: Mapping[str, Any] | None = None,
) -> ModelInput:
    """Return the text that the model receives for these messages; each stretch keeps its origin.

    `values` are further variables (`tools`, `documents`, `enable_thinking`); tools and documents default to None, and
    tools select the template that a model has for them, as in transformers. `today` (YYYY-MM-DD) is the day that the
    template may print. A template that fails because it looks for parts in a text gets each text as the only part of a
    list, as servers pass it, and a diagnostic says so.
    """
    if template.with_tools and values and values.get("tools") is not None:
        tools_template = template.with_tools
        template = replace(template, name=tools_template.name, text=tools_template.text, place=tools_template.place)
    stops = (template.eos_token,) if template.eos_token else ()
    empty = ModelInput(template.name, (), (), "chat template", template.place, stops)
    if template.text is None:
        return replace(empty, diagnostics=(_report_unreadable(template),))
    extra = {"tools": None, "documents": None, **template.tokens, **(values or {})}
    sent_messages = request_messages.prepare_messages([message.value for message in messages])
    if not extra.get("messages", sent_messages):
        return replace(empty, diagnostics=(_report_refusal(template, request_messages.EMPTY),))
    if "messages" in extra:
        extra["messages"] = request_messages.prepare_messages(extra["messages"])
    variables: dict[str, Any] = {"messages": sent_messages, "add_generation_prompt": add_generation_prompt}
    if template.bos_token is not None:
        variables["bos_token"] = template.bos_token
    if template.eos_token is not None:
        variables["eos_token"] = template.eos_token
    variables.update(extra)
    rendering, spans = _render(template.text, variables, today, messages)
    wants_parts = rendering.when == "execute" and rendering.reason.startswith(NOT_A_LIST)
    if wants_parts and variables["messages"] is sent_messages:
        in_parts = {**variables, "messages": [_wrap_content(message) for message in sent_messages]}
        second_rendering, second_spans = _render(template.text, in_parts, today, messages)
        if second_rendering.text is not None:
            empty = replace(empty, diagnostics=(_report_parts(template, rendering),))
            rendering, spans = second_rendering, second_spans
    if rendering.text is None:
        if rendering.raised and any(message.role == "system" for message in messages):
            other_variables = {name: value for name, value in variables.items() if name != "messages"}
            if _find_system_refusal(template.text, json.dumps(other_variables), today) == rendering.reason:
                rendering = replace(rendering, when="system")
        return replace(empty, diagnostics=(_report_failure(template, rendering),))
    parts = list_pieces(rendering.text, spans, messages, (*variables, *_list_extra_names(variables["messages"])))
    segments = tuple(_build_segment(template, piece, messages) for piece in parts)
    if template.adds_bos and template.bos_token:
        segments = (Segment(template.bos_token, "serving", "add_special_tokens"), *segments)
    return replace(empty, segments=segments)


def _wrap_content(message: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the message with its text as the only part of a list; any other content stays."""
    if not isinstance(message.get("content"), str):
        return message
    return {**message, "content": [{"type": "text", "text": message["content"]}]}


def _list_extra_names(messages: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the names of what messages contain besides role and content, in the order that `render` numbers."""
    for number, message in enumerate(messages):
        for key in message:
            if key not in ("role", "content"):
                yield f"messages[{number}].{key}"


@lru_cache(maxsize=64)
def _find_system_refusal(template: str, variables: str, today: str | None) -> str | None:
    """Return the reason with which a template refuses the shortest conversation with a system message.

    Return None if it accepts that, or refuses the same conversation without a system message, too.
    """
    user = {"role": "user", "content": "?"}
    system = {"role": "system", "content": "!"}
    with_system = render_raw(template, {**json.loads(variables), "messages": [system, user]}, today=today)
    without_system = render_raw(template, {**json.loads(variables), "messages": [user]}, today=today)
    if with_system.raised and without_system.text is not None:
        return with_system.reason
    return None


def _render(
    template: str, variables: Mapping[str, Any], today: str | None, messages: Sequence[Message] | None
) -> Answer:
    """Return the text, and where its stretches came from, None if that is unknown or no messages are passed.

    A page asks for the same text often, and a new child has to compile its template, so answers are cached. That a
    template was stopped is cached as well: it would be stopped for other messages, too.
    """
    stretches: list[list[int]] | None = None
    if messages is not None:
        stretches = [[len(segment.text) for segment in message.segments] for message in messages]
    payload = {"template": template, "variables": dict(variables), "today": today, "stretches": stretches}
    depends_on_time = today is None and "strftime_now" in template
    if depends_on_time:
        return _ask_sandbox(payload)
    return _cache.get_or_ask(payload, _ask_sandbox)


def _ask_sandbox(payload: Mapping[str, Any]) -> Answer:
    answers: list[Any] = []
    try:
        answers.extend(sandbox.stream(WORK, payload, LIMITS))
    except sandbox.Stopped as stopped:
        if not answers:
            return _make_excess(stopped.kind), None
    verdict = answers[0].get("failed")
    if not verdict:
        return Rendering(answers[0]["text"]), answers[1] if len(answers) > 1 else None
    if verdict["when"] == "limit":
        return _make_excess(verdict["reason"], verdict["line"]), None
    return Rendering(None, verdict["reason"], verdict["line"], verdict["when"], verdict["raised"]), None


def _make_excess(kind: str, line: int | None = None) -> Rendering:
    return Rendering(None, kind, line, "limit")


def _report_failure(template: ChatTemplate, rendering: Rendering) -> Diagnostic:
    """Return the only diagnostic of a template that gave no text."""
    place = _locate_line(template.place, rendering.line)
    if rendering.when == "limit":
        excess, limit = EXCESS[rendering.reason]
        return Diagnostic("dat-limit", {"what": excess, "limit": limit}, place, excess)
    reason = rendering.reason
    lacks_config = template.config is None and rendering.reason in UNDEFINED_TOKENS
    if lacks_config:
        reason += ", which tokenizer_config.json says, and there is none"
    takes_other_messages = _takes_other_messages(template, rendering)
    if takes_other_messages:
        reason += ", and it reads no content: it seems to be made for messages of a program's own"
    values = {
        "name": template.name,
        "reason": reason,
        "line": rendering.line,
        "when": rendering.when,
        "raised": rendering.raised,
    }
    severity: Severity | None = "info" if lacks_config or takes_other_messages else None
    return Diagnostic("srv-template-error", values, place, rendering.reason, severity=severity)


def _takes_other_messages(template: ChatTemplate, rendering: Rendering) -> bool:
    """Return whether a template from a folder expects messages of another shape, made by some program."""
    if template.stated or rendering.raised or UNKNOWN_KEY.fullmatch(rendering.reason) is None:
        return False
    return CONTENT.search(template.text or "") is None


def _report_parts(template: ChatTemplate, rendering: Rendering) -> Diagnostic:
    """Report that a template takes contents as lists; it is about the template, so that it is reported once."""
    reason = f"{rendering.reason} where a content is one text; with a list of parts, as servers make it, there is one"
    values = {
        "name": template.name,
        "reason": reason,
        "line": rendering.line,
        "when": "parts",
        "raised": rendering.raised,
    }
    return Diagnostic("srv-template-error", values, template.place, "parts", severity="info")


def _report_refusal(template: ChatTemplate, reason: str) -> Diagnostic:
    """Report that transformers and vLLM refuse such messages."""
    values = {"name": template.name, "reason": reason, "line": None, "when": "execute", "raised": False}
    return Diagnostic("srv-template-error", values, template.place, reason)


def _report_unreadable(template: ChatTemplate) -> Diagnostic:
    """Report why there is no template; other diagnostics of reading are reported where it was read."""
    values = {"name": template.name, "reason": "it cannot be read", "line": None, "when": "read", "raised": False}
    errors = [diagnostic for diagnostic in template.diagnostics if diagnostic.code == "srv-template-error"]
    if errors:
        return errors[0]
    return Diagnostic("srv-template-error", values, template.place, "read")


def _build_segment(template: ChatTemplate, piece: Piece, messages: Sequence[Message]) -> Segment:
    if piece.stretch is not None:
        message, position = piece.stretch
        return replace(messages[message].segments[position], text=piece.text)
    if piece.origin == "serving":
        if piece.line:
            place = _locate_line(template.place, piece.line)
        else:
            place = NOWHERE
        return Segment(piece.text, "serving", template.name, place)
    return Segment(piece.text, piece.origin, piece.name)


@lru_cache(4096)
def _locate_line(start: Location, line: int | None) -> Location:
    """Return the place of a line of the template that begins at `start`; in JSON all lines have the same place."""
    if line is None or start.file is None or start.file.endswith(".json"):
        return start
    return replace(start, line=(start.line or 1) + line - 1, column=None)
