"""The variables over all records, as JSON and as a few lines for people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from readback import as_json
from readback.checks.summary import Audit
from readback.checks.variables import STATES, VariableRow
from readback.cli._sentence import fill

SENTENCES_VARIABLES = {
    "head": ("variables: {all:,} read by templates, {n:,} of them not always filled from the record"),
    "head_no_records": (
        "variables: {all:,} read by templates, {n:,} of them without a value, because there is no record"
    ),
    "needed": "no value",
    "empty": "empty",
    "default": "only a default",
    "falsy": "false value replaced",
    "idle": "loop over an empty list",
    "unused": "no template reads: {names}",
    "unused_sample": "no template reads, in the sample: {names}",
    "of_mode": "mode {name}",
    "of_task": "task {name}",
    "of_judge": "judge {name}",
}

TOLD = 20  # names that the text lists
TOLD_STATES = ("needed", "empty", "default", "falsy", "idle")


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
        "place": as_json.known_place_to_json(row.place),
    }


def told(audit: Audit) -> Iterator[str]:
    """The names with something to say about, and how many fields nothing reads."""
    said = [(row, parts) for row in audit.variables if (parts := list(_parts(row, bool(audit.records.read))))]
    if said:
        head = "head" if audit.records.read else "head_no_records"
        yield fill(SENTENCES_VARIABLES[head], all=len(audit.variables), n=len(said))
    for row, parts in said[:TOLD]:
        reader = fill(SENTENCES_VARIABLES[f"of_{row.kind}"], name=row.reader)
        told = {"reader": reader, "name": row.name, "states": ", ".join(parts)}
        near = (
            fill("{reader}: {name}: {states} (nearest field: {near})", **told, near=row.nearest)
            if row.nearest
            else fill("{reader}: {name}: {states}", **told)
        )
        yield f"  {near}"
    if len(said) > TOLD:
        yield fill("  {n:,} more; --format json lists all", n=len(said) - TOLD)
    if audit.unused:
        names = ", ".join(one.name for one in audit.unused[:TOLD])
        if len(audit.unused) > TOLD:
            names = fill("{names} and {n:,} more", names=names, n=len(audit.unused) - TOLD)
        unused = "unused_sample" if audit.sample else "unused"
        yield ("  " + fill(SENTENCES_VARIABLES[unused], names=names))


def _parts(row: VariableRow, among: bool) -> Iterator[str]:
    for what in TOLD_STATES:
        if number := getattr(row, what):
            state = SENTENCES_VARIABLES[what]
            yield (
                fill("{state} in {n:,} of {all:,} {all:record|records}", state=state, n=number, all=row.records)
                if among
                else state
            )
