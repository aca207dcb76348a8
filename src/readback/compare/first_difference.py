"""Find, classify and describe every stretch in which two texts of a model differ (training text, model input).

A token of a chat format (`<|im_end|>`, `[INST]`, `</s>`) is one word here, so that a difference next to one is named by
it. Only the two texts and their segments are read; nothing is rendered. `diff`, Compare, the page of training texts and
`check` share these names of differences."""

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


def name_kind(text_a: str, text_b: str, segments_a: Sequence[Segment], segments_b: Sequence[Segment]) -> Kind:
    """Return the kind of a difference, from both stretches and the segments that they consist of.

    think: one side has an empty think block, the other nothing to be seen. blank: nothing but characters that nobody
    sees. system: one side has system text there, its own or the template's.
    """
    if _is_think_pair(text_a, text_b) or _is_think_pair(text_b, text_a):
        return "think"
    if all(is_unseen(text) for text in (text_a, text_b) if text):
        return "blank"
    if find_system_text(text_a, segments_a) or find_system_text(text_b, segments_b):
        return "system"
    return "text"


def find_system_text(text: str, segments: Sequence[Segment]) -> str:
    """Return the whole system text that a stretch belongs to (a message's, or the template's own text); else ""."""
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
    if len(LETTERS.findall(around)) >= TEXT_WORDS:
        return around
    return ""


def name_system_text(text: str, segments: Sequence[Segment]) -> str:
    """Describe a side's system text: the system text `Be brief.`; the template's own system text `…`; no system text.
    Where the stretch holds something else, it is quoted.
    """
    if whole := find_system_text(text, segments):
        by_template = not any(segment.origin == "system" for segment in segments)
        return f"{'the system text of the template itself,' if by_template else 'the system text'} {quote(whole)}"
    if SYSTEM_ROLE.search(text):
        return f"the system text {quote(text)}"
    if not text.strip():
        return "no system text"
    return quote(text)


def name_think_block(text: str) -> str:
    """Describe an empty think block, with its blanks drawn."""
    return f"{THINK_NAME} `{draw_unseen(text)}`"


def is_think_block(text: str) -> bool:
    """Return whether a stretch is an empty think block."""
    return bool(THINK.fullmatch(text))


def _is_think_pair(text: str, other: str) -> bool:
    return is_think_block(text) and not other.strip()


def _cut_between_marks(text: str, start: int, end: int) -> str:
    """Return the text around a stretch between the format's marks before and behind it, without the role's name."""
    marks = [mark.span() for mark in MARKED.finditer(text)]
    left = max((stop for _, stop in marks if stop <= start), default=0)
    right = min((begin for begin, _ in marks if begin >= end), default=len(text))
    between = MARKED.sub("\n", text[left:right])
    return ROLE_LINE.sub("", between, count=1).strip()


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
    """Return every difference of two texts in order; nothing where they are equal, character for character."""
    text_a, text_b = "".join(s.text for s in a), "".join(s.text for s in b)
    if text_a == text_b:
        return ()
    differences: list[FirstDifference] = []
    end = 0  # of the difference before, in the first text: what is shared begins there
    for change in list_differing(text_a, text_b):
        differences.append(_make_difference(change, a, text_a, b, text_b, end))
        end = change.a[1]
    return tuple(differences)


def compare_self_test(self_test: SelfTest) -> tuple[FirstDifference, ...]:
    """Return the differences of a model's training text and its input in the self-test, up to where the answer begins.

    The result is empty where one of them is not known, or where its template rendered nothing.
    """
    if self_test.trained:
        trained = self_test.trained.segments
    else:
        trained = ()
    end = "".join(segment.text for segment in trained).rfind(self_test.reply)
    if end < 0 or not self_test.first.segments:
        return ()
    segments: list[Segment] = []
    for segment in trained:
        segments.append(replace(segment, text=segment.text[: max(0, end)]))
        end -= len(segment.text)
    return find_first_differences([segment for segment in segments if segment.text], self_test.first.segments)


def describe_difference(difference: FirstDifference, a: str = "A", b: str = "B") -> str:
    """Describe a difference: after `<|im_end|>` A has a newline, B has none."""
    half_a, half_b = describe_halves(difference)
    where = f"{format_after(difference)} "
    if not difference.a.text and half_b != ONE:
        return f"{where}{b} has {half_b}, {a} has not"
    if not difference.b.text and half_a != ONE and half_b != NONE:
        return f"{where}{a} has {half_a}, {b} has not"
    return f"{where}{a} has {half_a}, {b} has {half_b}"


def find_kind(difference: FirstDifference) -> Kind:
    """Return the kind of a difference: blanks, an empty think block, system text, or text."""
    return name_kind(difference.a.text, difference.b.text, difference.a.segments, difference.b.segments)


def describe_halves(difference: FirstDifference) -> tuple[str, str]:
    """Describe what each side has there: a newline, none; `a`, nothing; an empty think block; the system text `x`."""
    text_a, text_b = difference.a.text, difference.b.text
    kind = find_kind(difference)
    if kind == "think":
        a, b = (name_think_block(text) if is_think_block(text) else NOTHING for text in (text_a, text_b))
        return a, b
    if kind == "system" and not difference.again:
        return name_system_text(text_a, difference.a.segments), name_system_text(text_b, difference.b.segments)
    if is_single(text_a) and not text_b.startswith(text_a[0]) and not is_unseen(text_b):
        if text_b:
            more = f" and goes on with {quote(text_b)}{_note_repeated_system(difference)}"
        else:
            more = ""
        return spell_out(text_a), f"{NONE}{more}"
    if is_single(text_b) and not text_a.startswith(text_b[0]) and not is_unseen(text_a):
        if text_a:
            return f"{NONE} and goes on with {quote(text_a)}", spell_out(text_b)
        return f"no {spell_out(text_b[0]).removeprefix('a ')}", ONE if len(text_b) == 1 else spell_out(text_b)
    if text_a and text_b:
        return spell_out(text_a), f"{spell_out(text_b)}{_note_repeated_system(difference)}"
    if text_a:
        return f"{spell_out(text_a)}{_note_repetition(difference, text_a)}", NOTHING
    return NOTHING, f"{spell_out(text_b)}{_note_repeated_system(difference) or _note_repetition(difference, text_b)}"


def format_place(difference: FirstDifference, b: bool = False) -> str:
    """Format where a side of a difference begins, counted from 1: character 57, line 2."""
    spot = difference.b if b else difference.a
    return f"character {spot.start + difference.shared + 1:,}, line {spot.line:,}"


def format_after(difference: FirstDifference) -> str:
    """Format where a difference is, by what both sides have before it: at the start; after `<|im_end|>`."""
    if not difference.after:
        return "at the start"
    blanks = difference.after[len(difference.after.rstrip()) :]
    visible = difference.after[: len(difference.after) - len(blanks)]
    if blanks == " ":  # between two words, where it goes without saying
        blanks = ""
    before = " and ".join(
        part for part in (quote(visible) if visible else "", spell_out(blanks) if blanks else "") if part
    )
    if difference.last:
        return f"at the end, after {before},"
    return f"after {before}"


def _note_repeated_system(difference: FirstDifference) -> str:
    if difference.again:
        return ", the system message once more"
    return ""


def _note_repetition(difference: FirstDifference, text: str) -> str:
    if difference.after.endswith(text) and text.strip():
        return " once more"
    return ""


def _make_difference(
    change: Change, a: Sequence[Segment], text_a: str, b: Sequence[Segment], text_b: str, since: int
) -> FirstDifference:
    spots = _make_spot(change.a, a, text_a), _make_spot(change.b, b, text_b)
    last = change.a[1] == len(text_a) and change.b[1] == len(text_b)
    long = max(
        change.a[1] - change.a[0], change.b[1] - change.b[0]
    )  # what is put in may begin as what it is put before
    near_a, near_b = text_a[change.a[0] : change.a[0] + long], text_b[change.b[0] : change.b[0] + long]
    same = count_shared(near_a, near_b, min(len(near_a), len(near_b)))
    return FirstDifference(
        _find_before(text_a[since : change.a[0]]), *spots, last, _repeats_system(spots[1], text_b), same
    )


def _repeats_system(spot: Spot, text: str) -> bool:
    """Return whether a stretch contains a whole system message that the text has before it, too."""
    return any(
        segment.origin == "system" and segment.text.strip() and segment.text in text[: spot.start]
        for segment in spot.segments
    )


def _find_before(shared: str) -> str:
    """Return what precedes a difference: a token of a chat format or some words, with the blanks after it."""
    near = shared[-LOOK:]
    visible = near.rstrip()
    blanks = near[len(visible) :]
    match = LAST.search(visible) or WORDS.search(visible.rpartition("\n")[2])
    return (match[0] if match else "") + blanks


def _make_spot(span: tuple[int, int], segments: Sequence[Segment], text: str) -> Spot:
    start, end = span
    line = text.count("\n", 0, start) + 1
    column = start - (text.rfind("\n", 0, start) + 1) + 1
    if segments:
        touched = tuple(_list_touched(segments, start, max(end, start + 1)))
    else:
        touched = ()
    return Spot(text[start:end], start, end, line, column, touched)


def _list_touched(segments: Sequence[Segment], start: int, end: int) -> Iterator[Segment]:
    """Yield the whole segments that a stretch touches; at the end of the text the last one."""
    at, last = 0, None
    for segment in segments:
        if segment.text and at < end and at + len(segment.text) > start:
            yield segment
        at += len(segment.text)
        last = segment if segment.text else last
    if last is not None and start >= at:
        yield last
