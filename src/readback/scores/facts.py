"""What the workspace says of how each of its conditions is run and judged, in the form in which files say it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator

from readback.scores import judge_names
from readback.scores.table import RunFacts
from readback.types import Judge, Workspace


def of_workspace(workspace: Workspace) -> Iterator[RunFacts]:
    """Mode, model, judge, its rubric and the fingerprint of that prompt, of each condition; weights: `rubrics`."""
    for one in workspace.conditions:
        judge = workspace.judges.get(one.judge) if one.judge else None
        yield RunFacts(
            condition=(("condition", one.name),),
            mode=one.mode,
            model=one.model,
            judge=judge_names.name_of(workspace, one),
            judge_model=judge_names.model_of(workspace, one),
            judge_prompt=prompt_of(judge) if judge else None,
            place=one.place,
            by_workspace=True,
            rubric=one.judge,
        )


def prompt_of(judge: Judge) -> str:
    """SHA-256 of the compact JSON [[role, template], …], as an assembly's fingerprint is made of its texts."""
    pairs = [["system", judge.system], ["user", judge.user]] if judge.system else [["user", judge.user]]
    text = json.dumps(pairs, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
