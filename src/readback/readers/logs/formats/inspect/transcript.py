"""Take the calls of models out of the transcript of a sample, each with what was sent and what came back.

A model event holds its messages in `input`; where that is empty, `input_refs` are half-open ranges into the messages
that the sample pools in `events_data`. A call inside a span (logs until spring 2025: a step) of type "scorer" is a
grader's. Events of tools and subtasks of old logs hold events of their own. Source: inspect_ai 0.3.285, `event/`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from readback.readers.logs.formats.inspect.values import BAD, Attachments, Fields, Raw, Unreadable, decode_value

SCORER = "scorer"
GRADER = "grader"
MOST_MESSAGES = 100_000  # of one request: a few ranges can name the same messages again and again
NESTED = 20  # levels of events within events
# what Inspect notes of its messages and never sends
NOTES = frozenset({"id", "source", "metadata", "model"})
# kinds of events without a request
QUIET = frozenset(
    {
        "anchor", "approval", "branch", "checkpoint", "compaction", "error", "info", "input", "interrupt", "logger",
        "review", "sample_init", "sample_limit", "sandbox", "score", "score_edit", "sentinel", "span_begin",
        "span_end", "state", "step", "store", "subtask", "tool",
    }
)  # fmt: skip

NEEDED = frozenset({"model", "span_begin", "step", "tool", "subtask"})


class TranscriptEvent(msgspec.Struct):
    """One event of a transcript, with the fields that are looked at; the others are never decoded."""

    event: Any = None
    id: Any = None
    parent_id: Any = None
    span_id: Any = None
    type: Any = None
    name: Any = None
    action: Any = None
    model: Any = None
    role: Any = None
    input: Any = None
    input_refs: Any = None
    tools: Any = None
    tool_choice: Any = None
    config: Any = None
    output: Any = None
    error: Any = None
    cache: Any = None
    retries: Any = None
    pending: Any = None
    events: Any = None


_decode_event = msgspec.json.Decoder(TranscriptEvent).decode
_decode_events = msgspec.json.Decoder(list[TranscriptEvent]).decode


def take_events(fields: Fields, name: str = "events") -> tuple[list[TranscriptEvent], int]:
    """Return the events of a sample, and how many items in their list are none. Raises Unreadable."""
    value = fields.get(name)
    if isinstance(value, Raw):
        try:
            return _decode_events(value), 0
        except BAD:
            value = decode_value(value)
    if value is None:
        return [], 0
    if not isinstance(value, list):
        raise Unreadable(f"its {name} are no list")
    return _convert_events(value)


def decode_event(text: bytes) -> TranscriptEvent | None:
    """Return one event of a list of events; None where the item is none. Raises Unreadable."""
    try:
        return _decode_event(text)
    except BAD:
        events, _ = _convert_events([decode_value(text)])
    if events:
        return events[0]
    return None


def is_needed(event: TranscriptEvent) -> bool:
    """Return whether a call of a model, or where it stands, may be read from an event."""
    return event.event in NEEDED or event.event not in QUIET


def _convert_events(items: list[Any]) -> tuple[list[TranscriptEvent], int]:
    events = []
    for item in items:
        if isinstance(item, TranscriptEvent):
            events.append(item)
        elif isinstance(item, dict):
            events.append(msgspec.convert({key: item[key] for key in _FIELDS & item.keys()}, TranscriptEvent))
    return events, len(items) - len(events)


_FIELDS = frozenset(TranscriptEvent.__struct_fields__)


@dataclass(slots=True)
class Request:
    """One call of a model. `messages` is None where `reason` says why they cannot be read."""

    event: TranscriptEvent
    messages: Sequence[Mapping[str, Any]] | None
    output: Fields
    scorer: str | None
    reason: str | None


@dataclass(slots=True)
class Transcript:
    """Reads the events of one sample. `unknown` counts the kinds that it does not know, `bad` what is no event."""

    pool: Any
    attachments: Attachments
    unknown: Counter[str] = field(default_factory=Counter)
    bad: int = 0
    _spans: dict[str, TranscriptEvent] = field(default_factory=dict)
    _steps: list[TranscriptEvent] = field(default_factory=list)
    _messages: list[Mapping[str, Any]] | None = None

    def list_requests(self, events: Sequence[TranscriptEvent], level: int = 0) -> Iterator[Request]:
        """Yield the calls of models in the order of the events. Raises Unreadable."""
        for event in events:
            match event.event:
                case "model":
                    yield self._read_request(event)
                case "span_begin":
                    if isinstance(event.id, str):
                        self._spans[event.id] = event
                case "step":
                    self._step(event)
                case "tool" | "subtask":
                    if isinstance(event.events, list) and event.events:
                        yield from self._list_nested(event.events, level)
                case str() as kind:
                    if kind not in QUIET:
                        self.unknown[kind] += 1
                case _:
                    self.bad += 1

    def _list_nested(self, items: list[Any], level: int) -> Iterator[Request]:
        if level == NESTED:
            raise Unreadable(f"events within events, deeper than {NESTED} levels")
        events, bad = _convert_events(items)
        self.bad += bad
        yield from self.list_requests(events, level + 1)

    def _step(self, event: TranscriptEvent) -> None:
        if event.action == "begin":
            self._steps.append(event)
        elif self._steps:
            self._steps.pop()

    def _read_request(self, event: TranscriptEvent) -> Request:
        messages, reason = self._read_input(event)
        if isinstance(event.output, dict):
            output = self.attachments.resolve(event.output)
        else:
            output = {}
        return Request(event, messages, output, self._find_scorer(event), reason)

    def _read_input(self, event: TranscriptEvent) -> tuple[Sequence[Mapping[str, Any]] | None, str | None]:
        refs = event.input_refs
        if isinstance(refs, list) and refs and not event.input:
            return self._expand(refs)
        if not isinstance(event.input, list):
            return None, "its input is no list of messages"
        messages = self.attachments.resolve(event.input)
        if not all(isinstance(message, dict) for message in messages):
            return None, "its input holds something that is no message"
        return [take_sent(message) for message in messages], None

    def _expand(self, refs: list[Any]) -> tuple[Sequence[Mapping[str, Any]] | None, str | None]:
        if self._messages is None:
            self._messages = self._read_pool()
        messages: list[Mapping[str, Any]] = []
        for ref in refs:
            if len(messages) > MOST_MESSAGES:
                return None, f"it refers to more than {MOST_MESSAGES} messages"
            match ref:
                case [int(start), int(end)] if 0 <= start <= end <= len(self._messages):
                    messages += self._messages[start:end]
                case _:
                    return None, f"it refers to messages {ref} of {len(self._messages)} that the sample holds"
        return messages, None

    def _read_pool(self) -> list[Mapping[str, Any]]:
        if isinstance(self.pool, dict):
            items = self.pool.get("messages")
        else:
            items = None
        if not isinstance(items, list):
            return []
        messages = self.attachments.resolve(items)
        if not all(isinstance(message, dict) for message in messages):
            raise Unreadable("its messages hold something that is no message")
        return [take_sent(message) for message in messages]

    def _find_scorer(self, event: TranscriptEvent) -> str | None:
        """Return the name of the scorer within which the event is; None outside of one."""
        for step in reversed(self._steps):
            if step.type == SCORER:
                return str(step.name)
        span, passed = event.span_id, set[str]()
        while isinstance(span, str) and span in self._spans and span not in passed:
            passed.add(span)
            begin = self._spans[span]
            if begin.type == SCORER:
                return str(begin.name)
            span = begin.parent_id
        if event.role == GRADER:
            return GRADER
        return None


def take_sent(message: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a message without what Inspect notes for itself: its id, where it came from, which model wrote it."""
    sent = {name: message[name] for name in ("role", "content") if name in message}
    for name, value in message.items():
        if name not in NOTES and value is not None:
            sent[name] = value
    return sent


def read_reply(output: Mapping[str, Any]) -> Any:
    """Return the reply of a model: its text where the tool has it, else its content; None without a reply."""
    message = take_reply_message(output)
    content = message.get("content")
    if isinstance(content, str):
        return content
    completion = output.get("completion")
    if isinstance(completion, str) and (completion or message):
        return completion
    return content


def take_reply_message(output: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the message of the first choice, empty where there is none."""
    choices = output.get("choices")
    if isinstance(choices, list) and choices:
        choice = choices[0]
    else:
        choice = None
    if isinstance(choice, dict):
        message = choice.get("message")
    else:
        message = None
    if isinstance(message, dict):
        return message
    return {}
