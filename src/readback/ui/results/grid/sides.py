"""Choose the conditions that are columns of the grid: the first planned pair until somebody chooses others."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from readback.html import exact
from readback.scores import in_view
from readback.scores.comparing import compare
from readback.scores.comparing.paired_items import list_members
from readback.scores.table import ConditionKey, ScoreTable, label
from readback.types import Workspace
from readback.ui.common import address
from readback.ui.results.choices import View, name_condition
from readback.ui.results.drilldown import format_address
from readback.words import t

MOST = 6  # columns of answers that a screen has room for
KEY = "sides"  # of the address
CUT = "|"  # between two conditions in the address

Sides = tuple[ConditionKey, ...]


def choose_sides(table: ScoreTable, workspace: Workspace, view: View) -> Sides:
    """Draw the list of conditions and return those chosen; a single one needs no list."""
    conditions = list_conditions(table, view)
    first = find_first_pair(table, workspace, view, conditions)
    if len(conditions) < 2:
        return first
    by_address = {format_address(table, condition): condition for condition in conditions}
    asked_names = [name for name in read_names(st.query_params.get(KEY, "")) if name in by_address][:MOST]
    chosen = asked_names or [format_address(table, condition) for condition in first]
    st.session_state[KEY] = chosen
    st.multiselect(
        t("grid.conditions"),
        list(by_address),
        key=KEY,
        format_func=lambda name: exact.spelling(name_condition(table, by_address[name])),
        max_selections=MOST,
        on_change=_keep_sides,
    )
    return tuple(by_address[name] for name in chosen)


def list_conditions(table: ScoreTable, view: View) -> Sides:
    """Return the conditions that this judge scored under the criterion, the better means first."""
    rows = in_view.ranked(table, None, view.criterion.name, view.judge)
    return tuple(row.condition for row in in_view.better_first(rows, view.criterion))


def find_first_pair(table: ScoreTable, workspace: Workspace, view: View, conditions: Sequence[ConditionKey]) -> Sides:
    """Return the first planned pair that has scores here; else the baseline and the best of the others.

    Of two values of a factor the first two conditions are returned that differ in nothing else.
    """
    for planned in compare.list_planned(workspace):
        a, b = compare.find_side(table, planned.a), compare.find_side(table, planned.b)
        if a is not None and b is not None and (pair := _find_members(table, a, b, conditions)):
            return pair
    base = next((key for key in conditions if format_address(table, key) == view.baseline), None)
    others = [key for key in conditions if key != base]
    return tuple(([base] if base is not None else []) + others)[:2]


def _find_members(table: ScoreTable, a: ConditionKey, b: ConditionKey, conditions: Sequence[ConditionKey]) -> Sides:
    factors = {factor for factor, _ in (*a, *b)}
    if a in table.columns.conditions and b in table.columns.conditions:
        if a in conditions and b in conditions:
            return (a, b)
        return ()
    partners = {}
    for code in list_members(table, b):
        key = table.columns.conditions[code]
        partners[frozenset(pair for pair in key if pair[0] not in factors)] = key
    for code in list_members(table, a):
        key = table.columns.conditions[code]
        partner = partners.get(frozenset(pair for pair in key if pair[0] not in factors))
        if key in conditions and partner in conditions and partner is not None and partner != key:
            return (key, partner)
    return ()


def name_sides(table: ScoreTable, chosen_sides: Sides) -> list[str]:
    """Return what the columns are called: of conditions of many factors what tells those on the screen apart."""
    names = [name_condition(table, side) for side in chosen_sides]
    if len(chosen_sides) < 2 or all(len(side) < 2 for side in chosen_sides):
        return names
    shared = set(chosen_sides[0]).intersection(*map(set, chosen_sides[1:]))
    short_names = [label(tuple(pair for pair in side if pair not in shared)) for side in chosen_sides]
    if all(short_names) and len(set(short_names)) == len(names):
        return short_names
    return names


def read_names(text: str) -> list[str]:
    """Return the names that the address holds."""
    parts = text.split(CUT) if text else []
    return [part.replace("%7C", CUT).replace("%25", "%") for part in parts]


def write_names(names: Sequence[str]) -> str:
    """Return the names as the address holds them."""
    return CUT.join(name.replace("%", "%25").replace(CUT, "%7C") for name in names)


def _keep_sides() -> None:
    names = st.session_state.get(KEY) or []
    address.put(**{KEY: write_names(names) or None, "at": None})
