"""What one record under one choice is in a file: a line of JSON, with its messages or with why there are none.

    {"index", "record", "condition", "messages": [{"role", "content"}], "fingerprint"}
    {"index", "record", "condition", "error": {"code", "message"}}
    {"custom_id", "method", "url", "body": {"model", "messages", settings …}}        (openai-batch)

A message that is more than a role and a text (tool calls, images, a name, a weight) is there as its row has it.
`index` counts records from 0. Beside `condition` a line has `mode`, `task` or `judge` where one was chosen; then
`condition` is null unless it is the judge's. At the end of a line, only where it is so: `"masked": true` (private
fields were replaced) and `"wording": {"readback": [adapters]}` (their text is in Readback's own words).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from json.encoder import encode_basestring as quoted
from typing import Any, Literal, NamedTuple

from readback import adapters, as_json
from readback.records import custom_id
from readback.types import Assembly, Message, Selection

Form = Literal["messages-jsonl", "openai-batch", "parquet"]
FORMS: tuple[Form, ...] = ("messages-jsonl", "openai-batch", "parquet")
URL = "/v1/chat/completions"
NOT_UTF8 = "not-utf8"
SURROGATE = "the text holds a lone surrogate, which UTF-8 and so Parquet cannot hold; messages-jsonl keeps it"
NOT_JSON = "not-json"
TOGETHER = "the text holds two lone surrogates beside each other, which JSON would read as one character"
HALVES = re.compile("[\ud800-\udbff][\udc00-\udfff]")
NO_SETTINGS: Mapping[str, Any] = {}
CHOSEN = ("mode", "task", "judge")  # beside `condition`, where they were chosen


class Line(NamedTuple):
    """A line without its end; `failed`: it says why there are no messages; `wording`: adapters in our own words."""

    text: str
    failed: bool = False
    masked: bool = False
    wording: tuple[str, ...] = ()


def line(form: Form, made: Assembly, index: int, model: str, settings: Mapping[str, Any] = NO_SETTINGS) -> Line:
    """The line of an assembly that has messages; `settings` go into the body of a request as they are."""
    # Put together by hand, as `json` does it: that costs a fourth, and it is most of what a line costs.
    sent = ", ".join([_message(one) for one in made.messages])
    if form == "openai-batch":
        named = quoted(custom_id.write(index, made.record, made.choice))
        more = f", {as_json.encode_line(dict(settings))[1:-1]}" if settings else ""
        body = f'{{"model": {quoted(model)}, "messages": [{sent}]{more}}}'
        text = f'{{"custom_id": {named}, "method": "POST", "url": "{URL}", "body": {body}'
    else:
        head = _head(index, made.record, made.choice)
        text = f'{head}, "messages": [{sent}], "fingerprint": "{made.fingerprint}"'
    if made.masked:
        text += ', "masked": true'
    if ours := adapters.list_own_wordings(made.messages):
        text += f', "wording": {as_json.encode_line({adapters.OURS: ours})}'
    text += "}"
    if as_json.has_lone_surrogate(text):
        if form == "parquet":
            return failed(index, made.record, made.choice, NOT_UTF8, SURROGATE)
        if HALVES.search(text):
            return failed(index, made.record, made.choice, NOT_JSON, TOGETHER)
        text = as_json.escape_surrogates(text)
    return Line(text, False, made.masked, ours)


def _message(message: Message) -> str:
    if message.whole is not None:
        return as_json.encode_line(message.value)
    return f'{{"role": {quoted(message.role)}, "content": {quoted(message.text)}}}'


def failed(index: int, record: str | None, choice: Selection, code: str, message: str) -> Line:
    """The line of what could not be assembled, or not be written."""
    text = f'{_head(index, record, choice)}, "error": {as_json.encode_line({"code": code, "message": message})}}}'
    return Line(as_json.escape_surrogates(text) if as_json.has_lone_surrogate(text) else text, True)


def _head(index: int, record: str | None, choice: Selection) -> str:
    """How a line begins: which record, and what was chosen."""
    return f'{{"index": {index}, "record": {"null" if record is None else quoted(record)}, {_chosen(choice)}'


@lru_cache(1024)
def _chosen(choice: Selection) -> str:
    beside = {name: text for name in CHOSEN if (text := getattr(choice, name)) is not None}
    return as_json.encode_line({"condition": choice.condition, **beside})[1:-1]
