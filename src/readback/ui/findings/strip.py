"""The map of Findings: a row a rule, a cell a condition, each with its places and their share of the records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

import streamlit as st
from markupsafe import Markup

from readback.checks.findings_on_disk import Listed
from readback.checks.groups import WEIGHT, Group, by_severity, names
from readback.checks.groups import looked_at as count_records
from readback.checks.summary import Audit, selection_key
from readback.checks.tallies import numbers
from readback.html import exact
from readback.html.templates import render_template
from readback.types import Severity
from readback.ui.common import address, show
from readback.ui.common.draw.listing import FILTERS, NO_ROW
from readback.words import t

FEW = 12  # conditions that have a column even where nothing was found in them
MOST = 24  # conditions that have a column of their own
PRESENTED = 2  # rules that are shown while presenting, with the conditions that they have places in
REST = "…"  # stands for the conditions that have none
NAME = 44  # characters of a name at the head of a column: two lines of it
SHADES = ((0.6, 3), (0.1, 2), (0.0, 1))  # from which share of the records a cell is how dark


@dataclass(slots=True)
class Cell:
    """The places of one rule in one condition: how many, of which gravest severity, in which records.

    `whole` says that one of them is about the condition and no single record.
    """

    count: int = 0
    severity: Severity = "info"
    records: set[int] | None = None
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the map: the condition (or NO_ROW, REST), the name at its head, and the whole of it."""

    arm: str
    head: str
    whole: str


def draw(
    rule_groups: Sequence[Group],
    every: Sequence[Group],
    chosen: str,
    arm: str,
    records: int,
    audit: Audit,
    *,
    brief: bool = False,
) -> Markup:
    """Return the map of the groups: the rule `chosen` and the condition `arm` are marked, each cell leads to
    its places. A cell leaves the other filters as they are.

    `every` are the groups without the filter, by which is known whether a share is that of all findings. `brief`, for
    Present, has the first rules and the chosen one, and how many more there are.
    """
    all_groups = rule_groups
    if brief:
        others = [group for group in rule_groups if group.code != chosen]
        few = {chosen, *(group.code for group in others[: PRESENTED - 1])}
        rule_groups = [group for group in rule_groups if group.code in few]
    cells = {group.code: _count_cells(group, audit, _is_whole(group, every)) for group in rule_groups}
    columns = _columns(cells, audit, arm, few=0 if brief else FEW)
    filters = {key: st.query_params.get(key) for key in FILTERS}
    sections = [
        {
            "title": _describe_severity(tuple(rows)),
            "rows": [_row(group, cells[group.code], columns, chosen, arm, records, audit, filters) for group in rows],
        }
        for rows in (tuple(rows) for _, rows in groupby(rule_groups, key=lambda group: group.severity))
    ]
    heads = [
        {
            "name": column.head,
            "whole": column.whole,
            "href": address.href(
                "findings", **{**filters, "code": None, "arm": None if column.arm == arm else column.arm}
            )
            if column.arm != REST
            else "",
            "chosen": column.arm == arm,
        }
        for column in columns
    ]
    sums = [sum(_get(cells[group.code], column.arm, columns).count for group in rule_groups) for column in columns]
    hidden = sum(row.name not in {column.arm for column in columns} for row in audit.conditions)
    drawn_all = any(column.arm == REST for column in columns)
    more = len(all_groups) - len(rule_groups)
    sentence = t("findings.columns_hidden", n=hidden) if hidden and not drawn_all and not brief else ""
    return render_template(
        "ui/findings/strip.html.jinja",
        t=t,
        label=t("findings.rules", n=len(rule_groups)),
        heads=heads,
        sections=sections,
        sums=[_shorten(n) if n else "" for n in sums],
        total=sum(group.count for group in rule_groups),
        legend=t("findings.legend" if records else "findings.legend_no_records"),
        hidden=t("findings.rules_more", n=more) if more else sentence,
        key=_list_key(cells, bool(records)),
        wide=len(columns) > FEW + 2,
        alone=[column.arm for column in columns] == [NO_ROW],
    )


def _list_key(cells: Mapping[str, Mapping[str, Cell]], has_records: bool) -> Sequence[Mapping[str, object]]:
    """Return what the looks of a cell mean: the shades, each with its line, and where some are there the dashed one."""
    key: list[Mapping[str, object]] = []
    if has_records:
        for shade, percent in ((1, 8), (2, 40), (3, 100)):
            key.append({"shade": shade, "percent": percent, "whole": False, "words": t(f"findings.key_{shade}")})
    if any(cell.whole for row in cells.values() for cell in row.values()):
        key.append({"shade": 0, "percent": 0, "whole": True, "words": t("findings.key_whole")})
    return key


def order(groups_found: Sequence[Group]) -> tuple[Group, ...]:
    """Return the groups by severity, each severity in the order in which it came: as the map has them."""
    return tuple(sorted(groups_found, key=lambda group: WEIGHT[group.severity]))


def count_in(group: Group, audit: Audit) -> Mapping[str, int]:
    """Return in which conditions a rule has places, and how many; NO_ROW is what is about none of them."""
    return {arm: cell.count for arm, cell in _count_cells(group, audit, False).items()}


def _is_whole(group: Group, every: Sequence[Group]) -> bool:
    return any(other.code == group.code and other.count == group.count for other in every)


def _count_cells(group: Group, audit: Audit, whole: bool) -> dict[str, Cell]:
    """Return the cells of a rule by condition. `whole`: no filter left any out, so the records of the check count."""
    name, rows = names(audit), {row.name for row in audit.conditions}
    cells: dict[str, Cell] = {}

    def cell(arm: str) -> Cell:
        return cells.setdefault(arm if arm in rows else NO_ROW, Cell(records=set()))

    if isinstance(group.findings, Listed):
        for kind in group.findings.kinds:
            one_kind = cell(name(kind.place))
            bits = kind.records
            size = (bits.bit_length() + 7) // 8
            _add(one_kind, kind.n, kind.severity, set(numbers(bits.to_bytes(size, "little"))), not bits)
    else:
        for finding in group.findings:
            index = finding.place.index
            _add(cell(name(finding.place)), 1, finding.severity, set() if index is None else {index}, index is None)
    if whole:
        by_key = {selection_key(row.choice): row.name for row in audit.conditions}
        for (code, key), packed in audit.with_finding.items():
            if code == group.code and by_key.get(key) in cells:
                cells[by_key[key]].records = set(numbers(packed))
    return cells


def _add(cell: Cell, n: int, severity: Severity, records: set[int], whole: bool) -> None:
    if not cell.count or WEIGHT[severity] < WEIGHT[cell.severity]:
        cell.severity = severity
    cell.count += n
    cell.records = (cell.records or set()) | records
    cell.whole = cell.whole or whole


def _columns(cells: Mapping[str, Mapping[str, Cell]], audit: Audit, arm: str, few: int = FEW) -> tuple[Column, ...]:
    """Return the columns: all conditions while they are `few` at most, else those with a finding, of very many those
    with most errors and one for the others; at the end one for what is about no condition.
    """
    n, errors = Counter[str](), Counter[str]()
    for row in cells.values():
        n.update({name: cell.count for name, cell in row.items()})
        errors.update({name: cell.count for name, cell in row.items() if cell.severity == "error"})
    conditions = [row.name for row in audit.conditions]
    if not any(n[name] for name in conditions) and arm not in conditions:
        conditions = []
    if len(conditions) > few:
        conditions = [name for name in conditions if n[name] or name == arm]
    rest = 0
    if len(conditions) > MOST:
        fullest = set(sorted(conditions, key=lambda name: (name != arm, -errors[name], -n[name]))[:MOST])
        rest = len(conditions) - MOST
        conditions = [name for name in conditions if name in fullest]
    columns = [Column(name, shorten_name(name), exact.spelling(name)) for name in conditions]
    if rest:
        columns.append(Column(REST, t("findings.column_rest", n=rest), t("findings.column_rest", n=rest)))
    if n[NO_ROW] or arm == NO_ROW or not columns:
        columns.append(Column(NO_ROW, t("findings.column_files"), t("findings.column_files_whole")))
    return tuple(columns)


def _get(cells: Mapping[str, Cell], arm: str, columns: Sequence[Column]) -> Cell:
    if arm != REST:
        return cells.get(arm, Cell())
    own, rest = {column.arm for column in columns} | {NO_ROW}, Cell(records=set())
    for name, cell in cells.items():
        if name not in own:
            _add(rest, cell.count, cell.severity, cell.records or set(), cell.whole)
    return rest


def _row(
    group: Group,
    cells: Mapping[str, Cell],
    columns: Sequence[Column],
    chosen: str,
    arm: str,
    records: int,
    audit: Audit,
    filters: Mapping[str, str | None],
) -> Mapping[str, object]:
    drawn = [_cell(group, _get(cells, column.arm, columns), column, records, audit, filters) for column in columns]
    listed = sum(cell.count for cell in cells.values())
    return {
        "code": group.code,
        "title": group.title,
        "href": address.href("findings", **{**filters, "code": group.code}),
        "severity": show.severity(group.severity),
        "count": group.count,
        "sum": _shorten(group.count),
        "in_arm": _get(cells, arm, columns).count if arm else group.count,
        "left_out": t("findings.sum_more", n=group.count - listed) if group.count > listed else "",
        "cells": [
            {**cell, "chosen": group.code == chosen and column.arm == arm}
            for cell, column in zip(drawn, columns, strict=True)
        ],
        "chosen": group.code == chosen,
    }


def _cell(
    group: Group, cell: Cell, column: Column, records: int, audit: Audit, filters: Mapping[str, str | None]
) -> Mapping[str, object]:
    if not cell.count:
        return {"count": 0}
    sample = audit.sample
    total = sample.drawn if sample and group.code not in sample.full else count_records(audit, group.code, records)
    some = min(len(cell.records or ()), total)
    share = some / total if total else 0.0
    places = t("findings.places", n=cell.count)
    if some:
        extent = t("findings.cell_records", places=places, some=some, n=total)
    else:
        extent = t("findings.cell_files" if column.arm == NO_ROW else "findings.cell_whole", places=places)
    return {
        "count": cell.count,
        "short": _shorten(cell.count),
        "severity": cell.severity,
        "sign": show.SIGNS[cell.severity],
        "percent": round(100 * share),
        "shade": next((shade for least, shade in SHADES if share > least), 0) if some else 0,
        "whole": not some,
        "words": f"{t(f'frame.{cell.severity}')}, {column.whole}: {extent}",
        "href": address.href("findings", **{**filters, "code": group.code, "arm": column.arm})
        if column.arm != REST
        else address.href("findings", **{**filters, "code": group.code}),
    }


def _describe_severity(rows: Sequence[Group]) -> Markup:
    """Return the heading of the rules of one severity: how many rules, and what places of which severity they have."""
    counted = [show.severity(severity, n) for severity, n in by_severity(rows).items()]
    return show.h("{}: {}", t(f"findings.rules_{rows[0].severity}", n=len(rows)), show.join(counted, ", "))


def shorten_name(name: str) -> str:
    """Return a name of a condition as it is at the head of a column."""
    spelled = exact.spelling(name)
    return spelled if len(spelled) <= NAME else f"{spelled[: NAME - 1]}…"


def _shorten(n: int) -> str:
    """Return a count in at most four characters; the whole is in the words of its cell."""
    for step, sign in ((1_000_000, "M"), (1_000, "k")):
        if n >= step:
            return f"{n / step:.1f}{sign}" if n < 10 * step else f"{n // step}{sign}"
    return str(n)
