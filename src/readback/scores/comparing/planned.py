"""The comparisons a study meant to make: `comparisons:` of the workspace, or a comparisons file beside a plan."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from readback.scores.table import Planned
from readback.types import Workspace

TEXTS = ("judge", "question", "expected", "name", "group", "warning")


def planned(workspace: Workspace) -> tuple[Planned, ...]:
    """Every planned comparison in the order of the files; the same one said twice counts once."""
    return tuple(dict.fromkeys(_planned(workspace, one) for one in workspace.comparisons))


def _planned(workspace: Workspace, said: Mapping[str, Any]) -> Planned:
    texts: dict[str, Any] = {name: said[name] for name in TEXTS if isinstance(said.get(name), str)}
    listed = said.get("criteria")
    criteria = tuple(map(str, listed)) if isinstance(listed, list | tuple) else ()
    forbidden = said.get("not_comparable")
    one = said.get("criterion")
    margin = said.get("margin")
    return Planned(
        a=_name(workspace, str(said["a"])),
        b=_name(workspace, str(said["b"])),
        criteria=(one,) if isinstance(one, str) else criteria,
        margin=float(margin) if isinstance(margin, int | float) and margin > 0 else None,
        not_comparable=tuple(map(str, forbidden)) if isinstance(forbidden, list | tuple) else (),
        **texts,
    )


def _name(workspace: Workspace, said: str) -> str:
    """A condition's own name where an alias was written."""
    found = workspace.condition(said)
    return found.name if found else said
