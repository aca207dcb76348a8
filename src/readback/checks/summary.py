"""What an audit says in the end, and the tally that grows into it while findings pass by."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

from readback.checks.factors import factors, intended
from readback.checks.fields.template_fields import UnusedField
from readback.checks.findings_on_disk import FindingsOnDisk
from readback.checks.model_findings import ModelNames
from readback.checks.request_differences import DifferenceKind, Differences
from readback.checks.rules import Fault, Seen, make_key_unique
from readback.checks.sample import Sample
from readback.checks.tallies import Extremes, Key, Lengths, RecordsWithFinding, SelectionKey, Widest
from readback.checks.training import Trained
from readback.checks.variables import VariableRow
from readback.prompts.selections import explain_unknown_system
from readback.records.dataset import Counts
from readback.types import Assembly, Condition, Finding, Ignored, Location, Selection, SystemText, Tokens, Workspace

KEPT = 10_000  # findings a summary holds; `stream` hands out all of them
LIMIT = "dat-limit"  # the code of what took too much
EACH = 200  # of them any rule may count on, however much another one finds


@dataclass(frozen=True, slots=True)
class Progress:
    """Records done, of how many."""

    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Row:
    """One condition (or mode or task, where there are no conditions) in the summary.

    `system` says which place states its system message, `system_sha` its sha256; None: there is none, unless
    `system_unknown` says why it is not known.
    `longest` counts the characters of the longest assembled messages of one record (None: none were assembled),
    `tokens` what the model reads of it where a limit is known; `model_errors` what is wrong with its model, whichever
    condition runs it; `observed` how many logged requests are equal to them, of how many; `factors` what a comparison
    with it may vary (see `factors`).
    """

    name: str
    choice: Selection
    mode: str | None = None
    model: str | None = None
    adapter: str | None = None
    task: str | None = None
    system: str | None = None
    system_sha: str | None = None
    system_unknown: str | None = None
    errors: int = 0
    warnings: int = 0
    model_errors: int = 0
    longest: int | None = None
    tokens: Tokens | None = None
    observed: tuple[int, int] = (0, 0)
    factors: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Unlooked:
    """How many of the records were not looked at under a choice, and why: too many of the others took too long."""

    choice: Selection
    count: int
    total: int
    why: str

    @property
    def name(self) -> str:
        """What the choice is called by: the condition, else mode, task and adapter; and the judge."""
        choice = self.choice
        parts = (choice.condition,) if choice.condition is not None else (choice.mode, choice.task, choice.adapter)
        return " · ".join(part for part in (*parts, choice.judge) if part)


@dataclass(frozen=True, slots=True)
class JudgeRequests:
    """How many of the requests that a judge was logged to be sent are equal to its messages, of how many."""

    choice: Selection
    equal: int
    logged: int


@dataclass(frozen=True, slots=True)
class Audit:
    """The whole answer.

    All counts leave out what the workspace ignores and the findings of a baseline (`in_baseline`).
    `records_by_code` counts distinct records; `faults` are Readback's own errors; `stopped` says that somebody
    ended the audit early. `sample` says that only some of the records were looked at: all counts about
    records are then of these. `unlooked` are the choices that were given up before all records were looked at.
    `every` has all findings where they are more than `findings` holds and somebody wants to list them.
    """

    workspace: str
    records: Counts
    conditions: tuple[Row, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    records_by_code: Mapping[str, int] = field(default_factory=dict)
    severities: Mapping[str, int] = field(default_factory=dict)
    findings: Sequence[Finding] = ()
    truncated: bool = False
    ignored: tuple[tuple[Ignored, int], ...] = ()
    ignored_findings: Sequence[Finding] = ()
    in_baseline: int = 0
    faults: tuple[Fault, ...] = ()
    stopped: bool = False
    variables: tuple[VariableRow, ...] = ()
    unused: tuple[UnusedField, ...] = ()
    names_left_out: int = 0  # uses of names beyond those that are counted
    lengths: Mapping[SelectionKey, Extremes] = field(default_factory=dict)  # by `selection_key`
    widest: Widest | None = None
    training: tuple[Trained, ...] = ()
    with_finding: Mapping[Key, bytes] = field(
        default_factory=dict
    )  # by code and `selection_key`: the records with a finding
    sample: Sample | None = None
    intended: Mapping[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)  # by pair: what the plan varies
    limited: bool = False  # work met a limit of time or memory, known or not: a quicker machine may find something else
    every: FindingsOnDisk | None = None
    unlooked: tuple[Unlooked, ...] = ()
    judge_requests: tuple[JudgeRequests, ...] = ()  # of judges of which any was logged
    differences: tuple[DifferenceKind, ...] = ()  # of logged requests, the most frequent kind first


@dataclass(slots=True)
class Tally:
    """The counts of an audit on its way; it holds at most KEPT findings of each kind.

    Once full, a rule that holds fewer than EACH takes the place of the last one of the rule that holds the most, so
    that one rule with a finding in every record does not hide all others.
    """

    opened: Workspace
    rows: tuple[Row, ...]
    baseline: frozenset[str] = frozenset()
    in_baseline: int = 0
    counted: Counter[tuple[str, str, SelectionKey]] = field(default_factory=Counter)  # by code, severity and condition
    by_record: Counter[str] = field(default_factory=Counter)
    lengths: Lengths = field(default_factory=Lengths)
    equal: Counter[tuple[str | None, ...]] = field(default_factory=Counter)
    differences: Differences = field(default_factory=Differences)
    logged: Counter[tuple[str | None, ...]] = field(default_factory=Counter)
    findings: _BoundedFindings = field(default_factory=lambda: _BoundedFindings())
    ignored: Counter[int] = field(default_factory=Counter)
    ignored_findings: _BoundedFindings = field(default_factory=lambda: _BoundedFindings())
    faults: list[Fault] = field(default_factory=list)
    of_models: Counter[str] = field(default_factory=Counter)
    stood_for: dict[str, set[int]] = field(default_factory=dict)  # by code, the records for which a finding stands
    with_finding: RecordsWithFinding = field(default_factory=RecordsWithFinding)
    shared_keys: Seen = field(default_factory=dict)  # of what is about no record
    limited: bool = False
    unlooked: list[Unlooked] = field(default_factory=list)
    measured: tuple[Sequence[Selection], Sequence[SelectionKey]] = ((), ())  # the choices of last time, and their keys
    model_names: ModelNames = field(init=False)

    def __post_init__(self) -> None:
        self.model_names = ModelNames(self.opened.models.values())

    def is_ignored(self, finding: Finding) -> bool:
        """Whether a line of the workspace file says that nobody wants to read of it."""
        return _ignored(finding, self.opened.ignore) is not None

    def take(self, results: Iterable[Finding | Fault]) -> list[Finding]:
        """Count what was found about one record, or about none; answers the new findings that nobody ignores."""
        results, passed = list(results), list[Finding]()
        if not results:  # as in most records
            return passed
        record_keys: Seen = {}  # of one record: no other shares a key with it
        several = len(results) > 1  # the only one of a record need not be told from others
        for result in results:
            if isinstance(result, Fault):
                self.faults.extend([result] if len(self.faults) < KEPT else [])
                continue
            self.limited = self.limited or result.code == LIMIT
            about_none = result.place.index is None
            finding = result
            if several or about_none:
                finding = make_key_unique(result, self.shared_keys if about_none else record_keys)
            if (number := _ignored(finding, self.opened.ignore)) is not None:
                self.ignored[number] += 1
                self.ignored_findings.add(finding)
            elif finding.key in self.baseline:
                self.in_baseline += 1
            else:
                self.findings.add(finding)
                passed.append(finding)
        in_records = set[tuple[str, int]]()
        for finding in passed:
            code, key, index = finding.code, selection_key(finding.place), finding.place.index
            self.counted[code, finding.severity, key] += 1
            for model in self.model_names.find(finding) if finding.severity == "error" else ():
                self.of_models[model] += 1
            if index is not None:
                self.with_finding.take(code, key, index)
                in_records.add((code, index))
        for code, _ in in_records:
            self.by_record[code] += 1
        return passed

    def count_records(self, code: str, places: Mapping[SelectionKey, Sequence[int]]) -> None:
        """Count the records for which one finding stands, the first of which has been counted with it.

        A record for which several findings of a code stand, under several conditions say, is one record of the code.
        """
        for key, indices in places.items():
            for index in indices:
                self.with_finding.take(code, key, index)
        stood_for = self.stood_for.setdefault(code, set())
        before = len(stood_for)
        stood_for.update(*places.values())
        self.by_record[code] += len(stood_for) - before - 1

    def measure(
        self,
        indices: Sequence[int],
        choices: Sequence[Selection],
        characters: Sequence[Sequence[int]],
        observed: Iterable[Sequence[Sequence[Any] | None]],
    ) -> None:
        """Remember how long the prompts of records are, in a column for each choice, and how many logged requests were
        equal and how the others differ, in a row for each record of which any was logged.
        """
        if choices is not self.measured[0]:
            self.measured = choices, [selection_key(choice) for choice in choices]
        keys = self.measured[1]
        self.lengths.take(keys, choices, characters, indices)
        for row in observed:
            for key, choice, counts in zip(keys, choices, row, strict=True):
                if counts is None:
                    continue
                equal, logged, difference = counts
                self.logged[key] += logged
                self.equal[key] += equal
                if difference is not None:
                    self.differences.take(choice, difference, logged - equal)

    def audit(self, records: Counts, stopped: bool = False) -> Audit:
        """Return the summary so far."""
        counts, severities, weights = Counter[str](), Counter[str](), Counter[tuple[SelectionKey, str]]()
        for (code, severity, key), count in self.counted.items():
            counts[code] += count
            severities[severity] += count
            weights[key, severity] += count
        listed = self.findings.in_order()
        return Audit(
            workspace=self.opened.name,
            records=records,
            conditions=tuple(self._complete(row, weights) for row in self.rows),
            counts=dict(sorted(counts.items())),
            records_by_code=dict(sorted(self.by_record.items())),
            severities=dict(severities),
            findings=listed,
            truncated=self.counted.total() > len(listed),
            ignored=tuple((entry, self.ignored[number]) for number, entry in enumerate(self.opened.ignore)),
            ignored_findings=self.ignored_findings.in_order(),
            in_baseline=self.in_baseline,
            faults=tuple(self.faults),
            stopped=stopped,
            lengths=self.lengths.conditions,
            widest=self.lengths.widest,
            with_finding=self.with_finding.done(),
            intended=intended(self.opened),
            limited=self.limited,
            unlooked=tuple(self.unlooked),
            judge_requests=tuple(self._judge_requests()),
            differences=self.differences.list_kinds(),
        )

    def _judge_requests(self) -> Iterator[JudgeRequests]:
        choices, keys = self.measured
        for choice, key in zip(choices, keys, strict=True):
            if choice.judge is not None and self.logged[key]:
                yield JudgeRequests(choice, self.equal[key], self.logged[key])

    def _complete(self, row: Row, weights: Mapping[tuple[SelectionKey, str], int]) -> Row:
        key, lengths = selection_key(row.choice), self.lengths.conditions
        errors, warnings = (weights.get((key, severity), 0) for severity in ("error", "warning"))
        requests = (self.equal[key], self.logged[key])
        if key in lengths:
            longest = lengths[key].longest
        else:
            longest = None
        wrong = self.of_models[row.model or ""]
        return replace(row, errors=errors, warnings=warnings, model_errors=wrong, longest=longest, observed=requests)


def selection_key(at: Selection | Location) -> tuple[str | None, ...]:
    """Return what identifies one condition: the condition, else mode, task and adapter; and the judge."""
    if at.condition is not None:
        return at.condition, None, None, None, at.judge
    return None, at.mode, at.task, at.adapter, at.judge


def rows(opened: Workspace, choices: Iterable[Selection], firsts: Iterable[Assembly]) -> tuple[Row, ...]:
    """Return a row for each condition, or for each mode and task where there is none; `firsts` are the first
    assemblies.
    """
    pairs = [(choice, first) for choice, first in zip(choices, firsts, strict=True) if choice.judge is None]
    conditions = [(choice, first) for choice, first in pairs if choice.condition is not None]
    return tuple(_row(opened, choice, first) for choice, first in conditions or pairs)


def _row(opened: Workspace, choice: Selection, first: Assembly) -> Row:
    condition = (opened.condition(choice.condition) if choice.condition else None) or Condition("")
    task, adapter = choice.task or condition.task, choice.adapter or condition.adapter
    mode = choice.mode or condition.mode
    system = next((message.text for message in first.messages if message.role == "system"), None)
    is_logged = bool(condition.logged) and not (mode or task)  # no file here states it
    return Row(
        name=condition.name or " · ".join(part for part in (mode, task, adapter) if part),
        choice=choice,
        mode=mode,
        model=condition.model,
        adapter=adapter,
        task=task,
        system=_find_source(opened, system, first, is_logged=is_logged),
        system_unknown=explain_unknown_system(opened, choice, first.messages),
        factors=factors(opened, condition, first),
        system_sha=None if system is None else hashlib.sha256(system.encode("utf-8", "surrogatepass")).hexdigest(),
    )


def _find_source(opened: Workspace, system: str | None, first: Assembly, *, is_logged: bool) -> str | None:
    """Return which place states the system message, "log" where only the log of the requests has it."""
    if system is None:
        return None
    if is_logged:
        return "log"
    return _stated(opened.system_texts, system, _file(first))


def _file(first: Assembly) -> str | None:
    """Return the file that the system message came from, where there is exactly one."""
    files = {
        segment.place.file for message in first.messages if message.role == "system" for segment in message.segments
    }
    if len(files) == 1:
        return next(iter(files))
    return None


def _stated(texts: Iterable[SystemText], system: str, file: str | None) -> str:
    """Which place states the system message; one that was put together from several is nowhere.

    Of several places with the same text it is the one that the message came from.
    """
    equal = [text for text in texts if text.text == system]
    source_text = next((text for text in equal if text.place.file == file), None) or next(iter(equal), None)
    if source_text is None:
        return "assembled"
    at = source_text.place
    where = f"{at.file}:{at.line}" if at.file and at.line else at.file
    return " ".join(part for part in (source_text.source, where or source_text.name) if part)


def covers(ignored: Ignored, finding: Finding) -> bool:
    """Whether a suppression is about a finding: its code, and every part of its place."""
    if ignored.code != finding.code:
        return False
    parts = ((getattr(finding.place, name, None), value) for name, value in ignored.where.items())
    return all(part is not None and str(part) == value for part, value in parts)


def _ignored(finding: Finding, suppressions: Iterable[Ignored]) -> int | None:
    """Return the number of the suppression that covers a finding."""
    for number, ignored in enumerate(suppressions):
        if covers(ignored, finding):
            return number
    return None


@dataclass(slots=True)
class _BoundedFindings:
    """At most KEPT findings, each with its number in the order in which they came."""

    count: int = 0
    size: int = 0
    by_code: dict[str, list[tuple[int, Finding]]] = field(default_factory=dict)

    def add(self, finding: Finding) -> None:
        """Take the next finding, in place of one of a rule that has many where there is no room."""
        same_rule = self.by_code.setdefault(finding.code, [])
        self.count += 1
        if self.size >= KEPT:
            most = max(self.by_code.values(), key=len)
            if len(same_rule) >= EACH or len(most) <= len(same_rule) + 1:
                return
            most.pop()
            self.size -= 1
        same_rule.append((self.count, finding))
        self.size += 1

    def in_order(self) -> tuple[Finding, ...]:
        """Return the findings in the order in which they came."""
        numbered = sorted(chain.from_iterable(self.by_code.values()), key=lambda pair: pair[0])
        return tuple(finding for _, finding in numbered)
