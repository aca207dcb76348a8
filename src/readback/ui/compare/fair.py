"""Whether the two sides of Compare may be compared at all: the verdict that Overview gives, where a check has run."""

from __future__ import annotations

from dataclasses import replace

from readback.checks.comparisons import Pair, weighed
from readback.checks.groups import groups
from readback.checks.summary import Audit
from readback.checks.verdicts import Verdict, verdict
from readback.types import Selection
from readback.ui.common import caches, choice, show
from readback.ui.common import verdict as words
from readback.ui.compare.compare_sides import side
from readback.words import t


def draw() -> None:
    """The verdict on two conditions; nothing where something else than the condition differs."""
    a, b = side("a"), side("b")
    names = a.choice.condition, b.choice.condition
    alone = all(one.choice == Selection(condition=one.choice.condition) for one in (a, b))
    if names[0] is None or names[1] is None or names[0] == names[1] or not alone or replace(b, choice=a.choice) != a:
        return
    if (found := of(Pair(names[0], names[1]))) is not None:
        show.draw(words.line(found, folded=True))
    else:
        link = show.link("overview", t("verdict.check"))
        show.draw(show.h('<p class="rb-small">{} {}</p>', t("verdict.not_yet"), link))


def of(pair: Pair) -> Verdict | None:
    """The verdict of the check that was made, of all records or of a sample; None before there is one."""
    for whole in (True, False):
        job = caches.audited(choice.key(), whole)
        audit = job.result if job is not None and job.ready.is_set() else None
        if isinstance(audit, Audit):
            return verdict(audit, weighed(audit, groups(audit), (pair,)), pair)
    return None
