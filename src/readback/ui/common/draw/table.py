"""A table in HTML that sorts, filters and downloads, a page at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st
from markupsafe import Markup

from readback.as_csv import format_csv
from readback.ui.common import address, show
from readback.ui.common.draw import downloads
from readback.words import t

PAGE = 25  # rows on the screen at once
WHOLE = 18  # characters of a heading that no line needs to break


@dataclass(frozen=True, slots=True)
class Column:
    """A column: `key` names its cells; `number` aligns right; `show` makes the cell's markup from the whole row.
    Out of view (`in_view` False) it is in the download alone.
    """

    key: str
    title: str
    number: bool = False
    show: Callable[[Mapping[str, Any]], Markup | str] | None = None
    help: str = ""
    in_view: bool = True


def table(
    key: str,
    columns: Sequence[Column],
    rows: Sequence[Mapping[str, Any]],
    *,
    caption: str,
    tools: bool | None = None,
    headed: bool = False,
) -> None:
    """Draw the rows. `caption` says what the table holds (read out, and the name of the download).

    `tools` (filter, sort, download) are shown from six rows on unless said. What is typed into the filter stays
    in the session; the sort order is in the address. `headed`: the caption is a heading as well, and the tools are
    behind a button beside it, so that the rows begin right below.
    """
    matching_rows, tools = list(rows), len(rows) > 5 if tools is None else tools
    if headed:
        with st.container(horizontal=True, vertical_alignment="center", key=f"headed_{key}"):
            st.header(caption, width="content")
            if tools:
                with st.popover(t("frame.tools"), key=f"tools_open_{key}", type="tertiary"):
                    matching_rows = _tools(key, columns, matching_rows, caption)
            start = _page(key, len(matching_rows))
        _counted(len(matching_rows), len(rows))
    else:
        if tools:
            matching_rows = _tools(key, columns, matching_rows, caption)
            _counted(len(matching_rows), len(rows))
        start = _page(key, len(matching_rows))
    draw(columns, matching_rows[start : start + PAGE], caption)


def draw(columns: Sequence[Column], rows: Sequence[Mapping[str, Any]], caption: str) -> None:
    """Draw the bare table."""
    columns = [column for column in columns if column.in_view]
    head = show.join(
        [show.h('<th scope="col" class="{}"{}>{}</th>', _side(c), _hint(c), _broken(c.title)) for c in columns]
    )
    body = show.join(
        [
            show.h("<tr>{}</tr>", show.join([_cell(column, row, first=n == 0) for n, column in enumerate(columns)]))
            for row in rows
        ]
    )
    show.draw(
        show.h(
            '<div class="rb-scroll" role="region" tabindex="0" aria-label="{}"><table class="rb-table">'
            "<caption>{}</caption>"
            "<thead><tr>{}</tr></thead><tbody>{}</tbody></table></div>",
            caption,
            caption,
            head,
            body,
        )
    )


def _broken(title: str) -> Markup:
    """Return a heading that may go on in the next line after an underscore, so that a long name makes no wide column; a
    short one stays whole.
    """
    if len(title) <= WHOLE:
        return show.h("{}", title)
    return show.breaks(title)


def as_csv(columns: Sequence[Column], rows: Sequence[Mapping[str, Any]]) -> bytes:
    """Return the rows as CSV, in UTF-8; see `as_csv.cell` for texts that a spreadsheet would compute."""
    cells = ([row.get(column.key) for column in columns] for row in rows)
    return format_csv([column.title for column in columns], cells).encode("utf-8", "backslashreplace")


def _tools(key: str, columns: Sequence[Column], rows: list[Mapping[str, Any]], caption: str) -> list[Mapping[str, Any]]:
    with st.container(horizontal=True, vertical_alignment="bottom", key=f"tools_{key}"):
        words = st.text_input(t("frame.filter"), key=f"{key}_filter", placeholder=t("frame.filter_hint"), width=240)
        orders = {"": t("frame.as_is"), **{c.key: c.title for c in columns}}
        name = f"{key}_sort"
        address.follow(name, "", orders)
        order = st.selectbox(
            t("frame.sort"),
            list(orders),
            key=name,
            format_func=orders.__getitem__,
            on_change=address.keep,
            args=(name,),
            width=200,
        )
        name = f"{key}_down"
        address.follow_switch(name)
        down = st.toggle(t("frame.descending"), key=name, on_change=address.keep, args=(name,))
        if words:
            matching_rows = [row for row in rows if words.casefold() in " ".join(map(str, row.values())).casefold()]
        else:
            matching_rows = rows
        if order:
            matching_rows = sorted(matching_rows, key=lambda row: _order(row.get(order)), reverse=down)
        downloads.button(
            t("frame.download_csv"),
            lambda: as_csv(columns, matching_rows),
            f"{caption}.csv",
            "text/csv",
            key=f"{key}_csv",
        )
    return matching_rows


def _counted(count: int, every: int) -> None:
    if count != every:
        sentence = t("frame.of", n=count, all=every)
        show.draw(show.h('<p class="rb-small">{}{}</p>', sentence, show.aloud(sentence)))


def _page(key: str, count: int) -> int:
    if count <= PAGE:
        return 0
    pages = -(-count // PAGE)
    number = st.number_input(t("frame.page_of", pages=pages), 1, pages, key=f"{key}_page", width=160)
    return (int(number) - 1) * PAGE


def _cell(column: Column, row: Mapping[str, Any], first: bool) -> Markup:
    value = row.get(column.key)
    if column.show:
        content = column.show(row)
    elif column.number:
        content = show.number(value)
    elif value is not None:
        content = value
    else:
        content = "–"
    if first:
        return show.h('<th scope="row" class="{}">{}</th>', _side(column), content)
    return show.h('<td class="{}">{}</td>', _side(column), content)


def _side(column: Column) -> str:
    if column.number:
        return "rb-num"
    return "rb-left"


def _hint(column: Column) -> Markup:
    if column.help:
        return show.h(' title="{}"', column.help)
    return Markup("")


def _order(value: Any) -> tuple[int, float, str]:
    if isinstance(value, int | float) and value == value:
        return (0, float(value), "")
    if value is not None:
        return (1, 0.0, str(value).casefold())
    return (2, 0.0, "")
