"""Read what a log of another tool holds about one record: the request that was sent, and the answer to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from readback.message_parts import whole_message
from readback.readers.files.checksum import State, state
from readback.readers.files.paths import resolve
from readback.readers.files.progress import Progress
from readback.readers.logs.decode import make_key, read_first_call
from readback.records.dataset import Dataset, open_dataset
from readback.types import Condition, DatasetSource, Diagnostic, Location, Message, Record, Segment

CALLS, ANSWERS, RECORDS = "log calls", "log answers", "log records"  # formats of `readers`
KEY = "key"
TEXT_ROLE = "prompt"  # of a text that was sent without roles
NO_REQUEST = "dat-no-request"


def open_calls(root: Path, log: str, progress: Progress | None = None) -> Dataset:
    """Open the requests of the log at `log` below `root`; a request is found by `make_key`."""
    return open_dataset(root, DatasetSource(log, format=CALLS, id=KEY), progress)


def open_log_answers(root: Path, log: str, progress: Progress | None = None) -> Dataset:
    """Open the answers of the log at `log` below `root`; an answer is found by `make_key`."""
    return open_dataset(root, DatasetSource(log, format=ANSWERS, id=KEY), progress)


def build_logged_messages(
    root: Path, condition: Condition, record: Record, others: Sequence[Condition] = ()
) -> tuple[tuple[Message, ...], tuple[Diagnostic, ...]]:
    """Return the messages that the log of a condition holds for a record, or the diagnostic that says why there are
    none. Of several requests (retries, epochs, tool calls) these are the first. `others` are the conditions of the same
    log: a record that was sent under one of them lacks nothing.
    """
    place = Location(file=condition.logged, condition=condition.name)
    name = condition.logged_as or condition.name
    calls = _open_once(root, condition.logged or "")
    if calls is not None:
        index = calls.find(make_key(name, record.id))
    else:
        index = None
    if calls is None or index is None:
        other = next((each for each in others if is_asked(root, each, record)), None)
        if other is not None:  # requests of several models in one file: each record was sent to one of them
            reason = f"it was sent under '{other.name}'"
            return (), (Diagnostic(NO_REQUEST, {"reason": reason}, place, name, "info"),)
        reason = "the log has no request about this record"
        return (), (Diagnostic(NO_REQUEST, {"reason": reason}, place, name),)
    call = calls.record(index).fields
    line = call.get("line")
    where = Location(file=condition.logged, line=line if isinstance(line, int) else index + 1)
    messages = read_messages(call, where)
    if messages:
        return messages, ()
    reason = call.get("error") or call.get("warning") or "its row has no messages"
    return (), (Diagnostic(NO_REQUEST, {"reason": str(reason)}, where, name),)


def read_first_request(path: Path) -> tuple[Message, ...]:
    """Return the messages that stand first in the log at `path`, before it is read as a whole; () where none do."""
    call = read_first_call(path, path.name)
    if call is None:
        return ()
    line = call.get("line")
    return read_messages(call, Location(file=path.name, line=line if isinstance(line, int) else None))


def is_asked(root: Path, condition: Condition, record: Record) -> bool:
    """Tell whether the log of a condition has a row about a record under that condition."""
    calls = _open_once(root, condition.logged or "")
    return calls is not None and calls.find(make_key(condition.logged_as or condition.name, record.id)) is not None


def find_others(condition: Condition, conditions: Sequence[Condition]) -> list[Condition]:
    """Return the other conditions whose messages are those of the same log."""
    return [each for each in conditions if each.logged == condition.logged and each.name != condition.name]


def read_messages(call: Mapping[str, Any], place: Location) -> tuple[Message, ...]:
    """Return the messages of a call as the log has them; a text without roles is one message of the role `prompt`."""
    rows = call.get("messages")
    if isinstance(rows, list):
        return tuple(_read_message(row, place) for row in rows if isinstance(row, Mapping))
    text = call.get("text")
    if isinstance(text, str):
        return (Message(TEXT_ROLE, _make_segments(text, place)),)
    return ()


def _read_message(row: Mapping[str, Any], place: Location) -> Message:
    role = row.get("role")
    if not (isinstance(role, str) and role):
        role = "item"
    return Message(role, _make_segments(_join_text(row.get("content")), place), whole_message(row, role))


def _join_text(content: Any) -> str:
    """Return the text of a content: a text as it is, the texts of its parts joined by a line feed."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = content
    else:
        parts = []
    texts = (part if isinstance(part, str) else part.get("text") for part in parts if isinstance(part, str | Mapping))
    return "\n".join(text for text in texts if isinstance(text, str))


def _make_segments(text: str, place: Location) -> tuple[Segment, ...]:
    if text:
        return (Segment(text, "unknown", None, place),)
    return ()


def _open_once(root: Path, log: str) -> Dataset | None:
    path = resolve(root, log)
    if isinstance(path, Diagnostic):
        return None
    try:
        return _open_state(root, log, state(path))
    except OSError:
        return None


@lru_cache(maxsize=16)
def _open_state(root: Path, log: str, _: State) -> Dataset:
    return open_calls(root, log)
