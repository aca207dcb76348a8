"""The HTML of exact text: what the browser holds as text equals the assembled text, character for character.

Streamlit's text elements strip and dedent; a `<div style="white-space: pre-wrap">` inside `st.html` keeps
everything when each control character and each invisible or direction-changing one is a numeric reference.
U+0080 to U+009F stay raw, since HTML maps references to them to other characters. No browser keeps NUL, CR or
a lone surrogate: these three are shown as a glyph in a span of their own, and only the download has them.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import pairwise, takewhile

from readback.types import Origin, Segment

LOOKS: dict[Origin, str] = {
    "system": "yours",
    "task": "yours",
    "template": "yours",
    "instruction": "yours",
    "joiner": "yours",
    "variable": "data",
    "default": "default",
    "adapter": "adapter",
    "serving": "server",
    "unknown": "unknown",
}
ORDER = ("yours", "data", "default", "adapter", "server", "unknown")

SHOWN = 120_000  # characters of one message on the page at once: more makes a browser stutter
SHOWN_MARKED = 30_000  # with visible whitespace, where every blank is an element
STOPS = 40  # stretches that the Tab key stops at; where there are more, only the arrow keys go through them
BEFORE = 2_000  # characters before a finding that give it its context

# Kept by the browser as text, shown with a letter of our own over them.
# fmt: off
MARKED = {
    "\u00a0": "nbsp", "\u00ad": "shy", "\u200b": "zwsp", "\u200c": "zwnj", "\u200d": "zwj", "\u2028": "ls",
    "\u2029": "ps", "\u200e": "lrm", "\u200f": "rlm", "\u061c": "alm", "\u202a": "lre", "\u202b": "rle",
    "\u202c": "pdf", "\u202d": "lro", "\u202e": "rlo", "\u2066": "lri", "\u2067": "rli", "\u2068": "fsi",
    "\u2069": "pdi", "\u2060": "wj", "\ufeff": "bom", "\u202f": "nnbsp", "\u2007": "figsp", "\u0085": "nel",
}
# fmt: on
QUIET = {"\u00a0", "\u202f", "\u2007", "\u200d", "\u200c"}  # part of ordinary writing: marked with whitespace only
SPECIAL = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u00a0\u00ad\u061c\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff\ufff9-\ufffb"
    r"\ud800-\udfff]"
)
SURROGATE = re.compile("[\ud800-\udfff]")
SPECIAL_OR_BLANK = re.compile(f"{SPECIAL.pattern}| ")


@dataclass(frozen=True, slots=True)
class Mark:
    """A stretch that a finding is about: character offsets, its number in the list beside the text, and its words.

    `severity` is the finding's, "hit" for what was searched for, "cite" (or "cite-ok" …) for a citation; the last two
    have the number 0, and so has "context", a context of the record. `name` is the id of the element it begins in.
    """

    start: int
    end: int
    number: int
    severity: str
    title: str
    here: bool = False  # the finding the link asks for
    name: str = ""


@dataclass(frozen=True, slots=True)
class Token:
    """A stretch that a token stands for: its look (even, odd, special, doubled), and what it answers."""

    start: int
    end: int
    look: str
    said: str


@dataclass(frozen=True, slots=True)
class Gap:
    """A place where a value would be, and what is said there; it is no part of the text."""

    at: int
    said: str


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of characters with one origin and one set of marks."""

    start: int
    text: str
    segment: Segment
    marks: tuple[Mark, ...]
    token: Token | None = None


def look(segment: Segment) -> str:
    """The look of a segment: yours, data, default, adapter, server or unknown."""
    return LOOKS.get(segment.origin, "unknown")


def pieces(segments: Iterable[Segment], marks: Sequence[Mark] = (), tokens: Sequence[Token] = ()) -> Iterator[Piece]:
    """The segments cut where marks begin and end, and tokens, which follow each other."""
    at, waiting = 0, deque(tokens)
    for segment in segments:
        end = at + len(segment.text)
        cuts = {edge for mark in marks for edge in (mark.start, mark.end) if at < edge < end}
        cuts |= {edge for token in _before(waiting, end) for edge in (token.start, token.end) if at < edge < end}
        for start, stop in pairwise(sorted({at, end, *cuts})):
            over = tuple(mark for mark in marks if mark.start < stop and mark.end > start)
            while waiting and waiting[0].end <= start:
                waiting.popleft()
            token = waiting[0] if waiting and waiting[0].start < stop else None
            yield Piece(start, segment.text[start - at : stop - at], segment, over, token)
        at = end


def _before(waiting: Iterable[Token], end: int) -> Iterator[Token]:
    return takewhile(lambda token: token.start < end, waiting)


def html(
    segments: Sequence[Segment],
    marks: Sequence[Mark] = (),
    *,
    whitespace: bool = False,
    describe: Callable[[Segment], str] = lambda segment: segment.name or segment.origin,
    language: str | None = None,
    label: str = "",
    tokens: Sequence[Token] = (),
    gaps: Sequence[Gap] = (),
) -> str:
    """One `<div class="rb-exact">` whose text is the segments' text; `tokens` are drawn as borders in it, `gaps` as
    signs that are no text. `language`: the one it is in, "" where nobody knows, None for that of the page.
    """
    edges = tuple(Mark(gap.at, gap.at, 0, "", "") for gap in gaps)
    cut = tuple(pieces(segments, (*marks, *edges), tokens))
    stop = 0 if len(cut) <= STOPS else -1
    drawn: list[str] = []
    waiting = deque(gaps)
    for piece in cut:
        drawn.extend(_gap(waiting.popleft()) for _ in range(sum(gap.at <= piece.start for gap in waiting)))
        drawn.append(_piece(piece, whitespace, describe(piece.segment), stop))
    body = "".join((*drawn, *map(_gap, waiting)))
    attributes = "" if language is None else f' lang="{attribute(language)}"'
    name = f' role="region" aria-label="{attribute(label)}" tabindex="0"' if label else ""
    return f'<div class="rb-exact{" rb-white" if whitespace else ""}"{attributes}{name}>{body}</div>'


def text(value: str, whitespace: bool = False) -> str:
    """The characters as HTML that reads back as the same characters (but for NUL, CR and lone surrogates)."""
    return "".join(_characters(value, whitespace))


def stretch(segment: Segment, said: str, whitespace: bool = False) -> str:
    """One stretch with its origin, for pages that put texts together from parts; `said` is what it answers."""
    return _piece(Piece(0, segment.text, segment, ()), whitespace, said, -1)


def spelling(value: str) -> str:
    """A text with its lone surrogates written out: they cannot travel to a browser, nor are in an address."""
    return SURROGATE.sub(lambda m: f"\\u{ord(m[0]):04x}", value)


def written_out(value: str) -> str:
    """A text in which what cannot be seen is written out: a name cannot turn the words around it, nor hide in them."""
    return SPECIAL.sub(lambda m: f"\\u{ord(m[0]):04x}", value)


def attribute(value: str) -> str:
    """A text for an attribute: what cannot be seen in a hint is written out."""
    return written_out(escape(value))


def window(
    segments: Sequence[Segment], whitespace: bool = False, here: int | None = None
) -> tuple[tuple[Segment, ...], int, int]:
    """What is shown of a text at once: (segments, the offset of the first, how many characters are left out).

    A text within bounds is whole: (segments, 0, 0). Of a longer one the part around `here` (a finding), or its
    beginning.
    """
    whole = sum(len(segment.text) for segment in segments)
    room = SHOWN_MARKED if whitespace else SHOWN
    if whole <= room:
        return tuple(segments), 0, 0
    start = max(0, min((here or 0) - BEFORE, whole - room))
    return cut(segments, start, start + room), start, whole - room


def shifted(mark: Mark, by: int) -> Mark:
    """The mark for a text that begins elsewhere."""
    return replace(mark, start=max(0, mark.start + by), end=mark.end + by)


def cut(segments: Iterable[Segment], start: int, stop: int) -> tuple[Segment, ...]:
    """The segments between two offsets."""
    kept, at = [], 0
    for segment in segments:
        inner = segment.text[max(0, start - at) : max(0, stop - at)]
        if inner:
            kept.append(replace(segment, text=inner))
        at += len(segment.text)
    return tuple(kept)


def _gap(gap: Gap) -> str:
    return (
        f'<span class="rb-gap" role="img" aria-label="{attribute(gap.said)}" data-gap="{attribute(gap.said)}"></span>'
    )


def _piece(piece: Piece, whitespace: bool, said: str, stop: int) -> str:
    cited = [mark.title for mark in piece.marks if mark.severity.startswith("cite")]
    said = ". ".join((*cited, said)) if cited else said
    looks = f"rb-s rb-{look(piece.segment)}"
    if token := piece.token:
        looks += f" rb-t rb-t-{token.look}{' rb-t-begin' if token.start == piece.start else ''}"
        said = f"{token.said}, {said}"
    attributes = f'class="{looks}" data-from="{attribute(said)}" tabindex="{stop}"'
    inner = f"<span {attributes}>{text(piece.text, whitespace)}</span>"
    for mark in piece.marks:
        looks = f"rb-find rb-{mark.severity}{' rb-here' if mark.here else ''}"
        begins = mark.number and mark.start == piece.start  # said once, where it begins
        number = f' data-n="{mark.number}"' if begins else ""
        if mark.name and mark.start == piece.start:
            number += f' id="{attribute(mark.name)}"'
        inner = f'<mark class="{looks}"{number} title="{attribute(mark.title)}">{inner}</mark>'
    return inner


def _characters(value: str, whitespace: bool) -> Iterator[str]:
    at = 0
    for found in (SPECIAL_OR_BLANK if whitespace else SPECIAL).finditer(value):
        yield escape(value[at : found.start()])
        yield _special(found[0], whitespace)
        at = found.end()
    yield escape(value[at:])


def _special(character: str, whitespace: bool) -> str:
    code = ord(character)
    if character in "\0\r" or 0xD800 <= code <= 0xDFFF:  # no browser keeps these
        glyph = {"\0": "NUL", "\r": "CR"}.get(character, f"\\u{code:04x}")
        return f'<span class="rb-glyph" data-code="{code:04x}" title="U+{code:04X}">{glyph}</span>'
    kept = character if 0x7F <= code <= 0x9F else f"&#{code};"
    if character in " \n\t":
        name = {" ": "sp", "\n": "nl", "\t": "tab"}[character]
        return f'<span class="rb-w rb-{name}">{kept}</span>' if whitespace else kept
    if character in QUIET and not whitespace:
        return kept
    shown = MARKED.get(character, f"{code:02x}")
    return f'<span class="rb-c" data-c="{shown}">{kept}</span>'
