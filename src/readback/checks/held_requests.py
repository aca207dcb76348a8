"""Say in a sentence how many logged requests equal what the files assemble to, and what the others differ in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from readback.checks.request_differences import DifferenceKind
from readback.checks.summary import Audit
from readback.requests.first_difference import RESPELLED
from readback.words import t

NAMED = 3  # prompts or conditions that a sentence names; more are counted


@dataclass(frozen=True, slots=True)
class HeldRequests:
    """The requests of the logs of a workspace, held against its files.

    rows = equal + respelled + differing + apart, where the audit looked at all records; `apart` are about no record or
    condition here, or hold no request. The `respelled` are equal but for the spelling of JSON in them.
    """

    rows: int
    equal: int
    differing: int
    kinds: tuple[DifferenceKind, ...]
    respelled: int = 0

    @property
    def apart(self) -> int:
        """How many rows could not be compared."""
        return max(self.rows - self.equal - self.respelled - self.differing, 0)


def count_held(audit: Audit, rows: int) -> HeldRequests | None:
    """Return how logged requests compare; None where nothing was logged. `rows` counts the rows of the logs."""
    counts = [row.observed for row in audit.conditions]
    counts += [(requests.equal, requests.logged) for requests in audit.judge_requests]
    equal, logged = sum(n for n, _ in counts), sum(n for _, n in counts)
    if not (rows or logged):
        return None
    modes = {row.name: row.mode for row in audit.conditions if row.mode}
    kinds = tuple(
        replace(kind, name=modes.get(kind.name, kind.name)) for kind in audit.differences if kind.change != RESPELLED
    )
    respelled = count_respelled(audit)
    return HeldRequests(max(rows, logged), equal, logged - equal - respelled, kinds, respelled)


def count_respelled(audit: Audit) -> int:
    """Return how many logged requests are equal but for the spelling of JSON in them."""
    return sum(kind.count for kind in audit.differences if kind.change == RESPELLED)


def describe_held(comparison: HeldRequests, *, sample: bool = False) -> str:
    """Return the sentence of the overview: n of m equal, and by what the others differ."""
    compared = comparison.equal + comparison.respelled + comparison.differing
    if not compared:
        return t("held.none", n=comparison.rows)
    if comparison.equal == compared:
        key = "held.all_equal"
    else:
        key = "held.some_equal"
    if comparison.respelled and not comparison.differing:
        key = "held.others_respelled"
    values = {"n": comparison.equal, "all": compared, "differing": comparison.differing}
    sentence = t(key, **values, respelled=comparison.respelled)
    if comparison.differing:
        sentence = sentence.rstrip(".") + f", {describe_kinds(comparison)}."
    return " ".join([sentence, *list_further(comparison, sample=sample)])


def list_further(comparison: HeldRequests, *, sample: bool = False) -> Iterator[str]:
    """Yield how many more requests are spelled in another way, and how many are about nothing here."""
    if comparison.differing and comparison.respelled:
        yield t("held.respelled", n=comparison.respelled)
    if comparison.apart and not sample:
        yield t("held.apart", n=comparison.apart)


def part_conditions(audit: Audit) -> tuple[list[str], list[str]]:
    """Return the conditions of which logged requests differ, and the others."""
    rows = [row for row in audit.conditions if row.choice.condition]
    differing = [row.name for row in rows if row.observed[0] < row.observed[1]]
    return differing, [row.name for row in rows if row.name not in differing]


def describe_apart(audit: Audit, comparison: HeldRequests) -> str:
    """Return how many requests differ and of which conditions the scores are not to be compared with the others; ""
    where that is no news of the others.
    """
    differing, others = part_conditions(audit)
    if not differing or not others:
        return ""
    names = t("verdict.and").join(f"“{name}”" for name in differing)
    if len(differing) > NAMED:
        names = t("held.conditions", n=len(differing))
    compared = comparison.equal + comparison.respelled + comparison.differing
    rest = t("held.others", n=len(others))
    return t("held.apart_lead", n=comparison.differing, all=compared, names=names, others=rest)


def describe_kinds(comparison: HeldRequests) -> str:
    """Return in words what the requests that differ differ in: `all by a text left out in two prompts`."""
    changes = {kind.change for kind in comparison.kinds}
    names = list(dict.fromkeys(kind.name for kind in comparison.kinds))
    where = t("held.prompts", n=len(names), names=", ".join(f"“{name}”" for name in names[:NAMED]))
    if len(names) > NAMED:
        where = t("held.many_prompts", n=len(names))
    if len(changes) == 1:
        change = next(iter(changes))
        return t("held.all_by", change=t(f"held.change.{_key(change)}"), where=where)
    parts = []
    for change in sorted(changes):
        count = sum(kind.count for kind in comparison.kinds if kind.change == change)
        parts.append(t("held.by", n=count, change=t(f"held.change.{_key(change)}")))
    return t("held.several", parts=", ".join(parts), where=where)


def _key(change: str) -> str:
    return change.replace(" ", "_")
