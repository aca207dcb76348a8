"""The variables over all records, as JSON and as a few lines for people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from readback import as_json
from readback.checks.summary import Audit
from readback.checks.variables import STATES, VariableRow
from readback.quantity import quantity

TOLD = 20  # names that the text lists
WORDS = {
    "needed": "no value",
    "empty": "empty",
    "default": "only a default",
    "falsy": "false value replaced",
    "idle": "loop over an empty list",
}


def rows(audit: Audit) -> list[dict[str, Any]]:
    """[{"mode" or "task" or "judge", "name", "records", "used", "missing", …, "first": {count: record's number}}]"""
    return [_row(row) for row in audit.variables]


def unused(audit: Audit) -> list[dict[str, Any]]:
    """[{"name", "records"}]: fields that no template reads; records is null inside lists."""
    return [{"name": one.name, "records": one.records} for one in audit.unused]


def _row(row: VariableRow) -> dict[str, Any]:
    return {
        **{kind: row.reader if row.kind == kind else None for kind in ("mode", "task", "judge")},
        "name": row.name,
        "records": row.records,
        **{what: getattr(row, what) for what in (*STATES, "needed")},
        "documented": row.known,
        "meant": row.meant,
        "nearest": row.nearest,
        "first": dict(row.first),
        "place": as_json.known(row.place),
    }


def told(audit: Audit) -> Iterator[str]:
    """The names with something to say about, and how many fields nothing reads."""
    said = [(row, parts) for row in audit.variables if (parts := list(_parts(row, bool(audit.records.read))))]
    if said:
        where = "not always from the record" if audit.records.read else "with no record to give them a value"
        yield f"variables: {len(audit.variables)} read, {len(said)} {where}"
    for row, parts in said[:TOLD]:
        near = f" (nearest field: {row.nearest})" if row.nearest else ""
        yield f"  {row.kind} {row.reader}: {row.name}: {', '.join(parts)}{near}"
    if len(said) > TOLD:
        yield f"  and {len(said) - TOLD} more: --format json lists all"
    if audit.unused:
        where = " in the sample" if audit.sample else ""
        yield f"  read by no template{where}: {', '.join(one.name for one in audit.unused[:TOLD])}" + (
            f" and {len(audit.unused) - TOLD} more" if len(audit.unused) > TOLD else ""
        )


def _parts(row: VariableRow, among: bool) -> Iterator[str]:
    for what, words in WORDS.items():
        if number := getattr(row, what):
            yield f"{words} in {number} of {quantity(row.records, 'record')}" if among else words
