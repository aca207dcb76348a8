"""The variables as tables: of the record in view, and over all records."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st
from markupsafe import Markup

from readback.checks.summary import Audit
from readback.checks.variables import STATES, RecordUse, VariableRow, record_uses
from readback.records.dataset import Dataset
from readback.records.fields.field_path import MISSING
from readback.types import Answer, Assembly, Record, VariableUse, Workspace
from readback.ui.common import show
from readback.ui.common.draw import table
from readback.ui.common.draw.table import Column
from readback.words import t

SHOWN = 120  # characters of a value
LISTED = 40  # unused fields named
OFTEN = ("missing", "null")  # states that say in how many places, where not in all


def of_record(workspace: Workspace, record: Record, assembly: Assembly, answer: Answer | None = None) -> None:
    """Draw a table of what became of each name that the templates of an assembly read; folded up."""
    uses = record_uses(workspace, record, assembly, answer)
    if not uses:
        return
    lacking = sum(map(_lacks, uses))
    title = t("variables.title", n=len(uses)) + (t("variables.lacking", n=lacking) if lacking else "")
    with st.expander(title, key="variables_open"):
        rows, rows_and_uses = [_of_record(use) for use in uses], {use.name: use for use in uses}
        columns = [
            Column("name", t("variables.name")),
            Column("state", t("variables.state"), show=lambda row: _mark(rows_and_uses[row["name"]])),
            Column("value", t("variables.value"), show=lambda row: _excerpt(row["value"])),
            *_nearest(uses),
            *_documented(uses),
        ]
        table.table("variables", columns, rows, caption=t("variables.caption"))


def of_dataset(audit: Audit, workspace: Workspace, data: Dataset) -> None:
    """Draw the same over all records, each count linked to its first record; then the fields that nothing reads."""
    if not audit.variables:
        return
    readers = len({(row.kind, row.reader) for row in audit.variables})
    if audit.sample:
        title = t("sample.variables", n=audit.sample.drawn)
    else:
        title = t("variables.over_all")
    st.header(title)
    if audit.names_left_out:
        show.notice(t("variables.left_out"), "warning")
    rows = [_of_dataset(row) for row in audit.variables]
    rows_by_name = {(line["reader"], line["name"]): row for line, row in zip(rows, audit.variables, strict=True)}
    used = [what for what in STATES if what == "used" or any(getattr(row, what) for row in audit.variables)]
    columns = [
        *([Column("reader", t("variables.reader"))] if readers > 1 else ()),
        Column("name", t("variables.name")),
        *(
            Column(
                what,
                t(f"variables.{what}"),
                number=True,
                help=t(f"variables.{what}_help"),
                show=lambda row, what=what: _count(rows_by_name[row["reader"], row["name"]], what, data),  # type: ignore[misc]
            )
            for what in used
        ),
        *_nearest(audit.variables),
        *_documented(audit.variables),
    ]
    table.table("variables_all", columns, rows, caption=title)
    _unused(audit)


def _unused(audit: Audit) -> None:
    if not audit.unused:
        return
    listed = [unused.name for unused in audit.unused[:LISTED]]
    names = show.join([show.h("<code>{}</code>", name) for name in listed], ", ")
    rest = len(audit.unused) - len(listed)
    if rest:
        more = t("variables.unused_more", n=rest)
    else:
        more = ""
    lead = t("sample.unused" if audit.sample else "variables.unused", n=len(audit.unused))
    show.draw(show.h('<p class="rb-small">{} {}{}</p>', lead, names, more))


def _of_record(use: RecordUse) -> Mapping[str, Any]:
    return {
        "name": use.name,
        "state": ", ".join(map(_describe_state, use.uses)),
        "value": None if use.value is MISSING else _text(use.value),
        "nearest": use.nearest,
        "known": _describe_documented(use),
    }


def _mark(use: RecordUse) -> Markup:
    """Return what became of a name, with a sign where the prompt lacks something."""
    words = ", ".join(map(_describe_state, use.uses))
    if _lacks(use):
        return show.h("{} {}", show.severity("warning"), words)
    return show.h("{}", words)


def _lacks(record_use: RecordUse) -> bool:
    return any(use.state in OFTEN and not use.only_asked for use in record_use.uses)


def _excerpt(text: str | None) -> Markup:
    cut = "…" if text and len(text) > SHOWN else ""
    if text:
        return show.h("{}{}", show.exact_text(text[:SHOWN]), cut)
    return show.h("–")


def _describe_state(use: VariableUse) -> str:
    """Return a state in words: in how many places, and whether the template only tests it."""
    some = use.state in OFTEN and use.total > 1
    words = t(f"variables.is_{use.state}")
    if some:
        words = t("variables.of", what=words, n=use.times, all=use.total)
    if use.only_asked and use.state in (*OFTEN, "empty", "idle"):
        return t("variables.only_asked", what=words)
    return words


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


def _of_dataset(row: VariableRow) -> Mapping[str, Any]:
    return {
        "reader": t(f"variables.in_{row.kind}", name=row.reader),
        "name": row.name,
        "nearest": row.nearest,
        "known": _describe_documented(row),
        **{what: getattr(row, what) for what in STATES},
    }


def _count(row: VariableRow, what: str, data: Dataset) -> Markup:
    """ "x of n", linked to the first such record."""
    number = getattr(row, what)
    if not number:
        return show.h('<span class="rb-small">0</span>')
    optional = what == "missing" and not row.needed
    words = t("variables.x_of_n_optional" if optional else "variables.x_of_n", x=number, n=row.records)
    index = row.first.get(what)
    if index is None or index >= len(data):
        return show.h("{}", words)
    name = next(iter(data.ids(index, index + 1)), None)
    own = name is not None and data.find(name) == index
    sent = {key: getattr(row.choice, key) for key in ("condition", "mode", "adapter", "task", "judge")}
    if own:
        at = {"record": name, "index": None}
    else:
        at = {"record": None, "index": str(index)}
    return show.link("prompts", words, **at, **sent, finding=None)


def _documented(rows: Sequence[RecordUse] | Sequence[VariableRow]) -> tuple[Column, ...]:
    """Return the column about the documented list, where a template reads something else."""
    if all(row.documented is not False for row in rows):
        return ()
    return (Column("known", t("variables.known"), help=t("variables.known_help")),)


def _nearest(rows: Sequence[RecordUse] | Sequence[VariableRow]) -> tuple[Column, ...]:
    if all(row.nearest is None for row in rows):
        return ()
    return (Column("nearest", t("variables.nearest"), help=t("variables.nearest_help")),)


def _describe_documented(row: RecordUse | VariableRow) -> str | None:
    """Return whether the variable is documented, or which name was probably meant; None where nobody knows."""
    if row.documented is None:
        return None
    if row.documented:
        return t("variables.known_yes")
    if row.suggested:
        return t("variables.known_meant", name=row.suggested)
    return t("variables.known_no")
