"""Normalise citations and names for comparison."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from readback.citations.eyecite_search import EyeciteCitation


def normalise(citation: EyeciteCitation) -> str:
    """Return volume, reporter without blanks and case, page: `123 f.3d 456`; for a statute title, code, section.

    "" for forms that identify nothing themselves; a page that is not printed yet (`1 U.S. ___`) becomes `_`.
    """
    if citation.kind in ("id", "supra", "reference") or not citation.reporter:
        return ""
    reporter = _remove_blanks(citation.reporter)
    if citation.kind == "statute":
        title, rest = citation.volume, list(map(_remove_blanks, citation.rest))
        if reporter == "c.f.r." and not title and len(rest) > 1:
            title = rest.pop(0)  # eyecite calls it the chapter
        return " ".join(part for part in (title, reporter, *rest, citation.page) if part)
    return " ".join(part for part in (citation.volume, reporter, _remove_blanks(citation.page or "_")) if part)


def simplify(text: str) -> str:
    """Return the words in small letters without punctuation, and without `and`, since other texts write `&`."""
    letters = re.sub(r"[\W_]+", " ", re.sub(r"[.'’]", "", text.casefold()))
    return " ".join(word for word in letters.split() if word != "and")


def _remove_blanks(text: str) -> str:
    return re.sub(r"\s+", "", text.casefold())
