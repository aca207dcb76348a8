"""What somebody put on the agenda from a page, as it was there: its facts, its exact text, the way back."""

from __future__ import annotations

from markupsafe import Markup

from readback.bookmarks.entry import Entry
from readback.ui.common import show
from readback.ui.common.draw.text import quote
from readback.words import sentence, t


def draw(entry: Entry) -> Markup:
    """Facts, excerpts and fingerprints of an entry; the title stands above it."""
    word = show.severity(entry.severity) if entry.severity else ""
    facts = show.join([show.h('<p class="rb-small">{}</p>', sentence.capitalise(fact)) for fact in entry.facts])
    labelled = [
        (part, show.h('<p class="rb-small">{}</p>', part.label) if part.label else "") for part in entry.excerpts
    ]
    quotes = show.join([show.h("{}{}", label, quote.quote(part, entry.severity)) for part, label in labelled])
    link = show.h('<a class="rb-link" target="_self" href="{}">{}</a>', entry.link, t("list.see")) if entry.link else ""
    digests = [show.h("{} <code>{}</code>", label, digest) for label, digest in entry.fingerprints]
    foot = show.join([part for part in (link, entry.workspace, *digests) if part], " · ")
    return show.h('<div class="rb-entry">{}{}{}<p class="rb-where">{}</p></div>', word, facts, quotes, foot)
