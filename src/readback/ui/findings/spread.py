"""In which conditions a rule has its places: how many in each, and of which severity."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from readback.checks.findings_on_disk import Listed
from readback.checks.groups import WEIGHT, Group, names
from readback.checks.summary import Audit, selection_key
from readback.html import exact
from readback.types import Severity
from readback.ui.common import show
from readback.ui.common.draw.listing import NO_ROW
from readback.words import t


@dataclass(slots=True)
class Part:
    """The places of one rule in one condition: how many, and of which gravest severity."""

    count: int = 0
    severity: Severity = "info"

    def add(self, n: int, severity: Severity) -> None:
        """Count `n` more places of a severity."""
        if not self.count or WEIGHT[severity] < WEIGHT[self.severity]:
            self.severity = severity
        self.count += n


def count_parts(group: Group, audit: Audit) -> Mapping[str, Part]:
    """Return the places of a rule by condition, those of the gravest severity first, then where most are, then in the
    order of the conditions; at the end, by NO_ROW, what is about none of them: files, models, judges, records.
    """
    name, rows = names(audit), {row.name: number for number, row in enumerate(audit.conditions)}
    parts: dict[str, Part] = {}
    if isinstance(group.findings, Listed):
        places = [(name(kind.place), kind.n, kind.severity) for kind in group.findings.kinds]
    else:
        places = [(name(finding.place), 1, finding.severity) for finding in group.findings]
    for arm, n, severity in places:
        parts.setdefault(arm if arm in rows else NO_ROW, Part()).add(n, severity)

    def rank(arm: str) -> tuple[bool, int, int, int]:
        return arm == NO_ROW, WEIGHT[parts[arm].severity], -parts[arm].count, rows.get(arm, 0)

    return {arm: parts[arm] for arm in sorted(parts, key=rank)}


def is_everywhere(parts: Mapping[str, Part], audit: Audit) -> bool:
    """Whether a rule has places in every condition, of which there are several, and none elsewhere."""
    return len(audit.conditions) > 1 and parts.keys() == {row.name for row in audit.conditions}


def is_in_all_records(group: Group, arms: Collection[str], audit: Audit, records: int) -> bool:
    """Whether every one of the `records` has a finding of the rule in each of the conditions `arms`."""
    keys = [(group.code, selection_key(row.choice)) for row in audit.conditions if row.name in arms]
    counts = [int.from_bytes(audit.with_finding.get(key, b""), "little").bit_count() for key in keys]
    return bool(counts) and 0 < records <= min(*counts, group.records)


def name_files(group: Group, audit: Audit) -> str:
    """Return the file of the places of a rule that are about no condition, or how many files there are."""
    name, rows = names(audit), {row.name for row in audit.conditions}
    if isinstance(group.findings, Listed):
        places = [kind.place for kind in group.findings.kinds]
    else:
        places = [finding.place for finding in group.findings]
    files = {place.file or "" for place in places if name(place) not in rows}
    if "" in files:  # a model or a judge of the configuration, or a file that the places do not have in common
        return t("findings.no_condition")
    if len(files) == 1:
        return exact.spelling(files.pop())
    return t("findings.in_files", n=len(files))


def name_arm(arm: str, part: Part | None, severity: Severity, elsewhere: str = "") -> Markup:
    """Return a condition by its name, which the style sheet shortens, with its count where `part` has one; `severity`
    is that of the rule, beside which a lighter one is named; `elsewhere` names what is about no condition.
    """
    if arm == NO_ROW:
        name = elsewhere or t("findings.no_condition")
    else:
        name = exact.spelling(arm)
    if part is None:
        return show.h("<bdi>{}</bdi>", name)
    if part.severity == severity:
        count = f"{part.count:,}"
    else:
        count = t(f"frame.{part.severity}_n", n=part.count)
    return show.h("<bdi>{}</bdi><span> · {}</span>", name, count)


def describe_arm(arm: str) -> str:
    """Return the whole name of a condition, for who points at it."""
    if arm == NO_ROW:
        return t("findings.no_condition_whole")
    return exact.spelling(arm)


def rank_named(parts: Mapping[str, Part], arm: str, most: int) -> Sequence[str]:
    """Return which conditions are named where there is room for `most`: the first ones, and the chosen one `arm`."""
    order = list(parts)
    if arm not in order[most:]:
        return order[:most]
    return [*order[: most - 1], arm]
