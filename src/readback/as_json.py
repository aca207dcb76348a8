"""What the command line answers in JSON: the stable shapes of findings, audits and assembled messages."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, fields
from operator import attrgetter
from typing import Any

import msgspec

from readback.types import (
    NOWHERE,
    Assembly,
    Condition,
    Finding,
    Location,
    Message,
    ModelInput,
    Segment,
    Selection,
    Tokens,
)

encoded = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode  # on one line; may hold lone surrogates
PARTS = tuple(field.name for field in fields(Location))
OF_PLACE = attrgetter(*PARTS)


def dumps(value: Any, indent: int | None = None) -> str:
    """JSON as text that any stream can carry: non-ASCII as it is, lone surrogates as escapes.

    NaN and infinity, which JSON does not know, are our mistake: ValueError.
    """
    text = encoded(value) if indent is None else json.dumps(value, ensure_ascii=False, indent=indent, allow_nan=False)
    return mended(text) if torn(text) else text


def packed(value: Any) -> bytes:
    """JSON for ourselves, on one line and quickly made. NaN and infinity are null."""
    try:
        return msgspec.json.encode(value)
    except (UnicodeEncodeError, TypeError):  # a lone surrogate; a kind of text or key that msgspec does not know
        return json.dumps(value).encode()


def unpacked(said: bytes) -> Any:
    """The value that JSON says. Raises ValueError."""
    try:
        return msgspec.json.decode(said)
    except msgspec.DecodeError:  # a lone surrogate, NaN
        return json.loads(said)


def pieces(value: Any, indent: int) -> Iterator[str]:
    """The same text in pieces, so that a long one is never there as a whole."""
    for piece in json.JSONEncoder(ensure_ascii=False, indent=indent, allow_nan=False).iterencode(value):
        yield mended(piece) if torn(piece) else piece


def torn(text: str) -> bool:
    """Whether a text holds a lone surrogate, so that it is no UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def mended(text: str) -> str:
    """JSON with each lone surrogate as its escape: the same value, and a text that any stream can carry."""
    return "".join(f"\\u{ord(char):04x}" if "\ud800" <= char <= "\udfff" else char for char in text)


def place(at: Location) -> dict[str, Any]:
    """All parts of a place; what is not known is null."""
    return dict(zip(PARTS, OF_PLACE(at), strict=True))


def known(at: Location) -> dict[str, Any]:
    """Only the parts of a place that say something."""
    return {name: value for name, value in zip(PARTS, OF_PLACE(at), strict=True) if value is not None}


def finding(found: Finding) -> dict[str, Any]:
    """{"code", "severity", "message", "fix", "place": {…}, "key"}"""
    return {
        "code": found.code,
        "severity": found.severity,
        "message": found.message,
        "fix": found.fix,
        "place": place(found.place),
        "key": found.key,
    }


def message(sent: Message) -> dict[str, Any]:
    """{"role", "text", "segments": [{"text", "origin", "name", "place"}]}; the segments' texts join to `text`.

    A message that is more than a role and a text has `whole`, too: all of it, as its row has it.
    """
    more = {} if sent.whole is None else {"whole": sent.value}
    return {"role": sent.role, "text": sent.text, "segments": [segment(one) for one in sent.segments], **more}


def segment(one: Segment) -> dict[str, Any]:
    """{"text", "origin", "name", "place"}, of an adapter's text also "wording": readback where the words are ours."""
    said = {"wording": one.wording} if one.wording else {}
    return {"text": one.text, "origin": one.origin, "name": one.name, "place": known(one.place), **said}


def model_input(sent: ModelInput | None) -> dict[str, Any] | None:
    """{"format", "text", "segments", "kind", "stops"}, or null where none was asked for.

    `kind` is "format", "modelfile" or "chat template"; `stops` are the texts before which the answer ends.
    Under Ollama there is an "engine": {"sends", "why", "likely", "more", "renderer"}, the rule that chose its template.
    """
    if sent is None:
        return None
    made = {"format": sent.format, "text": sent.text, "segments": [segment(one) for one in sent.segments]}
    by = {} if sent.engine is None else {"engine": asdict(sent.engine)}
    return {**made, "kind": sent.kind, "stops": list(sent.stops), **by}


def tokens(counted: Tokens, of: str) -> dict[str, Any]:
    """{"count", "tokenizer", "exact", "of"}: of the text that the model reads ("wire"), else of all "messages"."""
    return {"count": counted.count, "tokenizer": counted.tokenizer, "exact": counted.exact, "of": of}


def rendering(
    assembly: Assembly,
    condition: Condition | None,
    findings: Iterable[Finding],
    sent: ModelInput | None = None,
    counted: tuple[Tokens, str] | None = None,
    dialect: str | None = None,
    sampling: Mapping[str, tuple[Any, str, Location]] | None = None,
    made_by: Iterable[Any] = (),
    system_unknown: str | None = None,
    unanswered: bool = False,
) -> dict[str, Any]:
    """The answer of `readback render`; mode, adapter and task are those of the condition where one was chosen.

    `dialect` is that of the Albert program in force, which also is beside the format of `wire`; null where no
    Albert mode is sent. `sampling` are the settings that go with the request, by the name that their file uses, and
    `sampling_places` says of each its `level` (of Albert "models", "mode" or "top" of the file; else "model", "mode",
    "condition" or "judge") and its place. `made_by` are the
    named options that made the text: {"option", "value", "version", "others": [[value, version]]}. `system_unknown`
    says why it is not known which system message the model gets, where none is sent. `unanswered`: a judge's messages
    whose answer is not there, which nobody can send and an export leaves out.
    """
    made = model_input(sent)
    return {
        **chosen(assembly.choice, condition),
        "record": assembly.record,
        "messages": [message(one) for one in assembly.messages],
        "wire": {**made, "dialect": dialect} if made and dialect and sent and sent.kind == "format" else made,
        "tokens": tokens(*counted) if counted else None,
        "dialect": dialect,
        "sampling": {name: value for name, (value, *_) in (sampling or {}).items()},
        "sampling_places": {name: {"level": by, "place": known(at)} for name, (_, by, at) in (sampling or {}).items()},
        "fingerprint": assembly.fingerprint,
        "made_by": [asdict(one) for one in made_by],
        "system_unknown": system_unknown,
        "unanswered": unanswered,
        "masked": assembly.masked,
        "findings": [finding(found) for found in findings],
    }


def chosen(choice: Selection, condition: Condition | None) -> dict[str, str | None]:
    """What was sent, with what the condition settles."""
    condition = condition or Condition("")
    return {
        "condition": choice.condition,
        "mode": choice.mode or condition.mode,
        "adapter": choice.adapter or condition.adapter,
        "task": choice.task or condition.task,
        "judge": choice.judge,
    }


def read_place(value: Any) -> Location:
    """A place from its JSON."""
    return Location(**value) if value else NOWHERE
