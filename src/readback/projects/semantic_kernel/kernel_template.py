"""The template language of semantic-kernel: `{{$name}}`, `{{'text'}}`, and calls of functions, which are not run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from readback.projects.owned_text import OwnedText, join_owned

VARIABLE = re.compile(r"\$([0-9A-Za-z_]+)")
QUOTED = re.compile(r"([\"'])((?:\\[\"'\\]|.)*?)\1", re.DOTALL)
ESCAPE = re.compile(r"\\([\"'\\])")
SHORTEST = 5  # characters of a template that may hold a block


class KernelFault(Exception):  # noqa: N818 - carries the tool's reason
    """A template that semantic-kernel does not parse, or that only the application's code fills in."""


def split_blocks(template: str) -> Iterator[tuple[str, bool]]:
    """Yield texts and what stands between braces (True), as semantic-kernel cuts a template."""
    if len(template) < SHORTEST:
        yield template, False
        return
    end, start, quote = 0, -1, ""
    at = 0
    while at < len(template) - 1:
        sign, pair = template[at], template[at : at + 2]
        if not quote and pair == "{{":
            start = at
        if start >= 0 and quote:
            if sign == "\\" and template[at + 1] in "\"'\\":
                at += 1
            elif sign == quote:
                quote = ""
        elif start >= 0 and sign in "\"'":
            quote = sign
        elif start >= 0 and pair == "}}":
            if start > end:
                yield template[end:start], False
            inside = template[start + 2 : at].strip()
            yield (inside, True) if inside else (template[start : at + 2], False)
            end, start = at + 2, -1
        at += 1
    if end < len(template):
        yield template[end:], False


def find_names(template: str) -> list[str]:
    """Return the variables that a template names."""
    return [match[1] for text, is_code in split_blocks(template) if is_code for match in VARIABLE.finditer(text)]


def render_kernel_template(template: str, values: Mapping[str, Any], missing: list[str]) -> OwnedText:
    """Return the rendered template; names without a value are added to `missing`. Raises KernelFault."""
    pieces = []
    for text, is_code in split_blocks(template):
        if not is_code:
            pieces.append(OwnedText(text))
        elif text.startswith("$"):
            pieces.append(_write_variable(text.split(maxsplit=1)[0], values, missing))
        elif text[0] in "\"'":
            pieces.append(OwnedText(_read_quoted(text)))
        else:
            raise KernelFault(f"{text.split(maxsplit=1)[0]} is a function of the application, which is not run")
    return join_owned(pieces)


def _write_variable(word: str, values: Mapping[str, Any], missing: list[str]) -> OwnedText:
    match = VARIABLE.fullmatch(word)
    if match is None:
        raise KernelFault(f"{word} is no variable: a name has letters, digits and underscores")
    name = match[1]
    if name not in values:
        missing.append(name)
    value = values.get(name)
    text = "" if value is None else str(value)
    return OwnedText(text, [name] * len(text))


def _read_quoted(text: str) -> str:
    match = QUOTED.match(text)
    if match is None or text[match.end() : match.end() + 1].strip():
        raise KernelFault(f"a text in quotes is not closed, or not followed by a blank: {text[:40]}")
    return ESCAPE.sub(r"\1", match[2])
