"""The list of Findings: a row a rule, with its places, the conditions they are in, and the comparison it touches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

import streamlit as st
from markupsafe import Markup

from readback.checks.comparisons import Weighed
from readback.checks.groups import WEIGHT, Group, by_severity
from readback.checks.summary import Audit
from readback.html.templates import render_template
from readback.types import Severity, Workspace
from readback.ui.common import address, show
from readback.ui.common.draw.listing import FILTERS
from readback.ui.findings import spread
from readback.ui.overview import paired
from readback.words import t

NAMED = 3  # conditions that a row names; the chosen rule's are all at the right
PRESENTED = 2  # rules that are shown while presenting


@dataclass(frozen=True, slots=True)
class View:
    """What the list is of: the check, what its rules mean for the planned comparisons by code, and what is chosen."""

    audit: Audit
    workspace: Workspace
    weights: Mapping[str, Weighed]
    code: str
    arm: str


def draw(view: View, rule_groups: Sequence[Group], whole: Sequence[Group], *, brief: bool = False) -> Markup:
    """Return the groups as a list, the gravest first. Each rule leads to its places, and each of its conditions to
    those in it; the other filters stay. Where a condition is chosen each row says how many of its places are there.

    `whole` are the groups without the filter by condition. `brief`, for Present, has the first rules and the chosen
    one, and how many more there are.
    """
    rows, every = order(rule_groups), {group.code: group for group in whole}
    if brief:
        others = [group for group in rows if group.code != view.code]
        few = {view.code, *(group.code for group in others[: PRESENTED - 1])}
        rows = tuple(group for group in rows if group.code in few)
    sections = [
        {
            "severity": severity,
            "title": _describe_order(severity, section, view),
            "rows": [_row(group, every[group.code], view) for group in section],
        }
        for severity, section in ((severity, tuple(section)) for severity, section in groupby(rows, key=gravest))
    ]
    more = len(rule_groups) - len(rows)
    places = t("findings.places", n=sum(group.count for group in rows))
    if more:
        foot = t("findings.rules_more", n=more)
    else:
        foot = t("findings.rules_sum", n=len(rows), places=places)
    filters = {key: st.query_params.get(key) for key in FILTERS}
    return render_template(
        "ui/findings/rule_list.html.jinja",
        t=t,
        label=t("findings.rules", n=len(rows)),
        sections=sections,
        foot=foot,
        out=address.href("findings", **{**filters, "code": view.code, "arm": None}) if view.arm and not more else "",
    )


def order(groups_found: Sequence[Group]) -> tuple[Group, ...]:
    """Return the groups by the gravest severity that is listed of each, else in the order in which they came."""
    return tuple(sorted(groups_found, key=lambda group: WEIGHT[gravest(group)]))


def gravest(group: Group) -> Severity:
    """Return the gravest severity that is listed of a group; a filter may have left out graver findings."""
    return next(iter(by_severity((group,))), group.severity)


def _describe_order(severity: Severity, rows: Sequence[Group], view: View) -> str:
    """Return the heading of the rules of one severity: what they are, and by what they are ordered."""
    name = t(f"findings.section_{severity}")
    if len(rows) < 2:
        return name
    if any(weight.with_finding for group in rows if (weight := view.weights.get(group.code))):
        return t("findings.order_planned", name=name)
    if any(group.conditions for group in rows):
        order_key = "order_conditions"
    else:
        order_key = "order_records"
    return t(f"findings.{order_key}", name=name)


def _row(group: Group, whole: Group, view: View) -> Mapping[str, object]:
    filters = {key: st.query_params.get(key) for key in FILTERS}
    severity, parts, chosen = gravest(group), spread.count_parts(whole, view.audit), group.code == view.code
    arms: list[Mapping[str, object]] = []
    if spread.is_everywhere(parts, view.audit) and not view.arm:
        if view.workspace.conditions:
            key = "every_arm"
        else:
            key = "every_mode"
        href = address.href("findings", **{**filters, "code": group.code, "arm": None})
        arms.append({"words": t(f"findings.{key}"), "whole": "", "chosen": chosen, "href": href})
    else:
        for arm in spread.rank_named(parts, view.arm, NAMED):
            words = spread.name_arm(
                arm, parts[arm] if len(parts) > 1 else None, severity, spread.name_files(whole, view.audit)
            )
            href = address.href("findings", **{**filters, "code": group.code, "arm": arm})
            is_chosen = chosen and arm == view.arm
            arms.append({"words": words, "whole": spread.describe_arm(arm), "chosen": is_chosen, "href": href})
    if len(parts) > NAMED and len(arms) == NAMED:
        rest = len(parts) - len(arms)
    else:
        rest = 0
    listed = sum(part.count for part in parts.values())
    weight, count = view.weights.get(group.code), by_severity((group,)).get(severity, group.count)
    if weight:
        touched = paired.describe_sides(view.workspace, view.audit, weight)
    else:
        touched = Markup("")
    return {
        "code": group.code,
        "title": group.title,
        "href": address.href("findings", **{**filters, "code": group.code}),
        "severity": show.severity(severity),
        "count": count,
        "every": group.count,
        "places": t("findings.places_of", some=group.count, n=whole.count)
        if group.count < whole.count
        else t("findings.places", n=count),
        "lighter": _describe_lighter(group),
        "left_out": t("findings.sum_more", n=whole.count - listed) if whole.count > listed else "",
        "arms": arms,
        "rest": t("findings.other_arms", n=rest) if rest else "",
        "planned": show.h(t("findings.planned", sides="{sides}"), sides=touched) if touched else "",
        "chosen": chosen,
    }


def _describe_lighter(group: Group) -> str:
    """Return how many more places are lighter than the sign of the row says; "" where none is."""
    lighter = list(by_severity((group,)).items())[1:]
    return ", ".join(t(f"findings.and_{severity}", n=n) for severity, n in lighter)
