"""Gemini: bodies of generateContent (`contents[].parts`), batches (`key` + `request`) and their results.

Source: the types of google-genai 3.4.0. The role `model` is given as assistant, and no role as user; a content of one
text part is that text; `systemInstruction` comes first, as role system with `from`. Vertex writes `request` and
`response` into one line, the Gemini API `key` and `response` into a file of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from readback.readers.files.text_file import read_head
from readback.readers.logs.batch_join import (
    BatchFormat,
    find_replies,
    find_requests,
    get_body_model,
    read_joined,
)
from readback.readers.logs.bodies import Body, read_gemini
from readback.readers.logs.calls import RowCall, read_calls, without
from readback.readers.logs.events import Event
from readback.readers.logs.head import peek_objects
from readback.readers.logs.messages import describe_kind
from readback.readers.logs.replies import Reply, describe_error, read_reply

NAME = "requests to Gemini"
HOLDS_SCORES = False
HOLDS_SCORES = False
COMPANIONS = ("gemini",)
HEAD = 1 << 18
ELSEWHERE = "the requests are in another file"


def recognise(head: bytes, path: Path) -> bool:
    """Tell whether a file has requests to Gemini, or the replies of a batch."""
    if b'"contents"' not in head and b'"candidates"' not in head:
        return False
    return any(_is_body(row) or _is_body(row.get("request")) or _is_reply(row) for row in peek_objects(head))


def _is_body(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    contents = value.get("contents")
    if isinstance(contents, list):
        listed = contents
    else:
        listed = [contents]
    return any(isinstance(content, dict) and isinstance(content.get("parts"), list | dict) for content in listed)


def _is_reply(row: Mapping[str, Any]) -> bool:
    response = row.get("response")
    return isinstance(response, dict) and isinstance(response.get("candidates"), list)


def read(path: Path, file: str) -> Iterator[Event]:
    """Yield a call for each row; the replies of a batch are joined to its requests where both lie in one folder."""
    if any(map(_is_lone_reply, peek_objects(read_head(path, HEAD)))):
        joined = read_joined(find_requests(path, BATCH), _read_requests, file)
        yield from joined or read_calls(path, file, "Gemini", _read_row)
    else:
        yield from _read_requests(path, file)


def _read_requests(path: Path, file: str) -> Iterator[Event]:
    replies = find_replies(path, BATCH)
    yield from read_calls(path, file, "Gemini", lambda row: replies.answer(_read_row(row)))
    yield from replies.report(file)


def _is_lone_reply(row: Mapping[str, Any]) -> bool:
    return "key" in row and "request" not in row and _is_reply(row)


def _is_request(row: Mapping[str, Any]) -> bool:
    return "key" in row and "response" not in row and _is_body(row.get("request"))


def _read_row(row: Any) -> RowCall:
    if not isinstance(row, dict):
        return RowCall(Body(error=f"the line is {describe_kind(row)}, where an object is needed"))
    key = next((key for key in ("key", "custom_id", "id") if key in row), "key")
    if "contents" in row:
        return RowCall(read_gemini(without(row, key)), _read_reply(row), row.get(key), key)
    if "request" not in row:
        is_reply = "response" in row or "error" in row
        if is_reply:
            body = Body(warning=ELSEWHERE)
        else:
            body = Body(error="no request")
        return RowCall(body, _read_reply(row), row.get(key), key, without(row, "response"))
    request = row["request"]
    if not isinstance(request, dict):
        body = Body(error=f"the request is {describe_kind(request)}")
    elif "contents" not in request:
        body = Body(error="no contents in the request", details={"request": request})
    else:
        body = read_gemini(request)
    return RowCall(body, _read_reply(row), row.get(key), key, without(row, "request", "response"))


def _read_reply(row: Mapping[str, Any]) -> Reply:
    if row.get("error"):
        return Reply(error=describe_error(row["error"]))
    response = row.get("response")
    if isinstance(row.get("status"), str) and row["status"] and not response:  # Vertex: why it failed
        return Reply(error=row["status"][:500])
    if response is None:
        return Reply()
    return read_reply(response)


BATCH = BatchFormat("key", _is_request, _is_lone_reply, _read_reply, get_body_model)
