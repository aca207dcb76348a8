"""The judges that a file defines, called by the file's stem where they have no name of their own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from readback.dialects import judge_prompts
from readback.draft import Draft
from readback.types import Criterion, Judge


def judges_of(path: Path, draft: Draft, spec: Mapping[str, Any] | None = None) -> tuple[Judge, ...]:
    """The judges in `path`; notes go to the draft. `spec` names the constants or files of system and user text."""
    found, notes = judge_prompts.read(path, draft.root, spec)
    draft.notes.extend(notes)
    return found


def judge_criteria(judges: Iterable[Judge]) -> dict[str, Criterion]:
    """What the judges score, on their own scales; of two judges with one criterion the first one speaks."""
    found: dict[str, Criterion] = {}
    for judge in judges:
        for name, criterion in judge_prompts.criteria_of(judge).items():
            if criterion.scale != "unknown":
                found.setdefault(name, criterion)
    return found


def add_criteria(draft: Draft) -> None:
    """Add the judges' criteria, but for those that the workspace itself describes."""
    said = set(draft.criteria)
    for name, criterion in judge_criteria(draft.judges.values()).items():
        if not said & {name, name.removesuffix("_score"), f"{name}_score"}:
            draft.criteria[name] = criterion
