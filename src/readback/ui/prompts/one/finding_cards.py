"""The findings of a message: the errors as lines above its text, and all of them as cards beside it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from readback import plugins
from readback.checks.groups import paragraphs, title
from readback.checks.quoted import Quoted, sent_of
from readback.checks.rules import Fault
from readback.html.templates import render_template
from readback.types import Assembly, Finding, Location
from readback.ui.common import show
from readback.ui.common.draw import listing, places
from readback.ui.common.draw.text import bookmarks, quote
from readback.ui.common.state import choice
from readback.words import t

CARDS = 12  # findings with an excerpt and buttons; further ones are a plain list
LINES = 3  # errors above one text
SENTENCES = 2  # of why a finding matters
AROUND = 24  # characters around the stretch of a finding


def draw_errors(numbered: Sequence[tuple[int, Finding]]) -> None:
    """Draw a line for each error of a text, to stand above it; the numbers are those of its marks and cards."""
    errors = [(n, finding) for n, finding in numbered if finding.severity == "error"]
    if not errors:
        return
    values = [
        {
            "number": n,
            "word": _capitalise_first(t("frame.error")),
            "title": title(finding.code),
            "fix": _capitalise(finding.fix),
        }
        for n, finding in errors[:LINES]
    ]
    if len(errors) > LINES:
        more = t("messages.more_errors", n=len(errors) - LINES)
    else:
        more = ""
    show.draw(
        render_template(
            "ui/prompts/one/error_lines.html.jinja",
            errors=values,
            more=more,
            word=_capitalise_first(t("frame.error")),
            fix_title=t("messages.how_to_fix"),
        )
    )


def draw_cards(
    findings: Sequence[Finding], faults: Sequence[Fault], assembly: Assembly, tried: Mapping[str, Any]
) -> None:
    """Draw the findings about what is in view, numbered as they are marked."""
    if findings or not assembly.messages:
        heading = t("messages.findings_n", n=len(findings)) if findings else t("messages.no_findings")
        show.draw(show.h("<h3>{}</h3>", heading))
    context = Quoted(choice.workspace(), choice.dataset(), choice.answer)
    if findings and assembly.index is not None:
        context.assemblies[assembly.index, sent_of(findings[0].place)] = assembly
    for number, finding in enumerate(findings[:CARDS], 1):
        _draw_card(number, finding, context, bool(tried))
    # Record and condition are on the screen already: the place says the rest.
    if len(findings) > CARDS:
        rows = [
            show.finding(replace(finding, place=_spot(finding.place)), number, to_message=False)
            for number, finding in enumerate(findings[CARDS:], CARDS + 1)
        ]
        show.draw(show.h('<div class="rb-findings">{}</div>', show.join(rows)))
    for rule, error in dict.fromkeys((fault.rule, fault.error) for fault in faults):
        show.problem(t("messages.rule_fault", rule=rule, author=plugins.name_author(rule)), error)


def _draw_card(number: int, finding: Finding, context: Quoted, is_tried: bool) -> None:
    if is_tried:
        part = None
    else:
        part = context.excerpt(finding, AROUND)
    why = paragraphs(finding.code)[1:2]
    show.draw(
        render_template(
            "ui/prompts/one/finding_card.html.jinja",
            finding=finding,
            number=number,
            severity=show.severity(finding.severity),
            excerpt=quote.quote(part, finding.severity) if part else "",
            why=listing.prose(_cut(why[0])) if why else "",
            title=title(finding.code),
            sentence=_capitalise(finding.message),
            because=show.because(finding),
            fix_label=t("findings.fix_first"),
            fix=_capitalise(finding.fix),
            where=show.where(_spot(finding.place)),
            to_findings=show.link("findings", t("messages.see_in_findings"), code=finding.code),
            here=not show.is_in_message(finding.place) and st.query_params.get("finding") == finding.key,
        )
    )
    if not is_tried:
        bookmarks.offer(f"finding_{number}", places.entry(finding, context, part))


def _cut(paragraph: str) -> str:
    """Return the first SENTENCES sentences of a paragraph of a rule's page; its page has the others."""
    sentences = re.split(r"(?<=[.?!]) (?=[A-Z`])", paragraph)
    return " ".join(sentences[:SENTENCES])


def _capitalise_first(text: str) -> str:
    return text[:1].upper() + text[1:]


def _capitalise(sentence: str) -> str:
    """Return what a rule says in half a sentence as a sentence of its own."""
    if not sentence or sentence.endswith((".", "?", "!", ":")):
        end = ""
    else:
        end = "."
    return _capitalise_first(sentence) + end


def _spot(place: Location) -> Location:
    return Location(file=place.file, line=place.line, column=place.column, role=place.role, field=place.field)
