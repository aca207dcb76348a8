"""What breaks the comparisons that a study plans: a fault on one side only, before one on both."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from readback.checks.groups import WEIGHT, Group, names
from readback.checks.summary import Audit
from readback.types import Location, Severity, Workspace


@dataclass(frozen=True, slots=True)
class Pair:
    """Two conditions that are to be compared, by their names."""

    a: str
    b: str


@dataclass(frozen=True, slots=True)
class Weighed:
    """A group with what it means for the planned comparisons.

    `conditions` have a finding of the group's severity; `one_sided` are the pairs of which it is in one, `both_sided`
    those of which it is in both.
    """

    group: Group
    conditions: tuple[str, ...]
    one_sided: tuple[Pair, ...]
    both_sided: tuple[Pair, ...]

    @property
    def with_finding(self) -> tuple[Pair, ...]:
        return (*self.one_sided, *self.both_sided)


def planned(opened: Workspace) -> tuple[Pair, ...]:
    """The pairs the workspace declares, each once and in its order; an alias stands for its condition."""
    made = (Pair(*(_name(opened, str(pair.get(side))) for side in ("a", "b"))) for pair in opened.comparisons)
    return tuple(dict.fromkeys(made))


def weighed(audit: Audit, found: Sequence[Group], pairs: Sequence[Pair]) -> tuple[Weighed, ...]:
    """The groups in the order in which a meeting should look at them.

    Errors, warnings, then infos; then what is on one side only of a planned comparison, then what is on both,
    then what is in none; then by conditions touched, then by records; ties by code.
    """
    name = names(audit)
    made = [_weigh(group, _conditions(group, name), pairs) for group in found]
    return tuple(sorted(made, key=_rank))


def faults(found: Iterable[Weighed], pair: Pair, severity: Severity = "error") -> tuple[int, int]:
    """How many rules of a severity are on one side only of a pair, and how many on both."""
    grave = [one for one in found if one.group.severity == severity]
    return sum(pair in one.one_sided for one in grave), sum(pair in one.both_sided for one in grave)


def _rank(one: Weighed) -> tuple[int, int, int, int, str]:
    side = 0 if one.one_sided else 1 if one.both_sided else 2
    return WEIGHT[one.group.severity], side, -len(one.group.conditions), -one.group.records, one.group.code


def _weigh(group: Group, conditions: tuple[str, ...], pairs: Sequence[Pair]) -> Weighed:
    hit = {pair: (pair.a in conditions) + (pair.b in conditions) for pair in pairs if pair.a != pair.b}
    one, both = (tuple(pair for pair, n in hit.items() if n == sides) for sides in (1, 2))
    return Weighed(group, conditions, one, both)


def _conditions(group: Group, name: Callable[[Location], str]) -> tuple[str, ...]:
    grave = (name(one.place) for one in group.findings if one.severity == group.severity)
    return tuple(dict.fromkeys(filter(None, grave)))


def _name(opened: Workspace, said: str) -> str:
    condition = opened.condition(said)
    return condition.name if condition else said
