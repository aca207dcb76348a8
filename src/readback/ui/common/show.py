"""Small things that every page shows: links, findings, tables, empty states. All text is escaped here.

Markup is put together with `h`, which escapes what it is given, and drawn with `draw`; never with Markdown,
which would fetch images that somebody wrote into a prompt. `md` makes a text safe where Streamlit insists on
Markdown (labels of buttons, captions).

    h("<b>{}</b>", anything) -> Markup      draw(markup)                     md(text) -> str
    link(page, label, **params) -> Markup   page_link(page, label, **params) empty(sentence, label, page)
    severity(word) -> Markup                findings(list) / finding(one)    problem(sentence, detail)
    aloud(text) -> Markup
    where(place) -> str                     number(n) -> str                 notice(sentence)
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

import streamlit as st
from markupsafe import Markup

from readback.checks import groups
from readback.checks.quoted import READ as READ
from readback.checks.quoted import role as role
from readback.checks.quoted import where as where
from readback.html import directions, exact
from readback.types import Finding, Location
from readback.ui.common import address, own_files
from readback.words import sentence as sentences
from readback.words import t

SPOKEN = "spoken"  # where a run of a page keeps the language of the workspace's texts; None: that of the page
SIGNS = {"error": "✕", "warning": "▲", "info": "●"}  # a shape for each, so that nothing depends on colour
ADDRESS = re.compile(r"https?:(?=//)|www(?=\.)|(?<=\w)(?=@)", re.IGNORECASE)  # where a link would be made


def h(template: str, *values: Any, **named: Any) -> Markup:
    """Markup with values escaped into its places: `h("<td>{}</td>", text)`. Markup values stay as they are."""
    return Markup(template).format(*values, **named)  # noqa: S704 (the template is ours, the values are escaped)


def join(parts: Sequence[Any], by: str = "") -> Markup:
    """Return the parts one after another; what is not Markup is escaped."""
    return Markup(by).join(parts)  # noqa: S704


def draw(markup: Markup) -> None:
    """Put markup on the page. Takes Markup only, so that plain text cannot slip in unescaped."""
    if not isinstance(markup, Markup):
        raise TypeError("draw takes Markup; make it with h()")
    st.html(f'<div class="rb">{directions.isolate_names(exact.spelling(markup))}</div>')


def md(text: object) -> str:
    """Return a text as Markdown that shows the same text: for labels, captions and hints that Streamlit reads as
    Markdown.

    Streamlit makes links of addresses even where every sign is escaped (remark-gfm looks through the finished text),
    so an address gets a word joiner, which nobody sees, where it would be recognised.
    """
    line = " ".join(exact.spelling(str(text)).split())
    line = ADDRESS.sub("\\g<0>\u2060", line)
    return re.sub(r"([\\`*_{}\[\]()<>#+\-.!|~:$&^=\"'/@])", r"\\\1", line)


def style() -> None:
    """Draw the style sheet of all pages; app.py calls it. A linked one is not drawn again: a browser would hold each
    element against each rule twice.

    What Streamlit opens above the page hangs beside it and does not inherit its theme, so that is said once more.
    """
    if not own_files.LINKED:
        st.html(f"<style>{own_files.sheet(str(st.get_option('server.baseUrlPath') or ''))}</style>")
    if st.context.theme.type == "dark":
        scheme = "dark"
    else:
        scheme = "light"
    st.html(h("<style>#stFloatingOverlayPortal {{ color-scheme: {}; }}</style>", scheme))


def word(text: str) -> None:
    """Draw a word in a row of controls, as wide as it is."""
    st.html(h('<span class="rb-bar-word">{}</span>', text), width="content")


def link(page: str, label: object, **params: str | None) -> Markup:
    """Return a link to a page of ours, as markup: `link("prompts", "record 12", record="12", finding=key)`.

    `page` is the page's address (overview, prompts, results, findings, review, open). The shared keys (workspace,
    record, what is sent) stay as they are unless given; None takes one out.
    """
    return h('<a class="rb-link" target="_self" href="{}">{}</a>', address.href(page, **params), label)


def breaks(name: str) -> Markup:
    """Return a long name that may break after an underscore or a slash, and in no other place."""
    return join([h("{}", part) for part in re.findall(r"[^_/]*[_/]|[^_/]+$", name) or [name]], Markup("<wbr>"))


def current(markup: Markup) -> Markup:
    """Return a link to what is in view, marked as such for whoever does not see it."""
    return markup.replace("<a ", Markup('<a aria-current="true" '), 1)


def tab(here: bool) -> Markup:
    """Return the attributes of one of several links that the arrow keys go through: Tab reaches the one in view."""
    if here:
        return h(' aria-selected="true" aria-current="page" tabindex="0"')
    return h(' aria-selected="false" tabindex="-1"')


def page_link(page: str, label: str, **params: str | None) -> None:
    """Draw a link to a page of ours as an element of its own."""
    st.page_link(f"pages/{page or address.HOME}_page.py", label=md(label), query_params=address.query(**params))


def empty(sentence: str, label: str = "", page: str = "", *others: tuple[str, str]) -> None:
    """Nothing here: say so, and offer the next step as a link; `others` are further ones, each a label and its page."""
    steps = [h("<p>{}</p>", link(to, words)) for words, to in ((label, page), *others) if words]
    draw(h('<div class="rb-empty"><p>{}</p>{}</div>', sentence, join(steps)))


def notice(sentence: object, kind: str = "info") -> None:
    """One quiet line that must not be missed: masked, not exact; a file changed; nothing was sent."""
    draw(h('<p class="rb-notice rb-{}" role="note">{} {}</p>', kind, _sign(kind), sentence))


def aloud(text: str, **more: str) -> Markup:
    """Return what a screen reader says when it changes while somebody stays on the page; nothing of it is drawn.

    `more` becomes data attributes beside it: `ended` is said once this is gone and nothing has come in its place.
    """
    extra = join([h(' data-rb-{}="{}"', name, value) for name, value in more.items()])
    return h('<span class="rb-aloud" data-rb-say="{}"{}></span>', text, extra)


def problem(sentence: str, detail: str = "") -> None:
    """Something did not work: a fixed sentence, and what was said about it exactly as it is."""
    draw(h('<p class="rb-notice rb-error" role="alert">{} {}</p>', _sign("error"), sentence))
    if detail:
        st.code(exact.spelling(detail), language=None, wrap_lines=True)


def severity(word: str, n: int | None = None) -> Markup:
    """Return a severity by sign, word and colour; with a count where one is given."""
    if n is None:
        words = t(f"frame.{word}")
    else:
        words = t(f"frame.{word}_n", n=n)
    return mark_severity(word, words)


def mark_severity(word: str, words: Markup | str) -> Markup:
    """Return words on what is found, behind the sign and in the colour of its severity."""
    return h('<span class="rb-severity rb-{}">{} {}</span>', word, _sign(word), words)


def sign_severity(word: str) -> Markup:
    """Return a severity by sign and colour in a list that is narrow; its word on hover and aloud."""
    words = t(f"frame.{word}")
    return h(
        '<span class="rb-severity rb-{}" title="{}">{}<span class="rb-aloud"> {}</span></span>',
        word,
        words,
        _sign(word),
        words,
    )


def has_message(at: Location) -> bool:
    """Whether a place is on Prompts: one of a record, or in a message that is made without any data."""
    return (
        at.record is not None or at.index is not None or (at.role is not None and any((at.condition, at.mode, at.task)))
    )


def is_in_message(place: Location) -> bool:
    """Tell whether a place is a stretch of a message, which is marked there; one of a field may not be sent at all."""
    return place.role is not None and place.start is not None


def finding(finding_: Finding, number: int | None = None, to_message: bool = True) -> Markup:
    """One finding: severity, its sentence, where it is, the code small; linked to its message.

    Beside its message (not `to_message`) the one that the address names is outlined where no text can be marked.
    """
    place = finding_.place
    here = has_message(place)
    target = {
        "record": place.record,
        "index": None if place.record is not None or place.index is None else str(place.index),
        "condition": place.condition,
        "mode": None if place.condition else place.mode,
        "adapter": None if place.condition else place.adapter,
        "task": None if place.condition else place.task,
        "judge": place.judge,
        "finding": finding_.key,
        "layer": "wire" if place.role == READ else None,
    }
    if to_message and here:
        anchor = link("prompts", t("frame.see_message"), **target)
    else:
        anchor = Markup("")
    if number is not None:
        count = h('<span class="rb-n">{}</span> ', number)
    else:
        count = Markup("")
    in_address = not to_message and not is_in_message(place) and st.query_params.get("finding") == finding_.key
    return h(
        '<div class="rb-finding rb-{}{}" id="f-{}"{}>{}{} <span class="rb-say">{}</span>'
        '<p class="rb-fix">{}</p>{}<p class="rb-where">{} <code>{}</code> {}</p></div>',
        finding_.severity,
        " rb-here" if in_address else "",
        finding_.key,
        Markup(' aria-current="true"') if in_address else "",
        count,
        severity(finding_.severity),
        sentences.finish(finding_.message),
        sentences.finish(finding_.fix),
        because(finding_),
        where(place),
        finding_.code,
        anchor,
    )


def because(finding_: Finding) -> Markup:
    """Why its severity is not that of its rule, where it is another: the same rule is an error elsewhere."""
    sentence = groups.because(finding_)
    if sentence:
        return h('<p class="rb-small">{}</p>', sentence)
    return Markup("")


def findings(many: Sequence[Finding], numbered: bool = False, to_message: bool = True) -> None:
    """Draw a list of findings."""
    rows = [finding(finding_, n if numbered else None, to_message) for n, finding_ in enumerate(many, 1)]
    draw(h('<div class="rb-findings">{}</div>', join(rows)))


def number(value: float | None, digits: int = 2) -> str:
    """Return a number for people: 9,589; 1.57; a dash for what is absent."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "–"
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:,.{digits}f}"


def exact_text(value: str) -> Markup:
    """Return a short exact text (an excerpt, a field's value) as markup, with its line breaks and language."""
    text = Markup(exact.text(value))  # noqa: S704 (escaped there)
    return h('<span class="rb-text"{}>{}</span>', spoken_attribute(), text)


def spoken_attribute() -> Markup:
    """Return the language of the workspace's texts as an attribute with a blank before it: none where it is that of the
    page, an empty one where nobody states it, so that a text is not read out as one in the language of the page.
    """
    language: str | None = st.session_state.get(SPOKEN, "")
    if language is None:
        return Markup("")
    return h(' lang="{}"', language)


def text(value: str) -> Markup:
    """Return a text out of the files inside a line or a cell, in its language."""
    return h("<span{}>{}</span>", spoken_attribute(), value)


def _sign(word: str) -> Markup:
    return h('<span class="rb-sign" aria-hidden="true">{}</span>', SIGNS.get(word, "●"))
