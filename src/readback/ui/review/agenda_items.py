"""The agenda on its page: all items below each other, or one at a time for the projector."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st
from markupsafe import Markup

from readback.checks import groups
from readback.checks.quoted import where
from readback.records.changed import DatasetChanged
from readback.review import signing, state
from readback.review.agenda import Agenda, Item
from readback.review.since import Since
from readback.review.state import Decision, Review
from readback.review.subject import to_json
from readback.scores.table import ScoreTable
from readback.ui.common import address, show
from readback.ui.common.draw import keys, present, reviewing
from readback.ui.common.state import choice
from readback.ui.review import proofs
from readback.words import t

AT_ONCE = 30  # items on the page; the others a click away
ROOM = "agenda_room"
FORM = "item"
ASKING = frozenset({"comparison", "finding", "score", "disputed"})  # kinds of items of which a question is asked


def lead(agenda: Agenda) -> Markup:
    """How many items there are, of which kinds, how many are decided; and the next, where that is not the first."""
    kinds = Counter(
        str(agenda_item.severity) if agenda_item.kind == "finding" else f"item_{agenda_item.kind}"
        for agenda_item in agenda.items
    )
    what = [t(f"frame.{kind}_n" if kind in show.SIGNS else f"agenda.{kind}_n", n=n) for kind, n in kinds.items()]
    what = [", ".join(what[:-1]), *what[-1:]] if what[1:] else what
    done = len(agenda.items) - len(agenda.open)
    sentences = [t("agenda.lead", n=len(agenda.items), what=t("overview.and").join(what), done=done)]
    if agenda.open and agenda.open[0] != agenda.items[0]:
        sentences += [t("agenda.lead_next"), show.link("review", question(agenda.open[0]), item=agenda.open[0].key)]
    return show.h('<p class="rb-lead">{}</p>', show.join(sentences, " "))


def question(item: Item) -> str:
    """Return what there is to decide; an item that asks something itself, or that somebody wrote, as it is."""
    kind = _kind(item)
    if kind == "comparison":
        return t("agenda.ask_comparison", a=item.subject.names[0], b=item.subject.names[1])
    if kind == "finding":
        return t("agenda.ask_finding", title=groups.title(item.key.partition(":")[2]))
    return t(f"agenda.ask_{kind}", criterion=item.query["criterion"]) if kind in ASKING else item.sentence


def answer(item: Item, verdict: str) -> str:
    """Return a verdict as the answer to what an item asks; where it asks nothing of ours, by its name."""
    kind = _kind(item)
    return t(f"agenda.answer_{kind}_{verdict}" if kind in ASKING else f"review.verdict_{verdict}")


def _kind(item: Item) -> str:
    return "disputed" if item.kind == "score" and item.key.startswith("agreement:") else item.kind


def draw(agenda: Agenda, review: Review) -> None:
    """Every item with what can be done with it."""
    room = st.session_state.setdefault(ROOM, AT_ONCE)
    for number, item in enumerate(agenda.items[:room], 1):
        show.draw(_item(item, number, agenda.decided.get(item.key)))
        _tools(agenda.items, number - 1, item.key in agenda.decided)
    if (more := len(agenda.items) - room) > 0:
        st.button(t("agenda.more", n=min(more, AT_ONCE)), key="agenda_more", on_click=_more)
    if agenda.dropped:
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


def _more() -> None:
    st.session_state[ROOM] += AT_ONCE


def _item(agenda_item: Item, number: int, decided: Decision | None) -> Markup:
    link = show.link("review", question(agenda_item), item=agenda_item.key)
    at = (
        [where(agenda_item.findings[0].place)]
        if len(agenda_item.findings) == 1 and agenda_item.kind == "finding"
        else []
    )
    facts = show.h('<p class="rb-small">{}</p>', show.join([*_why(agenda_item), *agenda_item.facts, *at], " "))
    return show.h('<div class="rb-entry"><h2>{}. {}</h2>{}{}</div>', number, link, facts, _decided(decided))


def _why(item: Item) -> list[Markup]:
    """Why it is there, where the question does not say it: the severity of a finding, the verdict on a comparison, else
    the sentence.
    """
    if item.kind == "finding" and item.severity:
        return [show.severity(item.severity)]
    if item.kind == "comparison":
        look, kind = ("rb-bad", "unfair") if item.severity == "error" else ("rb-warn", "unknown")
        return [show.h('<strong class="{}">{}</strong>', look, t(f"verdict.{kind}"))]
    return [show.h("{}", item.sentence)] if question(item) != item.sentence else []


def _decided(decision_on_item: Decision | None) -> Markup:
    if decision_on_item is None:
        return Markup("")
    words = t(f"report.item_{decision_on_item.verdict}", name=decision_on_item.by.author, reason="")
    return show.h(
        '<p class="rb-fine">{} <span class="rb-said">{}</span></p>', words, show.exact_text(decision_on_item.reason)
    )


def _tools(items: Sequence[Item], at: int, decided: bool) -> None:
    agenda_item = items[at]
    above = items[at - 1].key if at else ""
    below = items[at + 2].key if at + 2 < len(items) else ""
    with st.container(horizontal=True, gap="small", vertical_alignment="center", key=f"tools_{agenda_item.key}"):
        href, thing = address.href("review", item=agenda_item.key), question(agenda_item)
        act = show.h(
            '<a class="rb-button rb-act" target="_self" href="{}">{}<span class="rb-aloud"> {}</span></a>',
            href,
            t("agenda.to_decide_again" if decided else "agenda.to_decide"),
            thing,
        )
        st.html(act, width="content")
        st.button(
            _label("up", thing),
            key=f"up_{agenda_item.key}",
            disabled=not at,
            on_click=_step,
            args=({"do": "move", "item": agenda_item.key, "before": above},),
        )
        st.button(
            _label("down", thing),
            key=f"down_{agenda_item.key}",
            disabled=at + 1 == len(items),
            on_click=_step,
            args=({"do": "move", "item": agenda_item.key, "before": below},),
        )
        st.button(
            _label("drop", thing),
            key=f"drop_{agenda_item.key}",
            on_click=_step,
            args=({"do": "drop", "item": agenda_item.key},),
        )


def _label(what: str, thing: str) -> str:
    """Return the label of a button under an item. It names the item for whoever only hears it."""
    return f"{t(f'agenda.{what}')} :small[{show.md(thing)}]"


def _step(payload: Mapping[str, Any]) -> None:
    if not reviewing.author().name:
        st.session_state[reviewing.SAID] = ("board", "", t("review.no_name"))
        return
    reviewing.save_here("agenda", "agenda", payload)


# Putting something on it, and taking the last change back.


def add(review: Review) -> None:
    """Draw the field for a new item, and the way to take the last change of the agenda back."""
    with st.expander(t("agenda.add"), key="agenda_add"):
        reviewing.draft_key("agenda")
        st.text_area(t("agenda.add_text"), key="agenda_text", height=80)
        st.button(t("agenda.save"), key="save_agenda", type="primary", on_click=_add)
        reviewing.show_outcome("agenda")
    if review.agenda:
        last = review.agenda[-1]
        label = t("agenda.undo", what=t(f"agenda.did_{last.do}"), name=show.md(last.by.author))
        st.button(label, key="agenda_undo", type="tertiary", on_click=_step, args=({"do": "undo", "step": last.id},))


def _add() -> None:
    text = st.session_state["agenda_text"]
    if not text.strip():
        st.session_state[reviewing.SAID] = ("agenda", "", t("review.empty"))
        return
    reviewing.save("agenda", "agenda", {"do": "add", "text": text}, None, "agenda_text")


# One at a time.


def chosen(agenda: Agenda) -> Item | None:
    """Return the item that is walked at: that of the address; while presenting else the first one."""
    key = st.query_params.get("item")
    item_in_address = next((item for item in agenda.items if item.key == key), None)
    return item_in_address or (agenda.items[0] if present.on() and agenda.items else None)


def walk(agenda: Agenda, item: Item, review: Review, since: Since | None, table: ScoreTable | None) -> None:
    """One item: its sentence, its proof, its decision."""
    at = agenda.items.index(item)
    with st.container(horizontal=True, vertical_alignment="center", key="walk"):
        st.button(t("agenda.previous"), key="previous", disabled=not at, on_click=_go, args=(agenda.items, at - 1))
        st.button(
            t("agenda.next"),
            key="next",
            disabled=at + 1 == len(agenda.items),
            on_click=_go,
            args=(agenda.items, at + 1),
        )
        show.word(t("agenda.place", n=at + 1, all=len(agenda.items)))
        if not present.on():
            st.html(show.link("review", t("agenda.all")), width="content")
            keys.listen(keys.AGENDA)
        else:
            show.draw(show.h('<span data-rb-keys="{}"></span>', keys.pressed(keys.AGENDA)))
        label = t("agenda.clock_off" if _clock_on() else "agenda.clock")
        st.button(label, key="clock", type="tertiary", on_click=_clock)
    _time(item.key)
    show.draw(show.h('<h2 class="rb-item">{}</h2>', question(item)))
    left, right = st.columns([2, 1], gap="large")
    with left:
        show.draw(show.join([show.h("<p>{}</p>", fact) for fact in (show.join(_why(item), " "), *item.facts) if fact]))
        proofs.draw(item, review, since, table)
        show.draw(show.h("<p>{}</p>", proofs.link(item)))
    with right:
        decision(item, agenda.decided.get(item.key))


def _go(items: Sequence[Item], to: int) -> None:
    if 0 <= to < len(items):
        address.put(item=items[to].key)


def decision(item: Item, decided: Decision | None) -> None:
    """Draw what was decided on an item, and the field to decide."""
    show.draw(_decided(decided))
    with st.container(key="decide_item"):
        if not present.on():
            reviewing.name_field()
        reviewing.draft_key(FORM)
        st.segmented_control(
            t("agenda.decide"), state.VERDICTS, key="item_verdict", format_func=lambda name: answer(item, name)
        )
        st.text_area(t("review.reason"), key="item_reason", height=110)
        st.button(t("review.save_decision"), key="save_item", type="primary", on_click=_decide, args=(item,))
        reviewing.show_outcome(FORM)


def _decide(item: Item) -> None:
    reason, verdict = st.session_state["item_reason"], st.session_state["item_verdict"]
    if verdict is None or not reason.strip():
        st.session_state[reviewing.SAID] = (FORM, "", t("agenda.no_verdict" if verdict is None else "review.no_reason"))
        return
    if not reviewing.author().name:
        st.session_state[reviewing.SAID] = (FORM, "", t("review.no_name"))
        return
    try:
        made_on = signing.collect_decided(choice.workspace(), item.subject)
    except DatasetChanged as error:
        st.session_state[reviewing.SAID] = (FORM, "", t("review.not_saved", why=str(error)))
        return
    payload = {
        "subject": to_json(item.subject),
        "verdict": verdict,
        "reason": reason,
        "agenda": True,
        "item": item.key,
        "on": item.sentence,
        **made_on.payload,
    }
    if reviewing.save(FORM, "decision", payload, made_on.texts, "item_reason"):
        st.session_state["item_verdict"] = None


# The time that is spent on an item, where somebody wants to see it.

CLOCK = "agenda_clock"  # in the session: (item, since when); absent where nobody asked


def _clock_on() -> bool:
    return CLOCK in st.session_state


def _clock() -> None:
    if _clock_on():
        del st.session_state[CLOCK]
    else:
        st.session_state[CLOCK] = ("", 0.0)


def _time(key: str) -> None:
    if not _clock_on():
        return
    if st.session_state[CLOCK][0] != key:
        st.session_state[CLOCK] = (key, time.monotonic())
    _ticking()


@st.fragment(run_every=1.0)
def _ticking() -> None:
    if _clock_on():
        spent = int(time.monotonic() - st.session_state[CLOCK][1])
        words = t("agenda.time", minutes=spent // 60, seconds=spent % 60)
        show.draw(show.h('<p class="rb-small" role="timer">{}</p>', words))
