"""Tokens of a template, one after another, since `raw` blocks read the text themselves."""

from __future__ import annotations

import re
from dataclasses import dataclass

from readback.projects.nunjucks.fault import TemplateFault, refuse_unknown

BLANKS = re.compile("[ \n\t\r\xa0]+")
WORD = re.compile("[^ \n\t\r\xa0()\\[\\]{}%*\\-+~/#,:|.<>=!]+")
DIGITS = re.compile("[0-9]+")
MARK = re.compile(r"\{%|\{\{|\{#|#\}")
DELIMITERS = frozenset("()[]{}%*-+~/#,:|.<>=!")
LONG_OPERATORS = ("===", "!==", "==", "!=", "<=", ">=", "//", "**")
KINDS = {
    "(": "left-paren",
    ")": "right-paren",
    "[": "left-bracket",
    "]": "right-bracket",
    "{": "left-curly",
    "}": "right-curly",
    ",": "comma",
    ":": "colon",
    "~": "tilde",
    "|": "pipe",
}
ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}


@dataclass(slots=True)
class Token:
    """A kind, the text it stands for, and where it begins."""

    kind: str
    text: str
    offset: int


class Lexer:
    """Read tokens from a position, in the text or inside a tag."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.in_tag = False

    def next(self) -> Token | None:
        """Return the next token, None at the end."""
        if self.at >= len(self.text):
            return None
        if self.in_tag:
            return self.read_code()
        return self.read_text()

    def read_text(self) -> Token:
        """Return text up to a tag, a comment, or the start of a tag."""
        text, start = self.text, self.at
        for mark, kind in (("{%", "block-start"), ("{{", "variable-start")):
            if text.startswith(mark, start):
                self.at += 3 if text.startswith("-", start + 2) else 2
                self.in_tag = True
                return Token(kind, text[start : self.at], start)
        if text.startswith("{#", start):
            end = text.find("#}", start + 2)
            if end < 0:
                raise TemplateFault("expected end of comment, got end of file", start)
            self.at = end + 2
            return Token("comment", text[start : self.at], start)
        found_mark = MARK.search(text, start)
        if found_mark and found_mark.group() == "#}":
            raise TemplateFault("unexpected end of comment", found_mark.start())
        if found_mark:
            self.at = found_mark.start()
        else:
            self.at = len(text)
        return Token("data", text[start : self.at], start)

    def read_code(self) -> Token:
        """Return one token of the inside of a tag."""
        text, start = self.text, self.at
        sign = text[start]
        if sign in "\"'":
            return Token("string", self.read_string(sign), start)
        if blanks := BLANKS.match(text, start):
            self.at = blanks.end()
            return Token("blanks", blanks.group(), start)
        for end, kind in (("%}", "block-end"), ("-%}", "block-end"), ("}}", "variable-end"), ("-}}", "variable-end")):
            if text.startswith(end, start):
                self.at += len(end)
                self.in_tag = False
                return Token(kind, end, start)
        if text.startswith("r/", start):
            raise refuse_unknown("a regular expression", start)
        if sign in DELIMITERS:
            operator = next((each for each in LONG_OPERATORS if text.startswith(each, start)), sign)
            self.at += len(operator)
            return Token(KINDS.get(operator, "operator"), operator, start)
        return self.read_word()

    def read_word(self) -> Token:
        """Return a number, a constant or a name."""
        start = self.at
        word = WORD.match(self.text, start)
        self.at = word.end() if word else start + 1
        name = self.text[start : self.at]
        if DIGITS.fullmatch(name):
            if not self.text.startswith(".", self.at):
                return Token("int", name, start)
            self.at += 1
            decimals = DIGITS.match(self.text, self.at)
            self.at = decimals.end() if decimals else self.at
            return Token("float", f"{name}.{decimals.group() if decimals else '0'}", start)
        kind = {"true": "boolean", "false": "boolean", "none": "none", "null": "none"}.get(name, "symbol")
        return Token(kind, name, start)

    def read_string(self, quote: str) -> str:
        """Return a text in quotes; one that is not closed goes to the end."""
        signs: list[str] = []
        at, text = self.at + 1, self.text
        while at < len(text) and text[at] != quote:
            if text[at] == "\\" and at + 1 < len(text):
                at += 1
                signs.append(ESCAPES.get(text[at], text[at]))
            elif text[at] != "\\":
                signs.append(text[at])
            at += 1
        self.at = at + 1
        return "".join(signs)
