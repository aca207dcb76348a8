"""The records of a dataset as a table of chosen columns, those with a text alone where one is asked for."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import streamlit as st
from markupsafe import Markup

from readback.checks.field_mapping import LOOKED_AT, fields
from readback.html import exact
from readback.readers.progress import Cancelled
from readback.records.dataset import Dataset, DatasetChanged
from readback.records.field_likeness import SAME
from readback.records.field_path import MISSING, look
from readback.types import Record
from readback.ui.common import address, show
from readback.ui.common.draw import setting, table
from readback.ui.common.draw.table import Column
from readback.ui.common.state import background, choice, work
from readback.ui.common.state.work import Progress
from readback.words import t

KIND = "records"
PAGE = 25  # records on the screen at once
COLUMNS = 4  # that are shown until somebody chooses
SHOWN = 120  # characters of a cell
ASKED = {*SAME[0], *SAME[3]} - {"text"}  # names of fields that hold what a record asks
ROLE, SAID = ("role", "speaker", "from"), ("content", "text", "value")  # of a message, as files call them
FOUND = 1_000  # records that are listed of those with a text
CHUNK = 500  # records between two looks at whether to go on


def draw(data: Dataset) -> None:
    """Draw the filter, the columns, and the table; each record is a link to the whole of it."""
    with st.container(horizontal=True, vertical_alignment="top"):
        text = st.text_input(
            t("records.filter"),
            key="records_filter",
            help=t("records.filter_help"),
            width=240,
            on_change=address.put,
            kwargs={"at": None},
        )
        try:
            looked_at = tuple(data.records(0, LOOKED_AT))
            names = [name for name in fields(looked_at) if name != data.id_field]
            chosen = st.multiselect(
                t("records.columns"),
                names,
                default=short(looked_at, names),
                key="records_columns",
                format_func=exact.spelling,
            )
        except DatasetChanged as changed:
            choice.overtaken(changed)
    matching = _with(data, text) if text else range(len(data))
    if matching is None:
        return
    start = setting.offset("at", len(matching), PAGE)
    try:
        rows = [_row(data.record(index), index, chosen) for index in matching[start : start + PAGE]]
    except DatasetChanged as changed:
        choice.overtaken(changed)
    columns = [Column("id", t("messages.record"), show=_link)]
    columns += [Column(f"f_{name}", exact.spelling(name), show=partial(_value, f"f_{name}")) for name in chosen]
    table.draw(columns, rows, t("records.title"))
    values = {"first": start + 1 if rows else 0, "last": start + len(rows), "n": len(matching), "all": len(data)}
    more = t("records.more", n=FOUND) if len(matching) == FOUND and text else ""
    counted = t("records.with_text" if text else "records.shown", **values)
    show.draw(show.h('<p class="rb-small">{} {}{}</p>', counted, more, show.aloud(counted)))
    _turn(start, len(matching))


def short(looked_at: Sequence[Record], names: Sequence[str]) -> list[str]:
    """Return the columns that are shown first: what a record asks; then what a cell holds whole, so that many records
    are in view, words before numbers; else any.
    """
    questions = sorted(
        (name for name in names if name.rpartition(".")[2].casefold() in ASKED), key=lambda n: n.count(".")
    )[:1]
    whole = [name for name in names if all(_is_short(look(record.fields, name)) for record in looked_at)]
    whole.sort(key=lambda name: not any(_has_words(look(record.fields, name)) for record in looked_at))
    return list(dict.fromkeys((*questions, *whole)))[:COLUMNS] or list(names)[:COLUMNS]


def _is_short(value: Any) -> bool:
    if isinstance(value, list):
        return all(isinstance(item, str) for item in value) and sum(map(len, value)) <= SHOWN
    return value is MISSING or (not isinstance(value, Mapping) and len(str(value)) <= SHOWN)


def _has_words(value: Any) -> bool:
    texts = value if isinstance(value, list) else [value]
    return any(isinstance(text, str) and re.search(r"[^\W\d_]{2}", text) for text in texts)


def _question(value: Any) -> str | None:
    """Return the user's last turn in a list of messages, and the number of messages; None of any other value."""
    turns = value if isinstance(value, list) else []
    for turn in reversed(turns):
        role, text = (
            (next((turn[key] for key in keys if key in turn), None) for keys in (ROLE, SAID))
            if isinstance(turn, Mapping)
            else (None, None)
        )
        if role in ("user", "human") and isinstance(text, str):
            return text if len(turns) == 1 else t("records.last_message", text=text, n=len(turns))
    return None


def find_records(data: Dataset, text: str, progress: Progress) -> tuple[int, ...]:
    """Return the numbers of the first records with a field that holds the text. Raises Cancelled, DatasetChanged."""
    numbers: list[int] = []
    for start in range(0, len(data), CHUNK):
        if not progress(start, len(data)):
            raise Cancelled
        numbers += data.search(text, start, start + CHUNK)
        if len(numbers) >= FOUND:
            break
    return tuple(numbers[:FOUND])


def cell(record: Record, name: str) -> str:
    """Return a field's value in a cell: of messages the last question; a longer one states how much more there is, a
    dash is for a field that is not.
    """
    value = look(record.fields, name)
    if value is MISSING:
        return "–"
    text = value if isinstance(value, str) else _question(value) or json.dumps(value, ensure_ascii=False)
    return text if len(text) <= SHOWN else t("records.cut", text=text[:SHOWN], n=len(text) - SHOWN)


def _with(data: Dataset, text: str) -> Sequence[int] | None:
    """Return the records with the text, or None while they are searched for, and where that was stopped."""
    key = (choice.key(), text)
    # One that was stopped stays so until somebody asks for another text.
    job = background.find_job(KIND, key) or background.ask(
        KIND, key, lambda progress: find_records(data, text, progress)
    )
    if isinstance(job.error, DatasetChanged):
        choice.overtaken(job.error)
    if not work.look(job, "records.looking", KIND):
        return None
    if job.stopped:
        show.notice(t("records.stopped"), "warning")
        return None
    return job.result  # type: ignore[no-any-return]


def _row(record: Record, index: int, chosen: Sequence[str]) -> Mapping[str, Any]:
    name = exact.spelling(record.id) if record.id is not None else str(index + 1)
    return {"id": name, "index": index, **{f"f_{field}": cell(record, field) for field in chosen}}


def _value(key: str, row: Mapping[str, Any]) -> Markup:
    return show.text(row[key])


def _link(row: Mapping[str, Any]) -> Markup:
    link = show.link("results", row["id"], **choice.named(row["index"]), at=st.query_params.get("at"), view="rows")
    here = row["index"] == choice.position()
    return show.h('<strong aria-current="true">{}</strong>', link) if here else link


def _turn(start: int, count: int) -> None:
    if count <= PAGE:
        return
    with st.container(horizontal=True):
        for label, at in (("earlier", start - PAGE), ("later", start + PAGE)):
            st.button(
                t(f"findings.{label}"),
                key=label,
                disabled=not 0 <= at < count,
                on_click=address.put,
                kwargs={"at": str(at) if at > 0 else None},
            )
