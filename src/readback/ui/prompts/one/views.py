"""What each view of Prompts draws."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st
from markupsafe import Markup

from readback import adapters
from readback.html import exact
from readback.prompts.gaps import Gap
from readback.prompts.judge_messages import lacks_answer
from readback.prompts.selections import explain_unknown_system, find_model
from readback.review import anchors
from readback.types import Assembly, Finding, Message, Segment
from readback.ui.common import show
from readback.ui.common.draw import downloads, exports
from readback.ui.common.draw.text import layers, message, observed, token_sizes
from readback.ui.common.state import choice
from readback.ui.prompts.one import contexts_strip, export_all, finding_cards
from readback.ui.prompts.two_texts.compare_words import sent
from readback.ui.review import under_notes
from readback.words import t

COPY_FORMS = ("as_json", "as_ollama", "as_openai", "as_curl_ollama", "as_curl_openai")


def warnings(assembly: Assembly, tried: Mapping[str, Any]) -> None:
    """Draw notices above the texts: why they are not exactly what the files and the record give.

    Values are masked, an adapter's wording is Readback's own, the system text is unknown, the answer that a judge
    would get is missing, or somebody tries values of their own.
    """
    if assembly.masked:
        show.notice(t("messages.masked"), "warning")
    if ours := adapters.list_own_wordings(assembly.messages):
        show.notice(t("messages.wording", names=", ".join(ours)))
    if (
        why := explain_unknown_system(choice.workspace(), assembly.choice, assembly.messages)
        if assembly.messages
        else None
    ):
        show.notice(t("messages.system_unknown", why=why), "warning")
    if assembly.messages and lacks_answer(assembly, choice.answer(assembly.choice), tried):
        show.notice(t("messages.unanswered"), "warning")
    if tried:
        show.notice(t("messages.tried", names=", ".join(tried)), "warning")


def messages(assembly: Assembly, findings_in_view: Sequence[Finding], tried: Mapping[str, Any]) -> None:
    """Draw the messages in order, then all of them to take along."""
    if not assembly.messages:
        if assembly.choice.condition:
            condition = choice.workspace().condition(assembly.choice.condition)
        else:
            condition = None
        if condition is not None and condition.logged and not (condition.mode or condition.task):
            show.notice(t("messages.nothing_logged"))  # nothing was to be built, so nothing has failed
        else:
            show.problem(t("messages.nothing_built"))
        return
    numbered, sized = list(enumerate(findings_in_view, 1)), token_sizes.of_messages(assembly)
    gaps = choice.gaps(assembly, tried)
    above, below = st.container(), st.container()
    with below:
        contexts = contexts_strip.draw(
            {f"{i}-{sent_message.role}": sent_message.segments for i, sent_message in enumerate(assembly.messages)},
            assembly,
        )
    with above:
        _draw_messages(assembly, numbered, sized, gaps, contexts, tried)


def _draw_messages(
    assembly: Assembly,
    numbered: Sequence[tuple[int, Finding]],
    sized: Sequence[token_sizes.Sized],
    gaps: Sequence[Sequence[Gap]],
    contexts: Mapping[str, Sequence[exact.Mark]],
    tried: Mapping[str, Any],
) -> None:
    roles = {sent_message.role for sent_message in assembly.messages}
    together = _join_segments(assembly)
    finding_cards.draw_errors([(n, f) for n, f in numbered if f.place.role not in roles])
    for index, sent_message in enumerate(assembly.messages):
        first = next(i for i, other in enumerate(assembly.messages) if other.role == sent_message.role) == index
        mine = [(n, f) for n, f in numbered if f.place.role == sent_message.role and first]
        name, title = f"{index}-{sent_message.role}", message.role_title(sent_message.role)
        numbers = [n for n, _ in mine]
        empty = [exact.Gap(gap.position, t(f"messages.gap_{gap.state}", name=gap.name)) for gap in gaps[index]]
        finding_cards.draw_errors(mine)
        more = (*contexts.get(name, ()), *(() if tried else under_notes.marks(_anchor(assembly) | {"message": index})))
        message.message(
            name,
            title,
            sent_message.segments,
            [f for _, f in mine],
            numbers,
            assembly.masked,
            more,
            sized=sized[index],
            gaps=empty,
            whole=sent_message.whole,
            together=together,
        )


def make_key(assembly: Assembly) -> Markup:
    """Make the list that says how origins are marked in the messages."""
    return message.make_key(_join_segments(assembly))


def _join_segments(assembly: Assembly) -> tuple[Segment, ...]:
    return tuple(segment for sent_message in assembly.messages for segment in sent_message.segments)


def _anchor(assembly: Assembly) -> dict[str, Any]:
    """Return what the notes on these messages name."""
    return {
        "record": assembly.record,
        "layer": None,
        **{name: getattr(assembly.choice, name) for name in anchors.CHOICE},
    }


def training(assembly_in_view: Assembly, trained: Assembly) -> None:
    """Training beside evaluation, role by role, with a sentence on whether they are the same bytes."""
    _typed(assembly_in_view)
    roles = list(dict.fromkeys(role_message.role for role_message in (*assembly_in_view.messages, *trained.messages)))
    for role in roles:
        same = layers.same(assembly_in_view, trained, role)
        if same is None:
            word = "training_only"
        elif same:
            word = "training_same"
        else:
            word = "training_differs"
        show.notice(t(f"messages.{word}", role=role), "info" if same or role == "assistant" else "warning")
        sides = st.columns(2, gap="small")
        for side, which, assembly in ((sides[0], "evaluation", assembly_in_view), (sides[1], "training", trained)):
            role_message = _find_message(assembly.messages, role)
            with side:
                if role_message is not None:
                    title = t(f"messages.{which}_title", role=message.role_title(role))
                    message.message(
                        f"{which}-{role}",
                        title,
                        role_message.segments,
                        masked=assembly.masked,
                        whole=role_message.whole,
                    )


def stored(segments: Sequence[Segment], assembly: Assembly) -> None:
    """Draw the prompt the file holds, and whether it is what is sent."""
    text = "".join(segment.text for segment in segments)
    user = _find_message(assembly.messages, "user")
    same = user is not None and user.text == text
    show.notice(t("messages.stored_same" if same else "messages.stored_differs"), "info")
    contexts = contexts_strip.draw({"stored": segments}, assembly)
    message.message(
        "stored", t("messages.stored_title"), segments, masked=assembly.masked, more=contexts.get("stored", ())
    )


def draw_lead(assembly: Assembly, findings_in_view: Sequence[Finding]) -> None:
    """Say how many messages are sent, what is found in them, and whether a log proves that they were sent."""
    proof = observed.describe_proof(choice.find_logged(assembly), observed.find_log(assembly))
    counts = Counter[str](finding.severity for finding in findings_in_view)
    if counts:
        outcome = show.join([show.severity(word, counts[word]) for word in show.SIGNS if counts[word]], " ")
    else:
        outcome = show.h("{}", t("messages.no_findings"))
    markup = (
        '<p class="rb-lead rb-one-lead"><span class="rb-chip rb-chip-{}">{}</span> {} {} '
        '<span class="rb-source">{}</span></p>'
    )
    model = find_model(choice.workspace(), assembly.choice)
    name, n = sent(assembly.choice), len(assembly.messages)
    if model is None:
        what = t("messages.sends", name=name, n=n)
    else:
        what = t("messages.sends_to", name=name, n=n, model=model.name)
    show.draw(show.h(markup, proof.look, proof.word, what, outcome, proof.sentence))


def take(assembly: Assembly) -> None:
    """Draw the ways to take all messages along, and what tells them from others."""
    if assembly.messages:
        file = exports.name(
            assembly.record or str(choice.position()), assembly.choice.condition or assembly.choice.mode
        )
        downloads.button(
            t("messages.download_all"),
            lambda: exports.as_json(assembly.messages),
            f"{file}.json",
            "application/json",
            key="download_all",
            on_click="ignore",
        )
        with st.expander(t("messages.copy_as"), key="copy_as"):
            form = st.selectbox(
                t("messages.copy_as"), COPY_FORMS, key="copy_form", format_func=lambda name: t(f"messages.{name}")
            )
            if ours := adapters.list_own_wordings(assembly.messages):
                st.caption(t("messages.wording", names=show.md(", ".join(ours))))
            model = layers.names_a_model(choice.workspace(), assembly)
            st.code(_copy(form, assembly.messages, model), language=None, wrap_lines=True, height=320)
    export_all.draw()
    if assembly.messages:
        show.draw(
            show.h(
                '<p class="rb-small">{} <code>{}</code></p>',
                t("messages.fingerprint"),
                assembly.fingerprint,
            )
        )


def _copy(form: str, messages_to_copy: Sequence[Message], model: str) -> str:
    if form == "as_json":
        return exports.as_json(messages_to_copy)
    kind = form.rpartition("_")[2]
    if form.startswith("as_curl"):
        return exports.curl(messages_to_copy, kind, model)
    return exports.body(messages_to_copy, kind, model)


def _typed(assembly: Assembly) -> None:
    workspace = choice.workspace()
    if assembly.choice.condition:
        condition = workspace.condition(assembly.choice.condition)
    else:
        condition = None
    if condition and condition.model:
        model = workspace.models.get(condition.model)
    else:
        model = None
    if model and model.training and not model.training.verified:
        show.notice(t("messages.typed"), "warning")


def _find_message(messages_of_record: Sequence[Message], role: str) -> Message | None:
    return next((message for message in messages_of_record if message.role == role), None)
