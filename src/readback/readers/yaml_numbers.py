"""Find plain scalars that YAML 1.2 reads otherwise than PyYAML, which reads YAML 1.1.

The values of PyYAML are those that Python programs get, so they are used; a reader of YAML 1.2, as most other languages
have, gets another one. Source: the core schema of yaml.org/spec/1.2.2, section 10.3.2.
"""

from __future__ import annotations

import re
from typing import Any

SHOWN = 40  # characters of a value that a finding quotes

WHOLE = re.compile(r"[-+]?[0-9]{1,4000}")
OTHER_BASE = re.compile(r"0o[0-7]{1,4000}|0x[0-9a-fA-F]{1,4000}")
REAL = re.compile(r"[-+]?(?:\.[0-9]{1,400}|[0-9]{1,400}(?:\.[0-9]{0,400})?)(?:[eE][-+]?[0-9]{1,9})?")
UNREAL = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")


def read_as_yaml_1_2(text: str, value: Any, forced: bool) -> str | None:
    """Return in words what YAML 1.2 reads for a plain scalar that PyYAML reads as `value`; None where it is the same.

    `forced`: written as `! 12`, which both versions read as text. `yes` and `no` are left out, though YAML 1.2 reads
    them as text: too many people write them and mean true and false.
    """
    if isinstance(value, bool) or value is None or UNREAL.fullmatch(text):
        return None
    whole, other_base = WHOLE.fullmatch(text), OTHER_BASE.fullmatch(text)
    is_number = whole or other_base or REAL.fullmatch(text)
    if forced or not is_number:
        return None if isinstance(value, str) else f"the text {text[:SHOWN]!r}"
    number: float
    if whole:
        number = int(text)
    elif other_base:
        number = int(text, 0)
    else:
        number = float(text)
    is_same = not isinstance(value, str) and (value == number or value != value)
    if is_same or number in (float("inf"), float("-inf")):
        return None
    return f"the number {str(number)[:SHOWN]}"
