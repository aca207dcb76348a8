"""The lines of a workspace file that ignore findings: for a rule, for one condition of it, for a single place."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from readback.checks.summary import covers
from readback.readers.yaml.yaml_file import format_flow
from readback.types import Finding, Ignored, Location

SELECTION = ("condition", "mode", "task", "adapter")
WHERE = (*SELECTION, "judge", "record", "role", "field")  # what says which one it is; lines and offsets move
FILE = ("file",)
TORN = re.compile("[\ud800-\udfff]")  # lone surrogates, which no YAML holds


def lines(entry: Ignored, first: bool = True) -> str:
    """Format the entry as YAML, with the key `ignore:` above it where it is the first one."""
    if entry.where:
        where = f"\n    where: {format_flow(dict(entry.where))}"
    else:
        where = ""
    reasons = {name: TORN.sub("\ufffd", getattr(entry, name)) for name in ("why", "by", "date")}
    reason_lines = "".join(f"\n    {name}: {format_flow(text)}" for name, text in reasons.items())
    return f"{'ignore:' if first else ''}\n  - code: {format_flow(entry.code)}{where}{reason_lines}\n".lstrip("\n")


def conditions(findings: Iterable[Finding]) -> tuple[Mapping[str, str], ...]:
    """Where the findings are, as coarse as a person thinks of it: each condition (mode, task, judge), each file."""
    places = [_parts(finding.place, _selection(finding.place)) or _parts(finding.place, FILE) for finding in findings]
    return tuple({tuple(where.items()): where for where in places if where}.values())


def place(at: Location) -> Mapping[str, str]:
    """Where one finding is, and as far as it can be said no other; a name that YAML cannot hold is left out."""
    names = [name for name in WHERE if name not in SELECTION or name in _selection(at)]
    return _parts(at, names if at.record is not None or _selection(at) else (*FILE, *names))


def covered(entry: Ignored, findings: Iterable[Finding]) -> int:
    """How many of the findings the entry would ignore."""
    return sum(covers(entry, finding) for finding in findings)


def _selection(at: Location) -> tuple[str, ...]:
    """Return the names that say under which condition a finding is; a condition settles mode, task and adapter."""
    names = ("condition", "judge") if at.condition is not None else (*SELECTION, "judge")
    return tuple(name for name in names if getattr(at, name) is not None)


def _parts(at: Location, names: Iterable[str]) -> dict[str, str]:
    values = {name: str(value) for name in names if (value := getattr(at, name)) is not None}
    return {name: value for name, value in values.items() if not TORN.search(value)}
