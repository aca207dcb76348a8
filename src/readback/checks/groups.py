"""The findings of an audit by rule, in the order in which a meeting should look at them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from readback.checks import rules
from readback.checks.summary import Audit, selection_key
from readback.types import Finding, Location, Severity
from readback.words import t

WEIGHT: dict[Severity, int] = {"error": 0, "warning": 1, "info": 2}


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
    findings: tuple[Finding, ...]


def groups(audit: Audit) -> tuple[Group, ...]:
    """One group a rule: errors before warnings, then by conditions touched, then by records; ties by code.

    A rule all of whose findings came after the last that was kept is there too, without findings.
    """
    kept: dict[str, list[Finding]] = {code: [] for code in audit.counts}
    for one in audit.findings:
        kept.setdefault(one.code, []).append(one)
    name = names(audit)
    made = (_group(audit, code, found, name) for code, found in kept.items())
    return tuple(sorted(made, key=lambda g: (WEIGHT[g.severity], -len(g.conditions), -g.records, g.code)))


def alike(found: Sequence[Finding]) -> tuple[tuple[Finding, ...], ...]:
    """Findings that say the same of another record each, together; in the order of the first of them."""
    made: dict[object, list[Finding]] = {}
    for one in found:
        at = one.place
        what = (at.condition, at.mode, at.adapter, at.task, at.judge, at.role, at.field)
        key = (one.message, one.fix, one.severity, what) if at.index is not None else one.key
        made.setdefault(key, []).append(one)
    return tuple(map(tuple, made.values()))


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


def also(group: Group) -> str:
    """Which lighter severities some findings of a group have, in words; "" where all have the group's."""
    there = {one.severity for one in group.findings} - {group.severity}
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
        conditions=tuple(dict.fromkeys(filter(None, (name(one.place) for one in found)))),
        findings=tuple(sorted(found, key=lambda one: WEIGHT[one.severity])),
    )
