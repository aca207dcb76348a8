"""Write a finding as a line of JSON once: for the answer of a child, for stored answers and for the summary."""

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


def format_line(finding: Finding) -> str:
    """Return the line of a finding, without its end; lines of recent findings are remembered."""
    remembered = _latest.get(id(finding))
    if remembered is not None and remembered[0] is finding:
        return remembered[1]
    value = _build_value(finding)
    line = as_json.pack(value).decode()
    if "null" in line:  # NaN would be null, too
        line = json.dumps(value)
    _remember(finding, line)
    return line


def read_line(line: str) -> Finding:
    """Return the finding of a line. Raises ValueError, TypeError and LookupError where it holds none."""
    try:
        finding = _decoder.decode(line)
    except msgspec.DecodeError:  # a lone surrogate, NaN
        finding = _build_finding(json.loads(line))
    _remember(finding, line)
    return finding


def _build_value(finding: Finding) -> dict[str, Any]:
    return {
        "code": finding.code,
        "severity": finding.severity,
        "message": finding.message,
        "fix": finding.fix,
        "place": as_json.known_place_to_json(finding.place),
        "key": finding.key,
        "values": dict(finding.values),
    }


def _build_finding(value: Any) -> Finding:
    code, severity, values, message, fix, place, key = (value[field.name] for field in fields(Finding))
    return Finding(code, severity, values, message, fix, as_json.place_from_json(place), key)


def _remember(finding: Finding, line: str) -> None:
    if len(line) < SHORT:
        if len(_latest) >= MANY:
            _latest.clear()
        _latest[id(finding)] = finding, line
