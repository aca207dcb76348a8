"""What check --since compares with: the prompts and findings of a revision of git."""

from __future__ import annotations

from collections.abc import Collection

from readback.checks.run import engine
from readback.cli import UsageError
from readback.cli._changes import Before
from readback.cli._sentence import fill
from readback.compare.side import SideError
from readback.review import since
from readback.review.leaves import NothingToLock
from readback.types import Finding, Workspace


def before(
    opened: Workspace,
    rev: str,
    select: Collection[str],
    ignore: Collection[str],
    conditions: Collection[str],
    jobs: int | None,
) -> Before:
    """Open the workspace as it was at `rev`, check it and compare its prompts. Raises UsageError, DatasetChanged."""
    try:
        old, now = since.at_revision(opened, rev)
    except SideError as error:
        raise UsageError(fill("--since {rev}: {why}", rev=rev, why=error)) from None
    steps = engine.stream(old, select=select, ignore=ignore, conditions=conditions, jobs=jobs)
    keys = frozenset(step.key for step in steps if isinstance(step, Finding))
    try:
        return Before(rev, keys, since.prompts(old, now, jobs, conditions=conditions))
    except NothingToLock as nothing:
        return Before(rev, keys, unsaid=str(nothing))
