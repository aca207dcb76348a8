"""One thing to take along: a sentence, what it is about in its own words, the way back to it, its fingerprint."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import astuple, dataclass
from itertools import pairwise
from typing import Any, Literal

from readback.types import Severity

Kind = Literal["finding", "difference", "message"]

AROUND = 90  # characters before and after a stretch that give it its context
STRETCH = 1_000  # characters of one stretch that are taken along
WHOLE = 4_000  # characters of a text without a stretch to point at


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A part of an exact text: `text` is in it from the character `start` on, `whole` is the length of it all.

    `label` says which text it is; `marks` are the stretches that matter, offsets (from, to) into `text`.
    """

    text: str
    label: str = ""
    marks: tuple[tuple[int, int], ...] = ()
    start: int = 0
    whole: int = -1  # -1: `text` is all of it

    @property
    def before(self) -> int:
        """Characters left out before it."""
        return self.start

    @property
    def after(self) -> int:
        """Characters left out behind it."""
        return 0 if self.whole < 0 else self.whole - self.start - len(self.text)


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing on the list. All parts but the excerpts are single lines.

    `title` is the sentence, `facts` further lines (where it is, how to fix it), `link` the way back (absolute where
    the host is known), `fingerprints` pairs of a label and a digest, `workspace` its name, `severity` a finding's.
    """

    kind: Kind
    title: str
    link: str = ""
    excerpts: tuple[Excerpt, ...] = ()
    facts: tuple[str, ...] = ()
    fingerprints: tuple[tuple[str, str], ...] = ()
    severity: Severity | None = None
    workspace: str = ""

    @property
    def key(self) -> str:
        """What tells it from other entries: 16 hex digits over all of it."""
        text = json.dumps(astuple(self))  # escapes everything beyond ASCII, lone surrogates too
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def excerpt(text: str, start: int, end: int, label: str = "", around: int = AROUND) -> Excerpt:
    """The stretch of `text` from `start` to `end`, marked, with some of what is around it.

    Of a stretch longer than STRETCH its beginning is taken; `after` says how much is left out.
    """
    start, end = max(0, min(start, len(text))), max(0, min(end, len(text)))
    first = max(0, start - around)
    shown = min(end, start + STRETCH)
    last = min(len(text), end + around) if shown == end else shown
    return Excerpt(text[first:last], label, ((start - first, shown - first),), first, len(text))


def beginning(text: str, label: str = "") -> Excerpt:
    """The first WHOLE characters of a text, without a mark."""
    return Excerpt(text[:WHOLE], label, (), 0, len(text))


def cuts(one: Excerpt) -> tuple[tuple[str, bool], ...]:
    """The text in pieces, each with whether it is marked; joined they are `text`."""
    edges = sorted({0, len(one.text), *(max(0, min(edge, len(one.text))) for mark in one.marks for edge in mark)})
    return tuple(
        (one.text[a:b], any(start < b and end > a for start, end in one.marks)) for a, b in pairwise(edges) if b > a
    )


def entry(kept: Mapping[str, Any]) -> Entry:
    """The entry of plain values, as `dataclasses.asdict` made them. Raises KeyError, TypeError."""
    excerpts = tuple(
        Excerpt(one["text"], one.get("label", ""), tuple((a, b) for a, b in one.get("marks", ())), one.get("start", 0),
                one.get("whole", -1))
        for one in kept.get("excerpts", ())
    )  # fmt: skip
    return Entry(
        kept["kind"], str(kept["title"]), str(kept.get("link", "")), excerpts, tuple(map(str, kept.get("facts", ()))),
        tuple((str(label), str(digest)) for label, digest in kept.get("fingerprints", ())), kept.get("severity"),
        str(kept.get("workspace", "")),
    )  # fmt: skip
