"""What many records have alike is one finding with their count, told when the last record was looked at."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from readback.checks import rules
from readback.checks.lengths import SelectionKey
from readback.checks.rules import Fault
from readback.checks.summary import selection_key
from readback.types import Finding

MOST = 500  # kinds that are counted; what is beyond is told at its record
LISTED = 5  # conditions that a sentence names
Kind = tuple[str, ...]


@dataclass(slots=True)
class _Group:
    """The first finding of a kind, how many records have it, and the conditions in which they have it."""

    first: Finding
    records: int = 0
    last: int | None = None  # the record that was counted last: records come in their order
    conditions: dict[str, None] = field(default_factory=dict)
    places: dict[SelectionKey, array[int]] = field(default_factory=dict)  # the records, by what was sent


@dataclass(frozen=True, slots=True)
class Kindred:
    """A finding that stands for all of its kind, and the numbers of the records that have it, by what was sent."""

    finding: Finding
    places: Mapping[SelectionKey, Sequence[int]]


@dataclass(slots=True)
class Gathered:
    """Holds back the findings of rules with `gather(finding)` and counts the records of each kind that it answers.

    Findings of which it answers None are passed on.
    """

    rules: Mapping[str, Callable[[Finding], Kind | None]] = field(default_factory=lambda: _rules())
    groups: dict[tuple[str, ...], _Group] = field(default_factory=dict)

    def take(self, findings: Iterable[Finding | Fault]) -> Iterator[Finding | Fault]:
        """What of the findings of one record is not held back."""
        for finding in findings:
            kind = self._kind(finding)
            if isinstance(finding, Fault) or kind is None or (kind not in self.groups and len(self.groups) >= MOST):
                yield finding
                continue
            group = self.groups.setdefault(kind, _Group(finding))
            if group.last != finding.place.index:
                group.records += 1
                group.last = finding.place.index
            group.places.setdefault(selection_key(finding.place), array("q")).append(finding.place.index or 0)
            if finding.place.condition:
                group.conditions[finding.place.condition] = None

    def end(self, looked_at: int) -> Iterator[Kindred]:
        """One finding a kind, at the first of its records, with how many of those `looked_at` have it."""
        for kind, group in self.groups.items():
            values = {**group.first.values, "records": group.records, "of": looked_at}
            if "condition" in values and group.conditions:
                names = list(group.conditions)
                more = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
                values["condition"] = ", ".join(names[:LISTED]) + more
            sentence = rules.fill(rules.RULES()[group.first.code].sentence, values)
            finding = replace(group.first, values=values, message=sentence, key=rules.digest(list(kind)))
            yield Kindred(finding, group.places)
        self.groups.clear()

    def _kind(self, finding: Finding | Fault) -> Kind | None:
        if (
            isinstance(finding, Fault)
            or finding.place.index is None
            or (gather := self.rules.get(finding.code)) is None
        ):
            return None
        kind = gather(finding)
        return None if kind is None else (finding.code, finding.severity, finding.place.file or "", *kind)


def _rules() -> dict[str, Callable[[Finding], Kind | None]]:
    """What the rules that have it answer to `gather`, by code."""
    return {code: rule.logic.gather for code, rule in rules.RULES().items() if hasattr(rule.logic, "gather")}
