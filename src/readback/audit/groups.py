"""The findings of an audit by rule, in the order in which a meeting should look at them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from readback import rules
from readback.audit.summary import Audit
from readback.types import Finding, Severity

WEIGHT: dict[Severity, int] = {"error": 0, "warning": 1, "info": 2}


@dataclass(frozen=True, slots=True)
class Group:
    """All findings of one rule. `count` and `records` are whole; `findings` are those the audit kept.

    `severity` is the gravest among them, `title` the rule's first sentence, `conditions` those it touches.
    """

    code: str
    severity: Severity
    title: str
    count: int
    records: int
    conditions: tuple[str, ...]
    findings: tuple[Finding, ...]


def groups(audit: Audit) -> tuple[Group, ...]:
    """One group a rule: errors before warnings, then by conditions touched, then by records; ties by code."""
    kept: dict[str, list[Finding]] = {}
    for one in audit.findings:
        kept.setdefault(one.code, []).append(one)
    made = (_group(audit, code, found) for code, found in kept.items())
    return tuple(sorted(made, key=lambda g: (WEIGHT[g.severity], -len(g.conditions), -g.records, g.code)))


def of_severity(findings: Iterable[Finding], severity: Severity | None) -> Iterator[Finding]:
    """Those of one severity, or all."""
    return (one for one in findings if severity is None or one.severity == severity)


def title(code: str) -> str:
    """The first sentence of a rule's page."""
    rule = rules.RULES().get(code)
    return ((rule and rule.__doc__) or code).strip().partition("\n")[0]


def area(code: str) -> str:
    """The area of a code in words: `fmt-…` is about prompt formats."""
    return rules.AREAS.get(code.partition("-")[0], "")


def paragraphs(code: str) -> tuple[str, ...]:
    """What a rule finds, why it matters, how to fix it: the paragraphs below its first sentence."""
    rule = rules.RULES().get(code)
    text = ((rule and rule.__doc__) or "").strip().split("\n\n")[1:]
    return tuple(" ".join(paragraph.split()) for paragraph in text)


def _group(audit: Audit, code: str, found: list[Finding]) -> Group:
    return Group(
        code=code,
        severity=min((one.severity for one in found), key=WEIGHT.__getitem__),
        title=title(code),
        count=audit.counts.get(code, len(found)),
        records=audit.records_by_code.get(code, 0),
        conditions=tuple(dict.fromkeys(one.place.condition for one in found if one.place.condition)),
        findings=tuple(sorted(found, key=lambda one: WEIGHT[one.severity])),
    )
