"""What the check says about the records of the grid, as far as it has been made: the grid does not wait for it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from readback.checks.summary import Audit
from readback.checks.tallies import numbers
from readback.records.dataset import Dataset
from readback.scores.workspace_condition import find_named_condition
from readback.types import Finding, Workspace
from readback.ui.common import show
from readback.ui.common.state import caches, choice
from readback.ui.results.grid.sides import Sides
from readback.words import t

AnswerKey = tuple[int | None, str | None]  # a record by its number, and a condition; None: the record itself


@dataclass(frozen=True, slots=True)
class CheckedFindings:
    """The check, or `why` it cannot be used. `note` says what it left out."""

    audit: Audit | None = None
    why: Markup | str = ""
    note: str = ""

    def by_answer(self, indices: Collection[int]) -> Mapping[AnswerKey, Sequence[Finding]]:
        """Return the findings about these records, by record and condition."""
        findings: dict[AnswerKey, list[Finding]] = {}
        if self.audit is None or not indices:
            return findings
        wanted = set(indices)
        for finding in self.audit.findings:
            place = finding.place
            if place.index in wanted and (place.condition is not None or place.judge is None):
                findings.setdefault((place.index, place.condition), []).append(finding)
        return findings

    def mark_items(self, items: Sequence[str], data: Dataset, workspace: Workspace, shown_sides: Sides) -> Any:
        """Return for each item whether its record, or its answer under a condition that is shown, has a finding."""
        import numpy as np

        names = {None}
        for side in shown_sides:
            condition = find_named_condition(workspace, side)
            if condition is not None:
                names.add(condition.name)  # type: ignore[arg-type]
        indices: set[int] = set()
        for (_, selection), bits in self.audit.with_finding.items() if self.audit is not None else ():
            if selection[0] in names:
                indices.update(numbers(bits))
        ids = data.ids()
        with_finding = {ids[index] for index in indices if index < len(ids)}
        return np.array([item in with_finding for item in items], bool)


def find_checked() -> CheckedFindings:
    """Return the findings where the check has ended, of all records or of a sample."""
    workspace = choice.workspace()
    if workspace.dataset is None:
        return CheckedFindings(why=t("grid.why_no_dataset"))
    for is_whole in (True, False):
        job = caches.audited(choice.key(), is_whole)
        if job is not None and job.ready.is_set():
            audit = job.result
        else:
            audit = None
        if isinstance(audit, Audit) and not audit.stopped:
            return CheckedFindings(audit, note="" if is_whole else t("grid.findings_of_sample"))
    begun = caches.audited(choice.key()) or caches.audited(choice.key(), False)
    if begun is not None and not begun.ready.is_set():
        return CheckedFindings(why=t("grid.why_checking"))
    link = show.link("overview", t("grid.check"))
    return CheckedFindings(why=show.h("{}: {}", t("grid.why_unchecked"), link))
