"""The Modelfile grammar of Ollama's parser: a text becomes commands and faults, in order.

Ollama stops at the first fault. This reader goes on at the next line, so that what could be read is kept.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from readback.serving.modelfile.text import is_printable, kept

WORDS = (
    "from", "license", "template", "system", "adapter", "draft", "renderer", "parser", "parameter", "message",
    "requires",
)  # fmt: skip
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
SHOWN = 40  # characters of a word that are said
Quote = Literal["", '"', '"""']


@dataclass(frozen=True, slots=True)
class Command:
    """One directive. `name` is Ollama's (`model` for FROM, a parameter's own name); offsets are into the text."""

    name: str
    args: str
    start: int
    value: int  # of the value's first character
    end: int
    quote: Quote


@dataclass(frozen=True, slots=True)
class Fault:
    """Where Ollama would refuse the file, and the offset at which this reader goes on.

    `reason` is Ollama's own sentence, `because` ours where that says nothing of what is wrong.
    """

    reason: str
    start: int
    at: int
    end: int
    because: str = ""

    @property
    def said(self) -> str:
        return f"{self.reason} ({self.because})" if self.because else self.reason


def lines(text: str) -> tuple[int, ...]:
    """The offset at which each line starts; CR LF, LF and CR each end one line."""
    return (0, *(m.end() for m in LINE.finditer(text)))


def where(starts: tuple[int, ...], offset: int) -> tuple[int, int]:
    """Line and column, both from 1, of an offset."""
    line = bisect_right(starts, offset)
    return line, offset - starts[line - 1] + 1


def scan(text: str) -> Iterator[Command | Fault]:
    """The directives of a Modelfile in order, a Fault standing in for each that could not be read.

    Below quotes that nothing closes, lines that are no directives are the text that was to be between them: they
    have no fault of their own.
    """
    at = 0
    unclosed = False
    never: set[str] = set()  # quotes that nothing below closes; known once, so that hostile files stay linear
    while at < len(text):
        if text[at] in " \t\r\n":
            at += 1
        elif text[at] == "#":
            at = _line_end(text, at)
        else:
            item = directive(text, at, never)
            fault = item if isinstance(item, Fault) else None
            if not (unclosed and fault and fault.reason == BAD_COMMAND):
                yield item
            unclosed |= fault is not None and fault.because == UNCLOSED
            at = item.end


def _line_end(text: str, at: int) -> int:
    found = NEWLINE.search(text, at)
    return found.start() if found else len(text)


def directive(text: str, start: int, never: set[str]) -> Command | Fault:
    """The directive at an offset, or why it is none; `never` gathers the quotes that nothing further below closes."""
    # The first character is taken whatever it is, and dropped when it is not printable: Ollama's state machine
    # looks at letters only from the second one on.
    at = _match(LETTERS, text, start + 1)
    name = (text[start:at] if is_printable(text[start]) else text[start + 1 : at]).lower()
    if at >= len(text):
        return Fault(END, start, start, at, f"{_shown(text, start)} has no value")
    if text[at] not in " \t" or name not in WORDS:
        return Fault(BAD_COMMAND, start, start, _line_end(text, at))
    at += 1
    prefix, command = "", "model" if name == "from" else name
    if name in ("parameter", "message"):
        found = _match(PARAMETER if name == "parameter" else LETTERS, text, at)
        word = text[at:found]
        if found >= len(text) or text[found] not in " \t":
            return Fault(END, start, start, _line_end(text, found), _nameless(text, at, found, name))
        if name == "message" and word not in ROLES:
            return Fault(BAD_ROLE, start, at, _line_end(text, found))
        command, prefix = (word, "") if name == "parameter" else (name, f"{word}: ")
        at = found + 1
    read = _value(text, at, never)
    if read is None:
        return Fault(END, start, start, _line_end(text, start), UNCLOSED)
    args, end, value, quote = read
    return Command(command, prefix + args, start, value, end, quote)


def _nameless(text: str, at: int, found: int, name: str) -> str:
    """Why no parameter, or no role, has a value here: the name that begins at `at` ends at `found` with no blank."""
    what = "parameter" if name == "parameter" else "role"
    if found < len(text) and text[found] not in "\r\n":
        return f"{_shown(text, at)} is not the name of a {what}"
    return f"{text[at:found][:SHOWN]} has no value" if found > at else f"it names no {what}"


def _shown(text: str, start: int) -> str:
    """The word at an offset, without what follows it, shortened."""
    found = WORD.match(text, start, start + SHOWN)
    return found[0] if found else ""


def _match(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at


def _value(text: str, start: int, never: set[str]) -> tuple[str, int, int, Quote] | None:
    """The value, the offset after it, the offset of its first character and its quotes; None when nothing closes it."""
    end = _line_end(text, start)
    head = kept(text[start:end]).strip(" \t")
    quote: Quote = '"""' if head.startswith('"""') else '"' if head.startswith('"') else ""
    first = _first(text, start, end, quote)
    if not quote:
        return head, end, first, quote
    size = len(quote)
    if len(head) >= 2 * size and head.endswith(quote):
        return head[size:-size], end, first, quote
    if quote in never:
        return None
    pieces = [kept(text[start:end]).lstrip(" \t")]
    while end < len(text):
        pieces.append(text[end])
        line, end = end + 1, _line_end(text, end + 1)
        pieces.append(kept(text[line:end]))
        if pieces[-1].rstrip(" \t").endswith(quote):
            return "".join(pieces).rstrip(" \t")[size:-size], end, first, quote
    never.add(quote)
    return None


def _first(text: str, start: int, end: int, quote: str) -> int:
    """The offset of the value's first character, past blanks, dropped characters and the opening quotes."""
    wanted = len(quote)
    for at in range(start, end):
        if not kept(text[at]).strip(" \t") and wanted == len(quote):
            continue
        if not wanted:
            return at
        wanted -= text[at] == '"'
    return end
