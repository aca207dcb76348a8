"""Cut a Handlebars template into tokens, as the lexer of Handlebars 4.7 does."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from dataclasses import dataclass

from readback.projects.handlebars.nodes import HandlebarsFault
from readback.projects.javascript_text import SPACES

BLANK = re.escape(SPACES)  # what JavaScript calls white space
# What ends a name, and what ends a word like true.
AFTER_NAME, AFTER_WORD = rf"(?=[=~}}{BLANK}/.)\]|])", rf"(?=[~}}{BLANK})\]])"
NAME = rf"[^{BLANK}!\"#%-,./;->@\[-^`{{-~]+"
OPENING = re.compile(r"\{\{")
ESCAPED_END = re.compile(r"\{\{|\\\{\{|\\\\\{\{|\Z")
RAW_END = re.compile(rf"\{{\{{\{{\{{/({NAME})(?=[=}}{BLANK}/.])\}}\}}\}}\}}")
COMMENT_END = re.compile(r"--(~?)\}\}")
# In the order in which they are tried.
TAGS = (
    ("open raw", r"\{\{\{\{"),
    ("partial", r"\{\{~?>"),
    ("partial block", r"\{\{~?#>"),
    ("block", r"\{\{~?#\*?"),
    ("end", r"\{\{~?/"),
    ("else", rf"\{{\{{~?\^[{BLANK}]*~?\}}\}}"),
    ("else", rf"\{{\{{~?[{BLANK}]*else[{BLANK}]*~?\}}\}}"),
    ("inverse", r"\{\{~?\^"),
    ("else chain", rf"\{{\{{~?[{BLANK}]*else(?![A-Za-z0-9_])"),
    ("open raw text", r"\{\{~?\{"),
    ("open", r"\{\{~?&"),
    ("long comment", r"\{\{~?!--"),
    ("comment", r"\{\{~?![\s\S]*?\}\}"),
    ("open", r"\{\{~?\*?"),
)
INSIDE = (
    ("(", r"\("),
    (")", r"\)"),
    ("close raw", r"\}\}\}\}"),
    ("=", "="),
    ("name", r"\.\."),
    ("name", rf"\.{AFTER_NAME}"),
    ("separator", r"[/.]"),
    ("close raw text", r"\}~?\}\}"),
    ("close", r"~?\}\}"),
    ("string", r'"(?:\\"|[^"])*"'),
    ("string", r"'(?:\\'|[^'])*'"),
    ("@", "@"),
    ("boolean", rf"true{AFTER_WORD}"),
    ("boolean", rf"false{AFTER_WORD}"),
    ("undefined", rf"undefined{AFTER_WORD}"),
    ("null", rf"null{AFTER_WORD}"),
    ("number", rf"-?[0-9]+(?:\.[0-9]+)?{AFTER_WORD}"),
    ("as", rf"as[{BLANK}]+\|"),
    ("|", r"\|"),
    ("name", rf"{NAME}{AFTER_NAME}"),
    ("name", r"\[(?:\\\]|[^\]])*\]"),
)
TAG_RULES = tuple((kind, re.compile(pattern)) for kind, pattern in TAGS)
INSIDE_RULES = tuple((kind, re.compile(pattern)) for kind, pattern in INSIDE)
SPACE = re.compile(rf"[{BLANK}]+")
CLOSING = ("close", "close raw text")


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a template: its kind, its text, and where it begins."""

    kind: str
    text: str
    start: int


def split_template(template: str, has_escapes: bool = True) -> Iterator[Token]:
    """Yield the tokens of a template. Raises HandlebarsFault. `has_escapes`: a backslash makes a tag text."""
    at = 0
    while at < len(template):
        opening = OPENING.search(template, at)
        if opening:
            end = opening.start()
        else:
            end = len(template)
        before = template[at:end]
        if not opening:
            yield Token("content", before, at)
            return
        is_escaped = has_escapes and before.endswith("\\")
        # one backslash of two goes as well
        if is_escaped:
            text = before[:-1]
        else:
            text = before
        if text:
            yield Token("content", text, at)
        if is_escaped and not before.endswith("\\\\"):
            stop = ESCAPED_END.search(template, end + 2)
            at = stop.start() if stop else len(template)
            yield Token("content", template[end:at], end)
            continue
        at = yield from _split_tag(template, end, has_escapes)


def _split_tag(template: str, start: int, has_raw_blocks: bool) -> Generator[Token, None, int]:
    """Yield the tokens of one tag and return where it ends; a raw block's include its text and its end."""
    kind, text = _match(TAG_RULES, template, start)
    if kind == "long comment":
        stop = COMMENT_END.search(template, start)
        if stop is None:
            raise _fail(template, start, "a comment is not closed")
        yield Token("comment", template[start : stop.end()], start)
        return stop.end()
    yield Token(kind, text, start)
    at = start + len(text)
    if kind in ("comment", "else"):
        return at
    while True:
        space = SPACE.match(template, at)
        at = space.end() if space else at
        if template.find("}}", at) < 0:
            raise _fail(template, start, "a tag is not closed")
        inside, text = _match(INSIDE_RULES, template, at)
        if inside == "close raw" and not has_raw_blocks:
            inside, text = "close", "}}"
        yield Token(inside, text, at)
        at += len(text)
        if inside in CLOSING:
            return at
        if inside == "close raw":
            return (yield from _split_raw_text(template, at))


def _split_raw_text(template: str, start: int) -> Generator[Token, None, int]:
    depth, at = 0, start
    while True:
        end = RAW_END.search(template, at)
        if end is None:
            raise _fail(template, start, "a raw block is not closed")
        depth += len(re.findall(r"\{\{\{\{(?!/)", template[at : end.start()]))
        if depth == 0:
            if end.start() > start:
                yield Token("content", template[start : end.start()], start)
            yield Token("end raw", end[1], end.start())
            return end.end()
        depth -= 1
        at = end.end()


def _match(rules: tuple[tuple[str, re.Pattern[str]], ...], template: str, at: int) -> tuple[str, str]:
    for kind, pattern in rules:
        match = pattern.match(template, at)
        if match:
            return kind, match[0]
    raise _fail(template, at, f"{template[at : at + 10]!r} is not expected here")


def _fail(template: str, at: int, reason: str) -> HandlebarsFault:
    line = template.count("\n", 0, at) + 1
    column = at - template.rfind("\n", 0, at)
    return HandlebarsFault(f"line {line}, column {column} of the template: {reason}")
