"""The table of conditions: what each one sends, whether that is what its model was trained with, what is wrong."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from markupsafe import Markup

from readback.checks.facts import trained_differences
from readback.checks.summary import Audit, Row
from readback.compare.first_difference import FirstDifference, after, of_self_test
from readback.prompts import assemble
from readback.prompts.self_tests import self_tests
from readback.serving import limits
from readback.types import Workspace
from readback.ui.common import observed, sample_words, show
from readback.ui.common.table import Column
from readback.ui.messages import program_line
from readback.ui.overview.headline import Headline, pictures
from readback.words import t

SHOWN = 600  # characters of a system message in its hint; the whole is on Messages

Cells = Mapping[str, Any]


def conditions(
    workspace: Workspace, checked: Audit, headline: Headline | None
) -> tuple[tuple[Column, ...], list[Cells]]:
    """The columns that say something, and a row for each condition (or mode and task)."""
    audit = checked if checked.conditions else None  # without a record it tells nothing of a condition
    given = audit.conditions if audit else _unchecked(workspace)
    by_name = {row.name: row for row in given}
    rows = [_cells(workspace, row, headline) for row in given]

    def of(draw: Callable[[Workspace, Row], Markup]) -> Callable[[Cells], Markup]:
        return lambda cells: draw(workspace, by_name[cells["name"]])

    def title(key: str) -> str:
        return sample_words.column(audit, t(f"overview.{key}"))

    columns = [
        Column("name", t("overview.name"), show=of(_to_messages)),
        Column("mode", t("overview.mode")),
        Column("model", t("overview.model")),
        Column("task", t("overview.task")),
        Column("adapter", t("overview.adapter")),
        Column("program", t("overview.program"), help=t("overview.program_help")),
    ]
    if audit:
        columns += [
            Column("system", t("overview.system"), show=of(_system)),
            Column("trained", t("overview.trained"), show=of(_trained), help=t("overview.trained_help")),
            Column("around", t("overview.around"), show=of(_around), help=t("overview.around_help")),
            Column("longest", title("longest"), number=True, show=of(_longest), help=t("overview.longest_help")),
            Column("errors", title("errors"), number=True, show=of(_errors)),
            Column("warnings", title("warnings"), number=True, show=of(_warnings)),
            Column("observed", title("observed_column"), show=of(_observed), help=t("overview.observed_help")),
        ]
    columns += pictures(headline, headline.shapes) if headline else ()
    told = {"name", "longest", "errors", "warnings"}
    if all(row["name"] in (row["mode"], row["task"]) for row in rows):
        columns = [column for column in columns if column.key not in ("mode", "task")]
    return tuple(c for c in columns if c.key in told or any(row[c.key] for row in rows)), rows


def trained(workspace: Workspace, row: Row) -> tuple[str, bool]:
    """Whether the system message that is sent is the one the model was trained with, and whether that is bad."""
    model = workspace.models.get(row.model or "")
    if model is None or (model.training is None and model.modelfile is None):
        return "", False
    if model.training is None:
        return t("overview.trained_unknown"), False
    if row.system_sha is None and row.system_unknown:
        return t("overview.trained_unknown"), False
    if row.system_sha is None and model.training.text:
        return t("overview.trained_none"), True
    same = row.system_sha == _sha(model.training.text)
    said = t("overview.trained_same" if same else "overview.trained_differs")
    return (said if model.training.verified else f"{said}, {t('overview.trained_typed')}"), not same


def _unchecked(workspace: Workspace) -> Sequence[Row]:
    """The rows as far as they are in the configuration, without looking at a record."""
    made = []
    for choice in (one for one in assemble.choices(workspace) if one.judge is None):
        condition = workspace.condition(choice.condition) if choice.condition else None
        mode, task, adapter = (
            (getattr(condition, key) if condition else None) or getattr(choice, key)
            for key in ("mode", "task", "adapter")
        )
        name = choice.condition or " · ".join(part for part in (mode, task, adapter) if part)
        made.append(Row(name, choice, mode, condition.model if condition else None, adapter, task))
    return [row for row in made if row.choice.condition] or made


def _cells(workspace: Workspace, row: Row, headline: Headline | None) -> Cells:
    score = headline.of(row.name) if headline else None
    return {
        "name": row.name,
        "mode": row.mode,
        "model": row.model,
        "task": row.task,
        "adapter": row.adapter,
        "program": program_line.in_short(workspace, row.choice),
        "system": f"{row.system} {row.system_sha}" if row.system_sha else _no_system(row),
        "trained": trained(workspace, row)[0],
        "around": text_of(workspace, row)[0],
        "longest": row.tokens.count if row.tokens else row.longest,
        "errors": row.errors,
        "warnings": row.warnings,
        "observed": t("overview.observed_cell", equal=seen[0], logged=seen[1]) if (seen := row.observed)[1] else None,
        "shape": score.told if score else None,
        "mean": score.mean if score else None,
    }


def _no_system(row: Row) -> str:
    return t("overview.unknown_system" if row.system_unknown else "overview.no_system")


def _sha(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _system(workspace: Workspace, row: Row) -> Markup:
    """Who states the system message, and the first digits of its sha256: equal digits, equal text."""
    if not row.system_sha and row.system_unknown:
        hint = '<span class="rb-hinted" tabindex="0">{}<span class="rb-hint">{}</span></span>'
        return show.h(hint, _no_system(row), row.system_unknown)
    if not row.system_sha:
        return show.h("{}", _no_system(row))
    source, _, place = str(row.system).partition(" ")
    text = next((one.text for one in workspace.system_texts if _sha(one.text) == row.system_sha), "")
    said = show.exact_text(text if len(text) <= SHOWN else text[:SHOWN] + "…") if text else ""
    hint = show.h(
        '<span class="rb-hint">{}<span class="rb-small">{} sha256 {}</span></span>', said, place, row.system_sha
    )
    return show.h('<span class="rb-hinted" tabindex="0">{} <code>{}</code>{}</span>', source, row.system_sha[:8], hint)


def text_of(workspace: Workspace, row: Row) -> tuple[str, bool]:
    """Whether the server writes the same text around the messages as training did, and whether that is bad."""
    model, self_test = workspace.models.get(row.model or ""), self_tests(workspace).get(row.model or "")
    if model is None or self_test is None or self_test.trained is None:
        return "", False
    if not (self_test.trained.segments and self_test.first.segments):
        return "", False
    found = _apart(workspace, row)
    assumed = t("overview.text_assumed", name=self_test.trained.format) if self_test.trained.assumed else ""
    if not found:
        return f"{t('overview.text_same')}{assumed}", False
    where = after(found[0]).replace("`", "")
    return f"{t('overview.text_differs', where=where, n=len(found))}{assumed}", True


def _apart(workspace: Workspace, row: Row) -> list[FirstDifference]:
    """Where the text around the messages differs from the one of training, but for what makes no difference."""
    model, self_test = workspace.models.get(row.model or ""), self_tests(workspace).get(row.model or "")
    if model is None or self_test is None:
        return []
    kind = self_test.first.kind
    return [one for one in of_self_test(self_test) if not trained_differences.harmless(one, kind, model)]


def _trained(workspace: Workspace, row: Row) -> Markup:
    said, bad = trained(workspace, row)
    return show.h('<span class="{}">{}</span>', "rb-warn" if bad else "rb-fine", said or "–")


def _around(workspace: Workspace, row: Row) -> Markup:
    """Whether the text around the messages is the same, in a word or two; all of it on hover and on focus."""
    text, apart = text_of(workspace, row)
    if not text:
        return show.h("–")
    hint = '<span class="rb-hinted {}" tabindex="0">{}<span class="rb-hint">{}</span></span>'
    if apart:
        n = len(_apart(workspace, row))
        link = show.link("messages", t("overview.around_differs", n=n), **{**asdict(row.choice), "view": "training"})
        return show.h('<span class="rb-warn">{}</span>', show.h(hint, "", link, text))
    trained = self_tests(workspace)[row.model or ""].trained
    short = t("overview.around_assumed" if trained and trained.assumed else "overview.around_same")
    return show.h(hint, "rb-fine", short, text)


def _longest(workspace: Workspace, row: Row) -> Markup:
    if row.longest is None:
        return show.h("–")
    limit, counted = limits.of(workspace.models.get(row.model or "")), row.tokens
    if limit is None or counted is None:
        return show.h('{}<br><span class="rb-small">{}</span>', show.number(row.longest), t("overview.characters"))
    word = "of_limit" if counted.exact else "of_limit_estimated"
    said = t(f"overview.{word}", n=limit.room)
    looks = "rb-warn" if counted.count > limit.room else "rb-small"
    return show.h('{}<br><span class="{}">{}</span>', show.number(counted.count), looks, said)


def _to_messages(workspace: Workspace, row: Row) -> Markup:
    return show.link("messages", row.name, **asdict(row.choice))


def _errors(workspace: Workspace, row: Row) -> Markup:
    own = _to_findings(row.name, "error", row.errors)
    if not row.model_errors:
        return own
    link = show.link("messages", t("overview.of_model", n=row.model_errors), **{**asdict(row.choice), "view": "wire"})
    return show.h('{}<br><span class="rb-small">{}</span>', own, link)


def _warnings(workspace: Workspace, row: Row) -> Markup:
    return _to_findings(row.name, "warning", row.warnings)


def _observed(workspace: Workspace, row: Row) -> Markup:
    return observed.cell(row)


def _to_findings(name: str, severity: str, count: int) -> Markup:
    return show.link("findings", f"{count:,}", severity=severity, arm=name) if count else show.h("0")
