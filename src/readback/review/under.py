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
from readback.review import kept_text
from readback.review.state import Note
from readback.types import Message, Segment, Selection, Workspace
from readback.words import t

CHOICE = ("condition", "mode", "adapter", "task", "judge")
LAYERS: Mapping[str, sides_of.Layer] = {"messages": "messages", "model-input": "wire", "training": "training"}
ON_TEXT = ("message", "record", "finding")  # the kinds of anchor that can be on the text of one record


class NoSuchText(Exception):  # noqa: N818 - an outcome to say in one sentence
    """A note names a message or a span that is not there; the text says so."""


@dataclass(frozen=True, slots=True)
class Kept:
    """The anchor of a note with the bytes it is on: `texts` are what the store keeps for it, `sha` its name there."""

    anchor: Mapping[str, Any]
    sha: str
    texts: Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class Changed:
    """What became of the text under a note: `how` in the words of Compare, A being the text of then ("" where the
    text of then was not kept); `span` says of the marked stretch: "same", "moved", "gone", or "" where none is marked.
    `start` and `end` are where the stretch is now. `why_not`: why there is no text now.
    """

    how: str = ""
    span: str = ""
    start: int | None = None
    end: int | None = None
    why_not: str = ""


def side(anchor: Mapping[str, Any]) -> Side | None:
    """The text that an anchor is on; None where it names no text of one record."""
    layer = LAYERS.get(anchor.get("layer", "messages"))
    chosen = Selection(**{name: anchor[name] for name in CHOICE if anchor.get(name) is not None})
    named = chosen != Selection() or "start" in anchor or "message" in anchor
    if anchor.get("kind") not in ON_TEXT or anchor.get("record") is None or layer is None or not named:
        return None
    return Side(chosen, record=str(anchor["record"]), layer=layer)


def kept(anchor: Mapping[str, Any], shown: ShownSide) -> Kept:
    """An anchor with the role, the quote and the fingerprint of the text it is on, and that text to keep.

    `start` and `end` count code points of the message `message` (from 0; where none is named, the only one or the
    first with the role that is named). Raises NoSuchText.
    """
    raw = json.dumps([[one.role, one.text] for one in shown.messages], ensure_ascii=True).encode()
    sha = hashlib.sha256(raw).hexdigest()
    made = {name: value for name, value in anchor.items() if (name, value) != ("layer", "messages")}
    made |= {"fingerprint": shown.fingerprint}
    if "message" in anchor or "start" in anchor:
        number = _number(anchor, shown.messages)
        one = shown.messages[number]
        made |= {"message": number, "role": one.role}
        if "start" in anchor:
            made["quote"] = _quoted(one.text, anchor["start"], anchor["end"])
    return Kept(made, sha, {sha: raw})


def _number(anchor: Mapping[str, Any], messages: tuple[Message, ...]) -> int:
    there = [at for at, one in enumerate(messages) if anchor.get("role") in (None, one.role)]
    if "message" in anchor:
        if anchor["message"] not in there:
            raise NoSuchText(f"there is no message {anchor['message']}; {_listed(messages)}")
        return int(anchor["message"])
    if not there or (len(there) > 1 and "role" not in anchor):
        raise NoSuchText(f"say which message: {_listed(messages)}")
    return there[0]


def _listed(messages: tuple[Message, ...]) -> str:
    return "there are " + ", ".join(f"{at} ({one.role})" for at, one in enumerate(messages)) if messages else "none"


def _quoted(text: str, start: int, end: int) -> str:
    if not 0 <= start <= end <= len(text):
        raise NoSuchText(f"there are no characters {start} to {end}; the message has {len(text)}")
    return text[start:end]


def changed(opened: Workspace, note: Note, content: bytes | None) -> Changed | None:
    """What became of the text under a note since it was written; None where it is the same, or the note is on no text.

    `content` is what was kept for it (`Note.kept`).
    """
    asked = side(note.anchor)
    if asked is None or "fingerprint" not in note.anchor:
        return None
    try:
        now = show_side(opened, asked)
    except SideError as error:
        return Changed(why_not=str(error))
    if now.fingerprint == note.anchor["fingerprint"]:
        return None
    then = _then(content)
    how = (
        format_sentence(compare_sides(replace(now, messages=then, label="A"), replace(now, label="B"))) if then else ""
    )
    return replace(_span(note.anchor, now.messages), how=how)


def _then(content: bytes | None) -> tuple[Message, ...]:
    """The messages of a kept text; none where it is not there, or not as it is written."""
    if content is None:
        return ()
    try:
        value = kept_text.parse(content)
    except kept_text.NotKeptError:
        return ()
    pairs: list[Any] = value if isinstance(value, list) else [None]
    if not all(isinstance(one, list) and len(one) == len(("role", "text")) for one in pairs):
        return ()
    if not all(isinstance(part, str) for one in pairs for part in one):
        return ()
    return tuple(Message(role, (Segment(text, "unknown"),)) for role, text in pairs)


def _span(anchor: Mapping[str, Any], messages: tuple[Message, ...]) -> Changed:
    """Where the marked stretch is now: at its place, once elsewhere in a message of its role, or nowhere certain."""
    if "start" not in anchor:
        return Changed()
    quote, number = anchor.get("quote", ""), anchor.get("message", 0)
    here = messages[number] if number < len(messages) and messages[number].role == anchor.get("role") else None
    text = here.text if here else ""
    if here and text[anchor["start"] : anchor["end"]] == quote:
        return Changed(span="same", start=anchor["start"], end=anchor["end"])
    if quote and text.count(quote) == 1:
        start = text.index(quote)
        return Changed(span="moved", start=start, end=start + len(quote))
    return Changed(span="gone")


def said(one: Changed) -> str:
    """What became of the text under a note, in sentences."""
    if one.why_not:
        return t("review.under_gone", why=one.why_not)
    parts = [t("review.under_changed", how=one.how) if one.how else t("review.text_changed")]
    parts += [t(f"review.span_{one.span}", start=one.start or 0, end=one.end or 0)] if one.span else []
    return " ".join(parts)
