"""Format one record under one selection as a line of JSON, with its messages or with why there are none.

    {"index", "record", "condition", "prompt", "messages": [{"role", "content"}], "fingerprint"}
    {"index", "record", "condition", "prompt", "error": {"code", "message"}}
    {"custom_id", "method", "url", "body": {"model", "messages", settings …}}        (openai-batch)

A text that is sent without roles stands under `text`, and `messages` is null. A message that is more than a role and a
text (tool calls, images, a name, a weight) stays as its row has it. `index` counts records from 0. Beside `condition` a
line has `mode`, `task` or `judge` where one was chosen; then `condition` is null unless it is the judge's. `prompt` is
the name of the mode that is sent, as the tool of a project labels it; null for a judge, a task and the messages of a
log. At the end of a line there may be `"masked": true` (private fields were replaced) and `"wording": {"readback":
[adapters]}` (their text is in Readback's own words).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from json.encoder import encode_basestring as quoted
from typing import Any, Literal, NamedTuple

from readback import adapters, as_json
from readback.records import custom_id
from readback.records.replies.logged_calls import TEXT_ROLE
from readback.types import Assembly, Message, Selection

Form = Literal["messages-jsonl", "openai-batch", "parquet", "promptfoo", "inspect-dataset", "ollama-chat"]
FORMS: tuple[Form, ...] = ("messages-jsonl", "openai-batch", "parquet", "promptfoo", "inspect-dataset", "ollama-chat")
TOOL_FORMS: tuple[Form, ...] = ("promptfoo", "inspect-dataset", "ollama-chat")  # see tool_lines
ASKING_FORMS: tuple[Form, ...] = ("openai-batch", "ollama-chat")  # each line names the model that it asks
URL = "/v1/chat/completions"
NOT_UTF8 = "not-utf8"
SURROGATE = "the text holds a lone surrogate, which UTF-8 and so Parquet cannot hold; messages-jsonl keeps it"
NOT_JSON = "not-json"
ADJACENT = "the text holds two lone surrogates beside each other, which JSON would read as one character"
HALVES = re.compile("[\ud800-\udbff][\udc00-\udfff]")
NO_SETTINGS: Mapping[str, Any] = {}
OPTIONAL_KEYS = ("mode", "task", "judge")  # beside `condition`, where they were chosen


class Line(NamedTuple):
    """A line without its end; `failed`: it says why there are no messages; `wording`: adapters in Readback's words."""

    text: str
    failed: bool = False
    masked: bool = False
    wording: tuple[str, ...] = ()


def format_line(
    form: Form,
    assembly: Assembly,
    index: int,
    model: str,
    settings: Mapping[str, Any] = NO_SETTINGS,
    prompt: str | None = None,
) -> Line:
    """Return the line of an assembly with messages; `settings` go into the body of a request as they are."""
    # Joined by hand, as `json` does it: that costs a fourth, and it is most of what a line costs.
    messages = ", ".join([_format_message(message) for message in assembly.messages])
    if [each.role for each in assembly.messages] == [TEXT_ROLE]:
        text_alone = assembly.messages[0].text
    else:
        text_alone = None
    if form == "openai-batch":
        request_id = quoted(custom_id.write(index, assembly.record, assembly.choice))
        if settings:
            extra = f", {as_json.encode_line(dict(settings))[1:-1]}"
        else:
            extra = ""
        body = f'{{"model": {quoted(model)}, "messages": [{messages}]{extra}}}'
        text = f'{{"custom_id": {request_id}, "method": "POST", "url": "{URL}", "body": {body}'
    else:
        head = _format_head(index, assembly.record, assembly.choice, prompt)
        if text_alone is None:
            sent = f'"messages": [{messages}]'
        else:
            sent = f'"messages": null, "text": {quoted(text_alone)}'
        text = f'{head}, {sent}, "fingerprint": "{assembly.fingerprint}"'
    if assembly.masked:
        text += ', "masked": true'
    own_wordings = adapters.list_own_wordings(assembly.messages)
    if own_wordings:
        text += f', "wording": {as_json.encode_line({adapters.OURS: own_wordings})}'
    text += "}"
    if as_json.has_lone_surrogate(text):
        if form == "parquet":
            return format_failure(index, assembly.record, assembly.choice, NOT_UTF8, SURROGATE, prompt)
        if HALVES.search(text):
            return format_failure(index, assembly.record, assembly.choice, NOT_JSON, ADJACENT, prompt)
        text = as_json.escape_surrogates(text)
    return Line(text, False, assembly.masked, own_wordings)


def _format_message(message: Message) -> str:
    if message.whole is not None:
        return as_json.encode_line(message.value)
    return f'{{"role": {quoted(message.role)}, "content": {quoted(message.text)}}}'


def format_failure(
    index: int, record: str | None, selection: Selection, code: str, message: str, prompt: str | None = None
) -> Line:
    """Return the line of what could not be assembled, or not be written."""
    error = as_json.encode_line({"code": code, "message": message})
    text = f'{_format_head(index, record, selection, prompt)}, "error": {error}}}'
    if as_json.has_lone_surrogate(text):
        text = as_json.escape_surrogates(text)
    return Line(text, True)


def _format_head(index: int, record: str | None, selection: Selection, prompt: str | None) -> str:
    """Return how a line begins: which record, and which selection."""
    if record is None:
        record_id = "null"
    else:
        record_id = quoted(record)
    if prompt is None:
        label = "null"
    else:
        label = quoted(prompt)
    return f'{{"index": {index}, "record": {record_id}, {_format_selection(selection)}, "prompt": {label}'


@lru_cache(1024)
def _format_selection(selection: Selection) -> str:
    values = {"condition": selection.condition}
    for name in OPTIONAL_KEYS:
        if getattr(selection, name) is not None:
            values[name] = getattr(selection, name)
    return as_json.encode_line(values)[1:-1]
