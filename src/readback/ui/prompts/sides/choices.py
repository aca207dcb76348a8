"""Which conditions stand beside the one in view: those in the address, else those that the plan compares it with."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import replace

import streamlit as st

from readback.types import Selection, Workspace
from readback.ui.common import address, show
from readback.ui.common.draw import picker
from readback.ui.common.state import choice
from readback.ui.prompts.two_texts import compare_sides
from readback.words import t

KEY = "with"
MOST = 3  # beside the one in view: more columns are too narrow to read
USUAL = 2  # where nothing is planned
CONDITION = "condition:"  # which the address leaves out


def draw() -> tuple[Selection, ...]:
    """Draw the list and return what is chosen."""
    offered = list_offered()
    chosen = _get_chosen(offered)
    st.session_state[KEY] = list(chosen)
    show.word(t("sides.with"))
    st.multiselect(
        t("sides.with"),
        list(offered),
        key=KEY,
        max_selections=MOST,
        format_func=_say,
        on_change=_keep,
        label_visibility="collapsed",
        placeholder=t("sides.choose"),
    )
    return tuple(offered[name] for name in chosen)


def list_offered() -> Mapping[str, Selection]:
    """Return what can stand beside what is in view: the others of the bar's list, and the same through an adapter."""
    workspace, now = choice.workspace(), choice.sent()
    others = {
        name: replace(selection, condition=now.condition) if selection.judge and not selection.condition else selection
        for name, selection in picker.options(workspace).items()
    }
    if not now.judge:
        others |= {f"adapter:{name}": replace(now, adapter=name) for name in workspace.adapters}
    return {name: selection for name, selection in others.items() if selection != now}


def _get_chosen(offered: Mapping[str, Selection]) -> tuple[str, ...]:
    """Return the names in the address that there are; where it has none, those that are planned or come first."""
    if KEY in st.query_params:
        names = next(csv.reader([st.query_params[KEY]]), [])
        names_in_list = (name if name in offered else f"{CONDITION}{name}" for name in names)
        return tuple(dict.fromkeys(name for name in names_in_list if name in offered))[:MOST]
    if any(f"b_{part}" in st.query_params for part in compare_sides.PARTS):
        b = compare_sides.side("b").choice
        if there := tuple(name for name, selection in offered.items() if selection == b):
            return there
    planned = _list_planned(choice.workspace(), choice.sent())
    return tuple(name for name in planned if name in offered)[:MOST] or tuple(offered)[:USUAL]


def _list_planned(workspace: Workspace, selection: Selection) -> Sequence[str]:
    """Return the conditions that the plan compares with a selection, in its order."""
    partners: dict[str, None] = {}
    for planned in workspace.comparisons:
        pair = (planned.get("a"), planned.get("b"))
        if selection == Selection(condition=selection.condition) and selection.condition in pair:
            partners[f"{CONDITION}{pair[1] if pair[0] == selection.condition else pair[0]}"] = None
    return list(partners)


def _keep() -> None:
    """Write what is chosen to the address."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(name.removeprefix(CONDITION) for name in st.session_state.get(KEY, ()))
    address.put(**{KEY: line.getvalue()})


def _say(name: str) -> str:
    kind, _, rest = name.partition(":")
    if kind == "adapter":
        return t("compare.through", name=rest)
    return picker.label(name)
