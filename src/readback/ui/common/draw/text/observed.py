"""What the screen says about logged requests: equal byte for byte, where they part, or that there are none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from readback.checks.held_requests import count_respelled
from readback.checks.summary import Audit, Row
from readback.requests.observer import Observation
from readback.types import Assembly
from readback.ui.common import show
from readback.ui.common.state import caches, choice
from readback.words import t

Cells = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Proof:
    """Whether a log proves that messages were sent: in a word or two with their look, and in a sentence."""

    look: str
    word: str
    sentence: str


def find_log(assembly: Assembly) -> str | None:
    """Return the log whose messages an assembly has, because no file says how they are assembled; else None."""
    if assembly.choice.condition:
        condition = choice.workspace().condition(assembly.choice.condition)
    else:
        condition = None
    if condition is None or condition.mode or condition.task or assembly.choice.mode or assembly.choice.task:
        return None
    return condition.logged


def describe_proof(logged: Observation | None, log: str | None = None) -> Proof:
    """Say of the assembly in view whether a log proves it; `log` is the one that its messages are those of."""
    if log is not None:
        return Proof("fair", t("messages.proof_log"), t("messages.as_logged", log=log))
    if logged is None:
        return Proof("none", t("messages.proof_none"), t("messages.assembled"))
    where = f"{logged.place.file}:{logged.place.line}"
    if logged.first_difference is None:
        unsaid = logged.sent is not None and logged.sent.form == "prompt" and logged.sent.messages[0][0] != "system"
        if unsaid:
            return Proof("unknown", t("messages.proof_prompt"), t("messages.observed_prompt", where=where))
        return Proof("fair", t("messages.proof_equal"), t("messages.observed", where=where))
    at = {"role": logged.first_difference.role, "at": logged.first_difference.at + 1}
    if logged.verdict == "respelled":
        return Proof("same", t("messages.proof_respelled"), t("messages.observed_respelled", where=where, **at))
    return Proof("unfair", t("messages.proof_differs"), t("messages.observed_differs", where=where, **at))


def lead(audit: Audit | None) -> str:
    """One sentence about all conditions: how many logged requests are equal."""
    counts = _counts(audit) if audit else []
    equal, logged = sum(n for n, _ in counts), sum(n for _, n in counts)
    if audit and audit.sample and (logged or _any_logged()):
        if logged:
            return t("sample.observed", equal=equal, n=logged)
        return t("sample.observed_none")
    if not logged:
        alone = any(each.logged and not each.mode for each in choice.workspace().conditions)
        return t("held.as_logged" if alone else "overview.observed")
    if audit:
        without = sum(not row.observed[1] for row in audit.conditions)
    else:
        without = 0
    respelled = count_respelled(audit) if audit else 0
    differing = logged - equal - respelled
    if differing:
        key = "overview.observed_some"
    else:
        key = "overview.observed_equal"
    if without:
        rest = f" {t('overview.observed_without', n=without)}"
    else:
        rest = ""
    if respelled:
        rest = f" {t('overview.observed_respelled', n=respelled)}{rest}"
    return t(key, equal=equal, logged=logged, n=differing) + rest


def _counts(audit: Audit) -> list[tuple[int, int]]:
    """How many requests are equal, of how many, for each condition and each judge."""
    of_judges = [(row.equal, row.logged) for row in audit.judge_requests]
    return [*(row.observed for row in audit.conditions), *of_judges]


def _any_logged() -> bool:
    watching = caches.observer(*choice.key())
    return watching is not None and watching.has_logs


def cell(row: Row) -> Markup:
    """Return the cell of a condition in the table: how many logged requests are equal, linked to those that differ."""
    equal, logged = row.observed
    if not logged:
        return show.h("–")
    text = t("overview.observed_cell", equal=equal, logged=logged)
    if equal == logged:
        return show.h('<span class="rb-fine">{}</span>', text)
    return show.link(
        "findings", show.h('<span class="rb-bad">{}</span>', text), code="fmt-assembly-differs", arm=row.name
    )
