"""The one pass over what the files said: each step looks at and changes only what it names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from readback import workspace
from readback.project_files import demos
from readback.workspace import resolve_draft
from readback.workspace.draft import Draft

OPEN_TO_ALL = {"root", "chosen", "offered", "diagnostics"}
PARTS = {one.name for one in fields(Draft)}


def _parts(text: str) -> set[str]:
    return set(text.split())


def test_a_step_names_parts_of_a_draft() -> None:
    for step in resolve_draft.STEPS:
        assert _parts(step.reads) | _parts(step.writes) <= PARTS - OPEN_TO_ALL
        assert _parts(step.needs) <= _parts(step.reads) | OPEN_TO_ALL


def _watched(monkeypatch: pytest.MonkeyPatch) -> dict[str, tuple[set[str], set[str]]]:
    """What each step of every draft that is resolved from now on looks at and changes, by the step's name."""
    seen: dict[str, tuple[set[str], set[str]]] = {one.run.__name__: (set(), set()) for one in resolve_draft.STEPS}
    asked: set[str] = set()

    class Watched(Draft):
        __slots__ = ()

        def __getattribute__(self, name: str) -> Any:
            if name in PARTS:
                asked.add(name)
            return super().__getattribute__(name)

    def watching(draft: Draft) -> None:
        watched = Watched(**{name: getattr(draft, name) for name in PARTS})
        for step in resolve_draft.STEPS:
            before = {name: copy(getattr(watched, name)) for name in PARTS}
            diagnostics = copy(watched.diagnostics)
            is_needed = step.is_needed(watched)
            asked.clear()
            step.run(watched)
            looked = set(asked)
            changed = {name for name in PARTS if before[name] != getattr(watched, name)}
            assert is_needed or (not changed and diagnostics == watched.diagnostics), step.run
            seen[step.run.__name__][0].update(looked)
            seen[step.run.__name__][1].update(changed)
        for name in PARTS:
            setattr(draft, name, getattr(watched, name))

    monkeypatch.setattr(workspace, "resolve", watching)
    return seen


def _holds(seen: Mapping[str, tuple[set[str], set[str]]]) -> None:
    for step in resolve_draft.STEPS:
        looked, changed = seen[step.run.__name__]
        assert looked - OPEN_TO_ALL <= _parts(step.reads) | _parts(step.writes), step.run
        assert changed - OPEN_TO_ALL <= _parts(step.writes), step.run


def test_steps_look_at_and_change_what_they_say_on_the_demos(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = _watched(monkeypatch)
    for folder in demos().values():
        workspace.open(folder)
    _holds(seen)
    assert seen["report_unknown_names"][0]  # the pass was watched


@pytest.mark.realdata
def test_steps_look_at_and_change_what_they_say_on_real_files(monkeypatch: pytest.MonkeyPatch, shared: Path) -> None:
    seen = _watched(monkeypatch)
    for folder in sorted(one for one in (shared / "data").iterdir() if one.is_dir()):
        workspace.open(folder)
    for folder in sorted(one for one in (shared / "checkouts").iterdir() if one.is_dir()):
        workspace.open(folder)
    _holds(seen)
    assert {"criteria", "alternatives"} <= set().union(*(changed for _, changed in seen.values()))


def test_each_step_is_needed(write: Callable[[Mapping[str, Any]], Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that nothing defines is reported by the one step that looks names up, and by no other."""
    folder = write(
        {
            "readback.yml": "dataset: {path: rows.jsonl}\nconditions: [{name: c, mode: missing}]\nconfigs: []\n",
            "rows.jsonl": [{"id": "1", "question": "Why?"}],
        }
    )
    codes = {one.code for one in workspace.open(folder).diagnostics}
    kept = tuple(step for step in resolve_draft.STEPS if step.run.__name__ != "report_unknown_names")
    monkeypatch.setattr(resolve_draft, "STEPS", kept)
    fewer = {one.code for one in workspace.open(folder).diagnostics}
    assert len(codes - fewer) == 1
