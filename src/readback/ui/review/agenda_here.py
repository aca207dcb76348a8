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


def lead(made: Agenda) -> Markup:
    """How many items there are, of which kinds, how many are decided; and the next, where that is not the first."""
    kinds = Counter(str(one.severity) if one.kind == "finding" else f"item_{one.kind}" for one in made.items)
    what = [t(f"frame.{kind}_n" if kind in show.SIGNS else f"agenda.{kind}_n", n=n) for kind, n in kinds.items()]
    what = [", ".join(what[:-1]), *what[-1:]] if what[1:] else what
    done = len(made.items) - len(made.open)
    said = [t("agenda.lead", n=len(made.items), what=t("overview.and").join(what), done=done)]
    if made.open and made.open[0] != made.items[0]:
        said += [t("agenda.lead_next"), show.link("agenda", question(made.open[0]), item=made.open[0].key)]
    return show.h('<p class="rb-lead">{}</p>', show.join(said, " "))


def question(one: Item) -> str:
    """What there is to decide; an item that asks something itself, or that somebody wrote, as it is."""
    kind = _kind(one)
    if kind == "comparison":
        return t("agenda.ask_comparison", a=one.subject.names[0], b=one.subject.names[1])
    if kind == "finding":
        return t("agenda.ask_finding", title=groups.title(one.key.partition(":")[2]))
    return t(f"agenda.ask_{kind}", criterion=one.asked["criterion"]) if kind in ASKING else one.said


def answer(one: Item, verdict: str) -> str:
    """A verdict as the answer to what an item asks; where it asks nothing of ours, by its name."""
    kind = _kind(one)
    return t(f"agenda.answer_{kind}_{verdict}" if kind in ASKING else f"review.verdict_{verdict}")


def _kind(one: Item) -> str:
    return "disputed" if one.kind == "score" and one.key.startswith("agreement:") else one.kind


def draw(made: Agenda, found: Review) -> None:
    """Every item with what can be done with it."""
    room = st.session_state.setdefault(ROOM, AT_ONCE)
    for number, one in enumerate(made.items[:room], 1):
        show.draw(_item(one, number, made.decided.get(one.key)))
        _tools(made.items, number - 1, one.key in made.decided)
    if (more := len(made.items) - room) > 0:
        st.button(t("agenda.more", n=min(more, AT_ONCE)), key="agenda_more", on_click=_more)
    if made.dropped:
        with st.expander(t("agenda.dropped", n=len(made.dropped))):
            for one in made.dropped:
                step = next(s for s in reversed(found.agenda) if s.do == "drop" and s.item == one.key)
                show.draw(show.h("<p>{}</p>", one.said))
                st.button(t("agenda.restore"), key=f"restore_{one.key}", type="tertiary", on_click=_step,
                          args=({"do": "undo", "step": step.id},))  # fmt: skip


def _more() -> None:
    st.session_state[ROOM] += AT_ONCE


def _item(one: Item, number: int, decided: Decision | None) -> Markup:
    link = show.link("agenda", question(one), item=one.key)
    at = [where(one.findings[0].place)] if len(one.findings) == 1 and one.kind == "finding" else []
    facts = show.h('<p class="rb-small">{}</p>', show.join([*_why(one), *one.facts, *at], " "))
    return show.h('<div class="rb-entry"><h2>{}. {}</h2>{}{}</div>', number, link, facts, _decided(decided))


def _why(one: Item) -> list[Markup]:
    """Why it is there, where the question does not say it: the severity of a finding, the verdict on a comparison, else
    the sentence.
    """
    if one.kind == "finding" and one.severity:
        return [show.severity(one.severity)]
    if one.kind == "comparison":
        look, kind = ("rb-bad", "unfair") if one.severity == "error" else ("rb-warn", "unknown")
        return [show.h('<strong class="{}">{}</strong>', look, t(f"verdict.{kind}"))]
    return [show.h("{}", one.said)] if question(one) != one.said else []


def _decided(one: Decision | None) -> Markup:
    if one is None:
        return Markup("")
    said = t(f"report.item_{one.verdict}", name=one.by.author, reason="")
    return show.h('<p class="rb-fine">{} <span class="rb-said">{}</span></p>', said, show.exact_text(one.reason))


def _tools(items: Sequence[Item], at: int, decided: bool) -> None:
    one = items[at]
    above = items[at - 1].key if at else ""
    below = items[at + 2].key if at + 2 < len(items) else ""
    with st.container(horizontal=True, gap="small", vertical_alignment="center", key=f"tools_{one.key}"):
        href, thing = address.href("agenda", item=one.key), question(one)
        act = show.h('<a class="rb-button rb-act" target="_self" href="{}">{}<span class="rb-aloud"> {}</span></a>',
                     href, t("agenda.to_decide_again" if decided else "agenda.to_decide"), thing)  # fmt: skip
        st.html(act, width="content")
        st.button(_label("up", thing), key=f"up_{one.key}", disabled=not at, on_click=_step,
                  args=({"do": "move", "item": one.key, "before": above},))  # fmt: skip
        st.button(_label("down", thing), key=f"down_{one.key}", disabled=at + 1 == len(items),
                  on_click=_step, args=({"do": "move", "item": one.key, "before": below},))  # fmt: skip
        st.button(_label("drop", thing), key=f"drop_{one.key}", on_click=_step,
                  args=({"do": "drop", "item": one.key},))  # fmt: skip


def _label(what: str, thing: str) -> str:
    """The label of a button under an item. Whoever sees it sees the item above; whoever hears it is told which."""
    return f"{t(f'agenda.{what}')} :small[{show.md(thing)}]"


def _step(payload: Mapping[str, Any]) -> None:
    if not reviewing.author().name:
        st.session_state[reviewing.SAID] = ("board", "", t("review.no_name"))
        return
    reviewing.save_here("agenda", "agenda", payload)


# Putting something on it, and taking the last change back.


def add(found: Review) -> None:
    """The field for an item of one's own, and the way to take the last change of the agenda back."""
    with st.expander(t("agenda.add"), key="agenda_add"):
        reviewing.draft_key("agenda")
        st.text_area(t("agenda.add_text"), key="agenda_text", height=80)
        st.button(t("agenda.save"), key="save_agenda", type="primary", on_click=_add)
        reviewing.show_outcome("agenda")
    if found.agenda:
        last = found.agenda[-1]
        said = t("agenda.undo", what=t(f"agenda.did_{last.do}"), name=show.md(last.by.author))
        st.button(said, key="agenda_undo", type="tertiary", on_click=_step, args=({"do": "undo", "step": last.id},))


def _add() -> None:
    text = st.session_state["agenda_text"]
    if not text.strip():
        st.session_state[reviewing.SAID] = ("agenda", "", t("review.empty"))
        return
    reviewing.save("agenda", "agenda", {"do": "add", "text": text}, None, "agenda_text")


# One at a time.


def chosen(made: Agenda) -> Item | None:
    """The item that is walked at: the one of the address; while presenting the first one, where none is named."""
    asked = st.query_params.get("item")
    found = next((one for one in made.items if one.key == asked), None)
    return found or (made.items[0] if present.on() and made.items else None)


def walk(made: Agenda, one: Item, found: Review, since: Since | None, table: ScoreTable | None) -> None:
    """One item: its sentence, its proof, its decision."""
    at = made.items.index(one)
    with st.container(horizontal=True, vertical_alignment="center", key="walk"):
        st.button(t("agenda.previous"), key="previous", disabled=not at, on_click=_go, args=(made.items, at - 1))
        st.button(t("agenda.next"), key="next", disabled=at + 1 == len(made.items), on_click=_go,
                  args=(made.items, at + 1))  # fmt: skip
        show.word(t("agenda.place", n=at + 1, all=len(made.items)))
        if not present.on():
            st.html(show.link("agenda", t("agenda.all")), width="content")
            keys.listen(keys.AGENDA)
        else:
            show.draw(show.h('<span data-rb-keys="{}"></span>', keys.pressed(keys.AGENDA)))
        label = t("agenda.clock_off" if _clock_on() else "agenda.clock")
        st.button(label, key="clock", type="tertiary", on_click=_clock)
    _time(one.key)
    show.draw(show.h('<h2 class="rb-item">{}</h2>', question(one)))
    left, right = st.columns([2, 1], gap="large")
    with left:
        show.draw(show.join([show.h("<p>{}</p>", said) for said in (show.join(_why(one), " "), *one.facts) if said]))
        proofs.draw(one, found, since, table)
        show.draw(show.h("<p>{}</p>", proofs.link(one)))
    with right:
        decision(one, made.decided.get(one.key))


def _go(items: Sequence[Item], to: int) -> None:
    if 0 <= to < len(items):
        address.put(item=items[to].key)


def decision(one: Item, decided: Decision | None) -> None:
    """What was decided on an item, and the field to decide."""
    show.draw(_decided(decided))
    with st.container(key="decide_item"):
        if not present.on():
            reviewing.name_field()
        reviewing.draft_key(FORM)
        st.segmented_control(t("agenda.decide"), state.VERDICTS, key="item_verdict",
                             format_func=lambda name: answer(one, name))  # fmt: skip
        st.text_area(t("review.reason"), key="item_reason", height=110)
        st.button(t("review.save_decision"), key="save_item", type="primary", on_click=_decide, args=(one,))
        reviewing.show_outcome(FORM)


def _decide(one: Item) -> None:
    reason, verdict = st.session_state["item_reason"], st.session_state["item_verdict"]
    if verdict is None or not reason.strip():
        st.session_state[reviewing.SAID] = (FORM, "", t("agenda.no_verdict" if verdict is None else "review.no_reason"))
        return
    if not reviewing.author().name:
        st.session_state[reviewing.SAID] = (FORM, "", t("review.no_name"))
        return
    try:
        made_on = signing.collect_decided(choice.workspace(), one.subject)
    except DatasetChanged as error:
        st.session_state[reviewing.SAID] = (FORM, "", t("review.not_saved", why=str(error)))
        return
    payload = {"subject": to_json(one.subject), "verdict": verdict, "reason": reason, "agenda": True, "item": one.key,
               "on": one.said, **made_on.payload}  # fmt: skip
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
        said = t("agenda.time", minutes=spent // 60, seconds=spent % 60)
        show.draw(show.h('<p class="rb-small" role="timer">{}</p>', said))
