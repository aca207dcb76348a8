"""Names in a workspace that point to nothing: modes, models, judges and adapters of conditions."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from readback.adapters import load_shipped
from readback.readers.yaml_file import nearest
from readback.sources.prompt_formats import unknown_mode
from readback.types import Condition, Diagnostic, Location
from readback.workspace.draft import Draft

NONE = "–"


def look_up(draft: Draft) -> None:
    """Report each name that nothing defines. Where none of a kind is defined, its names are only labels."""
    for condition in draft.conditions:
        draft.diagnostics.extend(_condition(condition, draft))


def _condition(condition: Condition, draft: Draft) -> Iterator[Diagnostic]:
    place = condition.place
    if condition.mode is not None and condition.mode not in draft.prompts:
        yield unknown_mode(condition.mode, draft.prompts, place)
    for kind, name, known in (
        ("model", condition.model, draft.models),
        ("judge", condition.judge, {**draft.judges, **draft.people}),
        ("task", condition.task, draft.tasks if condition.mode is None else ()),
    ):
        if name is not None and known and name not in known:
            yield unknown(kind, name, known, place)
    if condition.adapter is not None:
        yield from unknown_adapter(condition.adapter, draft, place)


def unknown_adapter(name: str, draft: Draft, place: Location) -> Iterator[Diagnostic]:
    """A diagnostic where the name is neither that of a shipped adapter nor of one that the workspace lists."""
    adapters = {**load_shipped(), **draft.adapters}
    if name not in adapters:
        values = {
            "interface": name, "nearest": nearest(name, adapters) or NONE, "known": ", ".join(sorted(adapters)),
        }  # fmt: skip
        yield Diagnostic("asm-unknown-interface", values, place, name)


def unknown(kind: str, name: str, known: Collection[str], place: Location) -> Diagnostic:
    values = {"kind": kind, "name": name, "nearest": nearest(name, known) or NONE, "known": ", ".join(sorted(known))}
    return Diagnostic("dat-unknown-name", values, place, name)
