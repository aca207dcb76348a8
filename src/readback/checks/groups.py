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
    kept: dict[str, list[Finding]] = {code: [] for code in audit.counts}
    for one in audit.findings:
        kept.setdefault(one.code, []).append(one)
    name = names(audit)
    made = (_group(audit, code, found, name) for code, found in kept.items())
    return tuple(sorted(made, key=_order))


def listed(audit: Audit) -> tuple[Group, ...]:
    """The same with all their findings, where the audit has these in a file: each is read when it is looked at."""
    if audit.every is None:
        return groups(audit)
    name, every = names(audit), audit.every.kinds
    made = (
        replace(
            _group(audit, code, (), name),
            severity=min((one.severity for one in kinds), key=WEIGHT.__getitem__),
            conditions=_conditions((one.place for one in kinds), name),
            findings=audit.every.findings(kinds),
        )
        for code in audit.counts
        if (kinds := [one for one in every if one.code == code])
    )
    return tuple(sorted(made, key=_order))


def narrowed(group: Group, kinds: Iterable[Kind], name: Callable[[Location], str], words: str) -> Group:
    """What a filter leaves of a group whose findings are in a file: those of some kinds, with the words."""
    whole = cast(Listed, group.findings)
    found = whole.disk.findings((one for one in kinds if one.code == group.code), words)
    if len(found) == len(whole):
        return group
    conditions = _conditions((one.place for one in found.kinds), name)
    return replace(group, findings=found, count=len(found), records=found.records, conditions=conditions)


def alike(found: Sequence[Finding]) -> Sequence[Sequence[Finding]]:
    """Findings that say the same of another record each, together; in the order of the first of them."""
    if isinstance(found, Listed):
        return found.stacks()
    made: dict[object, list[Finding]] = {}
    for one in found:
        at = one.place
        what = (at.condition, at.mode, at.adapter, at.task, at.judge, at.role, at.field)
        key = (one.message, one.fix, one.severity, what) if at.index is not None else one.key
        made.setdefault(key, []).append(one)
    return tuple(map(tuple, made.values()))


def some(stacks: Sequence[Sequence[Finding]], places: Collection[int]) -> tuple[Sequence[Finding], ...]:
    """Those at some places, in their order, of what `alike` answers."""
    return stacks.some(places) if isinstance(stacks, Stacks) else tuple(stacks[at] for at in sorted(places))


def before(stacks: Sequence[Sequence[Finding]], start: int) -> int:
    """How many findings are in the first ones of what `alike` answers."""
    return stacks.before(start) if isinstance(stacks, Stacks) else sum(map(len, stacks[:start]))


def names(audit: Audit) -> Callable[[Location], str]:
    """What tells the name of the audit's row that a finding counts in.

    Judges, and tasks beside conditions, are in no row and go by their own names. "" stands for what is not about
    one of them: files, models, records.
    """
    rows = {selection_key(row.choice): row.name for row in audit.conditions}
    taken = frozenset(rows.values())

    def name(at: Location) -> str:
        if (found := rows.get(selection_key(at))) is not None:
            return found
        parts = (at.condition,) if at.condition else (at.mode, at.task, at.adapter)
        own = " · ".join(part for part in (*parts, at.judge) if part)
        return "" if own in taken else own

    return name


def because(one: Finding) -> str:
    """In a sentence, why a finding has another severity than its rule; "" where it has the rule's."""
    rule = rules.RULES().get(one.code)
    if rule is None or rule.severity == one.severity:
        return ""
    here, usual = t(f"frame.here_{one.severity}"), t(f"frame.usual_{rule.severity}")
    why = rule.because.get(one.severity, "")
    return t("frame.severity_because", here=here, usual=usual, why=why) if why else t(
        "frame.severity_other", here=here, usual=usual
    )  # fmt: skip


def severities(found: Sequence[Finding]) -> frozenset[Severity]:
    """Which there are among findings."""
    return found.severities if isinstance(found, Listed) else frozenset(one.severity for one in found)


def by_severity(found: Sequence[Group]) -> Mapping[Severity, int]:
    """How many findings of each severity are listed in groups, the gravest first."""
    n = Counter[Severity]()
    for group in found:
        if isinstance(group.findings, Listed):
            for kind in group.findings.kinds:
                n[kind.severity] += kind.n
        else:
            n.update(one.severity for one in group.findings)
            n[group.severity] += group.count - len(group.findings)  # not kept: only the rule's own severity is known
    return {one: n[one] for one in WEIGHT if n[one]}


def in_records(found: Sequence[Group]) -> int | None:
    """In how many different records of the dataset groups have a finding; None where not all findings are at hand."""
    bits, numbers = 0, set[int]()
    for group in found:
        if isinstance(group.findings, Listed):
            for kind in group.findings.kinds:
                bits |= kind.records
        elif group.count > len(group.findings):
            return None
        else:
            numbers |= {one.place.index for one in group.findings if one.place.index is not None}
    return bits.bit_count() + sum(not bits >> number & 1 for number in numbers)


def firsts(found: Sequence[Finding]) -> Sequence[Finding]:
    """One of each condition at least."""
    return found.firsts() if isinstance(found, Listed) else found


def same_fix(found: Sequence[Finding]) -> str:
    """The advice that holds for all of them, or nothing where each has its own."""
    said = {found.fix} if isinstance(found, Listed) else {one.fix for one in found}
    return (said.pop() or "") if len(said) == 1 else ""


def also(group: Group) -> str:
    """Which lighter severities some findings of a group have, in words; "" where all have the group's."""
    there = severities(group.findings) - {group.severity}
    return t("overview.and").join(t(f"frame.also_{one}") for one in WEIGHT if one in there)


def title(code: str) -> str:
    """The first sentence of a rule's page, without its full stop."""
    rule = rules.RULES().get(code)
    return (rule.title if rule else code).removesuffix(".")


def area(code: str) -> str:
    """The area of a code in words: `fmt-…` is about prompt formats."""
    return rules.AREAS.get(code.partition("-")[0], "")


def paragraphs(code: str) -> tuple[str, ...]:
    """What a rule finds, why it matters, how to fix it: the paragraphs below its first sentence."""
    rule = rules.RULES().get(code)
    return rule.paragraphs if rule else ()


def _group(audit: Audit, code: str, found: Sequence[Finding], name: Callable[[Location], str]) -> Group:
    rule = rules.RULES().get(code)
    said: Severity = rule.severity if rule else "warning"
    return Group(
        code=code,
        severity=min((one.severity for one in found), key=WEIGHT.__getitem__, default=said),
        title=title(code),
        count=audit.counts.get(code, len(found)),
        records=audit.records_by_code.get(code, 0),
        conditions=_conditions((one.place for one in found), name),
        findings=tuple(sorted(found, key=lambda one: WEIGHT[one.severity])),
    )


def _conditions(places: Iterable[Location], name: Callable[[Location], str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, map(name, places))))


def _order(group: Group) -> tuple[int, bool, int, int, str]:
    later = group.code not in CAUSES
    return WEIGHT[group.severity], later, -len(group.conditions), -group.records, group.code


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


ROLES = ("system", "user", "assistant", None)


def in_text(one: Finding) -> tuple[bool, int, int]:
    """A key for `sorted`."""
    at = one.place
    return at.start is None, ROLES.index(at.role) if at.role in ROLES else len(ROLES), at.start or 0
