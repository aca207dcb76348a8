"""Variables of the templates that find no value in the dataset, and the fields they may mean."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from readback import assemble, rules
from readback.rules._fields import paths
from readback.types import Case, Finding, Record, Workspace

CODE = "alb-variable-no-data"  # the rule that finds them; this is its answer by variable


@dataclass(frozen=True, slots=True)
class Unmapped:
    """A variable without data: the modes that read it, the field offered (None: nothing is near), how often."""

    variable: str
    modes: tuple[str, ...]
    offered: str | None
    places: int


def unmapped(workspace: Workspace, record: Record) -> tuple[Unmapped, ...]:
    """One entry a variable, over everything that can be sent for one record; only fields it has are offered."""
    fields = {path for path, _ in paths(record.fields)}
    found: dict[str, list[Finding]] = {}
    for one in _findings(workspace, record):
        found.setdefault(str(one.values["variable"]), []).append(one)
    return tuple(
        Unmapped(
            name,
            tuple(dict.fromkeys(one.place.mode for one in many if one.place.mode)),
            next((near for one in many if (near := str(one.values["nearest"])) in fields), None),
            len(many),
        )
        for name, many in found.items()
    )


def _findings(workspace: Workspace, record: Record) -> Iterator[Finding]:
    for choice in assemble.choices(workspace):
        case = Case(workspace, record, assemble.assemble(workspace, record, choice))
        yield from (one for one in rules.check(case, "assembly", {CODE}) if isinstance(one, Finding))
