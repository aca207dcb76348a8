"""Where two texts that a model reads part: every stretch that differs, what is before it, and who wrote both sides.

A token of a chat format (`<|im_end|>`, `[INST]`, `</s>`) is one word here, so that a difference beside one is named by
it. Everything is worked out from the two texts and their segments; nothing is rendered.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from readback.compare.change import Change
from readback.compare.difference_kinds import Kind, is_think_block, name_kind, name_system_text, name_think_block
from readback.compare.marker_alignment import MARKER, differing, shared
from readback.compare.spelling import is_blank, quoted, single, spelling
from readback.types import Segment, SelfTest

LAST = re.compile(rf"(?:{MARKER})\Z")
WORDS = re.compile(r"\S.{0,30}\S\Z|\S\Z")
NONE, ONE, NOTHING = "none", "one", "nothing"
LOOK = 120  # characters before a difference in which its neighbour is looked for


@dataclass(frozen=True, slots=True)
class Spot:
    """A stretch of one side: characters `start` to `end` from 0, the `line` and `column` from 1 where it begins,
    and the segments it is made of; where it is empty, the segment that goes on there.
    """

    text: str
    start: int
    end: int
    line: int
    column: int
    segments: tuple[Segment, ...] = ()


@dataclass(frozen=True, slots=True)
class FirstDifference:
    """One difference. `after` is what both sides have right before it, "" at the start; `last`: it ends both texts.

    `again`: what the second side has more is a system message that is in it before, too. From where both stretches
    begin, so many characters are still `shared`: the first that differs comes after them.
    """

    after: str
    a: Spot
    b: Spot
    last: bool = False
    again: bool = False
    shared: int = 0


def first_differences(a: Sequence[Segment], b: Sequence[Segment]) -> tuple[FirstDifference, ...]:
    """Every difference of two texts in order; none where they are equal, character for character."""
    one, other = "".join(s.text for s in a), "".join(s.text for s in b)
    if one == other:
        return ()
    made: list[FirstDifference] = []
    end = 0  # of the difference before, in the first text: what is shared begins there
    for found in differing(one, other):
        made.append(_first_difference(found, a, one, b, other, end))
        end = found.a[1]
    return tuple(made)


def of_self_test(self_test: SelfTest) -> tuple[FirstDifference, ...]:
    """Where a model's training text and what it reads part whatever the record, up to where the answer begins.

    None where one of them is not known, or where its template made nothing.
    """
    trained = self_test.trained.segments if self_test.trained else ()
    end = "".join(one.text for one in trained).rfind(self_test.reply)
    if end < 0 or not self_test.first.segments:
        return ()
    kept: list[Segment] = []
    for one in trained:
        kept.append(replace(one, text=one.text[: max(0, end)]))
        end -= len(one.text)
    return first_differences([one for one in kept if one.text], self_test.first.segments)


def said(one: FirstDifference, a: str = "A", b: str = "B") -> str:
    """A difference in words: after `<|im_end|>` A has a newline, B has none."""
    mine, theirs = halves(one)
    where = f"{after(one)} "
    if not one.a.text and theirs != ONE:
        return f"{where}{b} has {theirs}, {a} has not"
    if not one.b.text and mine != ONE and theirs != NONE:
        return f"{where}{a} has {mine}, {b} has not"
    return f"{where}{a} has {mine}, {b} has {theirs}"


def kind_of(one: FirstDifference) -> Kind:
    """What kind a difference is of: blanks, an empty think block, system text, or text."""
    return name_kind(one.a.text, one.b.text, one.a.segments, one.b.segments)


def halves(one: FirstDifference) -> tuple[str, str]:
    """What both sides have there: a newline, none; `a`, nothing; an empty think block; the system text `x`."""
    mine, theirs = one.a.text, one.b.text
    kind = kind_of(one)
    if kind == "think":
        a, b = (name_think_block(text) if is_think_block(text) else NOTHING for text in (mine, theirs))
        return a, b
    if kind == "system" and not one.again:
        return name_system_text(mine, one.a.segments), name_system_text(theirs, one.b.segments)
    if single(mine) and not theirs.startswith(mine[0]) and not is_blank(theirs):
        more = f" and goes on with {quoted(theirs)}{_again(one)}" if theirs else ""
        return spelling(mine), f"{NONE}{more}"
    if single(theirs) and not mine.startswith(theirs[0]) and not is_blank(mine):
        if mine:
            return f"{NONE} and goes on with {quoted(mine)}", spelling(theirs)
        return f"no {spelling(theirs[0]).removeprefix('a ')}", ONE if len(theirs) == 1 else spelling(theirs)
    if mine and theirs:
        return spelling(mine), f"{spelling(theirs)}{_again(one)}"
    if mine:
        return f"{spelling(mine)}{_once_more(one, mine)}", NOTHING
    return NOTHING, f"{spelling(theirs)}{_again(one) or _once_more(one, theirs)}"


def place(one: FirstDifference, b: bool = False) -> str:
    """Where a side of a difference begins, counted from 1: character 57, line 2."""
    spot = one.b if b else one.a
    return f"character {spot.start + one.shared + 1:,}, line {spot.line:,}"


def after(one: FirstDifference) -> str:
    """Where a difference is, by what both sides have before it: at the start; after `<|im_end|>`."""
    if not one.after:
        return "at the start"
    blanks = one.after[len(one.after.rstrip()) :]
    seen = one.after[: len(one.after) - len(blanks)]
    if blanks == " ":  # between two words, where it goes without saying
        blanks = ""
    before = " and ".join(part for part in (quoted(seen) if seen else "", spelling(blanks) if blanks else "") if part)
    return f"at the end, after {before}," if one.last else f"after {before}"


def _again(one: FirstDifference) -> str:
    return ", the system message once more" if one.again else ""


def _once_more(one: FirstDifference, text: str) -> str:
    return " once more" if one.after.endswith(text) and text.strip() else ""


def _first_difference(
    one: Change, a: Sequence[Segment], text_a: str, b: Sequence[Segment], text_b: str, since: int
) -> FirstDifference:
    spots = _spot(one.a, a, text_a), _spot(one.b, b, text_b)
    last = one.a[1] == len(text_a) and one.b[1] == len(text_b)
    long = max(one.a[1] - one.a[0], one.b[1] - one.b[0])  # what is put in may begin as what it is put before
    near_a, near_b = text_a[one.a[0] : one.a[0] + long], text_b[one.b[0] : one.b[0] + long]
    same = shared(near_a, near_b, min(len(near_a), len(near_b)))
    return FirstDifference(_before(text_a[since : one.a[0]]), *spots, last, _is_again(spots[1], text_b), same)


def _is_again(spot: Spot, text: str) -> bool:
    """Whether a stretch holds a whole system message that the text has before it."""
    return any(one.origin == "system" and one.text.strip() and one.text in text[: spot.start] for one in spot.segments)


def _before(shared: str) -> str:
    """What is right before a difference: a token of a chat format or some words, with the blanks after it."""
    near = shared[-LOOK:]
    seen = near.rstrip()
    blanks = near[len(seen) :]
    found = LAST.search(seen) or WORDS.search(seen.rpartition("\n")[2])
    return (found[0] if found else "") + blanks


def _spot(span: tuple[int, int], segments: Sequence[Segment], text: str) -> Spot:
    start, end = span
    line = text.count("\n", 0, start) + 1
    column = start - (text.rfind("\n", 0, start) + 1) + 1
    held = tuple(_within(segments, start, max(end, start + 1))) if segments else ()
    return Spot(text[start:end], start, end, line, column, held)


def _within(segments: Sequence[Segment], start: int, end: int) -> Iterator[Segment]:
    """The segments that a stretch touches, whole; at the end of the text the last one."""
    at, last = 0, None
    for one in segments:
        if one.text and at < end and at + len(one.text) > start:
            yield one
        at += len(one.text)
        last = one if one.text else last
    if last is not None and start >= at:
        yield last
