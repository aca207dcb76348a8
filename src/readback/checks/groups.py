"""The findings of an audit by rule, in the order in which a meeting should look at them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from readback.checks import rules
from readback.checks.findings_on_disk import Kind, Listed, Stacks
from readback.checks.summary import Audit, selection_key
from readback.checks.training import AREA
from readback.types import Finding, Location, Severity
from readback.words import t
from readback.words.sentence import cut_first

WEIGHT: dict[Severity, int] = {"error": 0, "warning": 1, "info": 2}
# Findings from which others follow: while it is open what a number means, no mean and no count of failures is settled.
CAUSES = frozenset({"scr-number-in-question"})


@dataclass(frozen=True, slots=True)
class Group:
    """All findings of one rule. `count` and `records` are whole; `findings` are those the audit kept.

    `severity` is the gravest among them, `title` the rule's first sentence without its full stop, `conditions` the
    conditions (or modes and tasks, where there are no conditions) it touches.
    """

    code: str
    severity: Severity
    title: str
    count: int
    records: int
    conditions: tuple[str, ...]
    findings: Sequence[Finding]


def groups(audit: Audit) -> tuple[Group, ...]:
    """One group a rule: errors before warnings, then by conditions touched, then by records; ties by code.

    A rule all of whose findings came after the last that was kept is there too, without findings.
    """
    findings_by_code: dict[str, list[Finding]] = {code: [] for code in audit.counts}
    for finding in audit.findings:
        findings_by_code.setdefault(finding.code, []).append(finding)
    name = names(audit)
    rule_groups = (_group(audit, code, findings, name) for code, findings in findings_by_code.items())
    return tuple(sorted(rule_groups, key=_order))


def listed(audit: Audit) -> tuple[Group, ...]:
    """Return the groups with all their findings, where the audit has these in a file: each is read on access."""
    if audit.every is None:
        return groups(audit)
    name, every = names(audit), audit.every.kinds
    rule_groups = (
        replace(
            _group(audit, code, (), name),
            severity=min((kind.severity for kind in kinds), key=WEIGHT.__getitem__),
            conditions=_conditions((kind.place for kind in kinds), name),
            findings=audit.every.findings(kinds),
        )
        for code in audit.counts
        if (kinds := [kind for kind in every if kind.code == code])
    )
    return tuple(sorted(rule_groups, key=_order))


def narrowed(group: Group, kinds: Iterable[Kind], name: Callable[[Location], str], words: str) -> Group:
    """Narrow a group whose findings are in a file to those of some kinds that have the words."""
    whole = cast(Listed, group.findings)
    findings = whole.disk.findings((kind for kind in kinds if kind.code == group.code), words)
    if len(findings) == len(whole):
        return group
    conditions = _conditions((kind.place for kind in findings.kinds), name)
    return replace(group, findings=findings, count=len(findings), records=findings.records, conditions=conditions)


def alike(findings: Sequence[Finding]) -> Sequence[Sequence[Finding]]:
    """Group findings that say the same of different records, in the order of the first of each."""
    if isinstance(findings, Listed):
        return findings.stacks()
    stacks: dict[object, list[Finding]] = {}
    for finding in findings:
        at = finding.place
        what = (at.condition, at.mode, at.adapter, at.task, at.judge, at.role, at.field)
        key = (finding.message, finding.fix, finding.severity, what) if at.index is not None else finding.key
        stacks.setdefault(key, []).append(finding)
    return tuple(map(tuple, stacks.values()))


def some(stacks: Sequence[Sequence[Finding]], places: Collection[int]) -> tuple[Sequence[Finding], ...]:
    """Those at some places, in their order, of what `alike` answers."""
    if isinstance(stacks, Stacks):
        return stacks.some(places)
    return tuple(stacks[at] for at in sorted(places))


def before(stacks: Sequence[Sequence[Finding]], start: int) -> int:
    """How many findings are in the first ones of what `alike` answers."""
    if isinstance(stacks, Stacks):
        return stacks.before(start)
    return sum(map(len, stacks[:start]))


def names(audit: Audit) -> Callable[[Location], str]:
    """Return a function that names the audit's row in which a finding counts.

    Judges, and tasks beside conditions, are in no row and go by their own names. "" stands for what is not about
    one of them: files, models, records.
    """
    rows = {selection_key(row.choice): row.name for row in audit.conditions}
    row_names = frozenset(rows.values())

    def name(at: Location) -> str:
        if (row_name := rows.get(selection_key(at))) is not None:
            return row_name
        parts = (at.condition,) if at.condition else (at.mode, at.task, at.adapter)
        own = " · ".join(part for part in (*parts, at.judge) if part)
        if own in row_names:
            return ""
        return own

    return name


def because(finding: Finding) -> str:
    """In a sentence, why a finding has another severity than its rule; "" where it has the rule's."""
    rule = rules.RULES().get(finding.code)
    if rule is None or rule.severity == finding.severity:
        return ""
    here, usual = t(f"frame.here_{finding.severity}"), t(f"frame.usual_{rule.severity}")
    why = rule.because.get(finding.severity, "")
    if why:
        return t("frame.severity_because", here=here, usual=usual, why=why)
    return t("frame.severity_other", here=here, usual=usual)


def severities(findings: Sequence[Finding]) -> frozenset[Severity]:
    """Which there are among findings."""
    if isinstance(findings, Listed):
        return findings.severities
    return frozenset(finding.severity for finding in findings)


def by_severity(rule_groups: Sequence[Group]) -> Mapping[Severity, int]:
    """How many findings of each severity are listed in groups, the gravest first."""
    n = Counter[Severity]()
    for group in rule_groups:
        if isinstance(group.findings, Listed):
            for kind in group.findings.kinds:
                n[kind.severity] += kind.n
        else:
            n.update(finding.severity for finding in group.findings)
            n[group.severity] += group.count - len(group.findings)  # not kept: only the rule's own severity is known
    return {severity: n[severity] for severity in WEIGHT if n[severity]}


def firsts(findings: Sequence[Finding]) -> Sequence[Finding]:
    """One of each condition at least."""
    if isinstance(findings, Listed):
        return findings.firsts()
    return findings


def same_fix(findings: Sequence[Finding]) -> str:
    """Return the advice that holds for all findings; "" where they have several."""
    if isinstance(findings, Listed):
        fixes = {findings.fix}
    else:
        fixes = {finding.fix for finding in findings}
    if len(fixes) == 1:
        return fixes.pop() or ""
    return ""


def also(group: Group) -> str:
    """Which lighter severities some findings of a group have, in words; "" where all have the group's."""
    lighter = severities(group.findings) - {group.severity}
    return t("overview.and").join(t(f"frame.also_{severity}") for severity in WEIGHT if severity in lighter)


def title(code: str) -> str:
    """Return the first sentence of a rule's page, without its full stop."""
    rule = rules.RULES().get(code)
    return (rule.title if rule else code).removesuffix(".")


def area(code: str) -> str:
    """Return the area of a code in words: `fmt-…` is about prompt formats."""
    return rules.AREAS.get(code.partition("-")[0], "")


def paragraphs(code: str) -> tuple[str, ...]:
    """Return the paragraphs below the first sentence: what a rule finds, why it matters, how to fix it."""
    rule = rules.RULES().get(code)
    if rule:
        return rule.paragraphs
    return ()


def get_consequence(code: str) -> str:
    """Return the first sentence of why a rule matters; "" where its page does not say."""
    return cut_first("".join(paragraphs(code)[1:2]))


def _group(audit: Audit, code: str, findings: Sequence[Finding], name: Callable[[Location], str]) -> Group:
    rule = rules.RULES().get(code)
    default_severity: Severity = rule.severity if rule else "warning"
    return Group(
        code=code,
        severity=min((finding.severity for finding in findings), key=WEIGHT.__getitem__, default=default_severity),
        title=title(code),
        count=audit.counts.get(code, len(findings)),
        records=audit.records_by_code.get(code, 0),
        conditions=_conditions((finding.place for finding in findings), name),
        findings=tuple(sorted(findings, key=lambda finding: WEIGHT[finding.severity])),
    )


def _conditions(places: Iterable[Location], name: Callable[[Location], str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, map(name, places))))


def _order(group: Group) -> tuple[int, bool, int, int, str]:
    later = group.code not in CAUSES
    return WEIGHT[group.severity], later, -len(group.conditions), -group.records, group.code


def apart(audit: Audit) -> Audit:
    """Return the audit for a page, which shows the dataset: findings of separate files keep file and line but no
    record.
    """
    files = {training_file.path for training_file in audit.training if training_file.is_separate}
    if not files:
        return audit

    def remove_records(findings: Iterable[Finding]) -> tuple[Finding, ...]:
        return tuple(
            replace(finding, place=replace(finding.place, index=None, record=None))
            if finding.place.file in files
            else finding
            for finding in findings
        )

    return replace(
        audit, findings=remove_records(audit.findings), ignored_findings=remove_records(audit.ignored_findings)
    )


def looked_at(audit: Audit, code: str, records: int) -> int:
    """How many records a rule looks at, where the dataset has `records`."""
    if code.startswith(AREA):
        more = sum(training_file.counts.read for training_file in audit.training if training_file.is_separate)
    else:
        more = 0
    return records + more


ROLES = ("system", "user", "assistant", None)


def in_text(finding: Finding) -> tuple[bool, int, int]:
    """Return a sort key: findings about a stretch first, by role, then by where the stretch starts."""
    at = finding.place
    return at.start is None, ROLES.index(at.role) if at.role in ROLES else len(ROLES), at.start or 0
