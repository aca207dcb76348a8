"""Name what a difference between a training text and what a model reads is: blanks, an empty think block, system text.

`diff`, the page of training texts, Compare and `check` all use these names, and so cannot disagree.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from readback.compare.marker_alignment import MARKED
from readback.compare.spelling import drawn, is_blank, quoted
from readback.types import Segment

Kind = Literal["blank", "think", "system", "text"]
THINK = re.compile(r"\s*<(think|thinking|reasoning)>\s*</\1>\s*")
THINK_NAME = "an empty think block"
WORD = re.compile(r"[^\W\d_]{2,}")
WORDS = 3  # words of a stretch that a template writes by itself, from which on it is a text and no mark of a turn
ROLE_LINE = re.compile(r"\s*(?:system|SYSTEM|System)\s*:?\s*\n")
SYSTEM_ROLE = re.compile(r"(?i)<\|?system\|?>|<<SYS>>|\bsystem(?:\n|<)")


def name_kind(mine: str, theirs: str, my_segments: Sequence[Segment], their_segments: Sequence[Segment]) -> Kind:
    """The kind of a difference, from both stretches and the segments that they are made of.

    think: one side has an empty think block, the other nothing to be seen. blank: nothing but characters that nobody
    sees. system: one side has system text there, its own or the template's.
    """
    if _is_think(mine, theirs) or _is_think(theirs, mine):
        return "think"
    if all(is_blank(text) for text in (mine, theirs) if text):
        return "blank"
    if system_text(mine, my_segments) or system_text(theirs, their_segments):
        return "system"
    return "text"


def system_text(text: str, segments: Sequence[Segment]) -> str:
    """The whole system text that a stretch is a part of: a message's, or what a template writes by itself; else ""."""
    if not text:
        return ""
    own = "".join(segment.text for segment in segments if segment.origin == "system")
    if own:
        return own
    if any(segment.origin != "serving" for segment in segments):
        return ""
    written = "".join(segment.text for segment in segments)
    at = written.find(text)
    if at < 0 or not SYSTEM_ROLE.search(f"{written[:at]}{text}"):
        return ""
    around = _between_marks(written, at, at + len(text))
    return around if len(WORD.findall(around)) >= WORDS else ""


def name_system_text(text: str, segments: Sequence[Segment]) -> str:
    """A side's system text in words: the system text `Be brief.`; the template's own system text `…`; no system text.
    Where the stretch holds something else, it is quoted.
    """
    if whole := system_text(text, segments):
        by_template = not any(segment.origin == "system" for segment in segments)
        return f"{'the system text of the template itself,' if by_template else 'the system text'} {quoted(whole)}"
    if SYSTEM_ROLE.search(text):
        return f"the system text {quoted(text)}"
    return "no system text" if not text.strip() else quoted(text)


def name_think_block(text: str) -> str:
    """An empty think block in words, with its blanks drawn."""
    return f"{THINK_NAME} `{drawn(text)}`"


def is_think_block(text: str) -> bool:
    """Whether a stretch is a think block in which nothing is thought."""
    return bool(THINK.fullmatch(text))


def _is_think(text: str, other: str) -> bool:
    return is_think_block(text) and not other.strip()


def _between_marks(text: str, start: int, end: int) -> str:
    """What is around a stretch, from the mark of the format before it to the one behind it, without the role's name."""
    marks = [mark.span() for mark in MARKED.finditer(text)]
    left = max((stop for _, stop in marks if stop <= start), default=0)
    right = min((begin for begin, _ in marks if begin >= end), default=len(text))
    held = MARKED.sub("\n", text[left:right])
    return ROLE_LINE.sub("", held, count=1).strip()
