"""The items of the agenda: which one is in view, the list of all, its head, and how people arrange them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import streamlit as st
from markupsafe import Markup

from readback.checks.comparisons import Pair
from readback.html.templates import render_template
from readback.review.agenda import Agenda, Item
from readback.review.decision_words import name_decision
from readback.review.state import Decision, Review
from readback.ui.common import address, show
from readback.ui.common.draw import reviewing
from readback.ui.common.draw.head import keys, present
from readback.words import t

AT_ONCE = 30  # items on the page; the others a click away
ROOM = "agenda_room"
CLOCK = "agenda_clock"
LOOKS = {
    "comparison_fair": "open",  # what is fair is not decided by that
    "comparison_same": "open",
    "comparison_unfair": "bad",
    "comparison_unknown": "unknown",
    "error": "bad",
    "warning": "warn",
}


def find_current(agenda: Agenda) -> Item | None:
    """Return the item in view: that of the address, else the first that is open, else the first that was put off. A
    rule that makes a comparison unfair has no item of its own; that of the comparison is in view.
    """
    key = st.query_params.get("item", "")
    covering = (item for item in agenda.items if key in _list_covered(item))
    item_in_address = next((item for item in agenda.items if item.key == key), None) or next(covering, None)
    if item_in_address is not None:
        return item_in_address
    return next(iter((*agenda.open, *agenda.deferred)), None)


def _list_covered(item: Item) -> list[str]:
    """Return the keys that the faults of a comparison would have as items of their own."""
    if item.verdict is not None:
        return [f"finding:{fault.code}" for fault in item.verdict.faults]
    return []


def find_next_open(agenda: Agenda, item: Item) -> Item | None:
    """Return the open item after this one, else the first that is open; None where no other is."""
    others = [other for other in agenda.open if other.key != item.key]
    at = agenda.items.index(item)
    return next((other for other in others if agenda.items.index(other) > at), others[0] if others else None)


def title(item: Item) -> str:
    """Return what an item is about, in a list."""
    return item.title or item.sentence


def describe_kind(item: Item) -> tuple[str, str]:
    """Return the word that stands before an item in the list, and its look. The verdict on a comparison stands with its
    reason, and not here as well.
    """
    if item.verdict is not None:
        return t("agenda.word_comparison"), LOOKS[f"comparison_{item.verdict.kind}"]
    if item.kind == "finding" and item.severity is not None:
        return t(f"agenda.word_{item.severity}"), LOOKS.get(str(item.severity), "plain")
    return t(f"agenda.word_{item.kind}"), "plain"


# The list.


def draw_list(agenda: Agenda, current: Item) -> None:
    """Draw the items that wait for a decision, then those that were put off; each is a link."""
    waiting = agenda.open
    room = st.session_state.setdefault(ROOM, AT_ONCE)
    if current in waiting:
        room = max(room, waiting.index(current) + 1)
    markup = render_template(
        "ui/review/item_list.html.jinja",
        t=t,
        groups=list(_list_groups(agenda, waiting[:room], current)),
        deferred=[_build_row(agenda, item, current) for item in agenda.deferred[:room]],
        n_open=len(waiting),
        n_deferred=len(agenda.deferred),
    )
    show.draw(markup)
    if (more := len(waiting) - room) > 0:
        st.button(t("agenda.more", n=min(more, AT_ONCE)), key="agenda_more", on_click=_more)


def _more() -> None:
    st.session_state[ROOM] += AT_ONCE


def _list_groups(agenda: Agenda, items: Sequence[Item], current: Item) -> Iterator[tuple[str, list[Mapping[str, Any]]]]:
    """Yield the rows in their order with a heading for each run of items that are planned comparisons, or others;
    without one where none is. What changed since the last sign-off stands above both.
    """
    planned = any(item.verdict is not None for item in items)
    for kind, run in groupby(items, key=_find_group):
        if kind == "since" or not planned:
            heading = ""
        else:
            heading = t(f"agenda.group_{kind}")
        yield heading, [_build_row(agenda, item, current) for item in run]


def _find_group(item: Item) -> str:
    if item.verdict is not None:
        return "comparison"
    if item.kind == "since":
        return item.kind
    return "other"


def _build_row(agenda: Agenda, item: Item, current: Item) -> Mapping[str, Any]:
    word, look = describe_kind(item)
    decision = agenda.decided.get(item.key)
    return {
        "href": address.href("review", item=item.key),
        "title": item.short or title(item),
        "whole": f"{word}: {title(item)}",
        "word": word,
        "look": look,
        "current": item.key == current.key,
        "by": decision.by.author if decision else "",
    }


def draw_dropped(agenda: Agenda, review: Review) -> None:
    """Draw the items that somebody dropped, each with the way to put it back."""
    with st.expander(t("agenda.dropped", n=len(agenda.dropped))):
        for item in agenda.dropped:
            step = next(s for s in reversed(review.agenda) if s.do == "drop" and s.item == item.key)
            show.draw(show.h("<p>{}</p>", item.sentence))
            st.button(
                t("agenda.restore"),
                key=f"restore_{item.key}",
                type="tertiary",
                on_click=_step,
                args=({"do": "undo", "step": step.id},),
            )


# The head of the item in view: its title, the steps to the others, and a menu to arrange it.


def draw_head(agenda: Agenda, item: Item) -> None:
    """Draw the title of an item, which of how many it is, and the buttons to go on."""
    word, look = describe_kind(item)
    walked = _list_walked(agenda, item)
    at = walked.index(item)
    heading = show.h(
        '<h2 class="rb-item" data-rb-item="{}"><span class="rb-word rb-look-{}">{}</span> {}</h2>',
        item.key,
        look,
        word,
        title(item),
    )
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="item_head"):
        show.draw(heading)
        _draw_steps(agenda, item, walked, at)
    if (pair := _find_unnamed_pair(item)) is not None:
        show.draw(show.h('<p class="rb-small">{}</p>', t("overview.with", a=pair.b, b=pair.a)))


def _draw_steps(agenda: Agenda, item: Item, walked: Sequence[Item], at: int) -> None:
    """Draw the buttons to the items before and after, and what else can be done with the list."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="walk"):
        st.button(
            t("agenda.previous"), key="previous", type="tertiary", disabled=not at, on_click=_go, args=(walked, at - 1)
        )
        show.word(t("agenda.place", n=at + 1, all=len(walked)))
        st.button(
            t("agenda.next"),
            key="next",
            type="tertiary",
            disabled=at + 1 == len(walked),
            on_click=_go,
            args=(walked, at + 1),
        )
        if present.on():
            show.draw(show.h('<span data-rb-keys="{}"></span>', keys.pressed(keys.AGENDA)))
            _draw_clock()
            return
        _draw_menu(agenda, item)
        keys.listen(keys.AGENDA)


def _find_unnamed_pair(item: Item) -> Pair | None:
    """Return the two conditions of an item where its title is the question of the plan, which names neither."""
    if item.kind != "comparison" or item.verdict is None:  # the picture of a result names its sides
        return None
    pair = item.verdict.pair
    if title(item) == t("agenda.title_comparison", a=pair.a, b=pair.b):
        return None
    return pair


def _list_walked(agenda: Agenda, item: Item) -> tuple[Item, ...]:
    """Return the items that the steps go through: those of the list, and the one in view where it is not in it."""
    listed = (*agenda.open, *agenda.deferred)
    if item in listed:
        return listed
    return agenda.items


def _draw_menu(agenda: Agenda, item: Item) -> None:
    items, at = agenda.items, agenda.items.index(item)
    above = items[at - 1].key if at else ""
    if at + 2 < len(items):
        below = items[at + 2].key
    else:
        below = ""
    with st.popover(t("agenda.arrange"), key="arrange", type="tertiary"):
        st.button(
            t("agenda.up"),
            key="item_up",
            disabled=not at,
            on_click=_step,
            args=({"do": "move", "item": item.key, "before": above}, item.key),
        )
        st.button(
            t("agenda.down"),
            key="item_down",
            disabled=at + 1 == len(items),
            on_click=_step,
            args=({"do": "move", "item": item.key, "before": below}, item.key),
        )
        st.button(t("agenda.drop"), key="item_drop", on_click=_step, args=({"do": "drop", "item": item.key},))
        _draw_clock()


def _draw_clock() -> None:
    label = t("agenda.clock_off" if CLOCK in st.session_state else "agenda.clock")
    st.button(label, key="clock", type="tertiary", on_click=_clock)


def _go(items: Sequence[Item], to: int) -> None:
    if 0 <= to < len(items):
        address.put(item=items[to].key, slide=None)


def _clock() -> None:
    if CLOCK in st.session_state:
        del st.session_state[CLOCK]
    else:
        st.session_state[CLOCK] = ("", 0.0)


def _step(payload: Mapping[str, Any], stay: str | None = None) -> None:
    """Save a change of the agenda, and stay at the item that was moved."""
    address.put(item=stay, view=None)
    reviewing.save_here("agenda", "agenda", payload)


def draw_decision(decision: Decision) -> Markup:
    """Return what was decided on an item: the word, who, and why."""
    words = t("decision.by", choice=name_decision(decision), name=decision.by.author)
    return show.h('<p class="rb-fine">{}: <span class="rb-said">{}</span></p>', words, show.exact_text(decision.reason))


# Putting something on it, and taking the last change back.


def add(review: Review) -> None:
    """Draw the field for a new item, and the way to take the last change of the agenda back."""
    with st.popover(t("agenda.add"), key="agenda_add"):
        reviewing.draft_key("agenda")
        st.text_area(t("agenda.add_text"), key="agenda_text", height=80)
        st.button(t("agenda.save"), key="save_agenda", type="primary", on_click=_add)
        reviewing.show_outcome("agenda")
        if review.agenda:
            last = review.agenda[-1]
            label = t("agenda.undo", what=t(f"agenda.did_{last.do}"), name=show.md(last.by.author))
            undo = {"do": "undo", "step": last.id}
            st.button(
                label, key="agenda_undo", type="tertiary", on_click=_step, args=(undo, st.query_params.get("item"))
            )


def _add() -> None:
    text = st.session_state["agenda_text"]
    if not text.strip():
        st.session_state[reviewing.SAID] = ("agenda", "", t("review.empty"))
        return
    reviewing.save("agenda", "agenda", {"do": "add", "text": text}, None, "agenda_text")
