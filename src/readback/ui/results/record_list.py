"""The records of a dataset as a table: what each asks first, chosen fields, answers; those with a text alone where one
is asked for.

To add a column, write a function that returns what its cell says of a record, and add it with the key of its heading to
COLUMNS_OF_EVERY_RECORD. docs/adding/record-column.md has an example.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import streamlit as st
from markupsafe import Markup

from readback.checks.fields.field_mapping import LOOKED_AT, fields
from readback.html import exact
from readback.html.templates import render_template
from readback.readers.files.progress import Cancelled
from readback.records.dataset import Dataset, DatasetChanged
from readback.records.fields.field_likeness import REFERENCE, REPLY
from readback.records.fields.field_path import MASK, MISSING, look
from readback.types import Condition, Record, Workspace
from readback.ui.common import address, show
from readback.ui.common.draw import setting
from readback.ui.common.state import background, caches, choice, work
from readback.ui.common.state.work import Progress
from readback.ui.results.grid import cells
from readback.ui.results.record_texts import ASKED, find_last_question
from readback.words import t

KIND = "records"
PAGE = 25  # records on the screen at once
COLUMNS = 4  # that are shown until somebody chooses
SHOWN = 120  # characters of a cell
LISTED = 60  # characters of a list, or of its first item
ANSWERS = 2  # conditions whose answers have a column
ANSWER = 300  # characters of an answer that a cell shows
ID = 60  # characters of an id below the question
# Ids and places of files tell a reader nothing of a record, so they are no first columns.
TECHNICAL = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{18,}|[0-9a-f]{16,}.*|(?:/|~|[A-Za-z]:\\|file:).*", re.IGNORECASE
)
FOUND = 1_000  # records that are listed of those with a text
CHUNK = 500  # records between two looks at whether to go on


def draw(data: Dataset, workspace: Workspace) -> None:
    """Draw the filter, the columns, and the table; each record is a link to the whole of it."""
    answered = [condition for condition in workspace.conditions if condition.answers][:ANSWERS]
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
            first = short(looked_at, names)
            chosen = st.multiselect(
                t("records.columns"),
                names,
                default=first[:ANSWERS] if answered else first,
                key="records_columns",
                format_func=exact.spelling,
            )
        except DatasetChanged as changed:
            choice.overtaken(changed)
    if text:
        matching = _with(data, text)
    else:
        matching = range(len(data))
    if matching is None:
        return
    start = setting.offset("at", len(matching), PAGE)
    question = next((name for name in chosen if _is_named(name, ASKED)), None)
    others = [name for name in chosen if name != question]
    try:
        rows = [
            _row(data.record(index), index, question, others, answered, workspace)
            for index in matching[start : start + PAGE]
        ]
    except DatasetChanged as changed:
        choice.overtaken(changed)
    heads = [exact.spelling(question or t("messages.record")), *map(exact.spelling, others)]
    heads += [t(heading) for heading, _ in COLUMNS_OF_EVERY_RECORD]
    heads += [t("records.answer_of", name=condition.name) for condition in answered]
    show.draw(
        render_template(
            "ui/results/record_list.html.jinja", t=t, heads=heads, rows=rows, language=show.spoken_attribute()
        )
    )
    values = {"first": start + 1 if rows else 0, "last": start + len(rows), "n": len(matching), "all": len(data)}
    if len(matching) == FOUND and text:
        more = t("records.more", n=FOUND)
    else:
        more = ""
    counted = t("records.with_text" if text else "records.shown", **values)
    show.draw(show.h('<p class="rb-small">{} {}{}</p>', counted, more, show.aloud(counted)))
    _turn(start, len(matching))


def short(looked_at: Sequence[Record], names: Sequence[str]) -> list[str]:
    """Return the columns that are shown first: what a record asks, what it expects and what a model replied; then what
    a cell holds whole, so that many records are in view, words before numbers, without ids and paths; else any.
    """
    questions = sorted((name for name in names if _is_named(name, ASKED)), key=lambda n: n.count("."))[:1]
    references = sorted((name for name in names if _is_named(name, REFERENCE)), key=lambda n: n.count("."))[:1]
    replies = sorted((name for name in names if _is_named(name, REPLY)), key=lambda n: n.count("."))[:1]
    whole = [name for name in names if all(_is_short(look(record.fields, name)) for record in looked_at)]

    def list_values(name: str) -> list[Any]:
        return [look(record.fields, name) for record in looked_at]

    whole = [name for name in whole if not any(map(_is_technical, list_values(name)))]
    whole.sort(key=lambda name: not any(map(_has_words, list_values(name))))
    chosen: list[str] = []
    columns: list[list[Any]] = []
    for name in dict.fromkeys((*questions, *references, *replies, *whole)):
        values = list_values(name)
        if values not in columns:  # a variable that is mapped to a field has its values
            chosen.append(name)
            columns.append(values)
    return chosen[:COLUMNS] or list(names)[:COLUMNS]


def _is_named(name: str, words: Collection[str]) -> bool:
    return name.rpartition(".")[2].casefold() in words


def _is_technical(value: Any) -> bool:
    if isinstance(value, list):
        texts = value
    else:
        texts = [value]
    return any(isinstance(text, str) and _is_place_or_id(text.strip()) for text in texts)


def _is_place_or_id(text: str) -> bool:
    return text == MASK or TECHNICAL.fullmatch(text) is not None


def _is_short(value: Any) -> bool:
    if isinstance(value, list):
        return all(isinstance(item, str) for item in value) and sum(map(len, value)) <= SHOWN
    return value is MISSING or (not isinstance(value, Mapping) and len(str(value)) <= SHOWN)


def _has_words(value: Any) -> bool:
    if isinstance(value, list):
        texts = value
    else:
        texts = [value]
    return any(isinstance(text, str) and re.search(r"[^\W\d_]{2}", text) for text in texts)


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
    """Return a field's value in a cell: of messages the last question, of a list its length and its first item; a
    longer one states how much more there is, a dash is for a field that is not.
    """
    value = look(record.fields, name)
    if value is MISSING:
        return "–"
    if isinstance(value, str):
        text = value
    else:
        text = find_last_question(value) or _format_json(value)
    if len(text) <= SHOWN:
        return text
    return t("records.cut", text=text[:SHOWN], n=len(text) - SHOWN)


def _format_json(value: Any) -> str:
    """Return a value that is no text: a list of short texts whole, of any other list and object how much is in it."""
    if isinstance(value, list) and value and all(isinstance(item, str) for item in value):
        different = list(dict.fromkeys(value))
        if sum(map(len, different)) <= LISTED:
            texts = [f"{item} ({value.count(item)}×)" if value.count(item) > 1 else item for item in different]
            return " · ".join(texts)
    if isinstance(value, list) and value:
        if isinstance(value[0], str):
            first = value[0]
        else:
            first = json.dumps(value[0], ensure_ascii=False)
        return t("records.items", n=len(value), first=first[:LISTED] + ("…" if len(first) > LISTED else ""))
    if isinstance(value, Mapping) and value:
        return t("records.parts", n=len(value), names=", ".join(map(str, value)))
    return json.dumps(value, ensure_ascii=False)


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


def _row(
    record: Record,
    index: int,
    question: str | None,
    others: Sequence[str],
    answered: Sequence[Condition],
    workspace: Workspace,
) -> Mapping[str, Any]:
    if record.id is not None:
        name = exact.spelling(record.id)
    else:
        name = str(index + 1)
    if question is not None:
        text = cell(record, question)
    else:
        text = ""
    has_question = text not in ("", "–")
    answers: list[Markup | str] = []
    for condition in answered:
        answer = caches.answers(*choice.key(), condition.name, workspace).get(record.id)
        is_there = answer is not None and answer.text is not None
        answers.append(cells.render_cut(answer.text or "", ANSWER) if answer is not None and is_there else "–")
    return {
        "link": _link(show.text(text) if has_question else name, index),
        "id": (name if len(name) <= ID else f"{name[:ID]}…") if has_question else "",
        "texts": [
            *(cell(record, field) for field in others),
            *(describe(record) for _, describe in COLUMNS_OF_EVERY_RECORD),
        ],
        "answers": answers,
        "is_open": index == choice.position(),
    }


def _link(label: Markup | str, index: int) -> Markup:
    link = show.link("results", label, **choice.named(index), at=st.query_params.get("at"), view="rows")
    here = index == choice.position()
    if here:
        return show.h('<strong aria-current="true">{}</strong>', link)
    return link


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


# Columns beside the fields that somebody chose: the key of the heading in words, and what a cell says of a record.
COLUMNS_OF_EVERY_RECORD: tuple[tuple[str, Callable[[Record], Markup | str]], ...] = (
    # A new column stands above this line.
)
