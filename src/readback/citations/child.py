"""Search texts in the bounded child; the process that forks it loads eyecite once, and its children share that."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from readback.citations import eyes as eyes  # loaded before the fork, not in every child
from readback.citations.citation import as_json
from readback.citations.legal import find


def search(work: Mapping[str, Any]) -> list[list[dict[str, Any]]]:
    """The citations of each text: {"texts": […], "steps": […], "patterns": …}."""
    found = (find(text, work["steps"], work["patterns"]) for text in work["texts"])
    return [[as_json(one) for one in citations] for citations in found]
