"""One record under every condition (or mode, or task) and through every adapter: which of them send the same bytes."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import asdict
from typing import Any

import streamlit as st
from markupsafe import Markup

from readback.checks.run.prompt_lengths import PromptLengths, measure
from readback.types import Selection, Workspace
from readback.ui.common import address, show
from readback.ui.common.draw import picker
from readback.ui.common.draw.setting import offset
from readback.ui.common.state import choice
from readback.ui.prompts.two_texts.compare_sides import PARTS, keys_of, side
from readback.ui.prompts.two_texts.compare_words import sent
from readback.words import t

ROWS = 24  # on the screen at once
PATIENCE = 2.0  # seconds after which the page shows what is made so far
TINTS = 6  # from the seventh text of a row on they are used again; the number tells the texts apart


Line = tuple[Selection | None, ...]
Made = tuple[PromptLengths | None, ...] | None  # a line that is made, None where the time was over


def draw() -> None:
    """Draw the table for the record in view, a page of rows at a time."""
    names, columns, lines = layout(choice.workspace())
    if len(names) * len(columns) < 2:
        show.empty(t("compare.grid_one"))
        return
    start = offset("rows", len(lines), ROWS)
    rows = _measure_cells(lines[start : start + ROWS])
    numbers = _numbers([cell for line in rows if line for cell in line if cell])
    show.draw(show.h('<p class="rb-small">{}</p>', _summary(rows, len(numbers), start, len(lines))))
    _table(names[start : start + ROWS], columns, rows, numbers)
    if None in rows:
        show.notice(t("compare.grid_late", n=rows.count(None)))
        st.button(t("compare.grid_go_on"), key="grid_go_on")
    _turn(start, len(lines))


def layout(workspace: Workspace) -> tuple[tuple[str, ...], tuple[str, ...], tuple[Line, ...]]:
    """Names of the rows, adapters of the columns ("" for none of its own), and the choice of each cell."""
    columns = ("", *workspace.adapters)
    conditions = {c.name: c for c in workspace.conditions if c.mode or c.task}
    lines: dict[str, Line] = {
        name: tuple(_of_condition(name, condition.adapter, column, columns) for column in columns)
        for name, condition in conditions.items()
    }
    if not conditions:
        lines |= {
            t("messages.sent_mode", name=m): tuple(Selection(mode=m, adapter=c or None) for c in columns)
            for m in workspace.prompts
        }
    named = {condition.task for condition in conditions.values() if not condition.mode}
    lines |= {
        t("messages.sent_task", name=task): tuple(Selection(task=task, adapter=c or None) for c in columns)
        for task in workspace.tasks
        if task not in named
    }
    return tuple(lines), columns, tuple(lines.values())


def _of_condition(name: str, own: str | None, column: str, columns: tuple[str, ...]) -> Selection | None:
    """Return a condition through an adapter; its planned adapter, or none, stands in its own column."""
    planned = own if own in columns else ""
    if column == planned:
        return Selection(condition=name)
    return Selection(condition=name, adapter=column) if column else None


def _measure_cells(lines: Sequence[Line]) -> list[Made]:
    """Return the cells of the rows as far as they are measured in time; rows measured before are reused.

    A cell whose time was over is tried again with the next look: a busy machine is no fault of a template.
    """
    finished, workspace, began = _get_measured(choice.key(), choice.position()), choice.workspace(), time.monotonic()
    missing = [line for line in lines if line not in finished]
    late: dict[Line, tuple[PromptLengths | None, ...]] = {}
    if missing:
        measurements = measure(
            workspace, choice.position(), [selection for line in missing for selection in line if selection]
        )
        with closing(measurements):  # or the child would work on for nobody
            for line in missing:
                cells = tuple(None if selection is None else next(measurements, None) for selection in line)
                if None in (cell for cell, selection in zip(cells, line, strict=True) if selection):
                    break
                (late if any(cell.late for cell in cells if cell) else finished)[line] = cells
                if time.monotonic() - began > PATIENCE:
                    break
    return [finished.get(line) or late.get(line) for line in lines]


@st.cache_resource(max_entries=32, show_spinner=False)
def _get_measured(key: Any, at: int) -> dict[Line, tuple[PromptLengths | None, ...]]:
    """Return the rows of a record that are measured so far, shared by all sessions."""
    return {}


def _numbers(cells: list[PromptLengths]) -> Mapping[str, int]:
    """Return numbers for the different texts, in the order of the table."""
    prints = dict.fromkeys(cell.fingerprint for cell in cells if cell.fingerprint)
    return {mark: number for number, mark in enumerate(prints, 1)}


def _summary(rows: Sequence[Made], texts: int, start: int, total: int) -> str:
    cells = sum(cell is not None for line in rows if line for cell in line)
    sentence = t("compare.grid_said", n=texts, cells=cells)
    if texts > 1:
        sentence += " " + t("compare.grid_how")
    if total > ROWS:
        sentence += " " + t("compare.grid_rows", start=start + 1, stop=start + len(rows), all=total)
    return sentence


def _table(names: Sequence[str], columns: Sequence[str], rows: Sequence[Made], numbers: Mapping[str, int]) -> None:
    now = {"A": side("a").choice, "B": side("b").choice}
    adapters = [column or t("compare.grid_own") for column in columns]
    heads = (t("compare.grid_what"), *(adapters if len(columns) > 1 else [t("compare.grid_text")]))
    head = show.join([show.h('<th scope="col">{}</th>', name) for name in heads])
    body = []
    for name, line in zip(names, rows, strict=True):
        tints = _tints(line or ()) if len(columns) > 1 else list(numbers)
        cells = (
            [_draw_cell(cell, numbers, tints, now) for cell in line] if line else [show.h("<td>…</td>")] * len(columns)
        )
        body.append(show.h('<tr><th scope="row">{}</th>{}</tr>', name, show.join(cells)))
    show.draw(
        show.h(
            '<div class="rb-scroll" role="region" tabindex="0" aria-label="{0}"><table class="rb-table rb-grid">'
            "<caption>{0}</caption><thead><tr>{1}</tr></thead><tbody>{2}</tbody></table></div>",
            t(f"compare.view_grid_{picker.kind()}"),
            head,
            show.join(body),
        )
    )


def _tints(line: Sequence[PromptLengths | None]) -> list[str]:
    """Return the texts of a row; each has a tint in that row."""
    return list(dict.fromkeys(cell.fingerprint for cell in line if cell))


def _draw_cell(
    cell: PromptLengths | None, numbers: Mapping[str, int], tints: list[str], now: Mapping[str, Selection]
) -> Markup:
    if cell is None:
        return show.h('<td class="rb-small">{}</td>', t("compare.grid_none"))
    links = show.join([_link(which, cell.choice, now) for which in "AB"], " ")
    if not cell.fingerprint:
        return show.h(
            "<td>{}<br>{}</td>",
            show.severity("error"),
            t("compare.grid_too_late" if cell.late else "compare.grid_not_built"),
        )
    tint = tints.index(cell.fingerprint) % TINTS
    size = t("compare.cell_size", characters=t("messages.characters", n=cell.characters), tokenizer=cell.tokenizer)
    tokens = t("compare.cell_tokens" if cell.exact else "compare.cell_estimated", n=cell.tokens)
    counts = [show.severity(word, n) for word, n in (("error", cell.errors), ("warning", cell.warnings)) if n]
    name = t("compare.cell_text", n=numbers[cell.fingerprint])
    cells = '<td><span class="rb-letter rb-tint-{}">{}</span><br><span title="{}">{}</span><br>{}<br>{}</td>'
    return show.h(cells, tint, name, size, tokens, links, show.join(counts, " "))


def _link(which: str, selection: Selection, now: Mapping[str, Selection]) -> Markup:
    """Make the link that makes a cell one of the two sides; where it is one already, its name."""
    if now[which] == selection:
        return show.h('<strong class="rb-is-side">{}</strong>', t("compare.is_side", side=which))
    a, b = (selection, now["B"]) if which == "A" else (now["A"], selection)
    parameters = {key: value for key, value in st.query_params.to_dict().items() if key not in address.SHARED}
    sides = {**dict.fromkeys(PARTS), **keys_of(a)} | {f"b_{key}": value for key, value in asdict(b).items()}
    label = t("compare.as_side_of", side=which, name=sent(selection))
    return show.h(
        '<a class="rb-link" target="_self" href="{}" aria-label="{}">{}</a>',
        address.href("prompts", **{**parameters, **sides}),
        label,
        t("compare.as_side", side=which),
    )


def _turn(start: int, count: int) -> None:
    if count <= ROWS:
        return
    with st.container(horizontal=True):
        for name, at in (("earlier", start - ROWS), ("later", start + ROWS)):
            st.button(
                t(f"findings.{name}"),
                key=f"rows_{name}",
                disabled=not 0 <= at < count,
                on_click=address.put,
                kwargs={"rows": str(at) if at > 0 else None},
            )
