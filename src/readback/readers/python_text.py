"""A list or mapping as Python writes it: what a table holds whose writer put a list into a cell.

Read by hand and never by Python: brackets, texts, numbers, None, True and False. Two texts beside each other, which
Python would join and numpy means as two, are refused.
"""

from __future__ import annotations

import re
from typing import Any

from readback.readers.json_text import NotJson

DEEPEST = 64
BLANKS = re.compile(r"\s*")
TEXT = re.compile(r"[uU]?('(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\")", re.DOTALL)
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?)")
WORD = re.compile(r"None|True|False")
WORDS = {"None": None, "True": True, "False": False}
ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))", re.DOTALL)
SIGNS = {"n": "\n", "r": "\r", "t": "\t", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": ""}
CLOSING = {"[": "]", "(": ")", "{": "}"}
LOOKS = re.compile(r"\s*(?:\[\s*(?:[uU]?['\"\[({]|[-+.\d]|None|True|False)|\{\s*[uU]?['\"][^\n]*:)")


def read_python(text: str) -> Any:
    """Return the list or mapping that a text writes. Raises NotJson."""
    value, at = _read_value(text, _skip_blanks(text, 0), 0)
    if (at := _skip_blanks(text, at)) != len(text):
        raise NotJson("something follows the value", at)
    if not isinstance(value, list | dict):
        raise NotJson("it is no list", 0)
    return value


def looks_like_python(text: str) -> bool:
    """Whether a text begins and ends as a list or mapping does that Python, or numpy, wrote."""
    return bool(LOOKS.match(text)) and text.rstrip()[-1:] in ("]", "}")


def _read_value(text: str, at: int, depth: int) -> tuple[Any, int]:
    if depth > DEEPEST:
        raise NotJson(f"nested deeper than {DEEPEST} levels", at)
    if text[at : at + 1] in CLOSING:
        return _read_container(text, at, depth)
    if match := TEXT.match(text, at):
        return _unescape(match[1][1:-1], at), match.end()
    if match := NUMBER.match(text, at):
        return _convert_number(match[0]), match.end()
    if match := WORD.match(text, at):
        return WORDS[match[0]], match.end()
    raise NotJson("no value as Python writes it", at)


def _read_container(text: str, at: int, depth: int) -> tuple[Any, int]:
    opening = text[at]
    closing = CLOSING[opening]
    values: list[Any] = []
    pairs: dict[str, Any] = {}
    at = _skip_blanks(text, at + 1)
    while text[at : at + 1] != closing:
        value, at = _read_value(text, at, depth + 1)
        at = _skip_blanks(text, at)
        if opening == "{":
            if not isinstance(value, str) or text[at : at + 1] != ":":
                raise NotJson("a key is no text", at)
            pairs[value], at = _read_value(text, _skip_blanks(text, at + 1), depth + 1)
            at = _skip_blanks(text, at)
        else:
            values.append(value)
        if text[at : at + 1] == ",":
            at = _skip_blanks(text, at + 1)
        elif text[at : at + 1] != closing:
            raise NotJson(f"no comma and no {closing}", at)
    return pairs if opening == "{" else values, at + 1


def _convert_number(text: str) -> int | float:
    if text.lstrip("+-").isdigit():
        if len(text) > 300:
            raise NotJson("a number of more than 300 digits", 0)
        return int(text)
    return float(text)


def _unescape(text: str, at: int) -> str:
    def sign(match: re.Match[str]) -> str:
        code = match[1] or match[2] or match[3]
        if code is None:
            return SIGNS.get(match[4], match[4] if match[4] in "\\'\"" else match[0])
        if int(code, 16) > 0x10FFFF:
            raise NotJson("no character has this number", at)
        return chr(int(code, 16))

    return ESCAPE.sub(sign, text) if "\\" in text else text


def _skip_blanks(text: str, at: int) -> int:
    match = BLANKS.match(text, at)
    return match.end() if match else at
