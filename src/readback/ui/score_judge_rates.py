"""How far a judge can be trusted alone, on the scores page: its rate put right by a person's labels, and its flips."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import streamlit as st

from readback.scores.agreement.corrected_rates import CorrectedRate
from readback.scores.agreement.measured import Agreement
from readback.scores.agreement.repeats import Flips
from readback.scores.table import ScoreTable
from readback.ui import score_judge_tables, show, table
from readback.ui.words import t


def corrected(scored: ScoreTable, found: Agreement) -> None:
    """What a person would have passed, where a person labelled."""
    if not found.corrected:
        return
    whole = [one for one in found.corrected if one.condition is None]
    show.draw(show.join([show.h('<p class="rb-said">{}</p>', line) for line in _rates(whole)]))
    show.draw(show.h('<p class="rb-small">{}</p>', t("scores.corrected_how")))
    table.table("corrected", *score_judge_tables.corrected(scored, found), caption=t("scores.corrected"))


def repeats(found: Agreement) -> None:
    """How often a judge that scored the same answer again gave it another score."""
    if found.flips:
        st.header(t("scores.agreement_repeats"), anchor=False)
        show.draw(show.join([show.h("<p>{}</p>", _flipped(one)) for one in found.flips]))


def _rates(whole: Sequence[CorrectedRate]) -> Iterator[str]:
    for one in whole:
        given = {"judge": one.judge or t("scores.no_judge"), "person": one.person, "seen": 100 * one.seen, "n": one.n,
                 "labelled": one.positives + one.negatives}  # fmt: skip
        if one.rate is None:
            yield t("scores.corrected_not", **given)
        else:
            low, high = one.interval or (one.rate, one.rate)
            yield t("scores.corrected_said", rate=100 * one.rate, low=100 * low, high=100 * high, **given)


def _flipped(one: Flips) -> str:
    said = t("scores.agreement_flips", judge=one.judge or t("scores.no_judge"), n=one.answers, flipped=one.flipped,
             share=100 * one.rate)  # fmt: skip
    if one.judge_variance is None or one.answer_variance is None:
        return said
    both = one.judge_variance + one.answer_variance
    if not both:
        return said
    return f"{said} {t('scores.agreement_own_spread', share=100 * one.judge_variance / both)}"
