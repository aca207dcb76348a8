"""Find citations in the bounded child, for pages: a text that costs too much is a diagnostic, never a hang."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from readback import sandbox
from readback.citations.citation import Citation, from_json
from readback.citations.legal import Patterns, may_cite
from readback.types import Diagnostic

WORK = "readback.citations.child:search"
LIMITS = sandbox.Limits(seconds=5.0, total=5.0, output=16 << 20)
MOST = 2_000_000  # characters of all texts together


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The citations of each text, in the order of the texts.

    Where the search went beyond its limits, all are empty and `diagnostic` says why.
    """

    citations: tuple[tuple[Citation, ...], ...]
    diagnostic: Diagnostic | None = None


def find_in_child(texts: Sequence[str], steps: Collection[str] = (), patterns: Patterns = "readback") -> SearchResult:
    """Return the legal citations of each text. No child is started where no text can have any."""
    nothing = tuple(() for _ in texts)
    if patterns == "readback" and not any(map(may_cite, texts)):
        return SearchResult(nothing)
    if sum(map(len, texts)) > MOST:
        return SearchResult(nothing, _limit_diagnostic(f"{MOST:,} characters"))
    try:
        answers = sandbox.call(WORK, {"texts": list(texts), "steps": sorted(steps), "patterns": patterns}, LIMITS)
    except sandbox.Stopped as stopped:
        return SearchResult(nothing, _limit_diagnostic(stopped.detail))
    return SearchResult(tuple(tuple(map(from_json, citations)) for citations in answers))


def list_versions() -> dict[str, str | None]:
    """Return the versions of the packages that decide what a reporter is, for `readback doctor` and the page."""
    return {name: _installed_version(name) for name in ("eyecite", "reporters-db", "courts-db")}


def _limit_diagnostic(limit: str) -> Diagnostic:
    return Diagnostic("dat-limit", {"what": "the search for citations", "limit": limit}, flagged="citations")


def _installed_version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
