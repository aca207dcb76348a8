"""What each view of Messages draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from readback import adapters, plugins
from readback.checks.rules import Fault
from readback.html import exact
from readback.prompts.judge_messages import lacks_answer
from readback.prompts.selections import explain_unknown_system
from readback.review import under
from readback.types import Assembly, Finding, Location, Message, Segment
from readback.ui.common import show
from readback.ui.common.draw import downloads, exports, layers, message, observed, token_sizes
from readback.ui.common.state import choice
from readback.ui.messages import contexts_strip, export_all
from readback.ui.review import under_notes
from readback.words import t

COPY_FORMS = ("as_json", "as_ollama", "as_openai", "as_curl_ollama", "as_curl_openai")


def warnings(made: Assembly, tried: Mapping[str, Any]) -> None:
    """What makes the texts other than what the files give, said before them."""
    if made.masked:
        show.notice(t("messages.masked"), "warning")
    if ours := adapters.list_own_wordings(made.messages):
        show.notice(t("messages.wording", names=", ".join(ours)))
    if why := explain_unknown_system(choice.workspace(), made.choice, made.messages) if made.messages else None:
        show.notice(t("messages.system_unknown", why=why), "warning")
    if made.messages and lacks_answer(made, choice.answer(made.choice), tried):
        show.notice(t("messages.unanswered"), "warning")
    if tried:
        show.notice(t("messages.tried", names=", ".join(tried)), "warning")


def messages(made: Assembly, found: Sequence[Finding], tried: Mapping[str, Any]) -> None:
    """The messages in order, then all of them to take along."""
    if not made.messages:
        show.problem(t("messages.nothing_built"))
        export_all.draw()
        return
    numbered, sized = list(enumerate(found, 1)), token_sizes.of_messages(made)
    gaps = choice.gaps(made, tried)
    contexts = contexts_strip.draw({f"{i}-{one.role}": one.segments for i, one in enumerate(made.messages)}, made)
    for index, one in enumerate(made.messages):
        first = next(i for i, other in enumerate(made.messages) if other.role == one.role) == index
        mine = [(n, f) for n, f in numbered if f.place.role == one.role and first]
        name, title = f"{index}-{one.role}", message.role_title(one.role)
        numbers = [n for n, _ in mine]
        empty = [exact.Gap(gap.position, t(f"messages.gap_{gap.state}", name=gap.name)) for gap in gaps[index]]
        more = (*contexts.get(name, ()), *(() if tried else under_notes.marks(_anchor(made) | {"message": index})))
        message.message(
            name,
            title,
            one.segments,
            [f for _, f in mine],
            numbers,
            made.masked,
            more,
            sized=sized[index],
            gaps=empty,
            whole=one.whole,
        )
    _all(made)


def _anchor(made: Assembly) -> dict[str, Any]:
    """What the notes on these messages name."""
    return {"record": made.record, "layer": None, **{name: getattr(made.choice, name) for name in under.CHOICE}}


def training(made: Assembly, trained: Assembly) -> None:
    """Training beside evaluation, role by role, with a sentence on whether they are the same bytes."""
    _typed(made)
    roles = list(dict.fromkeys(one.role for one in (*made.messages, *trained.messages)))
    for role in roles:
        same = layers.same(made, trained, role)
        word = "training_only" if same is None else "training_same" if same else "training_differs"
        show.notice(t(f"messages.{word}", role=role), "info" if same or role == "assistant" else "warning")
        sides = st.columns(2, gap="small")
        for side, which, assembly in ((sides[0], "evaluation", made), (sides[1], "training", trained)):
            one = _of(assembly.messages, role)
            with side:
                if one is not None:
                    title = t(f"messages.{which}_title", role=message.role_title(role))
                    message.message(f"{which}-{role}", title, one.segments, masked=assembly.masked, whole=one.whole)


def stored(segments: Sequence[Segment], made: Assembly) -> None:
    """The prompt the file holds, and whether it is what is sent."""
    text = "".join(segment.text for segment in segments)
    user = _of(made.messages, "user")
    same = user is not None and user.text == text
    show.notice(t("messages.stored_same" if same else "messages.stored_differs"), "info")
    contexts = contexts_strip.draw({"stored": segments}, made)
    message.message("stored", t("messages.stored_title"), segments, masked=made.masked, more=contexts.get("stored", ()))


def findings(found: Sequence[Finding], faults: Sequence[Fault]) -> None:
    """The findings about what is in view, numbered as they are marked."""
    show.draw(show.h("<h3>{}</h3>", t("messages.findings_here")))
    if not found:
        show.draw(show.h('<p class="rb-small">{}</p>', t("messages.no_findings")))
    # Record and condition are on the screen already: the place says the rest.
    show.findings([replace(one, place=_spot(one.place)) for one in found], numbered=True, to_message=False)
    for rule, error in dict.fromkeys((fault.rule, fault.error) for fault in faults):
        show.problem(t("messages.rule_fault", rule=rule, author=plugins.name_author(rule)), error)


def _spot(place: Location) -> Location:
    return Location(file=place.file, line=place.line, column=place.column, role=place.role, field=place.field)


def _all(made: Assembly) -> None:
    workspace = choice.workspace()
    model = layers.names_a_model(workspace, made)
    with st.container(horizontal=True, vertical_alignment="center", key="take_all"):
        file = exports.name(made.record or str(choice.position()), made.choice.condition or made.choice.mode) + ".json"
        downloads.button(
            t("messages.download_all"),
            lambda: exports.as_json(made.messages),
            file,
            "application/json",
            key="download_all",
            on_click="ignore",
        )
        with st.popover(t("messages.copy_as"), key="copy_as"):
            form = st.selectbox(
                t("messages.copy_as"), COPY_FORMS, key="copy_form", format_func=lambda name: t(f"messages.{name}")
            )
            if ours := adapters.list_own_wordings(made.messages):
                st.caption(t("messages.wording", names=show.md(", ".join(ours))))
            st.code(_copy(form, made.messages, model), language=None, wrap_lines=True, height=320)
        export_all.draw()
    show.draw(
        show.h(
            '<p class="rb-small">{} <code>{}</code><br>{}</p>',
            t("messages.fingerprint"),
            made.fingerprint,
            observed.describe_logged(choice.find_logged(made)),
        )
    )


def _copy(form: str, made: Sequence[Message], model: str) -> str:
    if form == "as_json":
        return exports.as_json(made)
    kind = form.rpartition("_")[2]
    return exports.curl(made, kind, model) if form.startswith("as_curl") else exports.body(made, kind, model)


def _typed(made: Assembly) -> None:
    workspace = choice.workspace()
    condition = workspace.condition(made.choice.condition) if made.choice.condition else None
    model = workspace.models.get(condition.model) if condition and condition.model else None
    if model and model.training and not model.training.verified:
        show.notice(t("messages.typed"), "warning")


def _of(made: Sequence[Message], role: str) -> Message | None:
    return next((one for one in made if one.role == role), None)
