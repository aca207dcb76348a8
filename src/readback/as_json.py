"""Write the stable JSON of findings, places and assembled messages, for the command line and for stores."""

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

encode_line = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode  # on one line; may hold lone surrogates
PARTS = tuple(field.name for field in fields(Location))
get_parts = attrgetter(*PARTS)


def dumps(value: Any, indent: int | None = None) -> str:
    """Return JSON as text that any stream can carry: non-ASCII as it is, lone surrogates as escapes.

    Raises ValueError for NaN and infinity, which JSON does not have.
    """
    if indent is None:
        text = encode_line(value)
    else:
        text = json.dumps(value, ensure_ascii=False, indent=indent, allow_nan=False)
    if has_lone_surrogate(text):
        return escape_surrogates(text)
    return text


def pack(value: Any) -> bytes:
    """Return compact JSON for Readback's own files and processes; NaN and infinity become null."""
    try:
        return msgspec.json.encode(value)
    except (UnicodeEncodeError, TypeError):  # a lone surrogate; a kind of text or key that msgspec does not know
        return json.dumps(value).encode()


def unpack(packed: bytes) -> Any:
    """Return the value of packed JSON. Raises ValueError."""
    try:
        return msgspec.json.decode(packed)
    except msgspec.DecodeError:  # a lone surrogate, NaN
        return json.loads(packed)


def iterate_json(value: Any, indent: int) -> Iterator[str]:
    """Yield the text of `dumps` in pieces, so that a long one is never in memory as a whole."""
    for piece in json.JSONEncoder(ensure_ascii=False, indent=indent, allow_nan=False).iterencode(value):
        yield escape_surrogates(piece) if has_lone_surrogate(piece) else piece


def has_lone_surrogate(text: str) -> bool:
    """Return whether a text holds a lone surrogate, so that UTF-8 cannot hold it."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def escape_surrogates(text: str) -> str:
    """Return JSON with each lone surrogate as its escape: the same value, in a text that any stream can carry."""
    return "".join(f"\\u{ord(char):04x}" if "\ud800" <= char <= "\udfff" else char for char in text)


def place_to_json(place: Location) -> dict[str, Any]:
    """Return all parts of a place; an unknown part is null."""
    return dict(zip(PARTS, get_parts(place), strict=True))


def known_place_to_json(place: Location) -> dict[str, Any]:
    """Return the parts of a place that are known."""
    return {name: value for name, value in zip(PARTS, get_parts(place), strict=True) if value is not None}


def finding_to_json(finding: Finding) -> dict[str, Any]:
    """Return {"code", "severity", "message", "fix", "place": {…}, "key"}."""
    return {
        "code": finding.code,
        "severity": finding.severity,
        "message": finding.message,
        "fix": finding.fix,
        "place": place_to_json(finding.place),
        "key": finding.key,
    }


def message_to_json(message: Message) -> dict[str, Any]:
    """Return {"role", "text", "segments": [{"text", "origin", "name", "place"}]}; the segments join to `text`.

    A message that is more than a role and a text has `whole`, too: all of it, as its row has it.
    """
    answer: dict[str, Any] = {
        "role": message.role,
        "text": message.text,
        "segments": [segment_to_json(segment) for segment in message.segments],
    }
    if message.whole is not None:
        answer["whole"] = message.value
    return answer


def segment_to_json(segment: Segment) -> dict[str, Any]:
    """Return {"text", "origin", "name", "place"}; of an adapter's text also "wording", such as "readback"."""
    answer = {
        "text": segment.text,
        "origin": segment.origin,
        "name": segment.name,
        "place": known_place_to_json(segment.place),
    }
    if segment.wording:
        answer["wording"] = segment.wording
    return answer


def model_input_to_json(model_input: ModelInput | None) -> dict[str, Any] | None:
    """Return {"format", "text", "segments", "kind", "stops"}, or null where there is none.

    `kind` is "format", "modelfile" or "chat template"; `stops` are the texts before which the answer ends.
    Under Ollama there is an "engine": {"sends", "why", "likely", "more", "renderer"}, the rule that chose its template.
    """
    if model_input is None:
        return None
    answer: dict[str, Any] = {
        "format": model_input.format,
        "text": model_input.text,
        "segments": [segment_to_json(segment) for segment in model_input.segments],
        "kind": model_input.kind,
        "stops": list(model_input.stops),
    }
    if model_input.engine is not None:
        answer["engine"] = asdict(model_input.engine)
    return answer


def tokens_to_json(tokens: Tokens, counted: str) -> dict[str, Any]:
    """Return {"count", "tokenizer", "exact", "of"}.

    `of` is what was counted: "wire", the text that the model reads, or "messages", the text of all messages.
    """
    return {"count": tokens.count, "tokenizer": tokens.tokenizer, "exact": tokens.exact, "of": counted}


def rendering_to_json(
    assembly: Assembly,
    condition: Condition | None,
    findings: Iterable[Finding],
    model_input: ModelInput | None = None,
    tokens: tuple[Tokens, str] | None = None,
    dialect: str | None = None,
    sampling: Mapping[str, tuple[Any, str, Location]] | None = None,
    options: Iterable[Any] = (),
    system_unknown: str | None = None,
    unanswered: bool = False,
) -> dict[str, Any]:
    """Return the answer of `readback render`; mode, adapter and task are those of the condition where one was chosen.

    `tokens` are those that were counted, and of what ("wire" or "messages"). `dialect` is that of the Albert program in
    force, which also is beside the format of `wire`; null where no Albert mode is sent. `sampling` are the settings
    that go with the request, by the name that their file uses; `sampling_places` has for each its `level` (of Albert
    "models", "mode" or "top" of the file; else "model", "mode", "condition" or "judge") and its place. `options` are
    the named options that made the text, as `made_by`: {"option", "value", "version", "others": [[value, version]]}.
    `system_unknown` is the reason why it is not known which system message the model gets, where none is sent.
    `unanswered`: a judge's messages without the answer to judge, which nobody can send and an export leaves out.
    """
    wire = model_input_to_json(model_input)
    if wire and model_input and dialect and model_input.kind == "format":
        wire = {**wire, "dialect": dialect}
    settings = sampling or {}
    return {
        **selection_to_json(assembly.choice, condition),
        "record": assembly.record,
        "messages": [message_to_json(message) for message in assembly.messages],
        "wire": wire,
        "tokens": tokens_to_json(*tokens) if tokens else None,
        "dialect": dialect,
        "sampling": {name: value for name, (value, *_) in settings.items()},
        "sampling_places": {
            name: {"level": level, "place": known_place_to_json(place)} for name, (_, level, place) in settings.items()
        },
        "fingerprint": assembly.fingerprint,
        "made_by": [asdict(option) for option in options],
        "system_unknown": system_unknown,
        "unanswered": unanswered,
        "masked": assembly.masked,
        "findings": [finding_to_json(finding) for finding in findings],
    }


def selection_to_json(selection: Selection, condition: Condition | None) -> dict[str, str | None]:
    """Return what is sent, completed by what the condition settles."""
    condition = condition or Condition("")
    return {
        "condition": selection.condition,
        "mode": selection.mode or condition.mode,
        "adapter": selection.adapter or condition.adapter,
        "task": selection.task or condition.task,
        "judge": selection.judge,
    }


def place_from_json(value: Any) -> Location:
    """Return the place that its JSON states; none for null."""
    if value:
        return Location(**value)
    return NOWHERE
