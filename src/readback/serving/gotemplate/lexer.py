"""Split a Go template into tokens: texts between actions, and the words inside the braces."""

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
    """Hold one token: its kind, its text and its offset into the template.

    `kind` is text, {{, }}, space, name, a keyword, bool, field, variable, ., string, char, number, complex,
    declare (:=), one of `= | ( ) ,`, other, wrong (`text` is the reason) or end.
    """

    kind: str
    text: str
    position: int


def tokenize(text: str) -> Iterator[Token]:
    """Yield the tokens of a template; the last one is `end` or `wrong`."""
    position = 0
    trimmed = False  # whether the closing braces before this position ask for the blanks after them to go
    while True:
        if trimmed:
            start = _find_match_end(SPACE, text, position)
        else:
            start = position
        braces = OPEN.search(text, start)
        if braces is None:
            if start < len(text):
                yield Token("text", text[start:], start)
            yield Token("end", "", len(text))
            return
        before = text[start : braces.start()]
        if braces[1]:
            before = before.rstrip(BLANKS)
        if before:
            yield Token("text", before, start)
        if braces[1]:
            action_start = braces.end() + 1
        else:
            action_start = braces.end()
        if text.startswith("/*", action_start):
            ending = _skip_comment(text, action_start)
            if isinstance(ending, Token):
                yield ending
                return
            position, trimmed = ending
            continue
        yield Token("{{", text[braces.start() : braces.end()], braces.start())
        token = None
        for token in _tokenize_action(text, action_start):
            yield token
        if token is None or token.kind == "wrong":
            return
        position, trimmed = token.position + len(token.text), len(token.text) > 2


def _skip_comment(text: str, position: int) -> Token | tuple[int, bool]:
    """Return where the text goes on after a comment and whether blanks are trimmed there, or a `wrong` token."""
    end = text.find("*/", position + 2)
    if end < 0:
        return Token("wrong", "unclosed comment", position)
    close = CLOSE.match(text, end + 2)
    if close is None:
        return Token("wrong", "comment ends before closing delimiter", end)
    return close.end(), len(close[0]) > 2


def _tokenize_action(text: str, position: int) -> Iterator[Token]:
    """Yield the tokens of one action up to its closing braces."""
    depth = 0
    while True:
        if close := CLOSE.match(text, position):
            yield Token("wrong", "unclosed left paren", position) if depth else Token("}}", close[0], position)
            return
        token = _read_token(text, position)
        depth += (token.kind == "(") - (token.kind == ")")
        if depth < 0:
            token = Token("wrong", "unexpected right paren", position)
        yield token
        if token.kind == "wrong":
            return
        position += len(token.text)


def _read_token(text: str, position: int) -> Token:
    if position >= len(text):
        return Token("wrong", "unclosed action", position)
    char = text[position]
    if char in BLANKS:
        end = _find_match_end(SPACE, text, position)
        if text.startswith("-}}", end) and end - position > 1:
            end -= 1  # the last blank belongs to the closing braces
        return Token("space", text[position:end], position)
    if char in "=|()":
        return Token(char, char, position)
    if char == ":":
        if text.startswith(":=", position):
            return Token("declare", ":=", position)
        return Token("wrong", "expected :=", position)
    if char in "\"`'":
        return _read_quoted(text, position)
    if char == "$":
        return _read_word(text, position, position + 1, "variable")
    if char == "." and text[position + 1 : position + 2] not in tuple("0123456789"):
        return _read_word(text, position, position + 1, "field")
    if char in "+-.0123456789":
        return _read_number(text, position)
    if _is_alphanumeric(char):
        return _read_word(text, position, position, "name")
    if " " < char <= "~":
        return Token("," if char == "," else "other", char, position)
    return Token("wrong", f"unrecognized character in action: U+{ord(char):04X}", position)


def _read_quoted(text: str, position: int) -> Token:
    kinds = {'"': (QUOTED, "quoted string"), "`": (RAW, "raw quoted string"), "'": (CHARACTER, "character constant")}
    pattern, noun = kinds[text[position]]
    match = pattern.match(text, position)
    if match is None:
        return Token("wrong", f"unterminated {noun}", position)
    return Token("char" if text[position] == "'" else "string", match[0], position)


def _read_word(text: str, position: int, first: int, kind: str) -> Token:
    """Read a name, field or variable; `first` is where its letters begin."""
    end = first
    while end < len(text) and _is_alphanumeric(text[end]):
        end = _skip_ascii_word(text, end) or end + 1
    if not _may_end(text, end):
        char = text[end]
        return Token("wrong", f"bad character U+{ord(char):04X} {char!r}", end)
    word = text[position:end]
    if kind == "field" and end == first:
        return Token(".", word, position)
    if kind == "name" and word in KEYWORDS:
        return Token(word, word, position)
    if kind == "name" and word in ("true", "false"):
        return Token("bool", word, position)
    return Token(kind, word, position)


def _skip_ascii_word(text: str, position: int) -> int:
    """Return where a run of ASCII letters and digits ends, or 0 if none begins there."""
    match = WORD.match(text, position)
    if match and match[0] and match[0].isascii():
        return match.end()
    return 0


def _read_number(text: str, position: int) -> Token:
    end = _find_match_end(NUMBER, text, position)
    kind = "number"
    if text[end : end + 1] in ("+", "-"):
        kind, end = "complex", _find_match_end(NUMBER, text, end)
        if text[end - 1] != "i":
            return Token("wrong", f"bad number syntax: {text[position:end]!r}", position)
    if end < len(text) and _is_alphanumeric(text[end]):
        return Token("wrong", f"bad number syntax: {text[position : end + 1]!r}", position)
    return Token(kind, text[position:end], position)


def _may_end(text: str, position: int) -> bool:
    """Return whether a name may end at this position."""
    return position >= len(text) or text[position] in " \t\r\n.,|:()" or text.startswith("}}", position)


def _is_alphanumeric(char: str) -> bool:
    return char == "_" or char.isalpha() or char.isdecimal()


def _find_match_end(pattern: re.Pattern[str], text: str, position: int) -> int:
    """Return where the pattern's match ends, or the position itself if it does not match there."""
    match = pattern.match(text, position)
    if match:
        return match.end()
    return position
