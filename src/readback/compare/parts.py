"""Name the parts of a message by their writers, and measure stretches in the largest unit that a reader counts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from readback.types import Message, Segment

# What the built-in prompt formats call their two fields; their texts say Question: and Context:.
BUILT = {"instruction": "the question", "contexts": "the context"}
FIXED = {"adapter": "the adapter's text", "instruction": "the user instruction", "serving": "the server's text"}
LONGEST = 60  # characters of a name
WRITTEN = ("system", "task", "template", "joiner", "unknown")  # by hand, and by nobody who has a name


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of a message's text that goes by one name."""

    name: str
    start: int
    end: int


def list_parts(message: Message) -> tuple[Part, ...]:
    """Return the named parts in the order of the text; neighbours of one name, with blanks between them, are one part.

    A text that is one variable from end to end (a stored prompt) has none: the name would say nothing about a place.
    """
    built = any(s.origin == "template" and (s.name or "").endswith(" format") for s in message.segments)
    parts: list[Part] = []
    at, whole = 0, True  # whole: nothing but blanks since the last part
    for segment in message.segments:
        end = at + len(segment.text)
        name = _name_segment(segment, built)
        if name is None:
            whole = whole and not segment.text.strip()
        elif segment.text:
            if parts and whole and parts[-1].name == name:
                start = parts.pop().start
            else:
                start = at
            parts.append(Part(name, start, end))
            whole = True
        at = end
    if [(part.start, part.end) for part in parts] == [(0, at)]:
        return ()
    return tuple(parts)


def find_holder(parts: Sequence[Part], start: int, end: int) -> Part | None:
    """Return the part that contains a stretch; None without one."""
    return next((part for part in parts if part.start <= start and end <= part.end), None)


def list_inside(parts: Sequence[Part], start: int, end: int) -> tuple[Part, ...]:
    """Return the parts that a stretch contains whole."""
    return tuple(part for part in parts if start <= part.start and part.end <= end)


def name_variable(name: str) -> str:
    """Return what a reader calls a variable: rag.contexts[2] is the contexts."""
    plain = name.partition("[")[0].rpartition(".")[2][:LONGEST]
    if plain.isalpha() and plain.islower():
        return f"the {plain}"
    return f"the variable {plain}"


def _name_segment(segment: Segment, built: bool) -> str | None:
    if segment.origin in WRITTEN:
        return None
    if segment.origin in FIXED:
        return FIXED[segment.origin]
    plain = (segment.name or "").partition("[")[0].rpartition(".")[2]
    if built and plain in BUILT:
        return BUILT[plain]
    return name_variable(segment.name or "value")


Unit = Literal["part", "quote", "number", "sentence", "line", "word", "newline", "final newline", "space", "tab",
               "no-break space", "Windows line end", "character of white space"]  # fmt: skip
QUOTED = 48  # characters of a text that is quoted and not counted
HALF = 2  # a stretch goes by the name of a part that fills half of it
LINES = 4  # lines without sentences that are counted as lines
SENTENCE = re.compile(r"""\w[)\]"'»”]?[.!?…]+(?!\w)""")  # its end: looked for, not its beginning, to read a text once
BETWEEN = re.compile(r"[.!?…]\s+(?=\S)|\n\s*(?=\S)")
BLANK = re.compile(r"\s*")
NUMBER = re.compile(r"[+-]?\d+(?:[.,]\d+)*%?")
BLANKS: dict[str, Unit] = {"\r\n": "Windows line end", "\n": "newline", " ": "space", "\t": "tab"}
BLANKS |= {"\u00a0": "no-break space", "\u202f": "no-break space"}


@dataclass(frozen=True, slots=True)
class Amount:
    """`n` of a unit; `text` is a part's name, or what is quoted; `more` counts the sentences around a part."""

    unit: Unit
    n: int = 1
    text: str = ""
    more: int = 0


def measure_amount(text: str, start: int, end: int, parts: Sequence[Part] = ()) -> Amount:
    """Measure text[start:end]: a named part, a short quotation, or a number of sentences, lines or words."""
    stretch = text[start:end]
    if not stretch.strip():
        return measure_blanks(text, start, end)
    inside = list_inside(parts, start, end)
    if sum(part.end - part.start for part in inside) * HALF >= len(stretch.strip()):
        largest = max(inside, key=lambda part: (part.name in FIXED.values(), part.end - part.start))
        cuts = [start, *(at for part in inside for at in (part.start, part.end)), end]
        around = "\n".join(text[low:high] for low, high in zip(cuts[::2], cuts[1::2], strict=True))
        return Amount("part", text=largest.name, more=len(SENTENCE.findall(around)))
    before = text[:start].rstrip(" \t")[-1:]
    inner = before and before not in ".!?…:\n"  # it begins inside a sentence
    plain = " ".join(stretch.split())
    if inner and len(plain) <= QUOTED and "\n" not in stretch.strip() and not NUMBER.fullmatch(plain):
        return Amount("quote", text=plain.rstrip(".!?…") or plain)
    return _count_units(stretch)


def measure_changed(text: str, start: int, end: int) -> Amount:
    """Count the sentences that a stretch reaches into; where the text has none there, measure the stretch."""
    stretch = text[start:end].strip()
    from_, to = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    if not SENTENCE.search(text[from_ : to if to >= 0 else len(text)]):
        return measure_amount(text, start, end)
    return Amount("sentence", len(BETWEEN.findall(stretch)) + 1)


def _count_units(stretch: str) -> Amount:
    plain = " ".join(stretch.split())
    if NUMBER.fullmatch(plain) and len(plain) <= QUOTED:
        return Amount("number", text=plain)
    sentences = len(SENTENCE.findall(stretch))
    if sentences:
        return Amount("sentence", sentences)
    if len(plain) <= QUOTED and "\n" not in stretch.strip():
        return Amount("quote", text=plain)
    lines = sum(bool(line.strip()) for line in stretch.splitlines())
    if lines >= LINES:
        return Amount("line", lines)
    return Amount("word", max(1, len(plain.split())))


def measure_blanks(text: str, start: int, end: int) -> Amount:
    """Measure a stretch of white space."""
    stretch = text[start:end]
    for shape, unit in BLANKS.items():
        n, rest = divmod(len(stretch), len(shape))
        if not rest and stretch == shape * n:
            final = unit == "newline" and end == len(text)
            return Amount("final newline" if final else unit, n)
    return Amount("character of white space", len(stretch))


def locate_stretch(text: str, start: int, end: int, parts: Sequence[Part]) -> tuple[str, str]:
    """Locate a stretch: ("start" | "end" | "after" | "before" | "in" | "", the name of a part)."""
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    holder = next((part for part in parts if part.start <= start and end <= part.end != part.start + end - start), None)
    if holder:
        return "in", holder.name
    before = next((part for part in reversed(parts) if part.end <= start), None)
    after = next((part for part in parts if part.start >= end), None)
    if before and _is_blank_stretch(text, before.end, start):
        return "after", before.name
    if after and _is_blank_stretch(text, end, after.start):
        return "before", after.name
    if _is_blank_stretch(text, 0, start):
        return "start", ""
    if _is_blank_stretch(text, end, len(text)):
        return "end", ""
    if before:
        return ("after", before.name)
    if after:
        return ("before", after.name)
    return ("", "")


def _is_blank_stretch(text: str, start: int, end: int) -> bool:
    """Return whether a stretch is white space only; reads no more than needed, and copies nothing."""
    return BLANK.fullmatch(text, start, end) is not None
