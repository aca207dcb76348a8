"""Render exact text as HTML: the browser's text equals the assembled text, character for character.

Streamlit's text elements strip and dedent; a `<div style="white-space: pre-wrap">` inside `st.html` keeps
everything when each control character and each invisible or direction-changing one is a numeric reference.
U+0080 to U+009F stay raw, since HTML maps references to them to other characters. No browser keeps NUL, CR or
a lone surrogate: for these three a glyph is drawn, and only the download contains them.
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
SHOWN_MARKED = 30_000  # the same with visible whitespace, where every blank is an element
STOPS = 40  # stretches that the Tab key stops at; where there are more, only the arrow keys go through them
BEFORE = 2_000  # characters of context before a finding

# Characters that the browser keeps as text -> the name that is drawn over them.
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
    """A marked stretch of a text: character offsets, the finding's number in the list next to the text, and its words.

    `severity` is that of the finding, "hit" for a search, "cite" (or "cite-ok" …) for a citation, "context" for a
    context of the record; all but findings have the number 0. `name` becomes the id of the element the mark begins in.
    """

    start: int
    end: int
    number: int
    severity: str
    title: str
    here: bool = False  # whether it is the finding that the link points to
    name: str = ""


@dataclass(frozen=True, slots=True)
class Token:
    """A stretch of one token: its look (even, odd, special, doubled) and the description that a click shows."""

    start: int
    end: int
    look: str
    description: str


@dataclass(frozen=True, slots=True)
class Gap:
    """The offset of a missing value, and the description that is drawn there; it is not part of the text."""

    at: int
    description: str


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of characters with one origin and one set of marks."""

    start: int
    text: str
    segment: Segment
    marks: tuple[Mark, ...]
    token: Token | None = None


def look(segment: Segment) -> str:
    """Return the look of a segment: yours, data, default, adapter, server or unknown."""
    return LOOKS.get(segment.origin, "unknown")


def pieces(segments: Iterable[Segment], marks: Sequence[Mark] = (), tokens: Sequence[Token] = ()) -> Iterator[Piece]:
    """Yield the segments, cut where marks and tokens begin and end; tokens must be in order."""
    offset, waiting = 0, deque(tokens)
    for segment in segments:
        end = offset + len(segment.text)
        cuts = {edge for mark in marks for edge in (mark.start, mark.end) if offset < edge < end}
        cuts |= {
            edge for token in _tokens_before(waiting, end) for edge in (token.start, token.end) if offset < edge < end
        }
        for start, stop in pairwise(sorted({offset, end, *cuts})):
            covering = tuple(mark for mark in marks if mark.start < stop and mark.end > start)
            while waiting and waiting[0].end <= start:
                waiting.popleft()
            if waiting and waiting[0].start < stop:
                token = waiting[0]
            else:
                token = None
            yield Piece(start, segment.text[start - offset : stop - offset], segment, covering, token)
        offset = end


def _tokens_before(waiting: Iterable[Token], end: int) -> Iterator[Token]:
    """Return the tokens at the front of a queue that begin before an offset."""
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
    is_stop: bool = True,
) -> str:
    """Return one `<div class="rb-exact">` whose text is that of the segments.

    `tokens` are drawn as borders, `gaps` as signs that add no text. `language` is that of the text, "" where it is
    unknown, None for that of the page. `describe` gives a segment's origin in words. With a `label` the text is a
    region that can be focused, and unless told otherwise one that the Tab key stops at.
    """
    edges = tuple(Mark(gap.at, gap.at, 0, "", "") for gap in gaps)
    text_pieces = tuple(pieces(segments, (*marks, *edges), tokens))
    # a region is reached by Tab, its stretches by the arrow keys
    if label or len(text_pieces) > STOPS:
        stop = -1
    else:
        stop = 0
    parts: list[str] = []
    waiting = deque(gaps)
    for piece in text_pieces:
        due = sum(gap.at <= piece.start for gap in waiting)
        for _ in range(due):
            parts.append(_draw_gap(waiting.popleft()))
        parts.append(_draw_piece(piece, whitespace, describe(piece.segment), stop))
    body = "".join((*parts, *map(_draw_gap, waiting)))
    if language is None:
        attributes = ""
    else:
        attributes = f' lang="{attribute(language)}"'
    stop_at = 0 if is_stop else -1
    if label:
        name = f' role="region" aria-label="{attribute(label)}" tabindex="{stop_at}"'
    else:
        name = ""
    return f'<div class="rb-exact{" rb-white" if whitespace else ""}"{attributes}{name}>{body}</div>'


def text(value: str, whitespace: bool = False) -> str:
    """Return HTML whose text is the same characters (but for NUL, CR and lone surrogates)."""
    return "".join(_escape_characters(value, whitespace))


def stretch(segment: Segment, description: str, whitespace: bool = False) -> str:
    """Return the HTML of one stretch with its origin, for pages that join texts from parts."""
    return _draw_piece(Piece(0, segment.text, segment, ()), whitespace, description, -1)


def spelling(value: str) -> str:
    """Return a text with its lone surrogates escaped: neither a browser nor an address can carry them."""
    return SURROGATE.sub(lambda m: f"\\u{ord(m[0]):04x}", value)


def written_out(value: str) -> str:
    """Return a text with invisible characters escaped, so that a name cannot hide, or turn the text around it."""
    return SPECIAL.sub(lambda m: f"\\u{ord(m[0]):04x}", value)


def attribute(value: str) -> str:
    """Return a text for an HTML attribute, with invisible characters escaped."""
    return written_out(escape(value))


def window(
    segments: Sequence[Segment], whitespace: bool = False, here: int | None = None
) -> tuple[tuple[Segment, ...], int, int]:
    """Return the part of a text to show: (segments, offset of the first, number of characters left out).

    A text within bounds is whole: (segments, 0, 0). Of a longer text it is the part around `here`, the offset of a
    finding, or its beginning.
    """
    length = sum(len(segment.text) for segment in segments)
    limit = SHOWN_MARKED if whitespace else SHOWN
    if length <= limit:
        return tuple(segments), 0, 0
    start = max(0, min((here or 0) - BEFORE, length - limit))
    return cut(segments, start, start + limit), start, length - limit


def shift_mark(mark: Mark, by: int) -> Mark:
    """Return the mark with its offsets moved, for a text that begins elsewhere."""
    return replace(mark, start=max(0, mark.start + by), end=mark.end + by)


def cut(segments: Iterable[Segment], start: int, stop: int) -> tuple[Segment, ...]:
    """Return the segments between two offsets."""
    selected, offset = [], 0
    for segment in segments:
        inner = segment.text[max(0, start - offset) : max(0, stop - offset)]
        if inner:
            selected.append(replace(segment, text=inner))
        offset += len(segment.text)
    return tuple(selected)


def find_fold(text: str, start: int, lines: int, width: int) -> int:
    """Return the offset after so many lines from `start` on; one longer than `width` counts as several."""
    at = start
    for _ in range(lines):
        if at + width >= len(text) and "\n" not in text[at:]:
            return len(text)
        end = text.find("\n", at, at + width) + 1
        at = end or text.rfind(" ", at, at + width) + 1 or at + width
    return at


def _draw_gap(gap: Gap) -> str:
    label = attribute(gap.description)
    return f'<span class="rb-gap" role="img" aria-label="{label}" data-gap="{label}"></span>'


def _draw_piece(piece: Piece, whitespace: bool, description: str, stop: int) -> str:
    citation_titles = [mark.title for mark in piece.marks if mark.severity.startswith("cite")]
    if citation_titles:
        description = ". ".join((*citation_titles, description))
    classes = f"rb-s rb-{look(piece.segment)}"
    if token := piece.token:
        classes += f" rb-t rb-t-{token.look}{' rb-t-begin' if token.start == piece.start else ''}"
        description = f"{token.description}, {description}"
    attributes = f'class="{classes}" data-from="{attribute(description)}" tabindex="{stop}"'
    inner = f"<span {attributes}>{text(piece.text, whitespace)}</span>"
    for mark in piece.marks:
        classes = f"rb-find rb-{mark.severity}{' rb-here' if mark.here else ''}"
        begins = mark.number and mark.start == piece.start  # said once, where it begins
        if begins:
            attributes_of_mark = f' data-n="{mark.number}"'
        else:
            attributes_of_mark = ""
        if mark.name and mark.start == piece.start:
            attributes_of_mark += f' id="{attribute(mark.name)}"'
        inner = f'<mark class="{classes}"{attributes_of_mark} title="{attribute(mark.title)}">{inner}</mark>'
    return inner


def _escape_characters(value: str, whitespace: bool) -> Iterator[str]:
    offset = 0
    for match in (SPECIAL_OR_BLANK if whitespace else SPECIAL).finditer(value):
        yield escape(value[offset : match.start()])
        yield _escape_special(match[0], whitespace)
        offset = match.end()
    yield escape(value[offset:])


def _escape_special(character: str, whitespace: bool) -> str:
    code = ord(character)
    if character in "\0\r" or 0xD800 <= code <= 0xDFFF:  # no browser keeps these
        glyph = {"\0": "NUL", "\r": "CR"}.get(character, f"\\u{code:04x}")
        return f'<span class="rb-glyph" data-code="{code:04x}" title="U+{code:04X}">{glyph}</span>'
    if 0x7F <= code <= 0x9F:
        reference = character
    else:
        reference = f"&#{code};"
    if character in " \n\t":
        name = {" ": "sp", "\n": "nl", "\t": "tab"}[character]
        if whitespace:
            return f'<span class="rb-w rb-{name}">{reference}</span>'
        return reference
    if character in QUIET and not whitespace:
        return reference
    code_name = MARKED.get(character, f"{code:02x}")
    return f'<span class="rb-c" data-c="{code_name}">{reference}</span>'
