"""Load score files in tests: a workspace that holds nothing else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from readback.scores import loading as scores
from readback.scores.files import find_kind
from readback.scores.table import ScoreTable
from readback.types import ScoreSource, Workspace

Write = Callable[[dict[str, Any]], Path]
TIDY = "item,condition,criterion,score,judge,note\n"


def load(root: Path, *sources: ScoreSource | str, **more: Any) -> ScoreTable:
    """The scores of these files, or of every file in the folder."""
    files = sources or sorted(p.name for p in root.iterdir())
    named = tuple(ScoreSource(file) if isinstance(file, str) else file for file in files)
    return scores.load(Workspace(root=root, name="x", scores=named, **more))


def name_kind(path: Path) -> str | None:
    """Return the name of the format of a score file; None where it is none."""
    kind = find_kind(path, path.name)
    return kind.name if kind else None


def codes(table: ScoreTable) -> list[str]:
    return [diagnostic.code for diagnostic in table.diagnostics]


def states(table: ScoreTable) -> list[str]:
    return [score.state for score in table.scores]
