"""What a page says where only a sample of a large dataset was checked, and the way to a check of all of it."""

from __future__ import annotations

import math

import streamlit as st

from readback.checks.groups import Group
from readback.checks.sample import Sample, hit, share
from readback.checks.summary import Audit
from readback.prompts import selections
from readback.ui.common import show
from readback.ui.common.state import choice
from readback.words import t

LONG = 90  # seconds that are said in minutes


def notice(audit: Audit) -> None:
    """Once on a page: that it is a sample, what is in none of it, what was left out; and the offer of the whole."""
    sample = audit.sample
    if sample is None:
        return
    sentences = [t("sample.is", n=sample.drawn, of=sample.total, seed=sample.seed), t("sample.bound", **bound(sample))]
    sentences += [t("sample.repeats", codes=", ".join(sample.repeats))] if sample.repeats else []
    sentences += [t("sample.files", n=len(sample.files), files=", ".join(sample.files))] if sample.files else []
    show.notice(" ".join(sentences))
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            t("sample.check", n=sample.total), key="check_all", help=t("overview.check_why"), on_click=choice.recheck
        )
        st.caption(show.md(_cost(sample)))


def bound(sample: Sample) -> dict[str, object]:
    """Return the values of a sentence about what no record of the sample has."""
    return {"n": sample.drawn, "most": share(0, sample).percents[1]}


def records(audit: Audit, group: Group) -> str:
    """In how many records of the sample a rule has a finding, and what that says of all; "" where it says nothing.

    Of what a filter left no share is said where not all findings are at hand, or some are true of every record.
    """
    sample = audit.sample
    if sample is None:
        return ""
    k, n = hit(sample, group.code, group.records)
    if not k:
        return ""
    if group.code in sample.full:
        return t("findings.of_records", some=k, n=n)
    low, high = share(k, sample).percents
    filtered = group.count != audit.counts.get(group.code)
    plain = filtered and (audit.truncated or group.code in sample.once)
    return t("sample.records" if plain else "sample.share", k=k, n=n, low=low, high=high)


def column(audit: Audit | None, title: str) -> str:
    """Return the title of a column, which states where its numbers are those of a sample."""
    if audit and audit.sample:
        return t("sample.column", title=title)
    return title


def _cost(sample: Sample) -> str:
    """Draw what the whole check costs: how many prompts, and how long at the speed of the sample."""
    ways, seconds = len(selections.list_selections(choice.workspace())), math.ceil(sample.seconds)
    if ways:
        sentences = [t("sample.cost", n=sample.total, ways=ways, all=sample.total * ways)]
    else:
        sentences = []
    if seconds:
        long = seconds > LONG
        sentences.append(t("sample.minutes", n=math.ceil(seconds / 60)) if long else t("sample.seconds", n=seconds))
    return " ".join(sentences)
