"""Open what is behind a number of Results: the address names a drill-down, which leads to scores or pairs."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Literal

import streamlit as st
from markupsafe import Markup

from readback.html.templates import render_template
from readback.scores import summary
from readback.scores.comparing.paired_items import list_members, pair_items
from readback.scores.slices.lengths import list_items_between
from readback.scores.table import FAILED, MISSING, NOT_APPLICABLE, SCORED, ConditionKey, ScoreTable
from readback.scores.values.criteria import number
from readback.types import Score, Workspace
from readback.ui.common import address, show
from readback.words import t

Side = Literal["higher", "lower", "same"]
SIDES: tuple[Side, ...] = ("higher", "lower", "same")
EVERY = "*"  # a drill-down to the scores of all conditions
STATE = {"scored": SCORED, "failed": FAILED, "missing": MISSING, "na": NOT_APPLICABLE}  # by their words in the address
# What the address of this page holds besides what all pages share: the choices, and which drill-down is open.
CHOICES = (
    "criterion",
    "scored_by",
    "by",
    "baseline",
    "view",
    "second",
    "rows",
    "columns",
    "a",
    "b",
    "slice_b",
    "field",
    "size",
    "pair",
    "code",
    "sides",
    "only",
    "sort",
    "at",
)
SIZES = ("prompt-tokens", "answer-tokens", "prompt-characters", "answer-characters")
DRILLDOWN = ("of", "value", "state", "against", "kept", "and", "long", "item", "arm", "under")


def link(label: object, **params: str | None) -> Markup:
    """Return a link on this page: the choices stay, the drill-downs that are open are closed."""
    return _link_keeping(CHOICES, label, params)


def format_href(**params: str | None) -> str:
    """Return the address that `link` leads to, for the many cells that lead to one place."""
    current = st.query_params.to_dict()
    return address.href("results", **{**{key: current[key] for key in CHOICES if key in current}, **params})


def link_onward(label: object, **params: str | None) -> Markup:
    """Return a link on this page that goes on from the drill-down that is open."""
    return _link_keeping((*CHOICES, *DRILLDOWN), label, params)


def _link_keeping(keys: tuple[str, ...], label: object, params: Mapping[str, str | None]) -> Markup:
    current = st.query_params.to_dict()
    kept_params = {key: current[key] for key in keys if key in current}
    return show.link("results", label, **{**kept_params, **params})


def link_count(n: int, **params: str | None) -> Markup | str:
    """Return a count as a drill-down to what it counts; nothing is behind a zero."""
    if n:
        return link(show.number(n), **params)
    return show.number(n)


def open_drilldown(**params: str | None) -> None:
    """Open a drill-down, or close all without `params`; for callbacks."""
    address.put(**{**dict.fromkeys(DRILLDOWN), **params})


def is_list_open() -> bool:
    """Return whether the address names a drill-down to a list."""
    return bool(st.query_params.get("of"))


def read_drilldown() -> Mapping[str, str]:
    """Return the parts of the drill-down that is open."""
    current = st.query_params.to_dict()
    return {key: current[key] for key in DRILLDOWN if current.get(key)}


def draw_heading(text: str) -> None:
    """Draw the heading of what is behind the open drill-down, with the way back above it.

    The browser goes there, focus and all, when it opens.
    """
    parts = read_drilldown()
    trail = [link(t("scores.trail_scores"))]
    if "item" in parts and "of" in parts:
        trail.append(link_onward(t("scores.trail_list"), item=None, arm=None))
    key = "&".join(f"{name}={value}" for name, value in parts.items() if name != "kept")
    show.draw(render_template("ui/results/drilldown.html.jinja", t=t, trail=trail, key=key, text=text))


def draw_close_button() -> None:
    """Draw a button that closes the list."""
    st.button(t("scores.close"), key="close_records", on_click=open_drilldown)


def draw_filter(labels: Mapping[str, str], chosen: str) -> None:
    """Draw which parts of a list can be seen: links, so that the keyboard and the address have them too.

    `labels` calls each value of `kept` in the address; "" is the whole list.
    """
    entries = [(link_onward(label, kept=side or None), side == chosen) for side, label in labels.items()]
    show.draw(render_template("ui/results/filter.html.jinja", t=t, entries=entries))


def format_address(table: ScoreTable, condition: ConditionKey) -> str:
    """Return how the address names the scores behind a row: the factors that vary, or the one it was taken by."""
    pairs = tuple(pair for pair in condition if pair[0] in table.varying) or condition
    return " · ".join(f"{factor}={value}" for factor, value in pairs)


def is_behind(table: ScoreTable, condition: ConditionKey, scope: str) -> bool:
    """Return whether a condition is one of those that `scope` names; "*" names all."""
    if scope in (EVERY, format_address(table, condition)):
        return True
    return scope in {f"{factor}={value}" for factor, value in condition}


def find_condition(table: ScoreTable, scope: str) -> ConditionKey | None:
    """Return the condition that a drill-down names, or values of factors that some condition has; else None."""
    for condition in table.columns.conditions:
        if scope == format_address(table, condition):
            return condition
    parts = []
    for part in scope.split(" · "):
        factor, _, value = part.partition("=")
        parts.append((factor, value))
    if scope and list_members(table, tuple(parts)):
        return tuple(parts)
    return None


def name_drilldown(table: ScoreTable, scope: str) -> str:
    """Return what a drill-down is called on the page: the condition's label, or the value of the factor."""
    condition = find_condition(table, scope)
    if condition is None:
        return scope
    if condition in table.columns.conditions:
        return table.label(condition)
    return " · ".join(value for _, value in condition)


def find_items_of_length(table: ScoreTable, workspace: Workspace, parts: Mapping[str, str]) -> frozenset[str] | None:
    """Return the items whose text is as long as the open drill-down asks; None where it asks for no length."""
    low, _, high = parts.get("long", "").partition("-")
    size = st.query_params.get("size", SIZES[0])
    condition = find_condition(table, parts.get("of", ""))
    if condition is None or condition not in table.columns.conditions or size not in SIZES:
        return None
    if not (low.isdecimal() and high.isdecimal()):
        return None
    side, _, unit = size.partition("-")
    return list_items_between(workspace, table, condition, side, unit, int(low), int(high))  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class Absent:
    """An item that this judge scored elsewhere, and that has no row here."""

    item: str
    condition: ConditionKey


@dataclass(frozen=True, slots=True)
class MarkScores:
    """The scores behind a mark, the first of `total`. `condition_count` counts the conditions it takes together."""

    condition_count: int
    scores: tuple[Score, ...]
    absent: tuple[Absent, ...] = ()
    total: int = 0


def find_scores(
    table: ScoreTable,
    scope: str,
    criterion: str,
    judge: str,
    *,
    value: str = "",
    state: str = "",
    most: int = 2_000,
    only: Collection[str] | None = None,
) -> MarkScores:
    """Return the scores that `scope` names: those of one value of the distribution, or in one state; the first `most`.

    With `only` these items, and of them what was scored.
    """
    count, cells = summary.cells(table, lambda key: is_behind(table, key, scope), criterion, judge)
    if only is not None:
        cells = _select_items(table, cells, only)
    if value:
        cells = _select_value(table, cells, criterion, value)
    elif state:
        cells = [cell for cell in cells if table.columns.state[cell] == STATE.get(state)]
    if state == "missing":
        absent = tuple(_list_absent(table, scope, criterion, judge))
    else:
        absent = ()
    scores = tuple(table.scores[cell] for cell in cells[:most])
    return MarkScores(count, scores, absent[: most - len(scores)], len(cells) + len(absent))


@dataclass(frozen=True, slots=True)
class Pair:
    """One item under two conditions; a score is the mean where an item has several on a side."""

    item: str
    a: float
    b: float

    @property
    def difference(self) -> float:
        """b − a."""
        return round(self.b - self.a, 12)

    @property
    def side(self) -> Side:
        """Whether b is higher or lower than a, or the same."""
        if self.difference > 0:
            return "higher"
        if self.difference < 0:
            return "lower"
        return "same"


def list_pairs(table: ScoreTable, a: ConditionKey, b: ConditionKey, criterion: str, judge: str) -> tuple[Pair, ...]:
    """Return the items scored on both sides, the largest differences first."""
    paired = pair_items(table, a, b, criterion, judge)
    pairs = map(Pair, paired.items, paired.a.tolist(), paired.b.tolist())
    return tuple(sorted(pairs, key=lambda pair: -abs(pair.difference)))


def _select_value(table: ScoreTable, cells: list[int], criterion: str, value: str) -> list[int]:
    """Return the cells whose score is the value, or lies in the range, as the distribution writes it."""
    import numpy as np

    columns, scale = table.columns, table.criteria[criterion]
    scored = np.array(cells, np.int64)
    scored = scored[np.frombuffer(columns.state, np.uint8)[scored] == SCORED]
    values = np.asarray(columns.value)[scored]
    low, _, high = value.partition(" to ")
    try:
        first, last = float(low), float(high or low)
    except ValueError:
        return []
    if not high:
        pairs = zip(scored.tolist(), values.tolist(), strict=True)
        return [cell for cell, score in pairs if number(score) == value]
    ends = np.linspace(scale.low or 0.0, scale.high or 0.0, summary.BINS + 1)
    start, end = (float(ends[np.abs(ends - edge).argmin()]) for edge in (first, last))
    if end == ends[-1]:
        below_end = values <= end
    else:
        below_end = values < end
    return [int(cell) for cell in scored[(values >= start) & below_end]]


def _select_items(table: ScoreTable, cells: list[int], only: Collection[str]) -> list[int]:
    columns = table.columns
    return [cell for cell in cells if columns.state[cell] == SCORED and columns.items[columns.item[cell]] in only]


def _list_absent(table: ScoreTable, scope: str, criterion: str, judge: str) -> list[Absent]:
    """Return what has no row: under each condition behind the drill-down the items the judge scored under another."""
    import numpy as np

    columns = table.columns
    judged = np.asarray(columns.criterion) == columns.criteria.index(criterion)
    judged &= np.asarray(columns.judge) == columns.judges.index(judge)
    item_codes = np.asarray(columns.item)[judged]
    condition_codes = np.asarray(columns.condition)[judged]
    universe = np.unique(item_codes)
    absent: list[Absent] = []
    for code in np.unique(condition_codes).tolist():
        condition = columns.conditions[code]
        if is_behind(table, condition, scope):
            without_row = np.setdiff1d(universe, item_codes[condition_codes == code])
            absent += [Absent(columns.items[item], condition) for item in without_row.tolist()]
    return absent
