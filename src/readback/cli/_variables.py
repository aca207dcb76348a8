"""The variables over all records, as JSON and as a few lines for people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from readback import as_json
from readback.checks.summary import Audit
from readback.checks.variables import STATES, VariableRow
from readback.words import t

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
        "place": as_json.known(row.place),
    }


def told(audit: Audit) -> Iterator[str]:
    """The names with something to say about, and how many fields nothing reads."""
    said = [(row, parts) for row in audit.variables if (parts := list(_parts(row, bool(audit.records.read))))]
    if said:
        head = "head" if audit.records.read else "head_no_records"
        yield t(f"cli.variables.{head}", all=len(audit.variables), n=len(said))
    for row, parts in said[:TOLD]:
        reader = t(f"cli.variables.of_{row.kind}", name=row.reader)
        told = {"reader": reader, "name": row.name, "states": ", ".join(parts)}
        near = t("cli.variables.row_near", **told, near=row.nearest) if row.nearest else t("cli.variables.row", **told)
        yield f"  {near}"
    if len(said) > TOLD:
        yield f"  {t('cli.variables.more', n=len(said) - TOLD)}"
    if audit.unused:
        names = ", ".join(one.name for one in audit.unused[:TOLD])
        if len(audit.unused) > TOLD:
            names = t("cli.variables.names_more", names=names, n=len(audit.unused) - TOLD)
        unused = "unused_sample" if audit.sample else "unused"
        yield f"  {t(f'cli.variables.{unused}', names=names)}"


def _parts(row: VariableRow, among: bool) -> Iterator[str]:
    for what in TOLD_STATES:
        if number := getattr(row, what):
            state = t(f"cli.variables.{what}")
            yield t("cli.variables.in_records", state=state, n=number, all=row.records) if among else state
