"""Requests of an OpenAI batch, a line each: `custom_id`, `method`, `url`, `body`.

Source: the guide to OpenAI's Batch API and the types of openai 3.54.0; Mistral, Groq, Together and vLLM take the same
lines. Chat completions and Responses have messages, completions one text; embeddings are counted and have none. Two
lines with one `custom_id` are both kept. A line without a body is a call with an error.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from readback.readers.logs.batch_join import BatchFormat, find_replies, get_body_model
from readback.readers.logs.bodies import Body, read_body
from readback.readers.logs.calls import RowCall, read_calls, without
from readback.readers.logs.events import Event
from readback.readers.logs.head import peek_objects
from readback.readers.logs.messages import describe_kind
from readback.readers.logs.replies import read_batch_reply

NAME = "requests of an OpenAI batch"
HOLDS_SCORES = False
HOLDS_SCORES = False
ID = "custom_id"
COMPANIONS = ("openai_batch", "openai_batch_replies")


def recognise(head: bytes, path: Path) -> bool:
    """Tell whether a file has rows with a `custom_id` and a request."""
    if b'"custom_id"' not in head:
        return False
    return any(map(is_request, peek_objects(head)))


def is_request(row: Mapping[str, Any]) -> bool:
    """Tell whether a row is a request."""
    return ID in row and ("body" in row or {"method", "url"} <= row.keys())


def is_reply(row: Mapping[str, Any]) -> bool:
    """Tell whether a row is the reply to a request."""
    return ID in row and ("response" in row or "error" in row) and "body" not in row


BATCH = BatchFormat(ID, is_request, is_reply, read_batch_reply, get_body_model)


def read(path: Path, file: str) -> Iterator[Event]:
    """Yield a call for each line, with the reply that lies beside."""
    replies = find_replies(path, BATCH)
    yield from read_calls(path, file, "OpenAI batch", lambda row: replies.answer(_read_row(row)))
    yield from replies.report(file)


def _read_row(row: Any) -> RowCall:
    if not isinstance(row, dict):
        return RowCall(Body(error=f"the line is {describe_kind(row)}, where an object is needed"))
    body = read_body(row.get("body"), row.get("url"))
    return RowCall(body, record=row.get(ID), key=ID, fields=without(row, "body"))
