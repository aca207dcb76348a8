"""Choosing one of many conditions of the scores page: a small picker for each factor, in place of one of long names."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from readback.scores.table import ConditionKey, ScoreTable
from readback.ui.common import address, show
from readback.ui.common.draw import present
from readback.ui.scores import score_drilldown_links
from readback.ui.scores.score_drilldown import address_of
from readback.words import t

FEW = 2  # factors that one picker can name
NEAREST = "scores_nearest"  # of the session: which picker could not have all its values


def factors(sides: Sequence[ConditionKey]) -> tuple[str, ...]:
    """The factors that tell these conditions apart, where they are too many for one picker; else none."""
    names = dict.fromkeys(factor for side in sides for factor, _ in side)
    found = tuple(name for name in names if len(_values(sides, name)) > 1)
    return found if len(found) > FEW else ()


def draw(key: str, label: str, table: ScoreTable, sides: Sequence[ConditionKey], default: str) -> str:
    """A picker for each factor; together they name one of the conditions, by its address, which it answers.

    Where no condition has all the values, the one that has the value just chosen and most of the others is taken, and
    it is said.
    """
    by = {address_of(table, side): side for side in sides}
    default = default if default in by else next(iter(by))
    now = address.follow(key, default, by)
    show.draw(show.h('<p class="rb-picker">{}</p>', label))
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key=f"{key}_factors"):
        for at, name in enumerate(factors(sides)):
            part, options = f"{key}_{at}", _values(sides, name)
            st.session_state[part] = dict(by[now]).get(name, "")
            st.selectbox(name, options, key=part, format_func=lambda one: one or t("scores.not_stated"),
                         width=present.wide(162), on_change=_turned, args=(key, part, name, default, by))  # fmt: skip
    if st.session_state.pop(NEAREST, None) == key:
        st.caption(t("scores.nearest"))
    return now


def _turned(key: str, part: str, factor: str, default: str, by: dict[str, ConditionKey]) -> None:
    """Go to the condition that has the value chosen and as many of the others as any has."""
    value, now = st.session_state[part], st.session_state.get(key, default)
    wanted = {**dict(by.get(now, ())), factor: value}
    there = [name for name, side in by.items() if dict(side).get(factor, "") == value]
    found = max(there, key=lambda name: sum(dict(by[name]).get(f, "") == v for f, v in wanted.items()))
    if any(dict(by[found]).get(f, "") != v for f, v in wanted.items()):
        st.session_state[NEAREST] = key
    st.session_state[key] = found
    address.keep(key, default)
    score_drilldown_links.go()


def _values(sides: Sequence[ConditionKey], factor: str) -> list[str]:
    return list(dict.fromkeys(dict(side).get(factor, "") for side in sides))
