"""Choose which records the grid shows and in which order: links, so that the keyboard and the address have them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import streamlit as st
from markupsafe import Markup

from readback.records.dataset import Dataset
from readback.scores.table import ScoreTable
from readback.types import Criterion, Workspace
from readback.ui.common.draw import score_chip
from readback.ui.results import drilldown
from readback.ui.results.choices import View
from readback.ui.results.grid import changed_records, values
from readback.ui.results.grid.findings import CheckedFindings
from readback.ui.results.grid.sides import Sides
from readback.ui.results.grid.values import GridValues
from readback.words import t

FILTERS = ("", "disagree", "worst", "findings", "changed")  # values of `only` in the address
ORDERS = ("difference", "record", "score")  # values of `sort`


@dataclass(frozen=True, slots=True)
class Entry:
    """One link of a row of links; `why` says why it cannot be chosen."""

    label: Markup | str
    is_current: bool = False
    why: Markup | str = ""


@dataclass(frozen=True, slots=True)
class Filtered:
    """What is shown: `kept_items` says it for each item of the grid. `notes` say what the filter means."""

    kept_items: Any
    entries: Sequence[Entry]
    notes: Sequence[Markup | str] = field(default_factory=tuple)


def link_grid(label: object, **params: str | None) -> Markup:
    """Return a link on this page that keeps the columns, the filter, the order and the page of the grid."""
    return drilldown.link(label, **params)


def choose_filter(
    table: ScoreTable,
    workspace: Workspace,
    view: View,
    shown_sides: Sides,
    grid_values: GridValues,
    data: Dataset | None,
    checked: CheckedFindings,
) -> Filtered:
    """Return what the filter in the address keeps, with the links to all filters; one that cannot be had keeps all."""
    import numpy as np

    everything = np.ones(len(grid_values.items), bool)
    masks: dict[str, Any] = {"": everything}
    reasons: dict[str, Markup | str] = {"": ""}
    notes: list[Markup | str] = []
    items, judge_count, has_shared = values.find_disputed_items(table, shown_sides, view.criterion.name, view.judge)
    masks["disagree"] = np.array([item in items for item in grid_values.items], bool)
    reasons["disagree"] = ""
    if judge_count < 2:
        reasons["disagree"] = t("grid.why_one_judge")
    elif not has_shared:
        reasons["disagree"] = t("grid.why_not_shared")
    is_ranked = view.criterion.direction != "none" and view.criterion.scale != "nominal"
    if is_ranked:
        limit = values.find_worst_limit(grid_values, view.criterion)
    else:
        limit = None
    masks["worst"] = values.mark_worst(grid_values, view.criterion) if limit is not None else everything
    reasons["worst"] = "" if limit is not None else t("grid.why_not_ranked" if not is_ranked else "grid.why_unscored")
    reasons["findings"] = checked.why
    changes = changed_records.describe(workspace)
    reasons["changed"] = changes.why
    current = st.query_params.get("only", "")
    if current not in FILTERS or reasons[current]:
        current = ""
    if current == "worst" and limit is not None:
        if view.criterion.direction == "down":
            key = "grid.worst_down"
        else:
            key = "grid.worst_up"
        value = score_chip.format_value(limit, is_mean=not limit.is_integer())
        notes.append(t(key, value=value, n=int(masks["worst"].sum())))
    if current == "findings" and data is not None:
        masks["findings"] = checked.mark_items(grid_values.items, data, workspace, shown_sides)
    if current == "changed":
        changed = changed_records.list_changed(changes, workspace)
        masks["changed"] = np.array([item in changed.ids for item in grid_values.items], bool)
        notes.append(changed.sentence)
    if checked.note:
        notes.append(checked.note)
    entries = []
    for name in FILTERS:
        if name in masks and not reasons[name]:
            n = int(masks[name].sum())
        else:
            n = None
        words = t(f"grid.only_{name or 'all'}")
        if n is None:
            label = words
        else:
            label = t("grid.counted", label=words, n=n)
        if reasons[name]:
            entries.append(Entry(words, why=reasons[name]))
        else:
            link = link_grid(label, only=name or None, at=None)
            entries.append(Entry(link, name == current))
    return Filtered(masks[current], entries, notes)


def choose_order(shown_sides: Sides, criterion: Criterion) -> str:
    """Return the order in the address; by default the largest difference first, where there is one."""
    has_difference = len(shown_sides) > 1 and criterion.scale != "nominal"
    if has_difference:
        first = "difference"
    else:
        first = "record"
    order = st.query_params.get("sort", first)
    if order in ORDERS and (has_difference or order != "difference"):
        return order
    return first


def list_orders(shown_sides: Sides, criterion: Criterion, current: str) -> list[Entry]:
    """Return the links to all orders."""
    entries = []
    for order in ORDERS:
        if order == "difference" and (len(shown_sides) < 2 or criterion.scale == "nominal"):
            why = t("grid.why_one_condition" if len(shown_sides) < 2 else "grid.why_names")
            entries.append(Entry(t("grid.sort_difference"), why=why))
            continue
        link = link_grid(t(f"grid.sort_{order}"), sort=order, at=None)
        entries.append(Entry(link, order == current))
    return entries
