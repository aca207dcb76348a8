"""The records of the dataset where A and B differ: counted on request, with progress, and linked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import streamlit as st

from readback.compare.record_differences import RecordCounts, iterate_counts
from readback.compare.side import SideError
from readback.html import exact
from readback.html.templates import render_template
from readback.records import first_words
from readback.ui.common import show
from readback.ui.common.draw import setting
from readback.ui.common.draw.text import beside
from readback.ui.common.state import choice
from readback.ui.common.state.work import Job, Progress, look
from readback.ui.prompts.difference import compare_made, compare_view
from readback.ui.prompts.two_texts import compare_sides
from readback.ui.prompts.two_texts.compare_sides import side
from readback.words import t

AT_ONCE = 500  # records that are counted without being asked
LISTED = 50  # records on the screen at once
READ = 200_000  # bytes of the longest record, up to which the first words of those listed are read
STARTED = "counted"  # in the session: which counts were asked for


def draw() -> None:
    """Draw the counts and the records; before that, the button that starts counting."""
    a, b = side("a"), side("b")
    if len(choice.dataset()) < 2:
        show.empty(t("compare.records_one"))
        return
    if compare_sides.records()[1] not in (None, choice.position()) or a == b:
        show.empty(t("compare.records_not"))
        return
    count_key = (compare_made.key(replace(a, index=0, record=None)), compare_made.key(replace(b, index=0, record=None)))
    started: set[Any] = st.session_state.setdefault(STARTED, set())
    if count_key not in started and len(choice.dataset()) > AT_ONCE:
        show.notice(t("compare.records_ask", n=len(choice.dataset())))
        st.button(t("compare.count"), key="count", on_click=started.add, args=(count_key,))
        return
    workspace = choice.workspace()
    job = _job(count_key, lambda progress: iterate_counts(workspace, a, b, progress))
    try:
        if not look(job, "compare.counting", "counting", part=_so_far):
            return
    except SideError as error:
        show.problem(t("compare.not_shown"), str(error))
        return
    counts: RecordCounts | None = job.result
    if counts is None or counts.stopped:
        show.notice(t("compare.count_stopped"), "warning")
        st.button(t("frame.again"), key="count_again", on_click=_job.clear, args=(count_key,))
    if counts is not None:
        _draw_counts(counts)
        _records(counts)


@st.cache_resource(max_entries=8, show_spinner=False)
def _job(count_key: Any, _count: Callable[[Progress], Iterator[RecordCounts]]) -> Job:
    """Return the counting job, shared by all who count the same sides of the same files."""
    return Job(_count)


def _so_far(counts: RecordCounts) -> None:
    """Draw the counts while the other records are still compared: how many, and the first of them."""
    show.draw(show.h('<p class="rb-small">{}</p>', t("compare.counted_so_far", done=counts.done)))
    _draw_counts(counts)
    _records(counts)


def _draw_counts(counts: RecordCounts) -> None:
    """Draw how many records differ, and how: a bar for each kind, which together are all that were compared."""
    sentence = t("compare.counted", n=counts.differing, done=counts.done)
    sentence += " " + t("compare.counted_rest", equal=counts.equal)
    if counts.done < counts.total:
        sentence += " " + t("compare.counted_of", total=counts.total)
    show.draw(show.h('<p class="rb-lead" role="status">{}</p>', sentence))
    if counts.why:
        show.problem(t("compare.count_stopped"), counts.why)
    kinds = sorted(counts.kinds.items(), key=lambda item: -item[1])
    unbuilt = [(name, getattr(counts, name)) for name in ("only_a", "only_b", "neither", "unpaired_a")]
    entries = [("equal", counts.equal, "equal"), *((name, n, "differs") for name, n in kinds)]
    entries += [(name, n, "unbuilt") for name, n in unbuilt]
    bars = [
        {"name": t(f"compare.kinds_{name}"), "n": f"{n:,}", "share": 100 * n / counts.done, "look": look_of_kind}
        for name, n, look_of_kind in entries
        if n
    ]
    if bars:
        words = {"caption": t("compare.how"), "records": t("compare.records_n"), "all": t("compare.kinds_all")}
        drawn = render_template("ui/prompts/difference/counts.html.jinja", bars=bars, done=f"{counts.done:,}", **words)
        show.draw(drawn)
    if counts.unpaired_b:
        show.draw(show.h("<p>{}</p>", t("compare.unpaired_b", n=counts.unpaired_b)))


def _records(counts: RecordCounts) -> None:
    if not counts.first:
        return
    at = choice.position()
    after = next((index for index in counts.differ if index > at), counts.differ[0])
    st.button(t("compare.next_record"), key="next_differing", on_click=choice.go, args=(after,))
    start = setting.offset("at", len(counts.first), LISTED)
    rows = [
        show.h(
            '<li><a class="rb-link" target="_self" href="{}">{}</a> {}</li>',
            compare_view.here(record=None, index=str(index), view="difference", part=None),
            exact.spelling(name) if name is not None else str(index + 1),
            show.text(_find_words(index)),
        )
        for index, name in counts.first[start : start + LISTED]
    ]
    show.draw(
        show.h(
            '<h2>{}</h2><ul class="rb-records rb-records-long">{}</ul>', t("compare.records_differing"), show.join(rows)
        )
    )
    more = counts.differing - len(counts.first)
    if more > 0:
        show.notice(t("compare.records_more", n=len(counts.first), all=counts.differing))
    setting.turn("at", "records", start, len(counts.first), LISTED)


def _find_words(index: int) -> str:
    """Return the first words of a record's question; "" where records are too long to be read for a list."""
    data = choice.dataset()
    if data.longest > READ:
        return ""
    return first_words.find_first_words(data.record(index), beside.aliases())
