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
from readback.ui.common.draw.text import message
from readback.ui.common.state import choice
from readback.ui.prompts.one import system_table, three_texts, training_row, views
from readback.ui.prompts.two_texts.compare_rows import LONG
from readback.ui.prompts.two_texts.compare_words import coded
from readback.words import t

LISTED = 20  # differences below the texts
BY = ("text", "role")  # one text, or message by message


def there(assembly: Assembly) -> bool:
    """Whether it is known what the model of what is sent was trained on for this record; made without its template."""
    workspace, trained_model = choice.workspace(), model(assembly)
    sent = find_question(assembly.messages)
    return (
        trained_model is not None
        and training_text.find_training_messages(workspace, choice.record(), trained_model.name, sent) is not None
    )


def trained(assembly: Assembly) -> TrainedText | None:
    """Return what the model of what is sent was trained on for this record; None where no layout is known."""
    workspace, trained_model = choice.workspace(), model(assembly)
    if trained_model:
        trained_text = build_trained_text(workspace, choice.record(), trained_model.name, assembly.messages)
    else:
        trained_text = None
    if trained_text and trained_text.messages is not None:
        return trained_text
    return None


def model(assembly: Assembly) -> Model | None:
    """Return the model that this is sent to; without conditions the first one."""
    workspace = choice.workspace()
    if assembly.choice.condition:
        condition = workspace.condition(assembly.choice.condition)
    else:
        condition = None
    if condition:
        name = condition.model
    else:
        name = next(iter(workspace.models), None)
    return workspace.models.get(name or "")


def by_role(trained_text: TrainedText, sent: ModelInput | None) -> bool:
    """Whether messages are compared one by one: where somebody asks for it, or where one of the texts is not known."""
    return st.query_params.get("by") == "role" or not (trained_text.prompt and sent and sent.segments)


def switch(trained_text: TrainedText, sent: ModelInput | None) -> None:
    """Draw the two ways to look at it; where there is only one, what the other needs."""
    if not (trained_text.prompt and sent and sent.segments):
        show.notice(_needs(trained_text, sent))
        return
    now = by_role(trained_text, sent)
    settings = {key: st.query_params.get(key) for key in ("whitespace", "look", "whole")}
    links = [
        show.h(
            '<a class="rb-link" target="_self" href="{}"{}>{}</a>',
            address.href("prompts", layer="training", by=None if name == "text" else name, **settings),
            show.h(' aria-current="page"') if (name == "role") == now else "",
            t(f"training_text.by_{name}"),
        )
        for name in BY
    ]
    show.draw(show.h('<nav class="rb-switch" aria-label="{}">{}</nav>', t("training_text.by"), show.join(links)))


def page(trained_text: TrainedText, sent: ModelInput | None, assembly: Assembly) -> None:
    """All of the view: the texts or the messages, then every place that states the system message."""
    training_row.read_from(training_text.find_source_row(trained_text.messages) if trained_text.messages else None)
    switch(trained_text, sent)
    if sent and not by_role(trained_text, sent):
        draw(trained_text, sent, assembly)
    elif trained_text.messages:
        views.training(assembly, trained_text.messages)
    if by := model(assembly):
        system_table.draw(choice.workspace(), by, trained_text.messages, assembly)


def draw(trained_text: TrainedText, sent: ModelInput, assembly: Assembly) -> None:
    """Draw the sentence, the three texts beside each other, and every difference."""
    differences = find_first_differences(trained_text.prompt, sent.segments)
    names = (t("training_text.training"), t("training_text.serving"))
    lead = coded(format_first_difference(differences, *names) if differences else t("training_text.equal"))
    show.draw(show.h('<p class="rb-lead" role="status">{}</p>', lead))
    if trained_text.template:
        show.notice(_basis(trained_text.template), "warning" if trained_text.template.basis == "assumed" else "info")
    if trained_text.messages and trained_text.messages.masked:
        show.notice(t("messages.masked"), "warning")
    _texts(trained_text, sent, assembly)
    if differences:
        _list(differences, trained_text, sent, assembly, names)


def described(segment: Segment) -> str:
    """Where a stretch of the training text comes from: what a server would add, the training template wrote."""
    if segment.origin == "serving":
        return t("training_text.from_template", name=segment.name or "")
    return message.describe(segment)


def _needs(trained_text: TrainedText, sent: ModelInput | None) -> str:
    """Why the texts cannot be shown, with the cure."""
    if trained_text.missing == "template":
        return t("training_text.no_template")
    if trained_text.missing == "text":
        diagnostic = next(iter(trained_text.diagnostics), None)
        return t("training_text.failed", why=rules.build_finding(diagnostic).message if diagnostic else "")
    return t("training_text.no_serving" if sent is None else "training_text.serving_failed")


def _basis(template: TrainingTemplate) -> str:
    return t(f"training_text.basis_{template.basis}", name=template.name)


def _texts(trained_text: TrainedText, sent: ModelInput, assembly: Assembly) -> None:
    training_prompt, other = "".join(s.text for s in trained_text.prompt), sent.text
    whole = st.query_params.get("whole") == "1" or (training_prompt == other and len(training_prompt) <= LONG)
    if trained_text.text:
        text = trained_text.text.segments
    else:
        text = ()
    rest = cut_segments(text, len(training_prompt), sum(len(segment.text) for segment in text))
    body, complete = three_texts.html(
        trained_text.prompt,
        sent.segments,
        assembly.messages,
        align_marked(training_prompt, other),
        (described, message.describe),
        whitespace=message.whitespace(),
        whole=whole,
        rest=rest,
    )
    if trained_text.template:
        template = trained_text.template.name
    else:
        template = ""
    heads = show.join(
        [_head(*pair) for pair in (("training_head", template), ("serving_head", sent.format), ("messages_head", ""))]
    )
    if message.whitespace():
        white = " rb-white"
    else:
        white = ""
    label, spoken = exact.attribute(t("training_text.beside")), show.spoken_attribute()
    name = f'role="region" tabindex="0" aria-label="{label}"{spoken}'
    st.html(
        f'<div class="rb rb-compared rb-three"><div class="rb-heads"><div class="rb-row">{heads}</div></div>'
        f'<div class="rb-diff{white}" {name}>{body}</div></div>'
    )
    if not complete:
        show.notice(
            show.link(
                "prompts", t("training_text.cut"), view="difference", differs="layer", layer="training", b_layer="wire"
            )
        )


def _head(name: str, form: str) -> Markup:
    if form:
        note = show.h(' <span class="rb-small">{}</span>', form)
    else:
        note = Markup("")
    return show.h('<p class="rb-side-name"><strong>{}</strong>{}</p>', t(f"training_text.{name}"), note)


def _list(
    differences: Sequence[FirstDifference],
    trained_text: TrainedText,
    sent: ModelInput,
    assembly: Assembly,
    names: tuple[str, str],
) -> None:
    """Every difference with its places; which token it is, where the model's tokenizer is known."""
    workspace, by = choice.workspace(), model(assembly)
    at = [
        [difference.a.start + difference.shared for difference in differences],
        [difference.b.start + difference.shared for difference in differences],
    ]
    texts = ("".join(s.text for s in trained_text.prompt), sent.text)
    tokens = [find_token_numbers(by, text, some, workspace.root) for text, some in zip(texts, at, strict=True)]
    rows = [
        _row(
            difference,
            number,
            names,
            tokens,
            by is not None and trained_differences.is_harmless(difference, sent.kind, by),
        )
        for number, difference in enumerate(differences[:LISTED], 1)
    ]
    if len(differences) > LISTED:
        more = show.h("<p>{}</p>", t("training_text.more", n=len(differences) - LISTED))
    else:
        more = Markup("")
    heads = [t("training_text.difference"), t("training_text.training_head"), t("training_text.serving_head")]
    cells = show.join([show.h('<th scope="col">{}</th>', head) for head in heads])
    table = '<table class="rb-table"><caption>{}</caption><thead><tr>{}</tr></thead><tbody>{}</tbody></table>{}'
    caption = t("training_text.differences", n=len(differences))
    show.draw(
        show.h(
            f'<div class="rb-scroll" role="region" tabindex="0" aria-label="{{}}">{table}</div>',
            caption,
            caption,
            cells,
            show.join(rows),
            more,
        )
    )


def _row(
    difference: FirstDifference,
    number: int,
    names: tuple[str, str],
    tokens: Sequence[Mapping[int, int]],
    harmless: bool,
) -> Markup:
    says = (described, message.describe)
    spots = [
        _spot(spot.start + difference.shared, spot.line, describe(spot.segments[0]) if spot.segments else "", token)
        for spot, describe, token in zip((difference.a, difference.b), says, tokens, strict=True)
    ]
    words = describe_difference(difference, *names)
    words = coded(words[0].upper() + words[1:])
    if harmless:
        words = show.h('{}<br><span class="rb-small">{}</span>', words, t("training_text.harmless"))
    return show.h("<tr><td>{}. {}</td><td>{}</td><td>{}</td></tr>", number, words, *spots)


def _spot(at: int, line: int, origin: str, tokens: Mapping[int, int]) -> Markup:
    where = t("training_text.at", character=at + 1, line=line)
    if at in tokens:
        token = f", {t('training_text.token', n=tokens[at])}"
    else:
        token = ""
    return show.h('{}{}<br><span class="rb-small">{}</span>', where, token, origin)
