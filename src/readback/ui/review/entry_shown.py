"""What somebody put on the agenda from a page, as it was there: its facts, its exact text, the way back."""

from __future__ import annotations

from markupsafe import Markup

from readback.bookmarks.entry import Entry
from readback.ui.common import show
from readback.ui.common.draw import quote
from readback.words import t


def draw(one: Entry) -> Markup:
    """Facts, excerpts and fingerprints of an entry; the title stands above it."""
    word = show.severity(one.severity) if one.severity else ""
    facts = show.join([show.h('<p class="rb-small">{}</p>', fact) for fact in one.facts])
    labelled = [(part, show.h('<p class="rb-small">{}</p>', part.label) if part.label else "") for part in one.excerpts]
    quotes = show.join([show.h("{}{}", label, quote.quote(part, one.severity)) for part, label in labelled])
    link = show.h('<a class="rb-link" target="_self" href="{}">{}</a>', one.link, t("list.see")) if one.link else ""
    digests = [show.h("{} <code>{}</code>", label, digest) for label, digest in one.fingerprints]
    foot = show.join([part for part in (link, one.workspace, *digests) if part], " · ")
    return show.h('<div class="rb-entry">{}{}{}<p class="rb-where">{}</p></div>', word, facts, quotes, foot)
