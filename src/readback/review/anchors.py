"""The text under a note: kept as it was when the note was written, and held against what it is now."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from readback.compare import side as sides_of
from readback.compare.diff import compare_sides
from readback.compare.sentence import format_sentence
from readback.compare.side import ShownSide, Side, SideError
from readback.compare.sides import show_side
from readback.html.exact import written_out
from readback.review import kept_text
from readback.review.state import Note
from readback.types import Message, Segment, Selection, Workspace
from readback.words import t


def describe_anchor(anchor: Mapping[str, Any]) -> str:
    """Describe what an anchor names; what cannot be seen in it is written out."""
    parts = [
        t(f"review.at_{name}", value=written_out(str(anchor[name])))
        for name in ("condition", "mode", "a", "b", "record", "role", "finding_key", "criterion", "judge")
        if name in anchor
    ]
    if "start" in anchor:
        parts.append(t("review.at_span", start=anchor["start"], end=anchor.get("end", "")))
    return ", ".join(parts) or t("review.at_study")


CHOICE = ("condition", "mode", "adapter", "task", "judge")
LAYERS: Mapping[str, sides_of.Layer] = {"messages": "messages", "model-input": "wire", "training": "training"}
ON_TEXT = ("message", "record", "finding")  # the kinds of anchor that can be on the text of one record


class NoSuchText(Exception):  # noqa: N818 - an outcome to say in one sentence
    """A note names a message or a span that is not there; the text says so."""


@dataclass(frozen=True, slots=True)
class AnchoredText:
    """The anchor of a note with the bytes it is on: `texts` are what the store keeps for it, `sha` its name there."""

    anchor: Mapping[str, Any]
    sha: str
    texts: Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class TextChange:
    """What became of the text under a note: `how` in the words of *Difference*, A being the text of then ("" where the
    text of then was not kept); `span` says of the marked stretch: "same", "moved", "gone", or "" where none is marked.
    `start` and `end` are where the stretch is now. `why_not`: why there is no text now.
    """

    how: str = ""
    span: str = ""
    start: int | None = None
    end: int | None = None
    why_not: str = ""


def find_side(anchor: Mapping[str, Any]) -> Side | None:
    """Return the text that an anchor is on; None where it names no text of one record."""
    layer = LAYERS.get(anchor.get("layer", "messages"))
    chosen = Selection(**{name: anchor[name] for name in CHOICE if anchor.get(name) is not None})
    named = chosen != Selection() or "start" in anchor or "message" in anchor
    if anchor.get("kind") not in ON_TEXT or anchor.get("record") is None or layer is None or not named:
        return None
    return Side(chosen, record=str(anchor["record"]), layer=layer)


def keep_text(anchor: Mapping[str, Any], side: ShownSide) -> AnchoredText:
    """Add to an anchor the role, the quote and the fingerprint of the text it is on, and keep that text.

    `start` and `end` count code points of the message `message` (from 0; where none is named, the only one or the
    first with the role that is named). Raises NoSuchText.
    """
    raw = json.dumps([[message.role, message.text] for message in side.messages], ensure_ascii=True).encode()
    sha = hashlib.sha256(raw).hexdigest()
    complete_anchor = {name: value for name, value in anchor.items() if (name, value) != ("layer", "messages")}
    complete_anchor |= {"fingerprint": side.fingerprint}
    if "message" in anchor or "start" in anchor:
        number = _find_message(anchor, side.messages)
        message = side.messages[number]
        complete_anchor |= {"message": number, "role": message.role}
        if "start" in anchor:
            complete_anchor["quote"] = _quote_span(message.text, anchor["start"], anchor["end"])
    return AnchoredText(complete_anchor, sha, {sha: raw})


def _find_message(anchor: Mapping[str, Any], messages: tuple[Message, ...]) -> int:
    there = [at for at, message in enumerate(messages) if anchor.get("role") in (None, message.role)]
    if "message" in anchor:
        if anchor["message"] not in there:
            raise NoSuchText(f"there is no message {anchor['message']}; {_list_messages(messages)}")
        return int(anchor["message"])
    if not there or (len(there) > 1 and "role" not in anchor):
        raise NoSuchText(f"say which message: {_list_messages(messages)}")
    return there[0]


def _list_messages(messages: tuple[Message, ...]) -> str:
    if messages:
        return "there are " + ", ".join(f"{at} ({message.role})" for at, message in enumerate(messages))
    return "none"


def _quote_span(text: str, start: int, end: int) -> str:
    if not 0 <= start <= end <= len(text):
        raise NoSuchText(f"there are no characters {start} to {end}; the message has {len(text)}")
    return text[start:end]


def compare_text(opened: Workspace, note: Note, content: bytes | None) -> TextChange | None:
    """Compare the text under a note with what it was when the note was written; None if it is the same or there is no
    text.

    `content` is what was kept for it (`Note.text_hash`).
    """
    side = find_side(note.anchor)
    if side is None or "fingerprint" not in note.anchor:
        return None
    try:
        now = show_side(opened, side)
    except SideError as error:
        return TextChange(why_not=str(error))
    if now.fingerprint == note.anchor["fingerprint"]:
        return None
    then = _parse_messages(content)
    if then:
        how = format_sentence(compare_sides(replace(now, messages=then, label="A"), replace(now, label="B")))
    else:
        how = ""
    return replace(_locate_span(note.anchor, now.messages), how=how)


def _parse_messages(content: bytes | None) -> tuple[Message, ...]:
    """Return the messages of a stored text; none where it is missing or malformed."""
    if content is None:
        return ()
    try:
        value = kept_text.parse(content)
    except kept_text.NotKeptError:
        return ()
    pairs: list[Any] = value if isinstance(value, list) else [None]
    if not all(isinstance(pair, list) and len(pair) == len(("role", "text")) for pair in pairs):
        return ()
    if not all(isinstance(part, str) for pair in pairs for part in pair):
        return ()
    return tuple(Message(role, (Segment(text, "unknown"),)) for role, text in pairs)


def _locate_span(anchor: Mapping[str, Any], messages: tuple[Message, ...]) -> TextChange:
    """Where the marked stretch is now: at its place, once elsewhere in a message of its role, or nowhere certain."""
    if "start" not in anchor:
        return TextChange()
    quote, number = anchor.get("quote", ""), anchor.get("message", 0)
    if number < len(messages) and messages[number].role == anchor.get("role"):
        here = messages[number]
    else:
        here = None
    text = here.text if here else ""
    if here and text[anchor["start"] : anchor["end"]] == quote:
        return TextChange(span="same", start=anchor["start"], end=anchor["end"])
    if quote and text.count(quote) == 1:
        start = text.index(quote)
        return TextChange(span="moved", start=start, end=start + len(quote))
    return TextChange(span="gone")


def describe_text_change(change: TextChange) -> str:
    """Describe what became of the text under a note."""
    if change.why_not:
        return t("review.under_gone", why=change.why_not)
    parts = [t("review.under_changed", how=change.how) if change.how else t("review.text_changed")]
    parts += [t(f"review.span_{change.span}", start=change.start or 0, end=change.end or 0)] if change.span else []
    return " ".join(parts)
