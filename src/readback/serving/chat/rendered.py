"""What a Jinja chat template makes of messages, as transformers and vLLM render it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal

from readback import sandbox
from readback.sandbox.asked_again import PIECE, AskedAgain
from readback.serving.chat import request_messages
from readback.serving.chat.files import read as read
from readback.serving.chat.formats import formats as formats
from readback.serving.chat.formats import named as named
from readback.serving.chat.origins import Piece, pieces
from readback.serving.chat.tokenizer_config import TOKENS
from readback.types import NOWHERE, ChatTemplate, Diagnostic, Location, Message, ModelInput, Segment

WORK = "readback.serving.chat.render:work"
LIMITS = sandbox.Limits(
    seconds=0.8, total=1.7, closed=True
)  # as for any other template; ordinary ones take milliseconds
UNTOLD = tuple(f"'{name}' is undefined" for name in TOKENS)  # what only a tokenizer's files say
A_TEXT = "'str object' has no "  # what fails where a part is looked for in a text: message['content'][0]['text']
UNKNOWN = re.compile(r"'dict object' has no attribute '\w+'")
CONTENT = re.compile(r"[.'\"]content\b")  # how a template reads what a message says
EXCESS: Mapping[str, tuple[str, str]] = {
    "time": ("time to render the chat template", sandbox.time_said(LIMITS.seconds)),
    "memory": ("memory to render the chat template", f"{LIMITS.memory >> 20} MiB"),
    "output": ("text of the chat template", "8 Mi characters"),
    "nesting": ("nesting in the chat template", "the depth that Jinja can read"),
    "crash": ("the chat template's process", "its own crash"),
}


@dataclass(frozen=True, slots=True)
class Rendered:
    """What a template gave: a text, or the reason for none with its line; `raised`: the template says so itself, and
    `when` is "system" where it says so of any system message.
    """

    text: str | None
    reason: str = ""
    line: int | None = None
    when: Literal["", "parse", "execute", "limit", "system"] = ""
    raised: bool = False


Answer = tuple[Rendered, list[list[int]] | None]
_kept = AskedAgain[Answer](lambda one: len(one[0].text or "") + PIECE * len(one[1] or ()))


def raw(template: str, variables: Mapping[str, Any], *, today: str | None = None) -> Rendered:
    """The text of a template over `variables` (JSON values, `messages` among them); what is absent stays undefined."""
    return _render(template, variables, today, None)[0]


def model_input(
    template: ChatTemplate,
    messages: Sequence[Message],
    *,
    today: str | None = None,
    add_generation_prompt: bool = True,
    values: Mapping[str, Any] | None = None,
) -> ModelInput:
    """The text the model receives for these messages; each stretch keeps its origin.

    `values` are further variables (`tools`, `documents`, `enable_thinking`); the tools and documents that nobody gives
    are none, and tools choose the template that a model has for them, as in transformers. `today` (YYYY-MM-DD) is the
    day that the template may print. A template that fails where it looks for parts in a text gets each text as the one
    part of a list, as servers give it, and that is noted.
    """
    if template.with_tools and values and values.get("tools") is not None:
        own = template.with_tools
        template = replace(template, name=own.name, text=own.text, place=own.place)
    stops = (template.eos_token,) if template.eos_token else ()
    empty = ModelInput(template.name, (), (), "chat template", template.place, stops)
    if template.text is None:
        return replace(empty, diagnostics=(_unread(template),))
    given = {"tools": None, "documents": None, **template.tokens, **(values or {})}
    said = request_messages.for_template([message.value for message in messages])
    if not given.get("messages", said):
        return replace(empty, diagnostics=(_refused(template, request_messages.EMPTY),))
    if "messages" in given:
        given["messages"] = request_messages.for_template(given["messages"])
    tokens = {"bos_token": template.bos_token, "eos_token": template.eos_token}
    variables = {
        "messages": said,
        "add_generation_prompt": add_generation_prompt,
        **{name: token for name, token in tokens.items() if token is not None},
        **given,
    }
    made, told = _render(template.text, variables, today, messages)
    if made.when == "execute" and made.reason.startswith(A_TEXT) and variables["messages"] is said:
        listed = [_in_a_list(one) for one in said]
        again, spans = _render(template.text, {**variables, "messages": listed}, today, messages)
        if again.text is not None:
            empty = replace(empty, diagnostics=(_in_parts(template, made),))
            made, told = again, spans
    if made.text is None:
        if made.raised and any(message.role == "system" for message in messages):
            other = json.dumps({name: value for name, value in variables.items() if name != "messages"})
            if _refused_system(template.text, other, today) == made.reason:
                made = replace(made, when="system")
        return replace(empty, diagnostics=(_diagnostic(template, made),))
    parts = pieces(made.text, told, messages, (*variables, *_beside_texts(variables["messages"])))
    segments = tuple(_segment(template, piece, messages) for piece in parts)
    if template.adds_bos and template.bos_token:
        segments = (Segment(template.bos_token, "serving", "add_special_tokens"), *segments)
    return replace(empty, segments=segments)


def _in_a_list(message: Mapping[str, Any]) -> Mapping[str, Any]:
    """The message with its text as the one part of a list; one whose content is a list already, or null, as it is."""
    if not isinstance(message.get("content"), str):
        return message
    return {**message, "content": [{"type": "text", "text": message["content"]}]}


def _beside_texts(messages: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """What messages say beside role and content, by name, in the order in which `render` numbers it."""
    for number, message in enumerate(messages):
        for key in message:
            if key not in ("role", "content"):
                yield f"messages[{number}].{key}"


@lru_cache(maxsize=64)
def _refused_system(template: str, variables: str, today: str | None) -> str | None:
    """With what words a template refuses the shortest conversation with a system message; None where it takes it, or
    refuses the same one without it, too.
    """
    user = {"role": "user", "content": "?"}
    tried = ([{"role": "system", "content": "!"}, user], [user])
    refused, plain = (raw(template, {**json.loads(variables), "messages": one}, today=today) for one in tried)
    return refused.reason if refused.raised and plain.text is not None else None


def _render(
    template: str, variables: Mapping[str, Any], today: str | None, messages: Sequence[Message] | None
) -> Answer:
    """The text, and for `messages` where its stretches came from, None where that is not known.

    A page asks for the same text again and again, and a new child has to compile its template: answers are kept, also
    that a template was stopped, which is no news about what it makes of other messages.
    """
    stretches = None if messages is None else [[len(part.text) for part in one.segments] for one in messages]
    payload = {"template": template, "variables": dict(variables), "today": today, "stretches": stretches}
    timeless = today is not None or "strftime_now" not in template
    return _kept.answer(payload, _answer) if timeless else _answer(payload)


def _answer(payload: Mapping[str, Any]) -> Answer:
    answers: list[Any] = []
    try:
        answers.extend(sandbox.stream(WORK, payload, LIMITS))
    except sandbox.Stopped as stopped:
        if not answers:
            return _excess(stopped.kind), None
    if failed := answers[0].get("failed"):
        return (_excess(failed["reason"], failed["line"]) if failed["when"] == "limit" else _failed(failed)), None
    return Rendered(answers[0]["text"]), answers[1] if len(answers) > 1 else None


def _failed(verdict: Mapping[str, Any]) -> Rendered:
    return Rendered(None, verdict["reason"], verdict["line"], verdict["when"], verdict["raised"])


def _excess(kind: str, line: int | None = None) -> Rendered:
    return Rendered(None, kind, line, "limit")


def _diagnostic(template: ChatTemplate, made: Rendered) -> Diagnostic:
    """The one finding of a template that gave no text."""
    place = _line(template.place, made.line)
    if made.when == "limit":
        what, limit = EXCESS[made.reason]
        return Diagnostic("dat-limit", {"what": what, "limit": limit}, place, what)
    reason, alone = made.reason, template.config is None and made.reason in UNTOLD
    if alone:
        reason += ", which tokenizer_config.json says, and there is none"
    other = _of_other_messages(template, made)
    if other:
        reason += ", and it reads no content: it seems to be made for messages of a program's own"
    values = {"name": template.name, "reason": reason, "line": made.line, "when": made.when, "raised": made.raised}
    return Diagnostic("srv-template-error", values, place, made.reason, severity="info" if alone or other else None)


def _of_other_messages(template: ChatTemplate, made: Rendered) -> bool:
    """Whether a template that lay in a folder takes messages of another shape, which some program gives it."""
    foreign = not template.stated and not made.raised and UNKNOWN.fullmatch(made.reason) is not None
    return foreign and CONTENT.search(template.text or "") is None


def _in_parts(template: ChatTemplate, failed: Rendered) -> Diagnostic:
    """That a template takes contents as lists; of the template and not of a record, so that it is said once."""
    reason = f"{failed.reason} where a content is one text; with a list of parts, as servers make it, there is one"
    values = {"name": template.name, "reason": reason, "line": failed.line, "when": "parts", "raised": failed.raised}
    return Diagnostic("srv-template-error", values, template.place, "parts", severity="info")


def _refused(template: ChatTemplate, reason: str) -> Diagnostic:
    """That whoever carries out the template takes no such messages."""
    values = {"name": template.name, "reason": reason, "line": None, "when": "execute", "raised": False}
    return Diagnostic("srv-template-error", values, template.place, reason)


def _unread(template: ChatTemplate) -> Diagnostic:
    """Why there is no template; what reading noted beside it is told where it was read."""
    values = {"name": template.name, "reason": "it cannot be read", "line": None, "when": "read", "raised": False}
    other = Diagnostic("srv-template-error", values, template.place, "read")
    return next((diagnostic for diagnostic in template.diagnostics if diagnostic.code == "srv-template-error"), other)


def _segment(template: ChatTemplate, piece: Piece, messages: Sequence[Message]) -> Segment:
    if piece.stretch is not None:
        message, at = piece.stretch
        whole = messages[message].segments[at]
        return replace(whole, text=piece.text)
    if piece.origin == "serving":
        return Segment(
            piece.text, "serving", template.name, _line(template.place, piece.line) if piece.line else NOWHERE
        )
    return Segment(piece.text, piece.origin, piece.name)


@lru_cache(4096)
def _line(start: Location, line: int | None) -> Location:
    """The place of a line of the template that begins at `start`. In JSON all its lines are in one."""
    if line is None or start.file is None or start.file.endswith(".json"):
        return start
    return replace(start, line=(start.line or 1) + line - 1, column=None)
