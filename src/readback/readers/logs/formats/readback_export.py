"""Lines that `readback export --as messages-jsonl` wrote: what somebody exported, and perhaps sent.

`index`, `record`, `condition` (with `mode`, `task` or `judge`), and `messages` with `fingerprint`, or `error`. Lines of
`--what observed` have `epoch`, `call`, `role` and `output` as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from readback.readers.logs.calls import read_id
from readback.readers.logs.events import Call, Event, LogRecord, Run
from readback.readers.logs.head import peek_objects
from readback.readers.logs.json_rows import RowCounts, read_rows
from readback.readers.logs.messages import describe_kind, read_messages
from readback.types import Diagnostic, Location

NAME = "export of Readback"
HOLDS_SCORES = False
IS_DATASET = True  # its rows open as a dataset of messages
HOLDS_SCORES = False
HEAD_KEYS = {"index", "record", "condition"}
SELECTIONS = ("condition", "mode", "task")


def recognise(head: bytes, path: Path) -> bool:
    """Tell whether the rows of a file are those of an export."""
    if b'"index"' not in head or b'"record"' not in head:
        return False
    rows = peek_objects(head)
    return bool(rows) and all(_is_line(row) for row in rows)


def _is_line(row: Mapping[str, Any]) -> bool:
    if not row.keys() >= HEAD_KEYS or not isinstance(row["index"], int):
        return False
    error = row.get("error")
    failed = isinstance(error, dict) and {"code", "message"} <= error.keys()
    return failed or ("messages" in row and bool({"fingerprint", "output", "epoch"} & row.keys()))


def read(path: Path, file: str) -> Iterator[Event]:
    """Yield a call for each line."""
    counts = RowCounts()
    for row in read_rows(path, file, counts):
        if isinstance(row, Diagnostic):
            yield row
            continue
        value = row.value
        if not isinstance(value, dict):
            reason = f"the line is {describe_kind(value)}, where an object is needed"
            yield Call(row.number, None, None, error=reason, line=row.line)
            yield _report(reason, file, row.line, row.number)
            continue
        call, wrong = _read_call(value, row.number, row.line)
        if call.record is not None:
            yield LogRecord(call.record, {"id": call.record}, row.line)
        yield call
        if wrong:
            yield _report(wrong, file, row.line, row.number)
    yield Run("Readback", details={"rows": counts.rows, "blank_lines": counts.blank, "refused": counts.refused})


def _report(reason: str, file: str, line: int, index: int) -> Diagnostic:
    return Diagnostic("dat-log-row", {"reason": reason}, Location(file=file, line=line, index=index))


def _read_call(value: Mapping[str, Any], index: int, line: int) -> tuple[Call, str | None]:
    """Return the call of a line, and why the line itself cannot be read."""
    record, wrong_id = read_id(value.get("record"), "record")
    names = [value[key] for key in SELECTIONS if isinstance(value.get(key), str)]
    if isinstance(value.get("judge"), str):
        judge = value["judge"]
    else:
        judge = None
    error, reason, warning, messages = value.get("error"), wrong_id, None, None
    if isinstance(error, dict):
        error = ": ".join(str(error[key]) for key in ("code", "message") if error.get(key)) or "error"
    elif error is not None:
        error = str(error)
    if value.get("messages") is not None:
        checked = read_messages(value["messages"])
        messages, warning = checked.messages, checked.warning
        if checked.error and checked.messages is None:
            error = reason = checked.error
    elif error is None and "text" not in value:
        error = reason = "no messages"
    epoch, call = value.get("epoch"), value.get("call")
    is_judge = judge is not None or value.get("role") == "judge"
    text = value.get("text")
    return Call(
        index,
        names[0] if names else None,
        messages,
        text=text if isinstance(text, str) else None,
        record=record,
        epoch=epoch if isinstance(epoch, int) else 1,
        call=call if isinstance(call, int) else 0,
        role="judge" if is_judge else "model",
        judge=judge,
        prompt=value["prompt"] if isinstance(value.get("prompt"), str) else None,
        output=value.get("output"),
        error=error,
        warning=warning,
        line=line,
        is_answer=not is_judge,
        details={key: value[key] for key in ("fingerprint", "masked", "wording") if key in value},
    ), reason
