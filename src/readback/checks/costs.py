"""Findings x scores: how records with a finding were scored beside those without, and what changed with the prompt.

An association, and no more: records with a finding may be harder in other ways.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import permutations
from typing import Any, TypeVar

from readback.checks.summary import Audit
from readback.checks.tallies import SelectionKey, numbers
from readback.checks.training import AREA
from readback.records.dataset import Dataset
from readback.scores.comparing.paired_items import PairedItems, get_scored_items, pair_items
from readback.scores.table import ConditionKey, ScoreTable
from readback.scores.workspace_condition import find_workspace_name
from readback.types import Workspace

FEWEST = 5  # records on each side below which no interval is given
NOBODY: SelectionKey = (None,) * 5  # the condition of a finding about a record itself


@dataclass(frozen=True, slots=True)
class Cost:
    """Scores of the records of one condition with a finding of `code` against those without.

    `difference` is mean(with) − mean(without), with Welch's 95 % interval; `p_adjusted` is Benjamini and Hochberg's
    over all costs of the answer. Means are None where a side is empty.
    """

    code: str
    condition: ConditionKey
    n_with: int
    n_without: int
    mean_with: float | None
    mean_without: float | None
    difference: float | None = None
    interval: tuple[float, float] | None = None
    p: float | None = None
    p_adjusted: float | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """The same records under two conditions, where only b's prompt has the finding: the mean of b − a, paired."""

    code: str
    a: ConditionKey
    b: ConditionKey
    n: int
    difference: float
    interval: tuple[float, float] | None = None
    p: float | None = None
    p_adjusted: float | None = None


Estimate = TypeVar("Estimate", Cost, Change)


@dataclass(frozen=True, slots=True)
class Costs:
    """`unknown` counts scored items that are no record of the dataset."""

    within: tuple[Cost, ...] = ()
    changes: tuple[Change, ...] = ()
    unknown: int = 0


def costs(opened: Workspace, data: Dataset, audit: Audit, table: ScoreTable, criterion: str, judge: str) -> Costs:
    """Every rule with a finding in a scored record, by condition, and by pair of conditions; the dearest first.

    A finding about a record itself counts under every condition, one about what is sent under its own.
    """
    names = {key: name for key in table.columns.conditions if (name := find_workspace_name(opened, table, key))}
    with_finding = {(code, key): _indices(audit, code, name) for code in _codes(audit) for key, name in names.items()}
    number = _Numbers(data)
    within: list[Cost] = []
    changes: list[Change] = []
    for key in names:
        scored, values = get_scored_items(table, key, criterion, judge)
        at = number.find_numbers(scored)
        within += [
            _within(code, key, _in(at, indices), values)
            for (code, condition), indices in with_finding.items()
            if condition == key and len(indices)
        ]
    for a, b in permutations(names, 2):
        pair = pair_items(table, a, b, criterion, judge)
        at = number.find_numbers(pair.items)
        for code in dict.fromkeys(code for code, _ in with_finding):
            only_b = _in(at, with_finding[code, b]) & ~_in(at, with_finding[code, a])
            if only_b.sum() >= FEWEST:
                changes.append(_change(code, a, b, (pair.b - pair.a)[only_b], pair, only_b))
    filled_costs = [cost for cost in within if cost.n_with]
    return Costs(_adjusted(filled_costs), _adjusted(changes), number.unknown)


def marked(
    opened: Workspace,
    data: Dataset,
    audit: Audit,
    table: ScoreTable,
    code: str,
    key: ConditionKey,
    judged: tuple[str, str],
) -> frozenset[str]:
    """Return the items of one condition, scored under a criterion by a judge (`judged`), with a finding of `code`."""
    name = find_workspace_name(opened, table, key)
    scored, _ = get_scored_items(table, key, *judged)
    if name is None:
        return frozenset()
    is_marked = _in(_Numbers(data).find_numbers(scored), _indices(audit, code, name))
    return frozenset(item for item, has_finding in zip(scored, is_marked.tolist(), strict=True) if has_finding)


@dataclass(slots=True)
class _Numbers:
    """The numbers of records by their ids, each looked up once; −1 for an item that is no record."""

    data: Dataset
    numbers: dict[str, int] = field(default_factory=dict)

    def find_numbers(self, names: Sequence[str]) -> Any:
        import numpy as np

        for name in names:
            if name not in self.numbers:
                number = self.data.find(name)
                self.numbers[name] = -1 if number is None else number
        return np.array([self.numbers[name] for name in names], np.int64)

    @property
    def unknown(self) -> int:
        return sum(number < 0 for number in self.numbers.values())


def _in(numbers: Any, wanted: Any) -> Any:
    import numpy as np

    return np.isin(numbers, wanted)


def _codes(audit: Audit) -> tuple[str, ...]:
    """List the rules with a finding in a record of the dataset; rows of separate training files have numbers, too."""
    has_separate_files = any(training_file.is_separate for training_file in audit.training)
    codes = dict.fromkeys(code for code, _ in audit.with_finding)
    return tuple(code for code in codes if not (has_separate_files and code.startswith(AREA)))


def _indices(audit: Audit, code: str, name: str) -> Any:
    """Return the numbers of the records with the finding, under a condition or in the record itself."""
    import numpy as np

    bits = [
        record_bits
        for (rule_code, condition), record_bits in audit.with_finding.items()
        if rule_code == code and (condition[0] == name or condition == NOBODY)
    ]
    return np.unique(np.array([number for record_bits in bits for number in numbers(record_bits)], np.int64))


def _within(code: str, key: ConditionKey, marked: Any, values: Any) -> Cost:
    from readback.stats.two_groups import welch

    with_it, without = values[marked], values[~marked]
    means = [float(group.mean()) if len(group) else None for group in (with_it, without)]
    cost = Cost(code, key, len(with_it), len(without), means[0], means[1])
    test = welch(without, with_it)
    if test is None:
        return cost
    if min(len(with_it), len(without)) < FEWEST or test.low is None or test.high is None:
        return replace(cost, difference=test.difference)
    return replace(cost, difference=test.difference, interval=(test.low, test.high), p=test.p)


def _change(code: str, a: ConditionKey, b: ConditionKey, d: Any, pair: PairedItems, chosen: Any) -> Change:
    from readback.stats import interval, paired

    if pair.clusters is None:
        clusters = None
    else:
        clusters = pair.clusters[chosen]
    span = interval.compute_difference_interval(d, clusters)
    p, _ = paired.sign_flip(d, clusters)
    return Change(code, a, b, len(d), float(d.mean()), (span.low, span.high) if span else None, p)


def _adjusted(estimates: Sequence[Estimate]) -> tuple[Estimate, ...]:
    """With p adjusted over all of them, since nobody meant to look at one; the lowest difference first."""
    from readback.stats import multiple_tests

    tested = [at for at, estimate in enumerate(estimates) if estimate.p is not None]
    if tested:
        adjusted = multiple_tests.benjamini_hochberg([estimates[at].p or 0.0 for at in tested])
    else:
        adjusted = ()
    adjusted_estimates = list(estimates)
    for at, p in zip(tested, adjusted, strict=True):
        adjusted_estimates[at] = replace(estimates[at], p_adjusted=p)
    return tuple(
        sorted(adjusted_estimates, key=lambda estimate: (estimate.difference is None, estimate.difference or 0.0))
    )
