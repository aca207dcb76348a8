"""Read the judges that a file defines, and what they score."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from readback.readers.files.paths import format_relative
from readback.sources.judges import judge_prompts
from readback.types import Criterion, Judge
from readback.workspace.draft import Draft


def read_judges(path: Path, draft: Draft) -> tuple[Judge, ...]:
    """Return the judges in `path`; diagnostics go to the draft.

    A file without a prompt is only for information where nobody names it: variants that code chooses among are no
    fault.
    """
    judges, diagnostics = judge_prompts.read(path, draft.root)
    is_named = format_relative(draft.root, path) in draft.named
    for diagnostic in diagnostics:
        if diagnostic.code == "jdg-no-prompt" and not is_named:
            draft.diagnostics.append(replace(diagnostic, severity="info"))
        else:
            draft.diagnostics.append(diagnostic)
    return judges


def read_judge(path: Path, draft: Draft, name: str, parts: Mapping[str, Any]) -> Judge | None:
    """Return the judge of this name in a file, else the first. Diagnostics of the other judges are left out.

    `parts` say which constants or files hold its system and user text, and which record fields fill it.
    """
    judges, diagnostics = judge_prompts.read(path, draft.root, parts)
    judge = next((judge for judge in judges if judge.name == name), judges[0] if judges else None)
    others = {judge.name for judge in judges} - {judge.name if judge else ""}
    draft.diagnostics.extend(diagnostic for diagnostic in diagnostics if diagnostic.place.judge not in others)
    return judge


def list_judge_criteria(judges: Iterable[Judge]) -> dict[str, Criterion]:
    """Return what the judges score, on their own scales; of two judges with one criterion the first one counts."""
    criteria: dict[str, Criterion] = {}
    for judge in judges:
        for name, criterion in judge_prompts.list_criteria(judge).items():
            if criterion.scale != "unknown":
                criteria.setdefault(name, criterion)
    return criteria


def add_criteria(draft: Draft) -> None:
    """Add the judges' criteria, but for those that the workspace itself describes."""
    described = set(draft.criteria)
    for name, criterion in list_judge_criteria(draft.judges.values()).items():
        if not described & {name, name.removesuffix("_score"), f"{name}_score"}:
            draft.criteria[name] = criterion
