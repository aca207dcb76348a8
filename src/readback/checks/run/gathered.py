"""What many records have alike is one finding with their count, told when the last record was looked at."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from readback.checks import rules
from readback.checks.rules import Fault
from readback.checks.summary import selection_key
from readback.checks.tallies import SelectionKey
from readback.records.dataset import Dataset
from readback.types import Finding

MOST = 500  # kinds that are counted; what is beyond is told at its record
LISTED = 5  # conditions that a sentence names
Kind = tuple[str, ...]
CountLike = Callable[[str, object], int]


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
    is_ignored: Callable[[Finding], bool] = lambda finding: False  # what is ignored in one record hides no other
    groups: dict[tuple[str, ...], _Group] = field(default_factory=dict)

    def take(self, findings: Iterable[Finding | Fault]) -> Iterator[Finding | Fault]:
        """Yield the findings of one record that are not held back."""
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

    def end(self, looked_at: int, count_like: CountLike | None = None) -> Iterator[Kindred]:
        """One finding a kind, at the first of its records, with how many of those `looked_at` have it.

        `count_like(field, value)` is how many of them have that value in a field. A rule with
        `weigh_group(finding, records, count_like)` answers the severity of its finding when all records are known.
        """
        for kind, group in self.groups.items():
            rule = rules.RULES()[group.first.code]
            if rule.alike and group.records == 1:
                # Nothing is like it, so no count is told; its key is that of its kind, as where more records are read.
                yield Kindred(replace(group.first, key=rules.compute_digest(list(kind))), group.places)
                continue
            values = {**group.first.values, "records": group.records, "of": looked_at}
            severity = group.first.severity
            if count_like is not None and hasattr(rule.logic, "weigh_group"):
                severity = rule.logic.weigh_group(group.first, group.records, count_like)
            if "condition" in values and group.conditions:
                names = list(group.conditions)
                if len(names) > LISTED:
                    more = f" and {len(names) - LISTED} more"
                else:
                    more = ""
                values["condition"] = ", ".join(names[:LISTED]) + more
            sentence = rules.fill(rule.sentence, values)
            finding = replace(
                group.first, severity=severity, values=values, message=sentence, key=rules.compute_digest(list(kind))
            )
            yield Kindred(finding, group.places)
        self.groups.clear()

    def compute_key(self, finding: Finding) -> str | None:
        """Compute the key of the finding that stands for all of a kind; None where a finding stands for itself."""
        kind = self._kind(finding)
        if kind is None:
            return None
        return rules.compute_digest(list(kind))

    def _kind(self, finding: Finding | Fault) -> Kind | None:
        if (
            isinstance(finding, Fault)
            or finding.place.index is None
            or (get_group_key := self.rules.get(finding.code)) is None
            or self.is_ignored(finding)
        ):
            return None
        kind = get_group_key(finding)
        if kind is None:
            return None
        return (finding.code, finding.severity, finding.place.file or "", *kind)


@dataclass(slots=True)
class CountsByField:
    """How many of the records with these numbers have a value in a field; they are read once a field, when asked."""

    data: Dataset
    numbers: Sequence[int]
    counts: dict[str, Counter[str]] = field(default_factory=dict)

    def __call__(self, name: str, value: object) -> int:
        """Return how many of the records have a value in a field."""
        if name not in self.counts:
            records = (self.data.record(number) for number in self.numbers)
            self.counts[name] = Counter(str(record.fields.get(name)) for record in records)
        return self.counts[name][str(value)]


def _rules() -> dict[str, Callable[[Finding], Kind | None]]:
    """Return what tells the kind of a finding, by code: a rule's `get_group_key`, else the values of `alike`."""
    key_functions: dict[str, Callable[[Finding], Kind | None]] = {}
    for code, rule in rules.RULES().items():
        if hasattr(rule.logic, "get_group_key"):
            key_functions[code] = rule.logic.get_group_key
        elif rule.alike:
            key_functions[code] = partial(_name_kind, rule.alike)
    return key_functions


def _name_kind(alike: Sequence[str], finding: Finding) -> Kind:
    """Name the choice that was sent, the part of it that is spoken of, and the values that the kind has in common."""
    place = finding.place
    return tuple(
        str(part) for part in (*selection_key(place), place.role, place.field, *map(finding.values.get, alike))
    )
