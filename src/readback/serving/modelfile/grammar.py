"""Parse the Modelfile grammar as Ollama does: a text becomes commands and faults, in order.

Ollama stops at the first fault. This parser goes on at the next line, so that all readable commands are returned.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from readback.serving.modelfile.text import drop_unprintable, is_printable

WORDS = (
    "from",
    "license",
    "template",
    "system",
    "adapter",
    "draft",
    "renderer",
    "parser",
    "parameter",
    "message",
    "requires",
)
ROLES = ("system", "user", "assistant")
BAD_COMMAND = 'command must be one of {}, or "requires"'.format(", ".join(f'"{word}"' for word in WORDS[:-1]))
BAD_ROLE = 'message role must be one of "system", "user", or "assistant"'
END = "unexpected EOF"
NO_FROM = "no FROM line"
UNCLOSED = "its quotes are never closed"
NEWLINE = re.compile(r"[\r\n]")
LINE = re.compile(r"\r\n|\r|\n")
LETTERS = re.compile(r"[A-Za-z]*")
PARAMETER = re.compile(r"[A-Za-z0-9_]*")
WORD = re.compile(r"[^ \t\r\n]*")
SHOWN = 40  # characters of a word that a reason quotes
Quote = Literal["", '"', '"""']


@dataclass(frozen=True, slots=True)
class Command:
    """Hold one directive.

    `name` is Ollama's (`model` for FROM, a parameter's own name); `start`, `value` (of the value's first character)
    and `end` are offsets into the text.
    """

    name: str
    args: str
    start: int
    value: int  # of the value's first character
    end: int
    quote: Quote


@dataclass(frozen=True, slots=True)
class Fault:
    """Say where Ollama would refuse the file, and at which offset this parser goes on.

    `reason` is Ollama's sentence, `because` ours where that does not say what is wrong.
    """

    reason: str
    start: int
    at: int
    end: int
    because: str = ""

    @property
    def sentence(self) -> str:
        """Return Ollama's reason with ours in brackets."""
        if self.because:
            return f"{self.reason} ({self.because})"
        return self.reason


def find_line_starts(text: str) -> tuple[int, ...]:
    """Return the offset at which each line starts; CR LF, LF and CR each end one line."""
    return (0, *(m.end() for m in LINE.finditer(text)))


def locate_offset(starts: tuple[int, ...], offset: int) -> tuple[int, int]:
    """Return the line and column, both from 1, of an offset."""
    line = bisect_right(starts, offset)
    return line, offset - starts[line - 1] + 1


def scan(text: str) -> Iterator[Command | Fault]:
    """Yield the directives of a Modelfile in order, and a Fault for each one that could not be read.

    Below quotes that are never closed, lines that are not directives belong to the text that should have been quoted:
    they are not reported as faults again.
    """
    at = 0
    unclosed = False
    never: set[str] = set()  # quotes that nothing below closes; remembered, so that hostile files take linear time
    while at < len(text):
        if text[at] in " \t\r\n":
            at += 1
        elif text[at] == "#":
            at = _find_line_end(text, at)
        else:
            item = parse_directive(text, at, never)
            fault = item if isinstance(item, Fault) else None
            if not (unclosed and fault and fault.reason == BAD_COMMAND):
                yield item
            unclosed |= fault is not None and fault.because == UNCLOSED
            at = item.end


def _find_line_end(text: str, at: int) -> int:
    newline = NEWLINE.search(text, at)
    if newline:
        return newline.start()
    return len(text)


def parse_directive(text: str, start: int, never: set[str]) -> Command | Fault:
    """Return the directive at an offset, or the fault in it.

    `never` collects the quotes that are not closed further below.
    """
    # The first character is taken whatever it is, and dropped when it is not printable: Ollama's state machine
    # looks at letters only from the second one on.
    at = _find_match_end(LETTERS, text, start + 1)
    name = (text[start:at] if is_printable(text[start]) else text[start + 1 : at]).lower()
    if at >= len(text):
        return Fault(END, start, start, at, f"{_get_word(text, start)} has no value")
    if text[at] not in " \t" or name not in WORDS:
        return Fault(BAD_COMMAND, start, start, _find_line_end(text, at))
    at += 1
    prefix, command = "", "model" if name == "from" else name
    if name in ("parameter", "message"):
        end = _find_match_end(PARAMETER if name == "parameter" else LETTERS, text, at)
        word = text[at:end]
        if end >= len(text) or text[end] not in " \t":
            return Fault(END, start, start, _find_line_end(text, end), _explain_missing_name(text, at, end, name))
        if name == "message" and word not in ROLES:
            return Fault(BAD_ROLE, start, at, _find_line_end(text, end))
        if name == "parameter":
            command = word
        else:
            prefix = f"{word}: "
        at = end + 1
    parts = _read_value(text, at, never)
    if parts is None:
        return Fault(END, start, start, _find_line_end(text, start), UNCLOSED)
    args, end, value, quote = parts
    return Command(command, prefix + args, start, value, end, quote)


def _explain_missing_name(text: str, start: int, end: int, name: str) -> str:
    """Return why a parameter or role has no value: its name is at `start` and ends at `end` without a blank."""
    if name == "parameter":
        noun = "parameter"
    else:
        noun = "role"
    if end < len(text) and text[end] not in "\r\n":
        return f"{_get_word(text, start)} is not the name of a {noun}"
    if end == start:
        return f"it names no {noun}"
    return f"{text[start:end][:SHOWN]} has no value"


def _get_word(text: str, start: int) -> str:
    """Return the word at an offset, shortened."""
    word = WORD.match(text, start, start + SHOWN)
    if word:
        return word[0]
    return ""


def _find_match_end(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    if match:
        return match.end()
    return at


def _read_value(text: str, start: int, never: set[str]) -> tuple[str, int, int, Quote] | None:
    """Return the value, the offset after it, the offset of its first character and its quotes.

    Return None if its quotes are never closed.
    """
    end = _find_line_end(text, start)
    head = drop_unprintable(text[start:end]).strip(" \t")
    quote = _get_opening_quote(head)
    first = _find_first(text, start, end, quote)
    if not quote:
        return head, end, first, quote
    size = len(quote)
    if len(head) >= 2 * size and head.endswith(quote):
        return head[size:-size], end, first, quote
    if quote in never:
        return None
    pieces = [drop_unprintable(text[start:end]).lstrip(" \t")]
    while end < len(text):
        pieces.append(text[end])
        line, end = end + 1, _find_line_end(text, end + 1)
        pieces.append(drop_unprintable(text[line:end]))
        if pieces[-1].rstrip(" \t").endswith(quote):
            return "".join(pieces).rstrip(" \t")[size:-size], end, first, quote
    never.add(quote)
    return None


def _get_opening_quote(value: str) -> Quote:
    if value.startswith('"""'):
        return '"""'
    if value.startswith('"'):
        return '"'
    return ""


def _find_first(text: str, start: int, end: int, quote: str) -> int:
    """Return the offset of the value's first character, past blanks, dropped characters and the opening quotes."""
    quotes_left = len(quote)
    for at in range(start, end):
        if not drop_unprintable(text[at]).strip(" \t") and quotes_left == len(quote):
            continue
        if not quotes_left:
            return at
        quotes_left -= text[at] == '"'
    return end
