"""What an audit says in the end, and the tally that grows into it while findings pass by."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

from readback.records.dataset import Counts
from readback.rules import Fault
from readback.types import Assembly, Choice, Condition, Finding, Ignored, Place, SystemText, Workspace

T = TypeVar("T")
KEPT = 10_000  # findings a summary holds; `stream` hands out all of them


@dataclass(frozen=True, slots=True)
class Progress:
    """Records done, of how many."""

    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Row:
    """One condition (or mode or task, where there are no conditions) in the summary.

    `system` says which place states its system message, `system_sha` its sha256; None: there is none.
    `longest` counts the characters of the longest assembled messages of one record.
    """

    name: str
    choice: Choice
    mode: str | None = None
    model: str | None = None
    adapter: str | None = None
    task: str | None = None
    system: str | None = None
    system_sha: str | None = None
    errors: int = 0
    warnings: int = 0
    longest: int = 0


@dataclass(frozen=True, slots=True)
class Audit:
    """The whole answer.

    All counts leave out what the workspace ignores and the `known` findings of a baseline. `records_by_code` counts
    distinct records; `faults` are our own mistakes; `stopped` says that somebody ended the audit early.
    """

    workspace: str
    records: Counts
    conditions: tuple[Row, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    records_by_code: Mapping[str, int] = field(default_factory=dict)
    severities: Mapping[str, int] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    truncated: bool = False
    ignored: tuple[tuple[Ignored, int], ...] = ()
    ignored_findings: tuple[Finding, ...] = ()
    known: int = 0
    faults: tuple[Fault, ...] = ()
    stopped: bool = False


@dataclass(slots=True)
class Tally:
    """The counts of an audit on its way; it holds at most KEPT findings of each kind."""

    opened: Workspace
    rows: tuple[Row, ...]
    baseline: frozenset[str] = frozenset()
    known: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    by_record: Counter[str] = field(default_factory=Counter)
    severities: Counter[str] = field(default_factory=Counter)
    weights: Counter[tuple[str | None, ...]] = field(default_factory=Counter)
    longest: dict[tuple[str | None, ...], int] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    ignored: Counter[int] = field(default_factory=Counter)
    ignored_findings: list[Finding] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)

    def take(self, found: Iterable[Finding | Fault]) -> list[Finding]:
        """Count what was found about one record, or about none; answers the new findings that nobody ignores."""
        passed: list[Finding] = []
        for one in found:
            if isinstance(one, Fault):
                _keep(self.faults, one)
            elif (number := _ignored(one, self.opened.ignore)) is not None:
                self.ignored[number] += 1
                _keep(self.ignored_findings, one)
            elif one.key in self.baseline:
                self.known += 1
            else:
                _keep(self.findings, one)
                passed.append(one)
        self.counts.update(one.code for one in passed)
        self.severities.update(one.severity for one in passed)
        self.weights.update((*arm(one.place), one.severity) for one in passed)
        of_records = {(one.code, one.place.index) for one in passed if one.place.index is not None}
        self.by_record.update(code for code, _ in of_records)
        return passed

    def measure(self, choices: Iterable[Choice], characters: Iterable[int]) -> None:
        """Remember the longest prompt of each choice."""
        for choice, number in zip(choices, characters, strict=True):
            self.longest[arm(choice)] = max(self.longest.get(arm(choice), 0), number)

    def audit(self, records: Counts, stopped: bool = False) -> Audit:
        """The summary so far."""
        return Audit(
            workspace=self.opened.name,
            records=records,
            conditions=tuple(self._complete(row) for row in self.rows),
            counts=dict(sorted(self.counts.items())),
            records_by_code=dict(sorted(self.by_record.items())),
            severities=dict(self.severities),
            findings=tuple(self.findings),
            truncated=sum(self.counts.values()) > len(self.findings),
            ignored=tuple((one, self.ignored[number]) for number, one in enumerate(self.opened.ignore)),
            ignored_findings=tuple(self.ignored_findings),
            known=self.known,
            faults=tuple(self.faults),
            stopped=stopped,
        )

    def _complete(self, row: Row) -> Row:
        key = arm(row.choice)
        errors, warnings = (self.weights[(*key, severity)] for severity in ("error", "warning"))
        return replace(row, errors=errors, warnings=warnings, longest=self.longest.get(key, 0))


def arm(at: Choice | Place) -> tuple[str | None, ...]:
    """What counts as one arm: the condition, else mode, task and adapter; and the judge."""
    if at.condition is not None:
        return at.condition, None, None, None, at.judge
    return None, at.mode, at.task, at.adapter, at.judge


def rows(opened: Workspace, choices: Iterable[Choice], firsts: Iterable[Assembly]) -> tuple[Row, ...]:
    """A row for each condition, or for each mode and task where there is none; `firsts` are the first assemblies."""
    pairs = [(choice, first) for choice, first in zip(choices, firsts, strict=True) if choice.judge is None]
    arms = [(choice, first) for choice, first in pairs if choice.condition is not None]
    return tuple(_row(opened, choice, first) for choice, first in arms or pairs)


def _row(opened: Workspace, choice: Choice, first: Assembly) -> Row:
    condition = (opened.condition(choice.condition) if choice.condition else None) or Condition("")
    task, adapter = choice.task or condition.task, choice.adapter or condition.adapter
    mode = choice.mode or condition.mode
    system = next((message.text for message in first.messages if message.role == "system"), None)
    return Row(
        name=condition.name or " · ".join(part for part in (mode, task, adapter) if part),
        choice=choice,
        mode=mode,
        model=condition.model,
        adapter=adapter,
        task=task,
        system=None if system is None else _stated(opened.system_texts, system),
        system_sha=None if system is None else hashlib.sha256(system.encode("utf-8", "surrogatepass")).hexdigest(),
    )


def _stated(texts: Iterable[SystemText], system: str) -> str:
    """Which place states the system message; one that was put together from several stands nowhere."""
    found = next((text for text in texts if text.text == system), None)
    if found is None:
        return "assembled"
    at = found.place
    where = f"{at.file}:{at.line}" if at.file and at.line else at.file
    return " ".join(part for part in (found.source, where or found.name) if part)


def _ignored(one: Finding, suppressions: Iterable[Ignored]) -> int | None:
    """The number of the suppression that covers a finding."""
    for number, ignored in enumerate(suppressions):
        fits = all(str(getattr(one.place, name, None)) == value for name, value in ignored.where.items())
        if ignored.code == one.code and fits:
            return number
    return None


def _keep(kept: list[T], one: T) -> None:
    if len(kept) < KEPT:
        kept.append(one)
