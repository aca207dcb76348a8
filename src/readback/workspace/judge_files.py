"""The judges that a file defines, called by the file's stem where they have no name of their own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from readback.readers.paths import show
from readback.sources import judge_prompts
from readback.types import Criterion, Diagnostic, Judge
from readback.workspace.draft import Draft


def judges_of(path: Path, draft: Draft) -> tuple[Judge, ...]:
    """The judges in `path`; diagnostics go to the draft.

    That a file gives no prompt is a note where nobody names it: variants that code chooses among are no fault.
    """
    found, diagnostics = judge_prompts.read(path, draft.root)
    named = show(draft.root, path) in draft.named
    draft.diagnostics.extend(diagnostics if named else map(_lightened, diagnostics))
    return found


def _lightened(diagnostic: Diagnostic) -> Diagnostic:
    return replace(diagnostic, severity="info") if diagnostic.code == "jdg-no-prompt" else diagnostic


def judge_of(path: Path, draft: Draft, name: str, spec: Mapping[str, Any]) -> Judge | None:
    """One judge of the file: that of this name, else the first; what is wrong with the others is not said.

    `spec` says which constants or files hold its system and user text, and which record fields fill it.
    """
    found, diagnostics = judge_prompts.read(path, draft.root, spec)
    chosen = next((judge for judge in found if judge.name == name), found[0] if found else None)
    others = {judge.name for judge in found} - {chosen.name if chosen else ""}
    draft.diagnostics.extend(diagnostic for diagnostic in diagnostics if diagnostic.place.judge not in others)
    return chosen


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
