"""Where the results of a plan's run lie: where the plan puts them, else in a folder that is called like the run.

Source: ignaciolinari/beyond-the-cutoff (MIT), whose interleaved runs write to another folder than the plan names.
"""

from __future__ import annotations

from pathlib import Path

from readback.readers.paths import resolve
from readback.scores.files.formats import details, metadata, metrics
from readback.sources.plan import OUTPUT, Run
from readback.workspace.draft import Draft
from readback.workspace.recognise import SCORES
from readback.workspace.survey import Survey

KINDS = {"details": details.NAME, "metrics": metrics.NAME, "metadata": metadata.NAME}  # by the plan's word for them


def files(draft: Draft, run: Run, base: Path, survey: Survey) -> dict[str, Path]:
    """The run's files by kind (details, metrics, metadata), all from one folder; those that are not there are left out.

    That a run was not made yet is no fault.
    """
    named = {kind: path for kind in OUTPUT if (path := _output(draft, run, kind, base))}
    return named or _by_content(run, survey)


def _output(draft: Draft, run: Run, kind: str, base: Path) -> Path | None:
    named = run.outputs.get(kind)
    path = resolve(draft.root, named, base=base) if named else None
    return path if isinstance(path, Path) else None


def _by_content(run: Run, survey: Survey) -> dict[str, Path]:
    """Of several folders of that name the one with the rows of single answers, then the one nearest the top."""
    folders: dict[Path, dict[str, Path]] = {}
    for found in survey.all(SCORES):
        kind = next((kind for kind, name in KINDS.items() if name == found.detail), None)
        if kind and found.path.parent.name == run.label:
            folders.setdefault(found.path.parent, {}).setdefault(kind, found.path)
    return max(folders.values(), key=lambda there: "details" in there, default={})
