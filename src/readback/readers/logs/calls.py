"""Turn the rows of a JSON log into calls, each with its number, and account for every line."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from readback.readers.logs.bodies import Body
from readback.readers.logs.events import Call, Event, Id, LogRecord, Run
from readback.readers.logs.json_rows import LogRow, RowCounts, read_rows
from readback.readers.logs.messages import UNKNOWN_ROLE, describe_kind, join_warnings
from readback.readers.logs.replies import Reply
from readback.types import Diagnostic, Location

LONGEST_REASON = 200  # characters of what a service says, in a finding
TWICE = "{} used twice"


@dataclass(frozen=True, slots=True)
class RowCall:
    """What a row says: the body that was sent, the reply, and the record that it is about.

    `fields` are those of the record; `key` is the name of its id in the file. `condition` stands for the model where
    another thing is compared. `is_readable` is False where the row could not be read, and not the call that failed.
    """

    body: Body = field(default_factory=Body)
    reply: Reply = field(default_factory=Reply)
    record: Any = None
    key: str = "id"
    fields: Mapping[str, Any] = field(default_factory=dict)
    condition: str | None = None
    epoch: int = 1
    call: int = 0


def read_calls(path: Path, file: str, tool: str, read_row: Callable[[Any], RowCall]) -> Iterator[Event]:
    """Yield what the rows of a file say, then the run with the number of its lines.

    `read_row` gets a JSON value, mostly an object. A row that it cannot read is a call with an error, and a diagnostic.
    """
    counts = RowCounts()
    ids = _Ids()
    parts: dict[str, int] = {}
    for row in read_rows(path, file, counts):
        if isinstance(row, Diagnostic):
            yield row
            continue
        yield from _yield_row(row, read_row(row.value), file, ids, parts)
    for what, count in parts.items():
        yield Diagnostic("dat-log-part", {"what": f"{count} × {what}"}, Location(file=file), severity="info")
    yield Run(tool, rows=None, details={"rows": counts.rows, "blank_lines": counts.blank, "refused": counts.refused})


def _yield_row(row: LogRow, content: RowCall, file: str, ids: _Ids, parts: dict[str, int]) -> Iterator[Event]:
    body, reply = content.body, content.reply
    record, wrong_id = read_id(content.record, content.key)
    details = {**body.details, **reply.details}
    if wrong_id:
        details[content.key] = content.record
    if record is None:
        first = None
    else:
        first = ids.add(record, row.line)
    if first is None:
        repeated = None
    else:
        repeated = TWICE.format(content.key)
    warning = join_warnings(repeated, wrong_id, body.warning, reply.warning)
    if record is not None and first is None:
        yield LogRecord(record, content.fields, row.line)
    model = body.model or reply.model
    call = Call(
        row.number,
        content.condition or model,
        body.messages,
        text=body.text,
        record=record,
        epoch=content.epoch,
        call=content.call,
        model=model,
        output=reply.output,
        error=body.error or reply.error,
        warning=warning,
        line=row.line,
        details=details,
    )
    yield call
    place = Location(file=file, line=row.line, index=row.number)
    if body.error:
        yield Diagnostic("dat-log-row", {"reason": body.error[:LONGEST_REASON]}, place)
    if body.warning and UNKNOWN_ROLE in body.warning:
        unusual = body.warning
    else:
        unusual = None
    if first is not None:
        values = {"key": content.key, "id": record, "first": first}
        yield Diagnostic("dat-log-repeated-id", values, place, str(record))
    if wrong_id or unusual:
        what = f"row {row.number}: {join_warnings(wrong_id, unusual)}"
        yield Diagnostic("dat-log-part", {"what": what[:LONGEST_REASON]}, place, severity="warning")
    elif body.warning and body.messages is None and body.text is None:
        parts[body.warning] = parts.get(body.warning, 0) + 1


class _Ids:
    """The ids that were there before, with their lines. A text and a number that look alike are two."""

    def __init__(self) -> None:
        self._lines: dict[tuple[type, Id], int] = {}

    def add(self, record: Id, line: int) -> int | None:
        """Add an id; return the line in which it was there before, None for a new one."""
        first = self._lines.setdefault((type(record), record), line)
        if first == line:
            return None
        return first


def read_id(value: Any, key: str) -> tuple[Id, str | None]:
    """Return the id of a row, or None with the reason why a value is none."""
    if value is None or (isinstance(value, str | int) and not isinstance(value, bool)):
        return value, None
    if isinstance(value, float) and value == value:
        return value, None
    return None, f"{key} is {describe_kind(value) if not isinstance(value, float) else 'no number'}"


def without(row: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    """Return the fields of a row but for those that the call itself holds."""
    return {key: value for key, value in row.items() if key not in keys}
