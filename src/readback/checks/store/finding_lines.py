"""A finding as a line of JSON, which is made once: so a child tells it, and so it is kept of a range of records, of a
whole check and for the summary.
"""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

import msgspec

from readback import as_json
from readback.types import Finding

SHORT = 4_096  # characters of a line that is remembered, and
MANY = 512  # of how many findings: a few hundred come together

_decoder = msgspec.json.Decoder(Finding)
_latest: dict[int, tuple[Finding, str]] = {}  # by the identity of the finding


def line(one: Finding) -> str:
    """The line of a finding, without its end; that of one that was read or asked for shortly before is at hand."""
    if (known := _latest.get(id(one))) is not None and known[0] is one:
        return known[1]
    said = as_json.pack(kept := _value(one)).decode()
    if "null" in said:  # NaN would be null, too
        said = json.dumps(kept)
    _remember(one, said)
    return said


def read(said: str) -> Finding:
    """The finding that a line says. Raises ValueError, TypeError and LookupError where it says none."""
    try:
        made = _decoder.decode(said)
    except msgspec.DecodeError:  # a lone surrogate, NaN
        made = _made(json.loads(said))
    _remember(made, said)
    return made


def _value(one: Finding) -> dict[str, Any]:
    return {
        "code": one.code,
        "severity": one.severity,
        "message": one.message,
        "fix": one.fix,
        "place": as_json.known_place_to_json(one.place),
        "key": one.key,
        "values": dict(one.values),
    }


def _made(value: Any) -> Finding:
    code, severity, values, message, fix, place, key = (value[field.name] for field in fields(Finding))
    return Finding(code, severity, values, message, fix, as_json.place_from_json(place), key)


def _remember(one: Finding, said: str) -> None:
    if len(said) < SHORT:
        if len(_latest) >= MANY:
            _latest.clear()
        _latest[id(one)] = one, said
