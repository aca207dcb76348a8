"""Say which planned comparisons a finding breaks, and whether two conditions may be compared."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from readback.checks.factors import differing
from readback.checks.groups import WEIGHT, Group, names
from readback.checks.summary import Audit, Row, selection_key
from readback.checks.tallies import numbers
from readback.prompts.selections import NOTHING_BUILT
from readback.types import Location, Severity, Workspace
from readback.words import t


@dataclass(frozen=True, slots=True)
class Pair:
    """Two conditions that are to be compared, by their names."""

    a: str
    b: str


SIDES = ("one", "both", "none")  # what weighs most comes first


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
    def side(self) -> Literal["one", "both", "none"]:
        """Return whether it is on one side of a planned pair, which weighs most, on both sides of one, or in none."""
        if self.one_sided:
            return "one"
        if self.both_sided:
            return "both"
        return "none"

    @property
    def with_finding(self) -> tuple[Pair, ...]:
        """Return the pairs of which any side has the finding."""
        return (*self.one_sided, *self.both_sided)


def planned(opened: Workspace) -> tuple[Pair, ...]:
    """Return the pairs that the workspace declares, each once and in its order; an alias stands for its condition."""
    pairs = (Pair(*(_name(opened, str(pair.get(side))) for side in ("a", "b"))) for pair in opened.comparisons)
    return tuple(dict.fromkeys(pairs))


def weighed(audit: Audit, groups: Sequence[Group], pairs: Sequence[Pair]) -> tuple[Weighed, ...]:
    """Return the groups in the order in which a meeting should look at them.

    Errors, warnings, then infos; then what is on one side only of a planned comparison, then what is on both,
    then what is in none; then by conditions touched, then by records; ties by code.
    """
    name = names(audit)
    weighed_groups = [_weigh(group, _conditions(group, name), pairs) for group in groups]
    return tuple(sorted(weighed_groups, key=_rank))


def faults(weighed_groups: Iterable[Weighed], pair: Pair, severity: Severity = "error") -> tuple[int, int]:
    """How many rules of a severity are on one side only of a pair, and how many on both."""
    grave = [weighed_group for weighed_group in weighed_groups if weighed_group.group.severity == severity]
    one_sided = sum(pair in weighed_group.one_sided for weighed_group in grave)
    both_sided = sum(pair in weighed_group.both_sided for weighed_group in grave)
    return one_sided, both_sided


def _rank(weighed_group: Weighed) -> tuple[int, int, int, int, str]:
    side = SIDES.index(weighed_group.side)
    group = weighed_group.group
    return WEIGHT[group.severity], side, -len(group.conditions), -group.records, group.code


def _weigh(group: Group, conditions: tuple[str, ...], pairs: Sequence[Pair]) -> Weighed:
    hit = {pair: (pair.a in conditions) + (pair.b in conditions) for pair in pairs if pair.a != pair.b}
    single, both = (tuple(pair for pair, n in hit.items() if n == sides) for sides in (1, 2))
    return Weighed(group, conditions, single, both)


def _conditions(group: Group, name: Callable[[Location], str]) -> tuple[str, ...]:
    grave = (name(finding.place) for finding in group.findings if finding.severity == group.severity)
    return tuple(dict.fromkeys(filter(None, grave)))


def _name(opened: Workspace, name: str) -> str:
    condition = opened.condition(name)
    if condition:
        return condition.name
    return name


Kind = Literal["fair", "same", "unfair", "unknown"]
Unchecked = Literal["sample", "system", "engine", "requests", "ignored"]
ENGINES = ("oll-engine-unknown", "oll-chat-template-sent")  # with `uncertain`, the models by name


@dataclass(frozen=True, slots=True)
class Fault:
    """An error that speaks against a comparison. `sides` have it, `places` are its findings there, `records` the
    numbers of the records that have it on one side and not on the other (none where it is about no record).
    """

    code: str
    title: str
    sides: tuple[str, ...]
    places: int
    records: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Missing:
    """What would be needed to tell: `records` (none could be read, so nothing was built), `condition` (the files have
    no such condition), `system` (whose system message is not known, and why), `stopped` (the check did not look at
    everything) or `kept` (of the error `why` so many were found that some are only counted, and those may be on a
    side).
    """

    what: Literal["records", "condition", "system", "stopped", "kept"]
    side: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer for a pair: `faults` for unfair and same, `missing` for unknown; `varied` in which factors the two
    differ, and whether that was `planned` (more than one that was not speaks against the comparison); `unchecked`
    what was not looked at at all: `sample` (only some records), `system` (no file states the message that the one model
    of both sides is served with), `engine` (which template Ollama sends cannot be told), `requests` (no logged request
    of a side tells what was really sent), `ignored` (errors that the workspace ignores are left out).
    """

    pair: Pair
    kind: Kind
    faults: tuple[Fault, ...] = ()
    missing: tuple[Missing, ...] = ()
    unchecked: tuple[Unchecked, ...] = ()
    varied: tuple[str, ...] = ()
    planned: bool = False

    @property
    def confounded(self) -> bool:
        """Whether more differs than what is compared."""
        return len(self.varied) > 1 and not self.planned


def verdict(audit: Audit, weighed_groups: Sequence[Weighed], pair: Pair) -> Verdict:
    """Judge one pair of conditions; `weighed_groups` are the audit's groups as `weighed` returns them for this pair,
    too.
    """
    errors = [
        weighed_group
        for weighed_group in weighed_groups
        if weighed_group.group.severity == "error" and pair in weighed_group.with_finding
    ]
    against = [(weighed_group, _apart(audit, weighed_group, pair)) for weighed_group in errors]
    unfair = tuple(
        _fault(audit, weighed_group, pair, apart)
        for weighed_group, apart in against
        if pair in weighed_group.one_sided or apart
    )
    missing = (
        *_missing(audit, pair),
        *(
            Missing("kept", why=weighed_group.group.title)
            for weighed_group in weighed_groups
            if _hidden(weighed_group, pair)
        ),
    )
    same = tuple(_fault(audit, weighed_group, pair, ()) for weighed_group, _ in against)
    draft = Verdict(pair, "fair", unfair or same, missing, tuple(_unchecked(audit, pair)), *_varied(audit, pair))
    wrong = unfair or draft.confounded
    if wrong:
        return replace(draft, kind="unfair")
    if missing:
        return replace(draft, kind="unknown")
    return replace(draft, kind="same" if same else "fair")


def verdicts(audit: Audit, weighed_groups: Sequence[Weighed], pairs: Sequence[Pair]) -> tuple[Verdict, ...]:
    """Judge each pair, in their order."""
    return tuple(verdict(audit, weighed_groups, pair) for pair in pairs)


def differs(verdict: Verdict) -> str:
    """In a sentence what was varied; empty where nothing was, or where it is not known."""
    what = t("verdict.and").join(t(f"verdict.varied_{name}") for name in verdict.varied)
    if not what or verdict.planned:
        if what:
            return t("verdict.varied_planned", what=what)
        return ""
    if len(verdict.varied) == 1 and verdict.missing:
        return t("verdict.varied_known", what=what)
    if len(verdict.varied) == 1 and "system" in verdict.unchecked:
        return t("verdict.varied_unstated", what=what)
    return t("verdict.varied", n=len(verdict.varied), what=what)


def why(verdict: Verdict) -> tuple[str, ...]:
    """Why a verdict is what it is, each reason in a sentence: too much differs, each fault, or what is missing."""
    if verdict.kind == "unknown":
        return tuple(
            t(f"verdict.missing_{missing.what}", side=missing.side, why=missing.why) for missing in verdict.missing
        )
    return ((differs(verdict),) if verdict.confounded else ()) + tuple(map(_format_fault, verdict.faults))


def _format_fault(fault: Fault) -> str:
    if len(fault.sides) == 1:
        places = t("overview.places", n=fault.places)
        return f"{t('verdict.fault', title=fault.title, places=places, side=fault.sides[0])}."
    if fault.records:
        key = "verdict.fault_apart"
    else:
        key = "verdict.fault_both"
    return f"{t(key, title=fault.title, n=len(fault.records))}."


def _apart(audit: Audit, weighed_group: Weighed, pair: Pair) -> tuple[int, ...]:
    """Return the records that have the fault on one side of the pair and not on the other."""
    a, b = (_records(audit, weighed_group.group.code, side) for side in (pair.a, pair.b))
    return tuple(sorted(a ^ b))


def _records(audit: Audit, code: str, side: str) -> set[int]:
    keys = [selection_key(row.choice) for row in audit.conditions if row.name == side]
    return {number for key in keys for number in numbers(audit.with_finding.get((code, key), b""))}


def _fault(audit: Audit, weighed_group: Weighed, pair: Pair, apart: tuple[int, ...]) -> Fault:
    name = names(audit)
    sides = tuple(side for side in (pair.a, pair.b) if side in weighed_group.conditions)
    places = sum(
        name(finding.place) in sides for finding in weighed_group.group.findings if finding.severity == "error"
    )
    return Fault(weighed_group.group.code, weighed_group.group.title, sides, places, apart)


def _hidden(weighed_group: Weighed, pair: Pair) -> bool:
    """Whether errors of a rule may be on a side of the pair without being known: more were found than are kept."""
    group = weighed_group.group
    return group.severity == "error" and group.count > len(group.findings) and pair not in weighed_group.with_finding


def _missing(audit: Audit, pair: Pair) -> Iterator[Missing]:
    if audit.stopped:
        yield Missing("stopped")
    if not (audit.conditions or audit.records.read):  # nothing was built, whatever conditions the files have
        if not audit.stopped:
            yield Missing("records")
        return
    rows = {row.name: row for row in audit.conditions}
    for side in dict.fromkeys((pair.a, pair.b)):
        row = rows.get(side)
        if row is None:
            yield Missing("condition", side)
        elif row.system_unknown and not _share_unstated_system(rows, pair):
            yield Missing("system", side, row.system_unknown)


def _varied(audit: Audit, pair: Pair) -> tuple[tuple[str, ...], bool]:
    rows = {row.name: row for row in audit.conditions}
    a, b = rows.get(pair.a), rows.get(pair.b)
    if a is None or b is None:
        return (), False
    if a.system_unknown or b.system_unknown:
        unsure = {"system"}
    else:
        unsure = set()
    varied = tuple(name for name in differing(a.factors, b.factors) if name not in unsure)
    intended = {*audit.intended.get((pair.a, pair.b), ()), *audit.intended.get((pair.b, pair.a), ())}
    return varied, bool(varied) and intended.issuperset(varied)


def _share_unstated_system(rows: Mapping[str, Row], pair: Pair) -> bool:
    """Whether a system message that no file states is the same on both sides: the model's, and both run that model."""
    a, b = rows.get(pair.a), rows.get(pair.b)
    if a is None or b is None or a.model is None:
        return False
    return a.model == b.model and a.system_unknown == b.system_unknown != NOTHING_BUILT


def _list_uncertain_models(audit: Audit) -> set[str]:
    """Return the models for which it cannot be told which template Ollama sends."""
    return {
        name for finding in audit.findings if finding.code in ENGINES for name in finding.values.get("uncertain", ())
    }


def _unchecked(audit: Audit, pair: Pair) -> Iterator[Unchecked]:
    if audit.sample:
        yield "sample"
    rows = {row.name: row for row in audit.conditions}
    if _share_unstated_system(rows, pair) and rows[pair.a].system_unknown:
        yield "system"
    if _list_uncertain_models(audit) & {row.model for row in audit.conditions if row.name in (pair.a, pair.b)}:
        yield "engine"
    if not all(row.observed[1] for row in audit.conditions if row.name in (pair.a, pair.b)):
        yield "requests"
    if any(finding.severity == "error" for finding in audit.ignored_findings):
        yield "ignored"
