"""The messages of dotprompt for a row: render the template, then cut the text at the marks of its helpers.

The marks are texts, so that a value which holds one opens a message or a part as the template does: that is a finding
of the row. In the bounded child only. Source: dotprompt 1.1.2, helpers.ts and parse.ts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from readback.projects.handlebars.nodes import HandlebarsFault
from readback.projects.handlebars.render import (
    NOTHING,
    SAFE_MEMBER,
    Added,
    HandlebarsOptions,
    HelperCall,
    Value,
    render_handlebars,
)
from readback.projects.javascript_text import (
    SPACES,
    UNDEFINED,
    SafeText,
    are_identical,
    format_value,
    is_true,
    stringify,
)
from readback.projects.model import RenderedMessages, TextSegment
from readback.projects.owned_text import OwnedText, join_owned
from readback.projects.value_notes import EMPTY, note_missing, note_roles, note_sums

ROLE, HISTORY = "<<<dotprompt:role:", "<<<dotprompt:history"
MEDIA, SECTION = "<<<dotprompt:media:", "<<<dotprompt:section"
ROLES = re.compile(r"(<<<dotprompt:(?:role:[a-z]+|history))>>>")
PARTS = re.compile("(<<<dotprompt:(?:media:url|section)[^\n\r\u2028\u2029]*?)>>>")
MARK = re.compile(r"<<<dotprompt:(?:role:|history|media:|section)[^\n>]{0,40}")
MODEL = "model"
HISTORY_FIELDS = ("messages", "history")  # fields of a row that hold earlier turns


@dataclass(slots=True)
class Source:
    """A message before its text is cut into parts; `turn` is a message of the history as it is."""

    role: str
    text: OwnedText
    turn: Mapping[str, Any] | None = None


def render_messages(settings: Mapping[str, Any], fields: Mapping[str, Any]) -> RenderedMessages:
    """Return the messages of dotprompt for the fields of a row."""
    if settings.get("refused"):
        return RenderedMessages(None, error=str(settings["refused"]))
    history = _find_history(fields)
    options = HandlebarsOptions(
        helpers={
            "json": _write_json,
            "role": lambda call: Value(SafeText(f"{ROLE}{format_value(_take_param(call).value)}>>>")),
            "history": lambda _: Value(SafeText(f"{HISTORY}>>>")),
            "section": lambda call: Value(SafeText(f"{SECTION} {format_value(_take_param(call).value)}>>>")),
            "media": _write_media,
            "ifEquals": lambda call: call.render(_are_equal(call)),
            "unlessEquals": lambda call: call.render(not _are_equal(call)),
        },
        knows_all_helpers=True,
        escapes=False,
        partials=settings.get("partials") or {},
        data={"metadata": {"prompt": settings.get("metadata") or {}, "messages": history}},
    )
    missing: list[str] = []
    added: list[Added] = []
    try:
        text = render_handlebars(str(settings["template"]), fields, options, missing, added)
    except HandlebarsFault as fault:
        return RenderedMessages(None, error=str(fault))
    messages = [_make_message(each) for each in _cut_messages(text, history)]
    return RenderedMessages(
        tuple(message for message, _ in messages),
        segments=tuple(segments for _, segments in messages),
        notes=(
            *note_roles(_find_marks(text)),
            *note_missing(missing, EMPTY),
            *note_sums((each.names, each.typed, each.text) for each in added),
        ),
    )


def _find_history(fields: Mapping[str, Any]) -> list[Mapping[str, Any]] | None:
    """Return the earlier turns that a row has: a list of messages in a field that is called so."""
    for name in HISTORY_FIELDS:
        value = fields.get(name)
        if isinstance(value, list) and all(isinstance(each, Mapping) and "role" in each for each in value):
            return value
    return None


# helpers


def _take_param(call: HelperCall) -> Value:
    """Return a helper's argument; without one JavaScript passes its options, which are an object."""
    if call.params:
        return call.params[0]
    return Value({})


def _write_json(call: HelperCall) -> Value:
    value = call.get(0)
    if isinstance(value.value, SafeText):
        inside = {SAFE_MEMBER: str(value.value)}
    else:
        inside = value.value
    indent = call.pairs.get("indent", NOTHING).value
    written = stringify(inside, indent if is_true(indent) else 0.0)
    return Value(SafeText("undefined" if written is UNDEFINED else written), value.name)


def _write_media(call: HelperCall) -> Value:
    url, kind = call.pairs.get("url", NOTHING), call.pairs.get("contentType", NOTHING)
    if is_true(kind.value):
        more = f" {format_value(kind.value)}"
    else:
        more = ""
    return Value(SafeText(f"{MEDIA}url {format_value(url.value)}{more}>>>"))


def _are_equal(call: HelperCall) -> bool:
    return are_identical(call.get(0).value, call.get(1).value)


# messages


def _cut_messages(text: OwnedText, history: list[Mapping[str, Any]] | None) -> list[Source]:
    now = Source("user", OwnedText(""))
    sources = [now]
    has_history = False
    for piece in _split(text, ROLES):
        if piece.text.startswith(ROLE):
            role = piece.text[len(ROLE) :]
            if now.text.text.strip(SPACES):
                now = Source(role, OwnedText(""))
                sources.append(now)
            else:
                now.role = role
        elif piece.text.startswith(HISTORY):
            for each in history or ():
                sources.append(Source(str(each["role"]), OwnedText(""), each))
                has_history = True
            now = Source(MODEL, OwnedText(""))
            sources.append(now)
        else:
            now.text = join_owned([now.text, piece])
    messages = [each for each in sources if each.text.text or (each.turn is not None and each.turn.get("content"))]
    if not history or has_history:
        return messages
    earlier = [Source(str(each["role"]), OwnedText(""), each) for each in history]
    if messages and messages[-1].role == "user":
        return [*messages[:-1], *earlier, messages[-1]]
    return [*messages, *earlier]


def _split(text: OwnedText, pattern: re.Pattern[str]) -> Iterator[OwnedText]:
    """Yield the pieces between marks and the marks without their end, as String.split does; blank ones are left out."""
    start = 0
    for match in pattern.finditer(text.text):
        for piece in (text.cut(start, match.start()), text.cut(match.start(1), match.end(1))):
            if piece.text.strip(SPACES):
                yield piece
        start = match.end()
    last = text.cut(start, len(text.text))
    if last.text.strip(SPACES):
        yield last


def _make_message(source: Source) -> tuple[dict[str, Any], tuple[TextSegment, ...]]:
    """Return a message and its segments; one part that is a text is that text."""
    if source.turn is not None:
        content = source.turn.get("content")
        if isinstance(content, list) and len(content) == 1:
            part = content[0]
            if isinstance(part, Mapping) and part.keys() == {"text"}:
                content = part["text"]
        return {"role": source.role, "content": content}, ()
    if source.role == MODEL:
        role = "assistant"
    else:
        role = source.role
    parts: list[dict[str, Any]] = []
    texts: list[OwnedText] = []
    for piece in _split(source.text, PARTS):
        if piece.text.startswith(MEDIA):
            parts.append(_read_media(piece.text))
        elif piece.text.startswith(SECTION):
            words = piece.text.split(" ")
            parts.append({"metadata": {"purpose": words[1] if len(words) > 1 else None, "pending": True}})
        else:
            parts.append({"text": piece.text})
            texts.append(piece)
    if len(parts) == 1 and texts:
        content = parts[0]["text"]
    else:
        content = parts
    return {"role": role, "content": content}, join_owned(texts, "\n").list_segments()


def _read_media(mark: str) -> dict[str, Any]:
    words = mark.split(" ")
    if len(words) > 1:
        medium = {"url": words[1]}
    else:
        medium = {}
    if len(words) > 2 and words[2]:
        medium["contentType"] = words[2]
    return {"media": medium}


def _find_marks(text: OwnedText) -> Iterator[tuple[str, str]]:
    """Yield (variable, mark) for each mark at which dotprompt cuts and that a value wrote."""
    for match in MARK.finditer(text.text):
        owner = text.owners[match.start()]
        if owner is not None:
            yield owner, match[0]
