"""The tests after `is`."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from readback.projects.javascript_text import (
    UNDEFINED,
    SafeText,
    are_identical,
    is_at_most,
    is_less,
    is_text,
    is_true,
    make_number,
)
from readback.projects.nunjucks.fault import TemplateFault


def _remainder(value: Any, divisor: Any) -> float:
    dividend, by = make_number(value), make_number(divisor)
    if math.isnan(dividend) or math.isinf(dividend) or by == 0 or math.isnan(by):
        return math.nan
    return math.fmod(dividend, by)


def _as_text(value: Any) -> str:
    if not isinstance(value, str):
        raise TemplateFault("the test needs a text")
    return value


def _is_iterable(value: Any) -> bool:
    if value is None or value is UNDEFINED:
        raise TemplateFault("the test needs a value")
    return isinstance(value, str | list)


TESTS: dict[str, Callable[..., bool]] = {
    "callable": callable,
    "defined": lambda value: value is not UNDEFINED,
    "divisibleby": lambda value, divisor=UNDEFINED: _remainder(value, divisor) == 0,
    "escaped": lambda value: isinstance(value, SafeText),
    "equalto": lambda value, other=UNDEFINED: are_identical(value, other),
    "eq": lambda value, other=UNDEFINED: are_identical(value, other),
    "sameas": lambda value, other=UNDEFINED: are_identical(value, other),
    "even": lambda value: _remainder(value, 2.0) == 0,
    "falsy": lambda value: not is_true(value),
    "ge": lambda value, other=UNDEFINED: is_at_most(other, value),
    "greaterthan": lambda value, other=UNDEFINED: is_less(other, value),
    "gt": lambda value, other=UNDEFINED: is_less(other, value),
    "le": lambda value, other=UNDEFINED: is_at_most(value, other),
    "lessthan": lambda value, other=UNDEFINED: is_less(value, other),
    "lt": lambda value, other=UNDEFINED: is_less(value, other),
    "lower": lambda value: _as_text(value).lower() == value,
    "ne": lambda value, other=UNDEFINED: not are_identical(value, other),
    "null": lambda value: value is None,
    "number": lambda value: isinstance(value, float),
    "odd": lambda value: _remainder(value, 2.0) == 1,
    "string": is_text,
    "truthy": is_true,
    "undefined": lambda value: value is UNDEFINED,
    "upper": lambda value: _as_text(value).upper() == value,
    "iterable": _is_iterable,
    "mapping": lambda value: isinstance(value, dict | SafeText),
}
