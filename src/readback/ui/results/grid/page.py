"""Draw the grid of records with its filters, its order and its pages; all of them are in the address."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st
from markupsafe import Markup

from readback.html.templates import render_template
from readback.records.dataset import Dataset
from readback.scores.table import ScoreTable
from readback.scores.workspace_condition import find_named_condition
from readback.types import Finding, Workspace
from readback.ui.common import show
from readback.ui.common.draw import score_chip, setting
from readback.ui.common.state import choice
from readback.ui.results import drilldown
from readback.ui.results.choices import View, name_condition
from readback.ui.results.grid import cells, filters, findings, read_row, row_panel, sides, values
from readback.ui.results.grid.findings import CheckedFindings
from readback.ui.results.grid.sides import Sides
from readback.ui.results.grid.values import GridValues
from readback.ui.results.record_texts import find_question, find_reference
from readback.words import t

STYLE = Path(__file__).with_name("grid.css")
PAGE = 20  # records on the screen at once
ANSWER = 300  # characters of an answer that a cell shows
QUESTION, REFERENCE = 200, 160
PAIR = 2


@dataclass(frozen=True, slots=True)
class Cell:
    """The answer of one condition to one record."""

    chip: Markup
    dots: Markup
    text: Markup | str


@dataclass(frozen=True, slots=True)
class Row:
    """One record of the grid."""

    item: str
    link: Markup
    question_rest: Markup | str
    reference: Markup | str
    cells: Sequence[Cell]
    difference: str
    dots: Markup
    is_open: bool


def draw(table: ScoreTable, workspace: Workspace, view: View) -> None:
    """Draw the records with the answers and scores of a few conditions, and the one that is open beside them."""
    draw_style()
    st.header(t("grid.title"), anchor=False)
    shown_sides = sides.choose_sides(table, workspace, view)
    if not shown_sides:
        show.draw(show.h("<p>{}</p>", t("grid.nothing")))
        return
    grid_values = values.collect_values(table, shown_sides, view.criterion.name, view.judge)
    if workspace.dataset is not None:
        data = choice.dataset()
    else:
        data = None
    checked = findings.find_checked()
    filtered = filters.choose_filter(table, workspace, view, shown_sides, grid_values, data, checked)
    order = filters.choose_order(shown_sides, view.criterion)
    places = values.sort_items(grid_values, filtered.kept_items, order, view.criterion)
    start = setting.offset("at", len(places), PAGE)
    on_page = places[start : start + PAGE]
    rows = _build_rows(table, workspace, view, shown_sides, grid_values, data, checked, on_page)
    item = get_open_item()
    panel = Markup("")
    if item is not None:
        panel = row_panel.render_panel(table, workspace, view, shown_sides, data, checked, item)
    has_difference = len(shown_sides) > 1 and view.criterion.scale != "nominal"
    names = sides.name_sides(table, shown_sides)
    whole_names = [name_condition(table, side) for side in shown_sides]
    show.draw(
        render_template(
            "ui/results/grid/grid.html.jinja",
            t=t,
            rows=rows,
            heads=list(zip(names, whole_names, strict=True)),
            first_head=t("grid.question" if data is not None else "scores.record"),
            sort=order,
            difference=t("scores.difference" if len(names) == PAIR else "grid.widest") if has_difference else "",
            difference_help=t("grid.difference_help", a=names[0], b=names[-1]) if len(names) == PAIR else "",
            filter_entries=filtered.entries,
            sort_entries=filters.list_orders(shown_sides, view.criterion, order),
            notes=[*filtered.notes, *_list_notes(workspace, shown_sides, names, data)],
            caption=t(
                "grid.shown", first=start + 1, last=start + len(on_page), n=len(places), all=len(grid_values.items)
            ),
            all_link=filters.link_grid(t("grid.only_all"), only=None, at=None),
            panel=panel,
            pages=_list_pages(start, len(places), len(grid_values.items)),
        )
    )


def draw_style() -> None:
    """Draw the style of the grid, which the table of records has too."""
    st.html(STYLE)


def get_open_item() -> str | None:
    """Return the record that is open beside the grid: one that the address names, and no drill-down with it."""
    parts = drilldown.read_drilldown()
    if set(parts) == {"item"}:
        return parts["item"]
    return None


def _build_rows(
    table: ScoreTable,
    workspace: Workspace,
    view: View,
    shown_sides: Sides,
    grid_values: GridValues,
    data: Dataset | None,
    checked: CheckedFindings,
    places: Sequence[int],
) -> list[Row]:
    differences = values.compute_differences(grid_values)
    items = [grid_values.items[place] for place in places]
    records = {item: read_row.read_record(data, item) for item in items}
    conditions = [find_named_condition(workspace, side) for side in shown_sides]
    indices = [record.index for record in records.values() if record.index is not None]
    by_answer = checked.by_answer(indices)
    open_item = get_open_item()
    is_mean = table.pool is not None
    rows = []
    for place, item in zip(places, items, strict=True):
        index, record = records[item].index, records[item].record
        if record is not None:
            question = find_question(record.fields)
        else:
            question = None
        if record is not None:
            reference = find_reference(record.fields)
        else:
            reference = None
        row_cells = []
        for side, condition in enumerate(conditions):
            value, state = float(grid_values.values[place, side]), int(grid_values.states[place, side])
            answer = read_row.read_answer(workspace, condition, item)
            text: Markup | str = ""
            if answer is not None and answer.text is not None:
                text = cells.render_cut(answer.text, ANSWER)
            elif condition is not None and condition.answers:
                text = show.h('<span class="rb-small">{}</span>', t("grid.no_answer"))
            if condition is not None:
                name = condition.name
            else:
                name = None
            if name is not None:
                about = by_answer.get((index, name), ())
            else:
                about = ()
            dots = _render_dots(about, item, name)
            row_cells.append(Cell(score_chip.render_chip(value, state, view.criterion, is_mean=is_mean), dots, text))
        label = question or item
        difference = float(differences[place])
        rows.append(
            Row(
                item=_name_item(item, question, record is not None, data),
                link=filters.link_grid(cells.cut_short(label, QUESTION), item=item),
                question_rest=cells.render_rest(label, QUESTION),
                reference=cells.render_cut(reference, REFERENCE) if reference else "",
                cells=row_cells,
                difference=_format_difference(difference, len(shown_sides)),
                dots=_render_dots(by_answer.get((index, None), ()), item, None),
                is_open=item == open_item,
            )
        )
    return rows


def _name_item(item: str, question: str | None, is_in_data: bool, data: Dataset | None) -> str:
    """Return what stands below the question: the id, or that the dataset does not have it."""
    if question:
        return item
    if data is not None and not is_in_data:
        return t("grid.not_in_data")
    return ""


def _format_difference(value: float, side_count: int) -> str:
    if value != value:  # NaN
        return "–"
    text = score_chip.format_value(value, is_mean=not value.is_integer())
    if side_count == PAIR and value > 0:
        return f"+{text}"
    return text


def _render_dots(about: Sequence[Finding], item: str, condition: str | None) -> Markup:
    if not about:
        return Markup("")
    params: Mapping[str, Any] = {"mode": None, "adapter": None, "task": None, "judge": None, "condition": condition}
    return cells.render_dots(about, t("grid.findings", n=len(about)), record=item, index=None, **params)


def _list_notes(
    workspace: Workspace, shown_sides: Sides, names: Sequence[str], data: Dataset | None
) -> list[Markup | str]:
    """Return what is not shown and why: no dataset, no answers."""
    notes: list[Markup | str] = []
    if data is None:
        notes.append(t("grid.no_dataset"))
    conditions = [find_named_condition(workspace, side) for side in shown_sides]
    pairs = zip(names, conditions, strict=True)
    lacking = [name for name, condition in pairs if condition is None or not condition.answers]
    if len(lacking) == len(names):
        notes.append(t("grid.no_answers_at_all"))
    elif lacking:
        notes.append(t("grid.no_answers", names=", ".join(lacking)))
    return notes


@dataclass(frozen=True, slots=True)
class Pages:
    """The links to the records before and after those on the screen."""

    earlier: Markup
    later: Markup
    text: str


def _list_pages(start: int, count: int, total: int) -> Pages | None:
    if count <= PAGE:
        return None
    links = []
    for label, at in (("earlier", start - PAGE), ("later", start + PAGE)):
        word = t(f"grid.{label}")
        if 0 <= at < count:
            links.append(filters.link_grid(word, at=str(at) if at else None))
        else:
            links.append(show.h('<span class="rb-shut-filter">{}</span>', word))
    text = t("grid.shown", first=start + 1, last=min(start + PAGE, count), n=count, all=total)
    return Pages(links[0], links[1], text)
