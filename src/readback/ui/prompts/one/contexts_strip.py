"""The strip that says which contexts of the record are inside the texts in view, each with the way to its place."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from markupsafe import Markup

from readback.checks.facts import contexts, stored_prompt
from readback.checks.facts.contexts import ContextPlace
from readback.html import exact
from readback.html.exact import Mark
from readback.prompts import judge_values
from readback.types import Assembly, RuleContext, Segment, Values
from readback.ui.common import show
from readback.ui.common.state import choice
from readback.words import t

SIGNS = {"there": "✓", "absent": "✗", "unknown": "?"}
BEFORE_WORDS = re.compile(r"^(?:\[\d+\]|Section:|\s)+")  # the number and the label that a context begins with
WORDS = 34  # characters of a context in its card


def draw(texts: Mapping[str, Sequence[Segment]], assembly_in_view: Assembly) -> dict[str, tuple[Mark, ...]]:
    """Draw it, for `texts` by the name each is drawn under; the marks are where the contexts are in each of them."""
    mode, prompt = stored_prompt.find_sent_prompt(RuleContext(choice.workspace(), assembly=assembly_in_view))
    whole = prompt is not None and prompt.syntax == "builder"  # a builder writes each context as it is
    fields = {"contexts": _documents(assembly_in_view)} if assembly_in_view.choice.judge else choice.record().fields
    places = contexts.locate_contexts(fields, list(texts.values()), whole)
    if not places:
        return {}
    there = sum(context.state == "there" for context in places)
    if whole and mode == "instruction" and not there:  # nothing that is missing
        show.draw(show.h('<p class="rb-small">{}</p>', t("messages.contexts_not_meant", n=len(places))))
        return {}
    sentence = t("messages.contexts_there", n=there, all=len(places))
    if any(context.state == "unknown" for context in places):
        sentence += " " + t("messages.context_sign_unknown")
    title = t("messages.contexts_of_judge" if assembly_in_view.choice.judge else "messages.contexts")
    show.draw(
        show.h(
            '<div role="group" aria-label="{}"><h3>{}</h3><div class="rb-contexts">{}</div>'
            '<p class="rb-small">{}</p></div>',
            title,
            title,
            show.join([_draw_place(place, _first_words(fields, place.number)) for place in places], " "),
            sentence,
        )
    )
    return {
        name: tuple(
            Mark(context.start, context.end, 0, "context", t("messages.context", n=context.number), name=_id(context))
            for context in places
            if context.state == "there" and context.text == index
        )
        for index, name in enumerate(texts)
    }


def _documents(assembly: Assembly) -> list[str]:
    """Return the documents that the judge is shown, of the record or of the answer."""
    workspace = choice.workspace()
    judge = workspace.judges.get(assembly.choice.judge or "")
    if judge is None:
        return []
    answer = choice.answer(assembly.choice)
    if workspace.dataset:
        mapped = workspace.dataset.fields
    else:
        mapped = {}
    rows = judge_values.Rows(judge, choice.record(), assembly.choice.condition, answer, mapped=mapped)
    return list(judge_values.list_documents(judge_values.find_value(rows, "documents"))[0])


def _first_words(fields: Values, number: int) -> str:
    """Return the first words of a context, of one with a heading that alone; "" where it is no text."""
    text = contexts.get_context_text(contexts.list_contexts(fields)[number - 1])
    text = BEFORE_WORDS.sub("", text[: 4 * WORDS])
    heading, line_end, _ = text.partition("\n")
    text = " ".join((heading if line_end and len(heading) <= WORDS else text).split())
    return exact.written_out(text if len(text) <= WORDS else f"{text[: WORDS - 1]}…")


def _draw_place(place: ContextPlace, words: str) -> Markup:
    sentence = t(f"messages.context_{place.state}", n=place.number)
    inside = show.h(
        "<b>{}</b> <span>{}</span> <em>{} {}</em>",
        place.number,
        words,
        SIGNS[place.state],
        t(f"messages.context_is_{place.state}"),
    )
    if place.state == "there":
        return show.h(
            '<a href="#{}" data-rb-to="{}" aria-label="{}. {}">{}</a>', _id(place), _id(place), sentence, words, inside
        )
    return show.h('<span class="rb-{}" role="img" aria-label="{}. {}">{}</span>', place.state, sentence, words, inside)


def _id(place: ContextPlace) -> str:
    return f"context-{place.number}"
