"""Tell whether two texts are the same JSON in another spelling: other blanks, line ends, escapes or order of keys.

Some tools parse the JSON in a text and write it again before they log it, as promptfoo does with the texts of a chat.
"""

from __future__ import annotations

import json
from decimal import Decimal, InvalidOperation
from typing import Any

LONGEST = 1 << 20  # characters of a text that is read as JSON
OPENING = ("{", "[")


class _NotTheSameError(ValueError):
    """A text that must not be called the same as another one: it loses something when it is parsed."""


def is_same_json(a: str, b: str) -> bool:
    """Return whether both texts are one JSON object or list with equal values.

    Numbers are equal by their exact value, so that a tool that rounds a long one has changed it. A text with a repeated
    key, or with NaN, is the same as no other text.
    """
    if not (a.lstrip().startswith(OPENING) and b.lstrip().startswith(OPENING)) or max(len(a), len(b)) > LONGEST:
        return False
    try:
        return _is_equal(_parse(a), _parse(b))
    except (ValueError, InvalidOperation, RecursionError):
        return False


def _parse(text: str) -> Any:
    return json.loads(
        text, parse_float=Decimal, parse_int=Decimal, parse_constant=_refuse, object_pairs_hook=_build_object
    )


def _refuse(text: str) -> Any:
    raise _NotTheSameError(text)


def _build_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    built = dict(pairs)
    if len(built) != len(pairs):
        raise _NotTheSameError("a repeated key")
    return built


def _is_equal(a: Any, b: Any) -> bool:
    """Return whether two values are equal and of one kind: true is no 1."""
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(_is_equal(a[key], b[key]) for key in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(map(_is_equal, a, b))
    return bool(a == b)
