"""The words of a Go template: texts between actions, and what is inside the braces."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

BLANKS = " \t\r\n"
KEYWORDS = frozenset(("break", "block", "continue", "define", "else", "end", "if", "nil", "range", "template", "with"))
OPEN = re.compile(r"\{\{(-(?=[ \t\r\n]))?")
CLOSE = re.compile(r"(?:[ \t\r\n]-)?\}\}")
SPACE = re.compile(r"[ \t\r\n]+")
QUOTED = re.compile(r'"(?:[^"\\\n]|\\[^\n])*"')
CHARACTER = re.compile(r"'(?:[^'\\\n]|\\[^\n])*'")
RAW = re.compile(r"`[^`]*`")
NUMBER = re.compile(
    r"[+-]?(?:0[xX][0-9a-fA-F_]*(?:\.[0-9a-fA-F_]*)?(?:[pP][+-]?[0-9_]*)?|0[oO][0-7_]*(?:\.[0-7_]*)?"
    r"|0[bB][01_]*(?:\.[01_]*)?|[0-9_]*(?:\.[0-9_]*)?(?:[eE][+-]?[0-9_]*)?)i?"
)
WORD = re.compile(r"\w*")


class Token(NamedTuple):
    """`kind` is text, {{, }}, space, name, a keyword, bool, field, variable, ., string, char, number, complex,
    declare (:=), one of `= | ( ) ,`, other, wrong (`text` says why) or end. `at` is an offset into the template."""

    kind: str
    text: str
    at: int


def tokens(text: str) -> Iterator[Token]:
    """The tokens of a template, the last one `end` or `wrong`."""
    at = 0
    trimmed = False  # the closing braces before ask for the blanks after them to go
    while True:
        start = _match(SPACE, text, at) if trimmed else at
        found = OPEN.search(text, start)
        if found is None:
            if start < len(text):
                yield Token("text", text[start:], start)
            yield Token("end", "", len(text))
            return
        before = text[start : found.start()]
        if found[1]:
            before = before.rstrip(BLANKS)
        if before:
            yield Token("text", before, start)
        inside = found.end() + 1 if found[1] else found.end()
        if text.startswith("/*", inside):
            ending = _comment(text, inside)
            if isinstance(ending, Token):
                yield ending
                return
            at, trimmed = ending
            continue
        yield Token("{{", text[found.start() : found.end()], found.start())
        last = None
        for last in _inside(text, inside):
            yield last
        if last is None or last.kind == "wrong":
            return
        at, trimmed = last.at + len(last.text), len(last.text) > 2


def _comment(text: str, at: int) -> Token | tuple[int, bool]:
    end = text.find("*/", at + 2)
    if end < 0:
        return Token("wrong", "unclosed comment", at)
    close = CLOSE.match(text, end + 2)
    if close is None:
        return Token("wrong", "comment ends before closing delimiter", end)
    return close.end(), len(close[0]) > 2


def _inside(text: str, at: int) -> Iterator[Token]:
    """The tokens of one action up to its closing braces."""
    depth = 0
    while True:
        if close := CLOSE.match(text, at):
            yield Token("wrong", "unclosed left paren", at) if depth else Token("}}", close[0], at)
            return
        token = _next(text, at)
        depth += (token.kind == "(") - (token.kind == ")")
        if depth < 0:
            token = Token("wrong", "unexpected right paren", at)
        yield token
        if token.kind == "wrong":
            return
        at += len(token.text)


def _next(text: str, at: int) -> Token:
    if at >= len(text):
        return Token("wrong", "unclosed action", at)
    char = text[at]
    if char in BLANKS:
        end = _match(SPACE, text, at)
        if text.startswith("-}}", end) and end - at > 1:
            end -= 1  # the last blank belongs to the closing braces
        return Token("space", text[at:end], at)
    if char in "=|()":
        return Token(char, char, at)
    if char == ":":
        return Token("declare", ":=", at) if text.startswith(":=", at) else Token("wrong", "expected :=", at)
    if char in "\"`'":
        return _quoted(text, at)
    if char == "$":
        return _word(text, at, at + 1, "variable")
    if char == "." and text[at + 1 : at + 2] not in tuple("0123456789"):
        return _word(text, at, at + 1, "field")
    if char in "+-.0123456789":
        return _number(text, at)
    if _alphanumeric(char):
        return _word(text, at, at, "name")
    if " " < char <= "~":
        return Token("," if char == "," else "other", char, at)
    return Token("wrong", f"unrecognized character in action: U+{ord(char):04X}", at)


def _quoted(text: str, at: int) -> Token:
    kinds = {'"': (QUOTED, "quoted string"), "`": (RAW, "raw quoted string"), "'": (CHARACTER, "character constant")}
    pattern, what = kinds[text[at]]
    found = pattern.match(text, at)
    if found is None:
        return Token("wrong", f"unterminated {what}", at)
    return Token("char" if text[at] == "'" else "string", found[0], at)


def _word(text: str, at: int, first: int, kind: str) -> Token:
    """A name, field or variable; `first` is where its letters begin."""
    end = first
    while end < len(text) and _alphanumeric(text[end]):
        end = _plain(text, end) or end + 1
    if not _ends(text, end):
        char = text[end]
        return Token("wrong", f"bad character U+{ord(char):04X} {char!r}", end)
    word = text[at:end]
    if kind == "field" and end == first:
        return Token(".", word, at)
    if kind == "name":
        kind = word if word in KEYWORDS else "bool" if word in ("true", "false") else "name"
    return Token(kind, word, at)


def _plain(text: str, at: int) -> int:
    """Where a run of ASCII letters and digits ends; 0 if there is none."""
    found = WORD.match(text, at)
    return found.end() if found and found[0] and found[0].isascii() else 0


def _number(text: str, at: int) -> Token:
    end = _match(NUMBER, text, at)
    kind = "number"
    if text[end : end + 1] in ("+", "-"):
        kind, end = "complex", _match(NUMBER, text, end)
        if text[end - 1] != "i":
            return Token("wrong", f"bad number syntax: {text[at:end]!r}", at)
    if end < len(text) and _alphanumeric(text[end]):
        return Token("wrong", f"bad number syntax: {text[at : end + 1]!r}", at)
    return Token(kind, text[at:end], at)


def _ends(text: str, at: int) -> bool:
    """Whether a name may end here."""
    return at >= len(text) or text[at] in " \t\r\n.,|:()" or text.startswith("}}", at)


def _alphanumeric(char: str) -> bool:
    return char == "_" or char.isalpha() or char.isdecimal()


def _match(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at
