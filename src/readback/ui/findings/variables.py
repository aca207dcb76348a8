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
from readback.records.field_path import MISSING
from readback.types import Answer, Assembly, Record, VariableUse, Workspace
from readback.ui.common import show
from readback.ui.common.draw import table
from readback.ui.common.draw.table import Column
from readback.words import t

SHOWN = 120  # characters of a value
LISTED = 40  # unused fields named
OFTEN = ("missing", "null")  # states that say in how many places, where not in all


def of_record(workspace: Workspace, record: Record, made: Assembly, answer: Answer | None = None) -> None:
    """A table of what became of each name that the templates of an assembly read; folded up."""
    found = record_uses(workspace, record, made, answer)
    if not found:
        return
    lacking = sum(map(_lacks, found))
    title = t("variables.title", n=len(found)) + (t("variables.lacking", n=lacking) if lacking else "")
    with st.expander(title, key="variables_open"):
        rows, held = [_of_record(one) for one in found], {one.name: one for one in found}
        columns = [
            Column("name", t("variables.name")),
            Column("state", t("variables.state"), show=lambda row: _mark(held[row["name"]])),
            Column("value", t("variables.value"), show=lambda row: _excerpt(row["value"])),
            *_nearest(found),
            *_documented(found),
        ]
        table.table("variables", columns, rows, caption=t("variables.caption"))


def of_dataset(audit: Audit, workspace: Workspace, data: Dataset) -> None:
    """The same over all records, each count linked to the first such record; then the fields that nothing reads."""
    if not audit.variables:
        return
    readers = len({(row.kind, row.reader) for row in audit.variables})
    title = t("sample.variables", n=audit.sample.drawn) if audit.sample else t("variables.over_all")
    st.header(title)
    if audit.names_left_out:
        show.notice(t("variables.left_out"), "warning")
    rows = [_of_dataset(row) for row in audit.variables]
    held = {(line["reader"], line["name"]): row for line, row in zip(rows, audit.variables, strict=True)}
    used = [what for what in STATES if what == "used" or any(getattr(row, what) for row in audit.variables)]
    columns = [
        *([Column("reader", t("variables.reader"))] if readers > 1 else ()),
        Column("name", t("variables.name")),
        *(
            Column(
                what, t(f"variables.{what}"), number=True, help=t(f"variables.{what}_help"),
                show=lambda row, what=what: _count(held[row["reader"], row["name"]], what, data),  # type: ignore[misc]
            )
            for what in used
        ),
        *_nearest(audit.variables),
        *_documented(audit.variables),
    ]  # fmt: skip
    table.table("variables_all", columns, rows, caption=title)
    _unused(audit)


def _unused(audit: Audit) -> None:
    if not audit.unused:
        return
    shown = [one.name for one in audit.unused[:LISTED]]
    names = show.join([show.h("<code>{}</code>", name) for name in shown], ", ")
    rest = len(audit.unused) - len(shown)
    more = t("variables.unused_more", n=rest) if rest else ""
    lead = t("sample.unused" if audit.sample else "variables.unused", n=len(audit.unused))
    show.draw(show.h('<p class="rb-small">{} {}{}</p>', lead, names, more))


def _of_record(one: RecordUse) -> Mapping[str, Any]:
    return {
        "name": one.name,
        "state": ", ".join(map(_said, one.uses)),
        "value": None if one.value is MISSING else _text(one.value),
        "nearest": one.nearest,
        "known": _known(one),
    }


def _mark(one: RecordUse) -> Markup:
    """What became of a name, with a sign where the prompt lacks something."""
    words = ", ".join(map(_said, one.uses))
    return show.h("{} {}", show.severity("warning"), words) if _lacks(one) else show.h("{}", words)


def _lacks(one: RecordUse) -> bool:
    return any(use.state in OFTEN and not use.only_asked for use in one.uses)


def _excerpt(text: str | None) -> Markup:
    cut = "…" if text and len(text) > SHOWN else ""
    return show.h("{}{}", show.exact_text(text[:SHOWN]), cut) if text else show.h("–")


def _said(use: VariableUse) -> str:
    """A state in words: in how many places, and whether the template only asks."""
    some = use.state in OFTEN and use.total > 1
    words = t(f"variables.is_{use.state}")
    words = t("variables.of", what=words, n=use.times, all=use.total) if some else words
    return t("variables.only_asked", what=words) if use.only_asked and use.state in (*OFTEN, "empty", "idle") else words


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _of_dataset(row: VariableRow) -> Mapping[str, Any]:
    return {
        "reader": t(f"variables.in_{row.kind}", name=row.reader),
        "name": row.name,
        "nearest": row.nearest,
        "known": _known(row),
        **{what: getattr(row, what) for what in STATES},
    }


def _count(row: VariableRow, what: str, data: Dataset) -> Markup:
    """ "x of n", linked to the first such record."""
    number = getattr(row, what)
    if not number:
        return show.h('<span class="rb-small">0</span>')
    optional = what == "missing" and not row.needed
    said = t("variables.x_of_n_optional" if optional else "variables.x_of_n", x=number, n=row.records)
    index = row.first.get(what)
    if index is None or index >= len(data):
        return show.h("{}", said)
    name = next(iter(data.ids(index, index + 1)), None)
    own = name is not None and data.find(name) == index
    sent = {key: getattr(row.choice, key) for key in ("condition", "mode", "adapter", "task", "judge")}
    at = {"record": name, "index": None} if own else {"record": None, "index": str(index)}
    return show.link("messages", said, **at, **sent, finding=None)


def _documented(rows: Sequence[RecordUse] | Sequence[VariableRow]) -> tuple[Column, ...]:
    """The column about the documented list, where a template reads something else."""
    if all(row.known is not False for row in rows):
        return ()
    return (Column("known", t("variables.known"), help=t("variables.known_help")),)


def _nearest(rows: Sequence[RecordUse] | Sequence[VariableRow]) -> tuple[Column, ...]:
    if all(row.nearest is None for row in rows):
        return ()
    return (Column("nearest", t("variables.nearest"), help=t("variables.nearest_help")),)


def _known(row: RecordUse | VariableRow) -> str | None:
    if row.known is None:
        return None
    if row.known:
        return t("variables.known_yes")
    return t("variables.known_meant", name=row.meant) if row.meant else t("variables.known_no")
