"""An excerpt of exact text on a page: the stretch that matters marked, and what is left out counted."""

from __future__ import annotations

from markupsafe import Markup

from readback.bookmarks.entry import Excerpt, split_at_marks
from readback.html import exact
from readback.types import Severity
from readback.ui.common import show
from readback.words import language, t


def quote(part: Excerpt, severity: Severity | None = None) -> Markup:
    """Return the excerpt as markup: its exact characters, but for the counts of what is before and after it."""
    mark = f'<mark class="rb-find rb-{severity or "info"}">{{}}</mark>'
    inner = [show.h(mark, _text(text)) if marked else _text(text) for text, marked in split_at_marks(part)]
    return show.h(
        '<div class="rb-excerpt" role="group" aria-label="{}"{}>{}{}{}</div>',
        part.label or t("findings.excerpt"),
        show.spoken_attribute(),
        _left(part.before),
        show.join(inner),
        _left(part.after),
    )


def _left(count: int) -> Markup:
    """Return the mark that stands for so many characters left out."""
    if not count:
        return Markup("")
    return show.h(' <span class="rb-left-out" lang="{}">{}</span> ', language(), t("findings.left_out", n=count))


def _text(value: str) -> Markup:
    return Markup(exact.text(value))  # noqa: S704 (escaped there)
