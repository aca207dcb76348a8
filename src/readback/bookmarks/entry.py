"""Define an entry of the agenda: a sentence with excerpts of the exact text, a link back and fingerprints."""

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
STRETCH = 1_000  # characters of one marked stretch in an excerpt
WHOLE = 4_000  # characters of an excerpt without a marked stretch


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A part of an exact text: `text` begins at its character `start`, `whole` is the length of the exact text.

    `label` says which text it is; `marks` holds the relevant stretches as offsets (from, to) into `text`.
    """

    text: str
    label: str = ""
    marks: tuple[tuple[int, int], ...] = ()
    start: int = 0
    whole: int = -1  # -1: `text` is all of it

    @property
    def before(self) -> int:
        """Number of characters left out before it."""
        return self.start

    @property
    def after(self) -> int:
        """Number of characters left out behind it."""
        if self.whole < 0:
            return 0
        return self.whole - self.start - len(self.text)


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of the agenda. All parts but the excerpts are single lines.

    `title` is the sentence, `facts` further lines (where it is, how to fix it), `link` the address of the page it comes
    from (absolute where the host is known), `fingerprints` pairs of a label and a digest, `workspace` the name of the
    workspace, `severity` that of a finding.
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
        """Its identity: 16 hex digits of a digest over all fields."""
        text = json.dumps(astuple(self))  # escapes everything beyond ASCII, lone surrogates too
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def cut_excerpt(text: str, start: int, end: int, label: str = "", around: int = AROUND) -> Excerpt:
    """Return the stretch of `text` from `start` to `end`, marked, with `around` characters on both sides.

    A stretch longer than STRETCH is cut; `after` says how much is left out.
    """
    start, end = max(0, min(start, len(text))), max(0, min(end, len(text)))
    first = max(0, start - around)
    marked_end = min(end, start + STRETCH)
    last = marked_end
    if marked_end == end:
        last = min(len(text), end + around)
    return Excerpt(text[first:last], label, ((start - first, marked_end - first),), first, len(text))


def cut_beginning(text: str, label: str = "") -> Excerpt:
    """Return the first WHOLE characters of a text as an excerpt without a mark."""
    return Excerpt(text[:WHOLE], label, (), 0, len(text))


def split_at_marks(excerpt: Excerpt) -> tuple[tuple[str, bool], ...]:
    """Return the text of an excerpt in pieces, each with whether it is marked; joined they are `text`."""
    edges = sorted(
        {0, len(excerpt.text), *(max(0, min(edge, len(excerpt.text))) for mark in excerpt.marks for edge in mark)}
    )
    return tuple(
        (excerpt.text[a:b], any(start < b and end > a for start, end in excerpt.marks))
        for a, b in pairwise(edges)
        if b > a
    )


def read_entry(values: Mapping[str, Any]) -> Entry:
    """Return the entry of plain values, as `dataclasses.asdict` makes them. Raises KeyError, TypeError."""
    excerpts = []
    for excerpt in values.get("excerpts", ()):
        marks = tuple((start, end) for start, end in excerpt.get("marks", ()))
        start, whole = excerpt.get("start", 0), excerpt.get("whole", -1)
        excerpts.append(Excerpt(excerpt["text"], excerpt.get("label", ""), marks, start, whole))
    fingerprints = tuple((str(label), str(digest)) for label, digest in values.get("fingerprints", ()))
    return Entry(
        kind=values["kind"],
        title=str(values["title"]),
        link=str(values.get("link", "")),
        excerpts=tuple(excerpts),
        facts=tuple(map(str, values.get("facts", ()))),
        fingerprints=fingerprints,
        severity=values.get("severity"),
        workspace=str(values.get("workspace", "")),
    )
