"""Citations: `[n]` marks and legal citations, where they are in a text, and whether a source has them.

    marks(text) -> tuple[Mark, ...]              find(text) -> tuple[Citation, ...]
    judged(citations, source) -> tuple[Verdict, ...]     numbers of both: metrics, support
    bounded.find(text)                            the same in the bounded child, for pages

Nothing here is loaded before a text is searched: eyecite and its database of reporters cost 0.2 s.
"""

from readback.citations.citation import Citation, Kind
from readback.citations.legal import find
from readback.citations.marks import Mark, marks

__all__ = ["Citation", "Kind", "Mark", "find", "marks"]
