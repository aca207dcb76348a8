"""Whether the two sides of *Difference* may be compared at all: the verdict that Overview gives.

It comes of a check, which is begun here where nobody has begun it.
"""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from readback.checks.comparisons import Pair, Verdict, verdict, weighed
from readback.checks.groups import groups
from readback.checks.summary import Audit
from readback.types import Selection
from readback.ui.common import show
from readback.ui.common.draw import verdict as words
from readback.ui.common.state import caches, choice
from readback.ui.common.state.work import PATIENCE, POLL, Job
from readback.ui.prompts.two_texts.compare_sides import side
from readback.words import t


def draw() -> None:
    """Draw the verdict on two conditions; nothing where something else than the condition differs."""
    a, b = side("a"), side("b")
    names = a.choice.condition, b.choice.condition
    alone = all(compared_side.choice == Selection(condition=compared_side.choice.condition) for compared_side in (a, b))
    if names[0] is None or names[1] is None or names[0] == names[1] or not alone or replace(b, choice=a.choice) != a:
        return
    pair = Pair(names[0], names[1])
    if _find_verdict(pair) is None:
        job = choice.audit_job()
    else:
        job = None
    if job is not None and not job.ready.wait(PATIENCE):
        _awaited(job)
    elif (verdict_of_pair := _find_verdict(pair)) is not None:
        show.draw(words.line(verdict_of_pair, folded=True))
    else:  # it failed, or the dataset changed meanwhile: Overview says which
        _line(t("verdict.not_yet"), t("verdict.check"))


@st.fragment(run_every=POLL)
def _awaited(job: Job) -> None:
    """One line, as the verdict that takes its place; the page below it is drawn meanwhile."""
    if job.ready.is_set():
        st.rerun()
    if job.total:
        key = "verdict.awaited"
    else:
        key = "verdict.awaited_begun"
    progress = t(key, done=job.done, total=job.total)
    _line(f"{t('verdict.asked_here')} {progress}", t("verdict.awaited_see"))


def _line(sentence: str, link: str) -> None:
    show.draw(show.h('<p class="rb-verdict">{} {}</p>', sentence, show.link("overview", link)))


def _find_verdict(pair: Pair) -> Verdict | None:
    """Return the verdict of the finished check, of all records or of a sample; None before there is one."""
    for whole in (True, False):
        job = caches.audited(choice.key(), whole)
        if job is not None and job.ready.is_set():
            audit = job.result
        else:
            audit = None
        if isinstance(audit, Audit):
            return verdict(audit, weighed(audit, groups(audit), (pair,)), pair)
    return None
