"""Every mode and adapter of a record as real text: each distinct text once, its first differing line in view."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import get_args

import streamlit as st
from markupsafe import Markup

from readback.checks.run.prompt_lengths import Excerpt, PromptLengths
from readback.html import exact
from readback.html.templates import render_template
from readback.types import Role, Selection
from readback.ui.common import address, show
from readback.ui.common.draw import keys, message, picker, setting
from readback.ui.common.state import choice
from readback.ui.common.state.work import look
from readback.ui.prompts import room
from readback.ui.prompts.every.cells import Cells, Line, find_first, layout, measure_again, measured
from readback.ui.prompts.every.cut import Cut, cut
from readback.ui.prompts.two_texts.compare_sides import PARTS, keys_of
from readback.ui.prompts.two_texts.compare_text import Text
from readback.ui.prompts.two_texts.compare_words import sent
from readback.words import t

ROWS = 24  # on the screen at once


@dataclass(frozen=True, slots=True)
class Page:
    """The rows on the screen: their names, the adapters of their columns, and the choices of their cells."""

    names: tuple[str, ...]
    columns: tuple[str, ...]
    lines: tuple[Line, ...]
    start: int
    total: int
    first: Selection | None

    @property
    def selections(self) -> tuple[Selection, ...]:
        """The choices of all cells, in the order of the table."""
        return tuple(selection for line in self.lines for selection in line if selection)


def draw() -> None:
    """Draw the table for the record in view, a page of rows at a time; cells appear as they are measured."""
    room.require_texts()
    room.draw_bar(room.EVERY, keys.COMPARE)
    names, columns, lines = layout(choice.workspace())
    if not lines:
        show.empty(t("cells.no_rows"))
        return
    start = setting.offset("rows", len(lines), ROWS)
    stop = start + ROWS
    rows = Page(names[start:stop], columns, lines[start:stop], start, len(lines), find_first(lines))
    cells, job = measured(rows.selections, rows.first)
    if job is not None:
        if not look(job, "cells.building", "every", part=lambda so_far: _draw(rows, so_far)):
            setting.turn("rows", "rows", start, len(lines), ROWS)
            return
        cells = job.result or cells
    _draw(rows, cells)
    missing = sum(selection not in cells or cells[selection].late for selection in rows.selections)
    if missing:
        show.notice(t("cells.missing", n=missing))
        st.button(t("compare.grid_go_on"), key="grid_go_on", on_click=measure_again)
    setting.turn("rows", "rows", start, len(lines), ROWS)


def _draw(rows: Page, cells: Cells) -> None:
    homes = _find_homes(rows, cells)
    show.draw(show.h('<p class="rb-small">{}</p>', _summarise(rows, cells, len(homes))))
    heads = [column or t("compare.grid_own") for column in rows.columns]
    if len(rows.columns) == 1:
        heads = [t("compare.grid_text")]
    drawn = [
        {
            "name": name,
            "cells": [
                {"column": heads[number], **_make_cell(selection, cells, homes, rows, (at, number))}
                for number, selection in enumerate(line)
            ],
        }
        for at, (name, line) in enumerate(zip(rows.names, rows.lines, strict=True))
    ]
    show.draw(
        render_template(
            "ui/prompts/every/grid.html.jinja",
            caption=t(f"compare.view_grid_{picker.kind()}"),
            heads=[t(f"cells.what_{picker.kind()}"), *heads],
            rows=drawn,
        )
    )


def _find_homes(rows: Page, cells: Cells) -> Mapping[str, tuple[int, int]]:
    """Return, by fingerprint, the place of the cell that shows a text: the first that has it."""
    homes: dict[str, tuple[int, int]] = {}
    for at, line in enumerate(rows.lines):
        for number, selection in enumerate(line):
            cell = cells.get(selection) if selection else None
            if cell is not None and cell.fingerprint:
                homes.setdefault(cell.fingerprint, (at, number))
    return homes


def _summarise(rows: Page, cells: Cells, texts: int) -> str:
    count = sum(selection in cells for selection in rows.selections)
    if not count:
        return ""
    sentence = t("compare.grid_said", n=texts, cells=count)
    if texts > 1:
        first = sent(rows.first) if rows.first else ""
        sentence += " " + t("cells.how", name=first) + " " + t("cells.against", name=sent(choice.sent()))
    if rows.total > ROWS:
        stop = rows.start + len(rows.lines)
        sentence += " " + t("compare.grid_rows", start=rows.start + 1, stop=stop, all=rows.total)
    return sentence


def _make_cell(
    selection: Selection | None,
    cells: Cells,
    homes: Mapping[str, tuple[int, int]],
    rows: Page,
    place: tuple[int, int],
) -> dict[str, object]:
    """Return what the template draws in a cell."""
    if selection is None:
        return {"kind": "none", "why": t("compare.grid_none")}
    cell = cells.get(selection)
    if cell is None:
        return {"kind": "waiting", "why": "…"}
    if not cell.fingerprint:
        why = show.h("{} {}", show.severity("error"), t(f"compare.grid_{'too_late' if cell.late else 'not_built'}"))
        return {"kind": "failed", "why": why, "open": _open(selection)}
    chips = show.join(
        [show.severity(word, n) for word, n in (("error", cell.errors), ("warning", cell.warnings)) if n], " "
    )
    home = homes[cell.fingerprint]
    if home != place:
        name = _name_place(rows, home, place)
        same = show.h('{} <a class="rb-link" href="#" data-rb-to="{}">{}</a>', t("cells.same"), _id(home), name)
        size = _size(cell)
        first = rows.lines[home[0]][home[1]]
        # Another tokenizer counts the same text otherwise.
        repeated = first is not None and size == _size(cells[first])
        return {
            "kind": "same",
            "same": same,
            "open": _open(selection),
            "chips": chips,
            "size": "" if repeated else size,
        }
    return {
        "kind": "text",
        "id": _id(place),
        "open": _open(selection),
        "compare": _compare(selection),
        "chips": chips,
        "size": _size(cell),
        "differs": _describe_difference(cell),
        "messages": [
            _draw_message(excerpt, piece, sent(selection), selection)
            for excerpt, piece in zip(cell.excerpts, cut(cell.excerpts), strict=True)
        ],
    }


def _id(place: tuple[int, int]) -> str:
    return f"cell-{place[0]}-{place[1]}"


def _name_place(rows: Page, home: tuple[int, int], place: tuple[int, int]) -> str:
    """Name a cell as seen from another: by its column in the same row, by its row, or by both."""
    column = rows.columns[home[1]] or t("compare.grid_own")
    if home[0] == place[0]:
        return column
    name = rows.names[home[0]]
    return name if home[1] == place[1] else t("cells.through", name=name, adapter=column)


def _size(cell: PromptLengths) -> Markup:
    characters = t("messages.characters", n=cell.characters)
    tokens = t("compare.cell_tokens" if cell.exact else "compare.cell_estimated", n=cell.tokens)
    title = t("compare.cell_size", characters=characters, tokenizer=cell.tokenizer)
    return show.h('<span title="{}">{}, {}</span>', title, characters, tokens)


def _describe_difference(cell: PromptLengths) -> str:
    """Say where a text first departs from the first one; "" for the first one itself."""
    parts = [t("cells.lacks", role=_title(role)) for role in cell.lacks]
    parts += [t("cells.alone", role=_title(excerpt.role)) for excerpt in cell.excerpts if excerpt.alone]
    for excerpt in cell.excerpts:
        if excerpt.differs is not None:
            parts.append(t("cells.blank" if excerpt.blank else "cells.differs", role=_title(excerpt.role)))
    return " ".join(parts)


def _draw_message(excerpt: Excerpt, piece: Cut, name: str, selection: Selection) -> dict[str, object]:
    title = _title(excerpt.role)
    size = t("messages.characters", n=excerpt.length)
    if excerpt.parts:
        size += ", " + t("cells.parts", n=excerpt.parts)
    return {
        "title": title,
        "label": t("cells.message_of", role=title, name=name),
        "size": size,
        "text": Markup(_draw_text(excerpt, piece, selection)),  # noqa: S704 (escaped by Text and show)
    }


def _draw_text(excerpt: Excerpt, piece: Cut, selection: Selection) -> str:
    """Return the text of a message: what is shown, its first differing line marked, and what is folded around it."""
    white = message.whitespace()
    text = Text(excerpt.segments, message.describe, white)
    whole, (start, stop) = len(text.text), piece.visible
    before, after = excerpt.start, excerpt.length - excerpt.start - whole
    parts = []
    if before:
        parts.append(_elsewhere(before, selection))
    if start:
        parts.append(_fold(t("cells.above", n=text.text.count("\n", 0, start) or 1), text, (0, start), False))
    ends = not after and stop == whole
    if piece.marked is None:
        inner = text.html((start, stop))
    else:
        marked, kind = piece.marked, t("cells.mark_blank" if excerpt.blank else "cells.mark")
        inner = (
            f'{text.html((start, marked[0]))}<mark class="rb-first-differs" title="{exact.attribute(kind)}">'
            f"{text.html(marked, excerpt.blank)}</mark>{text.html((marked[1], stop))}"
        )
    parts.append(_exact(inner, ends, white))
    if stop < whole:
        n = text.text.count("\n", stop) + 1
        parts.append(_fold(t("cells.show_all", n=n), text, (stop, whole), not after))
    if after > 0:
        parts.append(_elsewhere(after, selection))
    return "".join(parts)


def _exact(inner: str, ends: bool, white: bool) -> str:
    looks = f"{'' if ends else ' rb-more'}{' rb-white' if white else ''}"
    return f'<div class="rb-exact{looks}"{show.spoken_attribute()}>{inner}</div>'


def _fold(summary: str, text: Text, span: tuple[int, int], ends: bool) -> str:
    inner = _exact(text.html(span), ends, message.whitespace())
    return f'<details class="rb-fold"><summary>{exact.text(summary)}</summary>{inner}</details>'


def _elsewhere(n: int, selection: Selection) -> str:
    """Link to the whole of a text that is too long for a cell."""
    link = show.link("prompts", t("cells.in_one"), **_keys(selection))
    return str(show.h('<p class="rb-fold">{} {}</p>', t("cells.left_out", n=n), link))


def _keys(selection: Selection) -> dict[str, str | None]:
    return {**dict.fromkeys(PARTS), **keys_of(selection)}


def _open(selection: Selection) -> Markup:
    """Make the link that opens a cell in One; a click on the cell follows it, too."""
    current = Markup(' aria-current="true"') if selection == choice.sent() else Markup("")
    return show.h(
        '<a class="rb-link rb-every-open" target="_self" href="{}" aria-label="{}"{}>{}</a>',
        address.href("prompts", **_keys(selection)),
        t("cells.open_of", name=sent(selection)),
        current,
        t("cells.open"),
    )


def _compare(selection: Selection) -> Markup:
    """Make the link that holds a cell, as B, against what is in view; for the cell in view a word that says so."""
    a = choice.sent()
    if selection == a:
        return show.h('<strong class="rb-is-side">{}</strong>', t("cells.in_view"))
    b = {f"b_{key}": value for key, value in asdict(selection).items() if value is not None}
    return show.h(
        '<a class="rb-link" target="_self" href="{}" aria-label="{}">{}</a>',
        address.href("prompts", view="difference", **b),
        t("cells.compare_of", name=sent(selection), a=sent(a)),
        t("cells.compare"),
    )


def _title(role: str) -> str:
    return t(f"compare.role_{role}") if role in get_args(Role) else message.role_title(role)
