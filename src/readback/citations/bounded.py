"""Find citations under limits, for pages: a text that costs too much is a diagnostic, never a hang."""

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
MOST = 2_000_000  # characters that are searched at once


@dataclass(frozen=True, slots=True)
class Found:
    """The citations of each text, in the order asked; empty, and a diagnostic why, where nothing was searched."""

    citations: tuple[tuple[Citation, ...], ...]
    diagnostic: Diagnostic | None = None


def find(texts: Sequence[str], steps: Collection[str] = (), patterns: Patterns = "readback") -> Found:
    """The legal citations of some texts. No child is started where none of them can have any."""
    nothing = tuple(() for _ in texts)
    if patterns == "readback" and not any(map(may_cite, texts)):
        return Found(nothing)
    if sum(map(len, texts)) > MOST:
        return Found(nothing, _limit(f"{MOST:,} characters"))
    try:
        said = sandbox.call(WORK, {"texts": list(texts), "steps": sorted(steps), "patterns": patterns}, LIMITS)
    except sandbox.Stopped as stopped:
        return Found(nothing, _limit(stopped.detail))
    return Found(tuple(tuple(map(from_json, citations)) for citations in said))


def database() -> dict[str, str | None]:
    """The versions of what decides what a reporter is, for `readback doctor` and the page."""
    return {name: _version(name) for name in ("eyecite", "reporters-db", "courts-db")}


def _limit(said: str) -> Diagnostic:
    return Diagnostic("dat-limit", {"what": "the search for citations", "limit": said}, flagged="citations")


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
