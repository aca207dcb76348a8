"""Write values as YAML a person would write: plain words bare, everything else in double quotes."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_./-]*(?: [A-Za-z0-9_./-]+)*")
WORDS = frozenset(("y", "n", "yes", "no", "true", "false", "on", "off", "null", "nan", "inf"))  # YAML reads a value
# What YAML does not allow in a text, or takes for a line end: written as an escape.
ESCAPED = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")


def format_flow(value: Any) -> str:
    """Format a JSON value in one line of YAML; read back it is the same value."""
    if isinstance(value, str):
        return _format_text(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_format_text(str(key))}: {format_flow(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(format_flow(each) for each in value) + "]"
    if isinstance(value, float) and not isinstance(value, bool):
        return _format_number(value)
    return json.dumps(value)


def _format_text(text: str) -> str:
    if PLAIN.fullmatch(text) and text.lower() not in WORDS:
        return text
    return ESCAPED.sub(lambda match: f"\\u{ord(match[0]):04x}", json.dumps(text, ensure_ascii=False))


def _format_number(value: float) -> str:
    if value != value or value in (float("inf"), float("-inf")):
        return {"nan": ".nan", "inf": ".inf", "-inf": "-.inf"}[str(value)]
    text = repr(value)
    # YAML 1.1 takes an exponent for a number only after a point and with a sign: 1.0e+16, not 1e+16.
    return re.sub(r"^(-?\d+)e", r"\1.0e", text)


def format_comment(text: str) -> str:
    """`text` as a comment: one line, whatever it holds."""
    return "# " + " ".join(ESCAPED.sub("?", text).split())
