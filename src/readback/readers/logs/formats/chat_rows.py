"""Rows of conversations: fine-tuning data of OpenAI, preference pairs, prompts with completions, bare lists.

Source: OpenAI's guides to fine-tuning. `messages` with `tools`; `weight: 0` on a message of the assistant says that it
is not trained on; a preference pair has `input.messages`, `preferred_output` and `non_preferred_output`, two answers to
one input. Rows of the older form have `prompt` and `completion`, one text without roles. Such rows are training data or
a dataset first of all: they are opened as that, and what they say is exported from here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from readback.readers.logs.bodies import PREFILL, Body, read_anthropic, read_chat
from readback.readers.logs.calls import RowCall, read_calls, without
from readback.readers.logs.events import Event
from readback.readers.logs.head import is_conversation, peek_values
from readback.readers.logs.messages import describe_kind, join_warnings, read_messages
from readback.readers.logs.replies import Reply, read_message_output

NAME = "rows of conversations"
HOLDS_SCORES = False
HOLDS_SCORES = False
IS_DATASET = True
# Columns of evaluations: messages beside them are but one field of a record.
OTHER_COLUMNS = frozenset(
    {
        *("rag", "instruction", "question", "query_text", "contexts", "documents", "ideal", "expected", "target"),
        *("expected_output", "answer", "reference", "ground_truth", "solution", "score", "generator", "model_id"),
        *("latency", "fingerprint", "condition", "usage"),
    }
)
NO_ROLES = "prompt and completion, no roles"


def recognise(head: bytes, path: Path) -> bool:
    """Tell whether most rows of a file are conversations, and nothing more."""
    if not any(mark in head for mark in (b'"role"', b'"completion"')):
        return False
    values = peek_values(head)
    good = sum(map(_is_row, values))
    return good > 0 and 2 * (good + sum(map(_is_damaged, values))) >= len(values)


def _is_row(value: Any) -> bool:
    if isinstance(value, list):
        return is_conversation(value)
    if not isinstance(value, dict) or value.keys() & OTHER_COLUMNS:
        return False
    return is_conversation(value.get("messages")) or _is_pair(value) or _is_completion(value)


def _is_damaged(value: Any) -> bool:
    """Tell whether a value would be a row if its messages were messages."""
    return isinstance(value, dict) and "messages" in value and not _is_row(value)


def _is_pair(row: Mapping[str, Any]) -> bool:
    inner = row.get("input")
    return isinstance(inner, dict) and "messages" in inner and "preferred_output" in row


def _is_completion(row: Mapping[str, Any]) -> bool:
    prompt, completion = row.get("prompt"), row.get("completion")
    if is_conversation(prompt):
        return is_conversation(completion)
    return isinstance(prompt, str) and isinstance(completion, str)


def read(path: Path, file: str) -> Iterator[Event]:
    """Yield a call for each row."""
    return read_calls(path, file, "rows of conversations", _read_row)


def _read_row(row: Any) -> RowCall:
    if isinstance(row, list):
        messages, error, warning = read_messages(row)
        if messages is None:
            details = {"messages": row}
        else:
            details = {}
        return RowCall(Body(messages, None, None, error, warning, details))
    if not isinstance(row, dict):
        return RowCall(Body(error=f"the line is {describe_kind(row)}, where an object is needed"))
    if "preferred_output" in row or "non_preferred_output" in row:
        return _read_pair(row)
    if "messages" in row:
        return _read_conversation(row)
    if "prompt" in row and "completion" in row:
        return _read_completion(row)
    return RowCall(Body(error="no messages", details={"settings": row} if row else {}), record=row.get("id"))


def _read_conversation(row: Mapping[str, Any]) -> RowCall:
    fields = without(row, "id")
    if isinstance(row.get("system"), str | list):
        body = read_anthropic(fields)
    else:
        body = read_chat(fields)
    details = without(body.details, PREFILL)
    if body.messages:
        trained = _list_trained(body.messages)
    else:
        trained = None
    if trained is not None:
        details["trained_on"] = trained
    body = Body(body.messages, None, body.model, body.error, body.warning, details)
    return RowCall(body, record=row.get("id"), fields=row)


def _list_trained(messages: Any) -> list[int] | None:
    """Return the numbers of the assistant's messages that are trained on; None where no message has a weight."""
    if not any("weight" in message for message in messages):
        return None
    answers = (number for number, message in enumerate(messages) if message["role"] == "assistant")
    return [number for number in answers if messages[number].get("weight") != 0]


def _read_pair(row: Mapping[str, Any]) -> RowCall:
    """Return the input of a preference pair, with its two answers as details."""
    inner = row.get("input")
    if not isinstance(inner, dict):
        if "input" in row:
            reason = f"input is {describe_kind(inner)}"
        else:
            reason = "no input"
        return RowCall(Body(error=reason), record=row.get("id"))
    body = read_chat(inner)
    details = dict(body.details)
    wrong: list[str] = []
    for key, name in (("preferred_output", "preferred"), ("non_preferred_output", "non_preferred")):
        if key in row:
            details[name] = row[key]
        checked = read_messages(row.get(key))
        if checked.messages is None or checked.error:
            wrong.append(f"{key}: {checked.error}")
    warning = join_warnings(body.warning, *wrong)
    return RowCall(Body(body.messages, None, body.model, body.error, warning, details), record=row.get("id"))


def _read_completion(row: Mapping[str, Any]) -> RowCall:
    prompt, completion = row["prompt"], row["completion"]
    if isinstance(row.get("model"), str):
        model = row["model"]
    else:
        model = None
    if isinstance(prompt, list):
        messages, error, warning = read_messages(prompt)
        if messages is None:
            details = {"prompt": prompt}
        else:
            details = {}
        output = completion
        if is_conversation(completion) and len(completion) == 1:
            output = read_message_output(completion[0])
        return RowCall(Body(messages, None, model, error, warning, details), Reply(output), row.get("id"))
    if not isinstance(prompt, str):
        return RowCall(Body(None, None, model, f"the prompt is {describe_kind(prompt)}"), Reply(), row.get("id"))
    warning = NO_ROLES
    if not isinstance(completion, str):
        warning = f"{NO_ROLES}; the completion is {describe_kind(completion)}"
    return RowCall(Body(None, prompt, model, None, warning), Reply(completion), row.get("id"))
