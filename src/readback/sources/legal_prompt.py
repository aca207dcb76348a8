"""Find the parts of a legal-summary prompt: instruction, excerpt, citations listed, instructions, the final label.

Source: the *Data Format Guide* of ChonghaoSu/legal_opensource: parts in this order, separated by blank lines, each
under a label at the start of a line but for the first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

EXCERPT, LISTED, INSTRUCTIONS, SUMMARY = "Document Excerpt:", "Citations found:", "Instructions:", "Summary:"
LABELS = (EXCERPT, LISTED, INSTRUCTIONS, SUMMARY)
LABEL = re.compile(rf"^[ \t]*({'|'.join(LABELS)})", re.MULTILINE)
ASKS = re.compile(r"(?:\A|(?<=[.!?])\s+)(Analy[sz]e\b[^.\n]*)", re.IGNORECASE)
SUBJECT = re.compile(r"\b(?:legal|court|judicial|judgment)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of the prompt, without blanks at its ends; `start` and `end` are character offsets into it."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class LegalPrompt:
    """The parts that are there. `excerpt` is None where the label is missing or nothing is under it.

    `role` is a sentence before the instruction; `summary` the last label; `after` what is behind it.
    """

    role: Part | None = None
    instruction: Part | None = None
    excerpt: Part | None = None
    citations_listed: Part | None = None
    instructions: Part | None = None
    summary: Part | None = None
    after: Part | None = None
    labels: tuple[str, ...] = ()  # those at line starts, in their order

    @property
    def checkable(self) -> bool:
        """Tell whether there is an excerpt to hold citations against."""
        return self.excerpt is not None


@lru_cache(maxsize=4)  # several rules look at one row, one after another
def parse(text: str) -> LegalPrompt | None:
    """Return the parts of `text`; None where it is not a prompt of this kind.

    It is one where the excerpt or the list of citations has its label, or where it begins by asking for an analysis.
    The excerpt goes to the next label; a second label of a name ends the part before it and is otherwise not looked
    at, but for the last `Summary:`, which is the one that counts.
    """
    labels = list(_find_labels(text))
    named = tuple(label.text for label in labels)
    role, instruction = _find_opening(text, labels[0].start if labels else len(text))
    if not ({EXCERPT, LISTED} & set(named) or (instruction and _asks_for_analysis(instruction.text, SUMMARY in named))):
        return None
    bodies: dict[str, Part] = {}
    for label, beyond in pairwise((*labels, Part("", len(text), len(text)))):
        if (body := _cut_part(text, label.end, beyond.start)) is not None:
            bodies.setdefault(label.text, body)
    summary = next((label for label in reversed(labels) if label.text == SUMMARY), None)
    if summary:
        after = _cut_part(text, summary.end, len(text))
    else:
        after = None
    listed, instructions = bodies.get(LISTED), bodies.get(INSTRUCTIONS)
    return LegalPrompt(role, instruction, bodies.get(EXCERPT), listed, instructions, summary, after, named)


def _find_labels(text: str) -> Iterator[Part]:
    return (Part(hit[1], hit.start(1), hit.end(1)) for hit in LABEL.finditer(text))


def _asks_for_analysis(text: str, labelled: bool) -> bool:
    """Tell whether an instruction asks to analyse a legal text, and means one that is given (`labelled`, or it says
    so).
    """
    hit = ASKS.match(text)
    return bool(hit and SUBJECT.search(hit[1]) and (labelled or "the following" in hit[1].lower()))


def _find_opening(text: str, end: int) -> tuple[Part | None, Part | None]:
    """Return the sentence before the instruction that gives the model a role, if any, and the instruction."""
    cuts = [0, *(hit.end() for hit in re.finditer(r"\n[ \t]*\n", text[:end])), end]
    parts = [part for start, stop in pairwise(cuts) if (part := _cut_part(text, start, stop))]
    if not parts:
        return None, None
    hit = ASKS.search(parts[0].text)
    if hit and hit.start(1) == 0:
        return None, parts[0]
    if hit:
        cut = parts[0].start + hit.start(1)
        return _cut_part(text, parts[0].start, cut), _cut_part(text, cut, parts[0].end)
    if len(parts) > 1 and ASKS.match(parts[1].text):
        return (parts[0], parts[1])
    return (None, parts[0])


def _cut_part(text: str, start: int, end: int) -> Part | None:
    """Return what is between two offsets without blanks at its ends; None for nothing."""
    body = text[start:end]
    inner = body.strip()
    begin = start + len(body) - len(body.lstrip())
    if inner:
        return Part(inner, begin, begin + len(inner))
    return None
