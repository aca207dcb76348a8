"""The view Training text: where what a model was trained on and what it reads part, and both beside the messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st
from markupsafe import Markup

from readback.checks import rules
from readback.checks.facts import trained_differences
from readback.compare.as_text import find_token_numbers
from readback.compare.first_difference import FirstDifference, describe_difference, find_first_differences
from readback.compare.marker_alignment import align_marked
from readback.compare.sentence import format_first_difference
from readback.html import exact
from readback.prompts import training_text
from readback.prompts.training_text import TrainedText, TrainingTemplate, build_trained_text, find_question
from readback.serving.named_formats import cut_segments
from readback.types import Assembly, Model, ModelInput, Segment
from readback.ui.common import address, show
from readback.ui.common.draw import message
from readback.ui.common.state import choice
from readback.ui.compare.compare_rows import LONG
from readback.ui.compare.compare_words import coded
from readback.ui.messages import system_table, three_texts, training_row, views
from readback.words import t

LISTED = 20  # differences below the texts
BY = ("text", "role")  # one text, or message by message


def there(made: Assembly) -> bool:
    """Whether it is known what the model of what is sent was trained on for this record; made without its template."""
    workspace, known = choice.workspace(), model(made)
    sent = find_question(made.messages)
    return (
        known is not None
        and training_text.find_training_messages(workspace, choice.record(), known.name, sent) is not None
    )


def trained(made: Assembly) -> TrainedText | None:
    """What the model of what is sent was trained on for this record; None where no layout is known."""
    workspace, known = choice.workspace(), model(made)
    found = build_trained_text(workspace, choice.record(), known.name, made.messages) if known else None
    return found if found and found.messages is not None else None


def model(made: Assembly) -> Model | None:
    """The model that this is sent to; without conditions the first there is."""
    workspace = choice.workspace()
    condition = workspace.condition(made.choice.condition) if made.choice.condition else None
    name = condition.model if condition else next(iter(workspace.models), None)
    return workspace.models.get(name or "")


def by_role(known: TrainedText, sent: ModelInput | None) -> bool:
    """Whether messages are compared one by one: where somebody asks for it, or where one of the texts is not known."""
    return st.query_params.get("by") == "role" or not (known.prompt and sent and sent.segments)


def switch(known: TrainedText, sent: ModelInput | None) -> None:
    """The two ways to look at it; where there is only one, what the other needs."""
    if not (known.prompt and sent and sent.segments):
        show.notice(_needs(known, sent))
        return
    now = by_role(known, sent)
    kept = {key: st.query_params.get(key) for key in ("whitespace", "look", "whole")}
    links = [
        show.h('<a class="rb-link" target="_self" href="{}"{}>{}</a>',
               address.href("messages", view="training", by=None if name == "text" else name, **kept),
               show.h(' aria-current="page"') if (name == "role") == now else "", t(f"training_text.by_{name}"))
        for name in BY
    ]  # fmt: skip
    show.draw(show.h('<nav class="rb-switch" aria-label="{}">{}</nav>', t("training_text.by"), show.join(links)))


def page(known: TrainedText, sent: ModelInput | None, made: Assembly) -> None:
    """All of the view: the texts or the messages, then every place that states the system message."""
    training_row.read_from(training_text.find_source_row(known.messages) if known.messages else None)
    switch(known, sent)
    if sent and not by_role(known, sent):
        draw(known, sent, made)
    elif known.messages:
        views.training(made, known.messages)
    if by := model(made):
        system_table.draw(choice.workspace(), by, known.messages, made)


def draw(known: TrainedText, sent: ModelInput, made: Assembly) -> None:
    """The sentence, the three texts beside each other, and every difference."""
    found = find_first_differences(known.prompt, sent.segments)
    names = (t("training_text.training"), t("training_text.serving"))
    lead = coded(format_first_difference(found, *names) if found else t("training_text.equal"))
    show.draw(show.h('<p class="rb-lead" role="status">{}</p>', lead))
    if known.template:
        show.notice(_basis(known.template), "warning" if known.template.basis == "assumed" else "info")
    if known.messages and known.messages.masked:
        show.notice(t("messages.masked"), "warning")
    _texts(known, sent, made)
    if found:
        _list(found, known, sent, made, names)


def described(segment: Segment) -> str:
    """Where a stretch of the training text comes from: what a server would add, the training template wrote."""
    if segment.origin == "serving":
        return t("training_text.from_template", name=segment.name or "")
    return message.describe(segment)


def _needs(known: TrainedText, sent: ModelInput | None) -> str:
    """Why the texts cannot be shown, with the cure."""
    if known.missing == "template":
        return t("training_text.no_template")
    if known.missing == "text":
        diagnostic = next(iter(known.diagnostics), None)
        return t("training_text.failed", why=rules.build_finding(diagnostic).message if diagnostic else "")
    return t("training_text.no_serving" if sent is None else "training_text.serving_failed")


def _basis(found: TrainingTemplate) -> str:
    return t(f"training_text.basis_{found.basis}", name=found.name)


def _texts(known: TrainedText, sent: ModelInput, made: Assembly) -> None:
    one, other = "".join(s.text for s in known.prompt), sent.text
    whole = st.query_params.get("whole") == "1" or (one == other and len(one) <= LONG)
    text = known.text.segments if known.text else ()
    rest = cut_segments(text, len(one), sum(len(segment.text) for segment in text))
    body, complete = three_texts.html(
        known.prompt, sent.segments, made.messages, align_marked(one, other), (described, message.describe),
        whitespace=message.whitespace(), whole=whole, rest=rest,
    )  # fmt: skip
    template = known.template.name if known.template else ""
    heads = show.join([_head(*pair) for pair in (("training_head", template), ("serving_head", sent.format),
                                                 ("messages_head", ""))])  # fmt: skip
    white = " rb-white" if message.whitespace() else ""
    label, spoken = exact.attribute(t("training_text.beside")), show.spoken_attribute()
    name = f'role="region" tabindex="0" aria-label="{label}"{spoken}'
    st.html(f'<div class="rb rb-compared rb-three"><div class="rb-heads"><div class="rb-row">{heads}</div></div>'
            f'<div class="rb-diff{white}" {name}>{body}</div></div>')  # fmt: skip
    if not complete:
        show.notice(show.link("compare", t("training_text.cut"), differs="layer", layer="training", b_layer="wire"))


def _head(name: str, form: str) -> Markup:
    said = show.h(' <span class="rb-small">{}</span>', form) if form else Markup("")
    return show.h('<p class="rb-side-name"><strong>{}</strong>{}</p>', t(f"training_text.{name}"), said)


def _list(
    found: Sequence[FirstDifference], known: TrainedText, sent: ModelInput, made: Assembly, names: tuple[str, str]
) -> None:
    """Every difference with its places; which token it is, where the model's tokenizer is known."""
    workspace, by = choice.workspace(), model(made)
    at = [[one.a.start + one.shared for one in found], [one.b.start + one.shared for one in found]]
    texts = ("".join(s.text for s in known.prompt), sent.text)
    tokens = [find_token_numbers(by, text, some, workspace.root) for text, some in zip(texts, at, strict=True)]
    rows = [_row(one, number, names, tokens, by is not None and trained_differences.is_harmless(one, sent.kind, by))
            for number, one in enumerate(found[:LISTED], 1)]  # fmt: skip
    more = show.h("<p>{}</p>", t("training_text.more", n=len(found) - LISTED)) if len(found) > LISTED else Markup("")
    heads = [t("training_text.difference"), t("training_text.training_head"), t("training_text.serving_head")]
    cells = show.join([show.h('<th scope="col">{}</th>', head) for head in heads])
    table = '<table class="rb-table"><caption>{}</caption><thead><tr>{}</tr></thead><tbody>{}</tbody></table>{}'
    caption = t("training_text.differences", n=len(found))
    show.draw(show.h(f'<div class="rb-scroll" role="region" tabindex="0" aria-label="{{}}">{table}</div>',
                     caption, caption, cells, show.join(rows), more))  # fmt: skip


def _row(
    one: FirstDifference, number: int, names: tuple[str, str], tokens: Sequence[Mapping[int, int]], harmless: bool
) -> Markup:
    says = (described, message.describe)
    spots = [_spot(spot.start + one.shared, spot.line, describe(spot.segments[0]) if spot.segments else "", token)
             for spot, describe, token in zip((one.a, one.b), says, tokens, strict=True)]  # fmt: skip
    words = describe_difference(one, *names)
    words = coded(words[0].upper() + words[1:])
    words = show.h('{}<br><span class="rb-small">{}</span>', words, t("training_text.harmless")) if harmless else words
    return show.h("<tr><td>{}. {}</td><td>{}</td><td>{}</td></tr>", number, words, *spots)


def _spot(at: int, line: int, origin: str, tokens: Mapping[int, int]) -> Markup:
    where = t("training_text.at", character=at + 1, line=line)
    token = f", {t('training_text.token', n=tokens[at])}" if at in tokens else ""
    return show.h('{}{}<br><span class="rb-small">{}</span>', where, token, origin)
