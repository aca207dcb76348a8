"""Find `[n]` marks and legal citations in a text, and judge whether a source contains them.

    find_marks(text) -> tuple[Mark, ...]
    find_citations(text) -> tuple[Citation, ...]
    support.judge_citations(citations, source) -> tuple[Verdict, ...]
    bounded.find_in_child(texts)        searches in the bounded child, for pages
    metrics, support                    numbers of marks and of legal citations

eyecite and its database of reporters (0.2 s) are loaded only when a text is searched.
"""

from readback.citations.citation import Citation, Kind
from readback.citations.legal import find_citations
from readback.citations.marks import Mark, find_marks

__all__ = ["Citation", "Kind", "Mark", "find_citations", "find_marks"]
