"""The overview's parts: the sentence of facts, what to look at first, and where findings stand that are in no row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup
from streamlit.delta_generator import DeltaGenerator

from readback.audit.groups import Group, touched
from readback.audit.summary import Audit
from readback.scores.table import ScoreTable
from readback.types import Workspace
from readback.ui import listing, show
from readback.ui.words import t

FIRST = 7  # what a meeting can take in


def facts(
    place: DeltaGenerator, shop: Workspace, records: int | None, scored: ScoreTable | None, said: Markup | str = ""
) -> None:
    """The first line: how much there is, and `said` against comparing it, which is known a moment later."""
    with place:
        show.draw(show.h('<p class="rb-lead">{} {}</p>', _much(shop, records, scored), said))


def faults(shop: Workspace, audit: Audit, found: Sequence[Group]) -> Markup:
    """What stands against comparing: how many faults of the gravest kind, and which planned comparisons they touch."""
    return show.join([_gravest(audit, found), _pairs(shop, audit, found)], " ")


def first(found: Sequence[Group], by: str) -> Markup:
    """At most seven rules to look at, each a sentence and a link; `by` is what an arm is called."""
    return show.h("<ol class='rb-first'>{}</ol>", show.join([_first(group, by) for group in look_at(found)]))


def look_at(found: Sequence[Group]) -> tuple[Group, ...]:
    """Errors and warnings, the gravest first."""
    return tuple(group for group in found if group.severity != "info")[:FIRST]


def elsewhere(audit: Audit) -> Markup:
    """Errors and warnings that are in no row of the table: about files, models, records, judges."""
    parts = []
    for severity, column in (("error", "errors"), ("warning", "warnings")):
        n = audit.severities.get(severity, 0) - sum(getattr(row, column) for row in audit.conditions)
        if n:
            parts.append(
                show.link("findings", t(f"overview.more_{column}", n=n), severity=severity, arm=listing.NO_ROW)
            )
    return show.h("{} {}", show.join(parts, t("overview.and")), t("overview.elsewhere")) if parts else Markup("")


def next_step(shop: Workspace) -> Markup:
    """Where to go when nothing needs a look: the messages, or the scores where there are no prompts."""
    if shop.prompts or shop.tasks or shop.judges:
        return show.link("messages", t("overview.see_messages"))
    return show.link("scores", t("overview.see_scores")) if shop.scores else Markup("")


def ours(audit: Audit) -> str:
    """The rules that failed, which is our fault."""
    return "\n".join(dict.fromkeys(f"{one.rule}: {one.error}" for one in audit.faults))


def lines(said: Sequence[str]) -> Markup:
    """Sentences, one below the other."""
    return show.join([show.h("<p>{}</p>", line) for line in said])


def _much(shop: Workspace, records: int | None, scored: ScoreTable | None) -> str:
    kinds: Mapping[str, Any] = {"modes": shop.prompts, "tasks": shop.tasks, "judges": shop.judges}
    said = [t("overview.conditions", n=len(shop.conditions))] if shop.conditions else [
        t(f"overview.{name}", n=len(held)) for name, held in kinds.items() if held
    ]  # fmt: skip
    if scored and not said:
        columns = scored.columns
        known = {
            "conditions": t("overview.conditions", n=len(columns.conditions)),
            "criteria": t("overview.criteria", n=len(columns.criteria)),
        }
        said.append(t("overview.scored", n=len(columns), **known))
    what = t("overview.and").join(said) or t("overview.conditions", n=0)
    if records is not None:
        return t("overview.facts", n=records, what=what)
    return t("overview.no_records" if shop.prompts or shop.tasks or shop.judges else "overview.only", what=what)


def _gravest(audit: Audit, found: Sequence[Group]) -> Markup:
    for severity, key in (("error", "faults"), ("warning", "only_warnings"), ("info", "only_notes")):
        kinds = [group for group in found if group.severity == severity]
        if kinds:
            places = t("overview.places", n=audit.severities.get(severity, 0))
            return show.link("findings", t(f"overview.{key}", n=len(kinds), places=places), severity=severity)
    return show.h("{}", t("overview.no_errors"))


def _pairs(shop: Workspace, audit: Audit, found: Sequence[Group]) -> str:
    """Which of the comparisons that the workspace declares have an error on one side."""
    wrong = touched(found, shop.comparisons)
    if len(shop.comparisons) != 1:
        key = "pairs_wrong" if wrong else "pairs_right"
        return t(f"overview.{key}", n=len(wrong), all=len(shop.comparisons)) if shop.comparisons else ""
    pair = {side: str(shop.comparisons[0].get(side)) for side in ("a", "b")}
    if not wrong:
        return t("overview.pair_right", **pair)
    kinds = [group for group in found if touched([group], shop.comparisons)]
    places = sum(row.errors for row in audit.conditions if row.name in pair.values())
    return t("overview.pair_wrong", n=len(kinds), places=t("overview.places", n=places), **pair)


def _first(group: Group, by: str) -> Markup:
    parts = [
        t("overview.first_records", n=group.records) if group.records else "",
        t(f"overview.{by}", n=len(group.arms)) if group.arms else "",
    ]
    said = t("overview.and").join(part for part in parts if part) or t("overview.places", n=group.count)
    return show.h(
        '<li>{} {} <span class="rb-small">{}</span></li>',
        show.severity(group.severity),
        show.link("findings", group.title, code=group.code),
        t("overview.first_where", where=said),
    )
