"""Search texts in the bounded child; the process that forks children loads eyecite once for all of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from readback.citations import eyecite_search as eyecite_search  # loaded before the fork, not in every child
from readback.citations.citation import as_json
from readback.citations.legal import find_citations


def search(work: Mapping[str, Any]) -> list[list[dict[str, Any]]]:
    """Return the citations of each text of `work`: {"texts": […], "steps": […], "patterns": …}."""
    answers = []
    for text in work["texts"]:
        citations = find_citations(text, work["steps"], work["patterns"])
        answers.append([as_json(citation) for citation in citations])
    return answers
