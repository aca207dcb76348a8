"""The overview's parts: the sentence of facts, the table of conditions, what to look at first, what was loaded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from markupsafe import Markup

from readback.audit.groups import Group, groups
from readback.audit.summary import Audit, Row
from readback.dataset import Counts
from readback.rules import finding
from readback.types import Finding, Workspace
from readback.ui import show
from readback.ui.headline import Headline
from readback.ui.table import Column
from readback.ui.words import t

FIRST = 7  # what a meeting can take in
KINDS = ("prompts", "tasks", "judges", "scores")  # what is counted where there are no conditions


def facts(shop: Workspace, records: int | None, audit: Audit | None) -> str:
    """The first line: how much there is, and whether anything is wrong."""
    said = t("overview.conditions", n=len(shop.conditions)) if shop.conditions else _holds(shop)
    start = (
        t("overview.no_records", conditions=said)
        if records is None
        else t("overview.facts", n=records, conditions=said)
    )
    return f"{start} {_faults(audit)}" if audit else f"{start} {t('overview.unchecked')}"


def arms(
    shop: Workspace, audit: Audit, headline: Headline | None
) -> tuple[tuple[Column, ...], list[Mapping[str, Any]]]:
    """The table of conditions (or modes and tasks): columns that say something, and a row for each."""
    rows = [_arm(shop, row, headline) for row in audit.conditions]
    columns = [
        Column("name", t("overview.name"), show=_to_messages),
        Column("mode", t("overview.mode")),
        Column("model", t("overview.model")),
        Column("adapter", t("overview.adapter")),
        Column("system", t("overview.system"), show=_system),
        Column("training", t("overview.training")),
        Column("longest", t("overview.longest"), number=True, help=t("overview.longest_help")),
        Column("errors", t("overview.errors"), number=True, show=lambda row: _to_findings(row, "error", "errors")),
        Column(
            "warnings", t("overview.warnings"), number=True, show=lambda row: _to_findings(row, "warning", "warnings")
        ),
    ]
    if headline:
        columns.append(Column("shape", t("overview.shape"), show=lambda row: row["shape"] or "–"))
        if headline.stated:
            title = t("overview.headline", criterion=headline.criterion)
            columns.append(Column("mean", title, number=True, show=lambda row: row["said"] or "–"))
    told = {"name", "errors", "warnings", "longest"}
    return tuple(c for c in columns if c.key in told or any(row.get(c.key) for row in rows)), rows


def first(audit: Audit) -> Markup:
    """At most seven rules to look at, each a sentence and a link."""
    return show.h("<ol class='rb-first'>{}</ol>", show.join([_first(group) for group in look_at(audit)]))


def look_at(audit: Audit) -> tuple[Group, ...]:
    """Errors and warnings, the gravest first."""
    return tuple(group for group in groups(audit) if group.severity != "info")[:FIRST]


def loaded(shop: Workspace) -> tuple[tuple[Column, ...], list[Mapping[str, Any]]]:
    """What was recognised as what."""
    rows = [
        {
            "file": one.path,
            "what": one.what,
            "used": t("overview.yes") if one.used else t("overview.no"),
            "detail": one.detail,
        }
        for one in shop.recognised
    ]
    columns = (
        Column("file", t("overview.file")),
        Column("what", t("overview.what")),
        Column("used", t("overview.used")),
        Column("detail", t("overview.detail")),
    )
    return columns, rows


def counts(file: str, said: Counts) -> str:
    """The counts of a dataset, which add up."""
    known = {"file": file, "lines": said.lines, "read": said.read, "bad": said.bad, "blank": said.blank}
    whole = said.read + said.bad + said.blank == said.lines
    return t("overview.counts" if whole else "overview.counts_other", **known)


def loading(shop: Workspace) -> tuple[Finding, ...]:
    """What was noticed while the workspace was read."""
    return tuple(finding(note) for note in shop.notes)


def _holds(shop: Workspace) -> str:
    kinds = (("modes", shop.prompts), ("tasks", shop.tasks), ("judges", shop.judges), ("scores", shop.scores))
    return t("overview.and").join(t(f"overview.{name}", n=len(held)) for name, held in kinds if held) or t(
        "overview.conditions", n=0
    )


def _faults(audit: Audit) -> str:
    found = groups(audit)
    for severity, key in (("error", "faults"), ("warning", "only_warnings")):
        kinds = [group for group in found if group.severity == severity]
        if kinds:
            places = t("overview.places", n=audit.severities.get(severity, 0))
            return t(f"overview.{key}", n=len(kinds), places=places)
    return t("overview.no_errors")


def _arm(shop: Workspace, row: Row, headline: Headline | None) -> Mapping[str, Any]:
    system = t("overview.no_system") if row.system is None else row.system
    score = headline.of(row.name) if headline else None
    return {
        "name": row.name,
        "choice": row.choice,
        "mode": row.mode,
        "model": row.model,
        "adapter": row.adapter,
        "system": system,
        "sha": (row.system_sha or "")[:8],
        "training": _trained(shop, row),
        "longest": row.longest,
        "errors": row.errors,
        "warnings": row.warnings,
        "mean": score.mean if score else None,
        "said": score.said if score else None,
        "shape": score.shape if score else None,
    }


def _trained(shop: Workspace, row: Row) -> str | None:
    """Whether the text the model was trained with is the one that serves it."""
    model = shop.models.get(row.model or "")
    if model is None or (model.training is None and model.modelfile is None):
        return None
    served = model.modelfile.system if model.modelfile else None
    if model.training is None or served is None:
        return t("overview.training_unknown")
    same = t("overview.training_same" if model.training.text == served else "overview.training_differs")
    return same if model.training.verified else f"{same}, {t('overview.training_typed')}"


def _target(row: Mapping[str, Any]) -> dict[str, str | None]:
    choice = row["choice"]
    return {key: getattr(choice, key) for key in ("condition", "mode", "adapter", "task", "judge")}


def _system(row: Mapping[str, Any]) -> Markup:
    """Who states the system message, and the first digits of its sha256: equal digits, equal text."""
    source, _, place = row["system"].partition(" ")
    return show.h('<span title="{}">{}</span> <code>{}</code>', place, source, row["sha"])


def _to_messages(row: Mapping[str, Any]) -> Markup:
    return show.link("messages", row["name"], **_target(row))


def _to_findings(row: Mapping[str, Any], severity: str, key: str) -> Markup:
    count = row[key]
    return show.link("findings", f"{count:,}", severity=severity, arm=row["name"]) if count else show.h("0")


def _first(group: Group) -> Markup:
    touched = _touched(group)
    return show.h(
        "<li>{} {} <span class='rb-small'>{}</span></li>",
        show.severity(group.severity),
        show.link("findings", group.title, code=group.code),
        touched,
    )


def _touched(group: Group) -> str:
    return t("overview.and").join(_parts(group))


def _parts(group: Group) -> Iterator[str]:
    if group.records:
        yield t("overview.first_records", n=group.records)
    if group.conditions:
        yield t("overview.first_conditions", n=len(group.conditions))
    if not group.records and not group.conditions:
        yield t("overview.places", n=group.count)
