"""The form of a citation for comparison."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from readback.citations.eyes import Seen


def of(seen: Seen) -> str:
    """Volume, reporter without blanks and case, page: `123 f.3d 456`; of a statute title, code, section.

    "" for forms that name nothing themselves; a page that is not printed yet (`1 U.S. ___`) stays `_`.
    """
    if seen.kind in ("id", "supra", "reference") or not seen.reporter:
        return ""
    reporter = _joined(seen.reporter)
    if seen.kind == "statute":
        title, rest = seen.volume, list(map(_joined, seen.rest))
        if reporter == "c.f.r." and not title and len(rest) > 1:
            title = rest.pop(0)  # eyecite calls it the chapter
        return " ".join(part for part in (title, reporter, *rest, seen.page) if part)
    return " ".join(part for part in (seen.volume, reporter, _joined(seen.page or "_")) if part)


def plain(text: str) -> str:
    """Words in small letters without punctuation; `and` goes too, which others write as `&`."""
    letters = re.sub(r"[\W_]+", " ", re.sub(r"[.'’]", "", text.casefold()))
    return " ".join(word for word in letters.split() if word != "and")


def _joined(text: str) -> str:
    return re.sub(r"\s+", "", text.casefold())
