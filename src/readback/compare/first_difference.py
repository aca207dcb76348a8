"""Name what a difference between a training text and what a model reads is: blanks, an empty think block, system text.

`diff`, the page of training texts, Compare and `check` all use these names, and so cannot disagree.


Where two texts that a model reads part: every stretch that differs, what is before it, and who wrote both sides.

A token of a chat format (`<|im_end|>`, `[INST]`, `</s>`) is one word here, so that a difference beside one is named by
it. Everything is worked out from the two texts and their segments; nothing is rendered."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from readback.compare.marker_alignment import MARKED, MARKER, count_shared, list_differing
from readback.compare.spelling import draw_unseen, is_single, is_unseen, quote, spell_out
from readback.compare.texts import Change
from readback.types import Segment, SelfTest

Kind = Literal["blank", "think", "system", "text"]
THINK = re.compile(r"\s*<(think|thinking|reasoning)>\s*</\1>\s*")
THINK_NAME = "an empty think block"
LETTERS = re.compile(r"[^\W\d_]{2,}")
TEXT_WORDS = 3  # words of a stretch that a template writes by itself, from which on it is a text and no mark of a turn
ROLE_LINE = re.compile(r"\s*(?:system|SYSTEM|System)\s*:?\s*\n")
SYSTEM_ROLE = re.compile(r"(?i)<\|?system\|?>|<<SYS>>|\bsystem(?:\n|<)")


def name_kind(mine: str, theirs: str, my_segments: Sequence[Segment], their_segments: Sequence[Segment]) -> Kind:
    """The kind of a difference, from both stretches and the segments that they are made of.

    think: one side has an empty think block, the other nothing to be seen. blank: nothing but characters that nobody
    sees. system: one side has system text there, its own or the template's.
    """
    if _is_think_pair(mine, theirs) or _is_think_pair(theirs, mine):
        return "think"
    if all(is_unseen(text) for text in (mine, theirs) if text):
        return "blank"
    if find_system_text(mine, my_segments) or find_system_text(theirs, their_segments):
        return "system"
    return "text"


def find_system_text(text: str, segments: Sequence[Segment]) -> str:
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
    around = _cut_between_marks(written, at, at + len(text))
    return around if len(LETTERS.findall(around)) >= TEXT_WORDS else ""


def name_system_text(text: str, segments: Sequence[Segment]) -> str:
    """A side's system text in words: the system text `Be brief.`; the template's own system text `…`; no system text.
    Where the stretch holds something else, it is quoted.
    """
    if whole := find_system_text(text, segments):
        by_template = not any(segment.origin == "system" for segment in segments)
        return f"{'the system text of the template itself,' if by_template else 'the system text'} {quote(whole)}"
    if SYSTEM_ROLE.search(text):
        return f"the system text {quote(text)}"
    return "no system text" if not text.strip() else quote(text)


def name_think_block(text: str) -> str:
    """An empty think block in words, with its blanks drawn."""
    return f"{THINK_NAME} `{draw_unseen(text)}`"


def is_think_block(text: str) -> bool:
    """Whether a stretch is a think block in which nothing is thought."""
    return bool(THINK.fullmatch(text))


def _is_think_pair(text: str, other: str) -> bool:
    return is_think_block(text) and not other.strip()


def _cut_between_marks(text: str, start: int, end: int) -> str:
    """What is around a stretch, from the mark of the format before it to the one behind it, without the role's name."""
    marks = [mark.span() for mark in MARKED.finditer(text)]
    left = max((stop for _, stop in marks if stop <= start), default=0)
    right = min((begin for begin, _ in marks if begin >= end), default=len(text))
    held = MARKED.sub("\n", text[left:right])
    return ROLE_LINE.sub("", held, count=1).strip()


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


def find_first_differences(a: Sequence[Segment], b: Sequence[Segment]) -> tuple[FirstDifference, ...]:
    """Every difference of two texts in order; none where they are equal, character for character."""
    one, other = "".join(s.text for s in a), "".join(s.text for s in b)
    if one == other:
        return ()
    made: list[FirstDifference] = []
    end = 0  # of the difference before, in the first text: what is shared begins there
    for found in list_differing(one, other):
        made.append(_make_difference(found, a, one, b, other, end))
        end = found.a[1]
    return tuple(made)


def compare_self_test(self_test: SelfTest) -> tuple[FirstDifference, ...]:
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
    return find_first_differences([one for one in kept if one.text], self_test.first.segments)


def describe_difference(one: FirstDifference, a: str = "A", b: str = "B") -> str:
    """A difference in words: after `<|im_end|>` A has a newline, B has none."""
    mine, theirs = describe_halves(one)
    where = f"{format_after(one)} "
    if not one.a.text and theirs != ONE:
        return f"{where}{b} has {theirs}, {a} has not"
    if not one.b.text and mine != ONE and theirs != NONE:
        return f"{where}{a} has {mine}, {b} has not"
    return f"{where}{a} has {mine}, {b} has {theirs}"


def find_kind(one: FirstDifference) -> Kind:
    """What kind a difference is of: blanks, an empty think block, system text, or text."""
    return name_kind(one.a.text, one.b.text, one.a.segments, one.b.segments)


def describe_halves(one: FirstDifference) -> tuple[str, str]:
    """What both sides have there: a newline, none; `a`, nothing; an empty think block; the system text `x`."""
    mine, theirs = one.a.text, one.b.text
    kind = find_kind(one)
    if kind == "think":
        a, b = (name_think_block(text) if is_think_block(text) else NOTHING for text in (mine, theirs))
        return a, b
    if kind == "system" and not one.again:
        return name_system_text(mine, one.a.segments), name_system_text(theirs, one.b.segments)
    if is_single(mine) and not theirs.startswith(mine[0]) and not is_unseen(theirs):
        more = f" and goes on with {quote(theirs)}{_note_repeated_system(one)}" if theirs else ""
        return spell_out(mine), f"{NONE}{more}"
    if is_single(theirs) and not mine.startswith(theirs[0]) and not is_unseen(mine):
        if mine:
            return f"{NONE} and goes on with {quote(mine)}", spell_out(theirs)
        return f"no {spell_out(theirs[0]).removeprefix('a ')}", ONE if len(theirs) == 1 else spell_out(theirs)
    if mine and theirs:
        return spell_out(mine), f"{spell_out(theirs)}{_note_repeated_system(one)}"
    if mine:
        return f"{spell_out(mine)}{_note_repetition(one, mine)}", NOTHING
    return NOTHING, f"{spell_out(theirs)}{_note_repeated_system(one) or _note_repetition(one, theirs)}"


def format_place(one: FirstDifference, b: bool = False) -> str:
    """Where a side of a difference begins, counted from 1: character 57, line 2."""
    spot = one.b if b else one.a
    return f"character {spot.start + one.shared + 1:,}, line {spot.line:,}"


def format_after(one: FirstDifference) -> str:
    """Where a difference is, by what both sides have before it: at the start; after `<|im_end|>`."""
    if not one.after:
        return "at the start"
    blanks = one.after[len(one.after.rstrip()) :]
    seen = one.after[: len(one.after) - len(blanks)]
    if blanks == " ":  # between two words, where it goes without saying
        blanks = ""
    before = " and ".join(part for part in (quote(seen) if seen else "", spell_out(blanks) if blanks else "") if part)
    return f"at the end, after {before}," if one.last else f"after {before}"


def _note_repeated_system(one: FirstDifference) -> str:
    return ", the system message once more" if one.again else ""


def _note_repetition(one: FirstDifference, text: str) -> str:
    return " once more" if one.after.endswith(text) and text.strip() else ""


def _make_difference(
    one: Change, a: Sequence[Segment], text_a: str, b: Sequence[Segment], text_b: str, since: int
) -> FirstDifference:
    spots = _make_spot(one.a, a, text_a), _make_spot(one.b, b, text_b)
    last = one.a[1] == len(text_a) and one.b[1] == len(text_b)
    long = max(one.a[1] - one.a[0], one.b[1] - one.b[0])  # what is put in may begin as what it is put before
    near_a, near_b = text_a[one.a[0] : one.a[0] + long], text_b[one.b[0] : one.b[0] + long]
    same = count_shared(near_a, near_b, min(len(near_a), len(near_b)))
    return FirstDifference(
        _find_before(text_a[since : one.a[0]]), *spots, last, _repeats_system(spots[1], text_b), same
    )


def _repeats_system(spot: Spot, text: str) -> bool:
    """Whether a stretch holds a whole system message that the text has before it."""
    return any(one.origin == "system" and one.text.strip() and one.text in text[: spot.start] for one in spot.segments)


def _find_before(shared: str) -> str:
    """What is right before a difference: a token of a chat format or some words, with the blanks after it."""
    near = shared[-LOOK:]
    seen = near.rstrip()
    blanks = near[len(seen) :]
    found = LAST.search(seen) or WORDS.search(seen.rpartition("\n")[2])
    return (found[0] if found else "") + blanks


def _make_spot(span: tuple[int, int], segments: Sequence[Segment], text: str) -> Spot:
    start, end = span
    line = text.count("\n", 0, start) + 1
    column = start - (text.rfind("\n", 0, start) + 1) + 1
    held = tuple(_list_touched(segments, start, max(end, start + 1))) if segments else ()
    return Spot(text[start:end], start, end, line, column, held)


def _list_touched(segments: Sequence[Segment], start: int, end: int) -> Iterator[Segment]:
    """The segments that a stretch touches, whole; at the end of the text the last one."""
    at, last = 0, None
    for one in segments:
        if one.text and at < end and at + len(one.text) > start:
            yield one
        at += len(one.text)
        last = one if one.text else last
    if last is not None and start >= at:
        yield last
