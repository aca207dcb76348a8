"""Texts made safe for HTML, JavaScript and addresses, and values as JSON, as Go's functions write them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from decimal import Decimal
from urllib.parse import quote_plus

from readback.serving.gotemplate.traced_text import encoded
from readback.serving.gotemplate.values import ABSENT, List, Map, Struct, Value, truth
from readback.serving.modelfile.text import printable

HTML = {"\0": "\ufffd", '"': "&#34;", "'": "&#39;", "&": "&amp;", "<": "&lt;", ">": "&gt;"}
HTML_MARKS = re.compile("[\0\"'&<>]")
JS = {"\\": "\\\\", "'": "\\'", '"': '\\"', "<": "\\u003C", ">": "\\u003E", "&": "\\u0026", "=": "\\u003D"}
JS_MARKS = re.compile("[\\\\'\"<>&=\0-\x1f\x80-\U0010ffff]")
JSON = {
    '"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t",
    "<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029",
}  # fmt: skip
JSON_MARKS = re.compile('["\\\\<>&\0-\x1f\u2028\u2029\ud800-\udfff]')


class NoJson(Exception):  # noqa: N818 - an outcome: Ollama's function then gives the empty text
    """A value that JSON has no spelling for."""


def html(text: str) -> str:
    return HTML_MARKS.sub(lambda found: HTML[found[0]], text)


def js(text: str) -> str:
    return JS_MARKS.sub(_js, text)


def query(text: str) -> str:
    return quote_plus(encoded(text))


def json(value: Value) -> str:
    """Compact JSON with the keys of maps sorted. Raises NoJson."""
    return "".join(_json(value))


def json_text(text: str) -> str:
    """A text as JSON, without its quotes."""
    return JSON_MARKS.sub(_json_mark, text)


def _js(found: re.Match[str]) -> str:
    char = found[0]
    if char in JS:
        return JS[char]
    if char < " ":
        return f"\\u00{ord(char):02X}"
    return char if printable(char) or "\udc80" <= char <= "\udcff" else f"\\u{ord(char):04X}"


def _json_mark(found: re.Match[str]) -> str:
    char = found[0]
    if "\ud800" <= char <= "\udfff":
        return "\\ufffd"
    return JSON.get(char) or f"\\u{ord(char):04x}"


def _json(value: Value) -> Iterator[str]:
    if isinstance(value, Struct) and value.nil:
        yield "null"
    elif isinstance(value, List | Map | Struct) and value.type.json:
        yield from _json(value.type.json(value))
    elif value is None or value is ABSENT or (isinstance(value, List | Map) and value.nil):
        yield "null"
    elif isinstance(value, str):
        yield f'"{json_text(value)}"'
    elif isinstance(value, bool):
        yield "true" if value else "false"
    elif isinstance(value, int):
        yield str(int(value))
    elif isinstance(value, float):
        yield _json_float(value)
    elif isinstance(value, List):
        yield from _listed("[", ((("", one)) for one in value.items), "]")
    elif isinstance(value, Map):
        items = value.items.items() if value.type.ordered else sorted(value.items.items())
        named = ((f'"{json_text(name)}":', one) for name, one in items)
        yield from _listed("{", named, "}")
    elif isinstance(value, Struct):
        yield from _listed("{", _fields(value), "}")
    else:
        raise NoJson


def _fields(value: Struct) -> Iterator[tuple[str, Value]]:
    for name, key, leave_empty_out in value.type.fields:
        one = value.fields[name]
        if key and not (leave_empty_out and (not truth(one) or (isinstance(one, List | Map) and one.nil))):
            yield f'"{key}":', one


def _listed(start: str, items: Iterator[tuple[str, Value]], end: str) -> Iterator[str]:
    yield start
    for i, (name, one) in enumerate(items):
        yield f",{name}" if i else name
        yield from _json(one)
    yield end


def _json_float(value: float) -> str:
    """Go's spelling: decimal between 1e-6 and 1e21, else with an exponent of no leading zero."""
    if not math.isfinite(value):
        raise NoJson
    if value == 0:
        return "-0" if math.copysign(1, value) < 0 else "0"
    if 1e-6 <= abs(value) < 1e21:
        return format(Decimal(repr(value)), "f").removesuffix(".0")
    mantissa, _, exponent = repr(value).partition("e")
    return f"{mantissa.removesuffix('.0')}e{exponent[0] if exponent[0] == '-' else '+'}{exponent.lstrip('+-0')}"
