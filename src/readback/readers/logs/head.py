"""Look at the beginning of a JSON file: its first values, of which the last may be cut off."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, TypeGuard

UTF8_MARK = b"\xef\xbb\xbf"
MOST_VALUES = 20  # values at the beginning that are looked at
TOKENS = re.compile(r'"(?:[^"\\]|\\.)*"|["{}\[\]]', re.DOTALL)
CUT_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?$")
DEEPEST = 200  # levels: what is deeper is no log


@lru_cache(maxsize=8)
def peek_values(head: bytes) -> tuple[Any, ...]:
    """Return the first JSON values of a file: of JSON lines each line, of a list its items, else the one value.

    What the head cuts off is read as far as it goes, with its brackets closed. Lines that are not JSON are left out.
    """
    text = head.removeprefix(UTF8_MARK).decode("utf-8", "replace").lstrip()
    if not text.startswith(("{", "[")):
        return ()
    lines = _decode_lines(text)
    if len(lines) == 1 and isinstance(lines[0], list):
        items = [item for item in lines[0] if item is not None]
        if not is_conversation(items):
            return tuple(items[:MOST_VALUES])
    return tuple(lines)


def peek_objects(head: bytes) -> tuple[Mapping[str, Any], ...]:
    """Return those of the first values that are objects."""
    return tuple(value for value in peek_values(head) if isinstance(value, dict))


def is_conversation(value: Any) -> TypeGuard[list[dict[str, Any]]]:
    """Tell whether a value is a list of messages: objects that each have a role and a content or tool calls."""
    if not isinstance(value, list) or not value:
        return False
    return all(isinstance(item, dict) and "role" in item and _has_content(item) for item in value)


def _has_content(item: Mapping[str, Any]) -> bool:
    return "content" in item or "tool_calls" in item


def _decode_lines(text: str) -> list[Any]:
    """Return the values of lines; one value over all lines where the first line is none."""
    values: list[Any] = []
    first, _, rest = text.partition("\n")
    value = _decode(first)
    if value is None and (not rest or not _begins_line_of_json(rest) or not _is_balanced(first)):
        whole = close_json(text)
        value = _decode(whole) if whole else None
        if value is None:
            return []
        return [value]
    for line in text.split("\n")[: 2 * MOST_VALUES]:
        value = _decode(line) if line.strip() else None
        if value is not None:
            values.append(value)
        if len(values) == MOST_VALUES:
            break
    return values


def _begins_line_of_json(rest: str) -> bool:
    return rest.lstrip().startswith(("{", "["))


def _is_balanced(text: str) -> bool:
    """Tell whether a text opens as many brackets as it closes."""
    outside = TOKENS.sub(lambda token: token[0] if len(token[0]) == 1 else "", text)
    return sum(outside.count(mark) for mark in "{[") == sum(outside.count(mark) for mark in "}]")


def _decode(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def close_json(text: str) -> str | None:
    """Return a JSON text that is cut off with its open text and brackets closed; None where it cannot be closed.

    A last member that is cut off is closed where that is possible (a text ends, a key gets null), else left out. What
    stands behind the end of the outermost object or list is left out.
    """
    stack: list[str] = []
    complete = 0  # behind the last bracket or text that is complete
    last_text = (0, 0)
    open_text: int | None = None
    for token in TOKENS.finditer(text):
        mark = token[0]
        if mark == '"':
            open_text = token.start()
            break
        if mark in "{[":
            stack.append("}" if mark == "{" else "]")
            if len(stack) > DEEPEST:
                return None
        elif mark in "}]":
            if not stack or stack.pop() != mark:
                return None
            if not stack:
                return text[: token.end()]
        else:
            last_text = token.span()
        complete = token.end()
    if not stack:
        return None
    closing = "".join(reversed(stack))
    attempts = [text[:complete], text[:complete] + ": null"]
    if last_text[1] == complete:  # perhaps a key without its value
        attempts.append(text[: last_text[0]].rstrip().removesuffix(","))
    if open_text is not None:
        partial = CUT_ESCAPE.sub("", text[open_text:])
        before = text[:open_text]
        attempts = [f'{before}{partial}"', f'{before}{partial}": null', before.rstrip().removesuffix(","), *attempts]
    return next((attempt + closing for attempt in attempts if _decode(attempt + closing) is not None), None)
