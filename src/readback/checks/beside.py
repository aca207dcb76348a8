"""Findings in training files that lie beside the dataset: no record of the dataset is meant by their numbers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from readback.checks.summary import Audit
from readback.checks.training import AREA
from readback.types import Finding


def apart(audit: Audit) -> Audit:
    """The audit for a page, which shows the dataset: such findings keep file and line, and lead to no record."""
    files = {one.path for one in audit.training if one.beside}
    if not files:
        return audit

    def told(found: Iterable[Finding]) -> tuple[Finding, ...]:
        return tuple(
            replace(one, place=replace(one.place, index=None, record=None)) if one.place.file in files else one
            for one in found
        )

    return replace(audit, findings=told(audit.findings), ignored_findings=told(audit.ignored_findings))


def looked_at(audit: Audit, code: str, records: int) -> int:
    """How many records a rule looks at, where the dataset has `records`."""
    more = sum(one.counts.read for one in audit.training if one.beside) if code.startswith(AREA) else 0
    return records + more
