"""Escape texts for HTML, JavaScript and URLs, and write values as JSON, as Go's functions do."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from decimal import Decimal
from urllib.parse import quote_plus

from readback.serving.gotemplate.traced_text import encode_text
from readback.serving.gotemplate.values import List, Map, Struct, Value, is_nil, is_true
from readback.serving.modelfile.text import is_printable

HTML = {"\0": "\ufffd", '"': "&#34;", "'": "&#39;", "&": "&amp;", "<": "&lt;", ">": "&gt;"}
HTML_MARKS = re.compile("[\0\"'&<>]")
JS = {"\\": "\\\\", "'": "\\'", '"': '\\"', "<": "\\u003C", ">": "\\u003E", "&": "\\u0026", "=": "\\u003D"}
JS_MARKS = re.compile("[\\\\'\"<>&=\0-\x1f\x80-\U0010ffff]")
JSON = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
JSON_MARKS = re.compile('["\\\\<>&\0-\x1f\u2028\u2029\ud800-\udfff]')


class JsonError(Exception):
    """Say that JSON cannot represent a value."""


def escape_html(text: str) -> str:
    """Escape a text as Go's `html` does."""
    return HTML_MARKS.sub(lambda mark: HTML[mark[0]], text)


def escape_js(text: str) -> str:
    """Escape a text as Go's `js` does."""
    return JS_MARKS.sub(_escape_js_mark, text)


def escape_query(text: str) -> str:
    """Escape a text as Go's `urlquery` does."""
    return quote_plus(encode_text(text))


def write_json(value: Value) -> str:
    """Return compact JSON in which the keys of maps are sorted. Raises JsonError."""
    return "".join(_write_json(value))


def escape_json(text: str) -> str:
    """Return a text as JSON spells it, without its quotes."""
    return JSON_MARKS.sub(_escape_json_mark, text)


def _escape_js_mark(mark: re.Match[str]) -> str:
    char = mark[0]
    if char in JS:
        return JS[char]
    if char < " ":
        return f"\\u00{ord(char):02X}"
    if is_printable(char) or "\udc80" <= char <= "\udcff":
        return char
    return f"\\u{ord(char):04X}"


def _escape_json_mark(mark: re.Match[str]) -> str:
    char = mark[0]
    if "\ud800" <= char <= "\udfff":
        return "\\ufffd"
    return JSON.get(char) or f"\\u{ord(char):04x}"


def _write_json(value: Value) -> Iterator[str]:
    if isinstance(value, Struct) and value.nil:
        yield "null"
    elif isinstance(value, List | Map | Struct) and value.type.json:
        yield from _write_json(value.type.json(value))
    elif is_nil(value):
        yield "null"
    elif isinstance(value, str):
        yield f'"{escape_json(value)}"'
    elif isinstance(value, bool):
        yield "true" if value else "false"
    elif isinstance(value, int):
        yield str(int(value))
    elif isinstance(value, float):
        yield _write_float(value)
    elif isinstance(value, List):
        yield from _write_items("[", (("", item) for item in value.items), "]")
    elif isinstance(value, Map):
        items = value.items.items() if value.type.ordered else sorted(value.items.items())
        named_items = ((f'"{escape_json(name)}":', item) for name, item in items)
        yield from _write_items("{", named_items, "}")
    elif isinstance(value, Struct):
        yield from _write_items("{", _list_fields(value), "}")
    else:
        raise JsonError


def _list_fields(value: Struct) -> Iterator[tuple[str, Value]]:
    for name, key, leave_empty_out in value.type.fields:
        content = value.fields[name]
        is_empty = not is_true(content) or (isinstance(content, List | Map) and content.nil)
        if key and not (leave_empty_out and is_empty):
            yield f'"{key}":', content


def _write_items(start: str, items: Iterator[tuple[str, Value]], end: str) -> Iterator[str]:
    yield start
    for i, (name, item) in enumerate(items):
        yield f",{name}" if i else name
        yield from _write_json(item)
    yield end


def _write_float(value: float) -> str:
    """Return Go's spelling: decimal between 1e-6 and 1e21, else an exponent without leading zeros."""
    if not math.isfinite(value):
        raise JsonError
    if value == 0:
        if math.copysign(1, value) < 0:
            return "-0"
        return "0"
    if 1e-6 <= abs(value) < 1e21:
        return format(Decimal(repr(value)), "f").removesuffix(".0")
    mantissa, _, exponent = repr(value).partition("e")
    sign = "-" if exponent[0] == "-" else "+"
    return f"{mantissa.removesuffix('.0')}e{sign}{exponent.lstrip('+-0')}"
