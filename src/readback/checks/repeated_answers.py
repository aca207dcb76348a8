"""Say in a sentence how many answers are nothing but their prompt, and of which conditions."""

from __future__ import annotations

from collections.abc import Mapping

from readback.checks.summary import Audit, selection_key
from readback.checks.tallies import SelectionKey, numbers
from readback.words import t

CODE = "fmt-answer-repeats-prompt"
MANY = 0.1  # of the records of a condition, from which on its mean is of prompts rather than of answers
NAMED = 3  # conditions that the sentence names; more are counted


def count_repeated(audit: Audit) -> Mapping[str, int]:
    """Return how many records have an answer that is nothing but its prompt, by the name of each condition that has
    any. A condition in which some answers go on after their prompt is left out: its finding says so. Nothing is counted
    where the audit did not keep all these findings, since the others may be of such answers.
    """
    findings = [finding for finding in audit.findings if finding.code == CODE]
    if len(findings) < audit.counts.get(CODE, 0):
        return {}
    severities: dict[SelectionKey, set[str]] = {}
    for finding in findings:
        severities.setdefault(selection_key(finding.place), set()).add(finding.severity)
    # A finding that stands for those of several conditions is at the first of them.
    every = {finding.severity for finding in findings}
    counts = {}
    for row in audit.conditions:
        key = selection_key(row.choice)
        n = int.from_bytes(audit.with_finding.get((CODE, key), b"")).bit_count()
        if n and severities.get(key, every) == {"error"}:
            counts[row.name] = n
    return counts


def is_repeated(audit: Audit, condition: str, index: int) -> bool:
    """Tell whether a condition's answer to the record of that number is nothing but its prompt."""
    if condition not in count_repeated(audit):
        return False
    keys = [selection_key(row.choice) for row in audit.conditions if row.name == condition]
    return any(index in numbers(audit.with_finding.get((CODE, key), b"")) for key in keys)


def describe_repeated(audit: Audit) -> str:
    """Return the sentence on answers that are nothing but their prompt, of the conditions of which `MANY` are; ""
    where there is none.
    """
    records = _count_records(audit)
    counts = {name: n for name, n in count_repeated(audit).items() if n >= MANY * records}
    if not counts:
        return ""
    total = sum(counts.values())
    rows = audit.conditions
    if len(counts) == len(rows) and total == records * len(rows) and not audit.sample:
        return t("repeated.all", n=total)
    if len(counts) == len(rows):
        names = t("repeated.every", n=len(rows))
    elif len(counts) > NAMED:
        names = t("repeated.conditions", n=len(counts), all=len(rows))
    else:
        names = t("verdict.and").join(f"“{name}”" for name in counts)
    return t("repeated.some", n=total, names=names)


def _count_records(audit: Audit) -> int:
    """Return how many records were checked."""
    if audit.sample:
        return audit.sample.drawn
    return audit.records.read
