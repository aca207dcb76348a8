"""Search the messages of all records: what is asked, how far it is, and the records that hold it, as links."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from typing import Any

import streamlit as st
from markupsafe import Markup

from readback.compare import search_expression
from readback.compare.search import Hit, SearchResult, SelectionHits, find_next, iterate_results
from readback.compare.search_expression import Query, QueryError
from readback.html import exact
from readback.prompts import selections
from readback.records.dataset import DatasetChanged
from readback.types import Selection, Workspace
from readback.ui.common import address, show
from readback.ui.common.draw import table
from readback.ui.common.draw.table import Column
from readback.ui.common.state import background, choice, hits, work
from readback.ui.common.state.hits import Search
from readback.ui.common.state.work import Job, Progress
from readback.ui.prompts.two_texts import compare_words
from readback.words import t

KIND, NEXT = "search", "search_next"  # work: all that hold it, and the next one
PLACES = 10  # records on the screen at once
HEIGHT = 280  # pixels of the list: the text of the prompt stays in view
AT = "search_at"  # in the session: where the list is
SEARCHES = "searches"  # in the session: how many searches were made


def begin(text: str, regex: bool, case: bool, everywhere: bool, show_next: bool) -> str:
    """Begin a search; answers why it cannot be made, or "". For callbacks. `show_next`: go to the next hit."""
    query = Query(text, regex, case)
    try:
        search_expression.check_query(query)
    except QueryError as refused:
        return str(refused)
    if everywhere:
        under = _every(choice.workspace())
    else:
        under = (choice.sent(),)
    hits.put(now := Search(query, under, show_next, 0 if show_next else st.session_state.get(SEARCHES, 0)))
    st.session_state[AT] = 0
    _job(now)
    if show_next and (job := _next(now)).ready.wait(work.PATIENCE) and job.error is None:
        _go(job)
    return ""


def results() -> None:
    """Draw what the search came to, if there is one; while it is under way, how far it is."""
    now = hits.now()
    if now is None:
        return
    with st.container(border=True, key="search_results"):
        with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
            attributes = show.h(' class="rb-listed" data-rb-listed="{}"', now.listed) if now.listed else ""
            show.draw(
                show.h("<p{}>{} <strong>{}</strong></p>", attributes, t("messages.search_for"), _show_hit(now.query))
            )
            st.button(t("messages.search_end"), key="search_end", on_click=_end)
        if any(choice.moved()):
            show.notice(t("messages.search_stale"), "warning")
        if now.show_next:
            job = _next(now)
            if _ready(job, NEXT, None):
                _go(job)
                st.rerun()
            return
        job = _job(now)
        if _ready(job, KIND, _so_far):
            _draw(job.result)


def _ready(job: Job, kind: str, part: Callable[[SearchResult], None] | None) -> bool:
    """Whether the work is done; where it failed, the search ends, else it would fail again at each look."""
    if isinstance(job.error, DatasetChanged):
        choice.overtaken(job.error)
    if job.error is not None:
        _end()
    return work.look(job, "messages.searching", kind, part=part)


def after(result: SearchResult, sent: Selection, at: int) -> int | None:
    """Return the next record (after `at`, then from the top) that is a hit under a choice."""
    hits = result.find_hits(sent)
    if hits is None or not hits.records:
        return None
    return hits.records[bisect_right(hits.records, at) % len(hits.records)]


def _job(now: Search) -> Job:
    """Return the search of this session over the files in view."""
    workspace, key = choice.workspace(), (choice.key(), now.query, now.under)
    return background.ask(KIND, key, lambda progress: iterate_results(workspace, now.under, now.query, progress))


def _next(now: Search) -> Job:
    """Return the next hit under what is sent: known where all records were searched, else searched for now."""
    workspace, sent, at, every = choice.workspace(), choice.sent(), choice.position(), _job(now)

    def find(progress: Progress) -> int | None:
        result = every.result
        if isinstance(result, SearchResult) and not result.stopped and result.find_hits(sent):
            return after(result, sent, at)
        return find_next(workspace, sent, now.query, at, progress)

    return background.ask(NEXT, (choice.key(), now.query, sent, at), find)


def _go(job: Job) -> None:
    """Show the next hit under what is sent."""
    if (now := hits.now()) is not None:
        hits.put(replace(now, show_next=False))
    if job.result is not None:
        choice.go(job.result)
    elif not job.stopped:
        st.session_state["bar_said"] = t("messages.found_none")


def _every(workspace: Workspace) -> tuple[Selection, ...]:
    """Return what is sent in a workspace: the conditions; judges only where there is nothing else."""
    every = selections.list_selections(workspace)
    return tuple(selection for selection in every if selection.judge is None) or every


def _end() -> None:
    background.drop(KIND)
    background.drop(NEXT)
    hits.put(None)


def _draw(result: SearchResult) -> None:
    if result.stopped:
        show.notice(t("messages.search_stopped", done=result.done, total=result.total), "warning")
    _draw_unread(result)
    hits = result.find_hits(choice.sent()) or next((hits for hits in result.hits if hits.records), None)
    if hits is None or not any(hits.records for hits in result.hits):
        show.draw(show.h("<p>{}</p>", t("messages.search_empty")))
    elif len(result.hits) == 1:
        _records(hits, result)
    else:
        left, right = st.columns([2, 3], gap="medium")
        with left.container(height=HEIGHT, border=False):
            _table(result)
        with right.container(height=HEIGHT, border=False):
            _records(hits, result)


def _so_far(result: SearchResult) -> None:
    """Draw the records found while the others are still searched."""
    if any(hits.records for hits in result.hits):
        show.draw(show.h('<p class="rb-small">{}</p>', t("messages.search_so_far", done=result.done)))
        _draw(result)


def _table(result: SearchResult) -> None:
    """Draw the hits by condition; each leads to the condition, whose records are then listed."""
    rows = [{"sent": hits.choice, "records": len(hits.records), "hits": hits.count} for hits in result.hits]
    columns = (
        Column("sent", t("messages.search_condition"), show=_link),
        Column("records", t("messages.search_records"), number=True),
        Column("hits", t("messages.search_hits"), number=True),
    )
    table.draw(columns, rows, t("messages.search_by"))


def _link(row: Mapping[str, Any]) -> Markup:
    return show.link("prompts", compare_words.sent(row["sent"]), **asdict(row["sent"]))


def _records(hits: SelectionHits, result: SearchResult) -> None:
    name = compare_words.sent(hits.choice)
    if not hits.records:
        show.draw(show.h("<p>{}</p>", t("messages.search_none_here", sent=name)))
        return
    lead = t("messages.search_results", n=len(hits.records), done=result.done)
    start = min(st.session_state.get(AT, 0), (len(hits.first) - 1) // PLACES * PLACES)
    places = hits.first[start : start + PLACES]
    rows = show.join([show.h("<li>{}</li>", _row(hit, hits.choice)) for hit in places])
    title = t("messages.search_here", sent=name)
    show.draw(show.h('<h3>{}</h3><p>{}</p><ol class="rb-hits" start="{}">{}</ol>', title, lead, start + 1, rows))
    if len(hits.first) > PLACES:
        with st.container(horizontal=True, vertical_alignment="center"):
            for word, at in (("earlier", start - PLACES), ("later", start + PLACES)):
                st.button(
                    t(f"findings.{word}"),
                    key=f"search_{word}",
                    disabled=not 0 <= at < len(hits.first),
                    on_click=_turn,
                    args=(at,),
                )
            if len(hits.records) > len(hits.first):
                st.caption(t("messages.search_more", kept=len(hits.first), n=len(hits.records)))


def _turn(at: int) -> None:
    st.session_state[AT] = at


def _row(hit: Hit, sent: Selection) -> Markup:
    if _named(hit):
        target = {"record": hit.record, "index": None}
    else:
        target = {"record": None, "index": str(hit.index)}
    if hit.record is not None:
        here = address.get("record") == hit.record
    else:
        here = False
    link = show.link("prompts", t("frame.record_is", record=_name(hit)), **target, **asdict(sent))
    times = show.h(' <span class="rb-small">{}</span>', t("messages.search_times", n=hit.count))
    role = show.h('<span class="rb-small">{}</span>', t("frame.role_is", role=hit.role))
    text = show.h("…{}<mark>{}</mark>{}…", *(show.exact_text(part) for part in (hit.before, hit.text, hit.after)))
    if here:
        link = show.h("<strong>{}</strong>", link)
    return show.h("{}{} {}<br>{}", link, times if hit.count > 1 else "", role, text)


def _named(hit: Hit) -> bool:
    return hit.record is not None and hit.record == exact.spelling(hit.record) and _first(hit)


def _first(hit: Hit) -> bool:
    return choice.dataset().find(hit.record or "") == hit.index


def _name(hit: Hit) -> str:
    if hit.record is not None:
        return exact.spelling(hit.record)
    return str(hit.index + 1)


def _show_hit(query: Query) -> Markup:
    return show.exact_text(query.text)


def _draw_unread(result: SearchResult) -> None:
    if not result.failures:
        return
    show.notice(t("messages.search_lost", n=len(result.failures)), "warning")
    sentences = [
        t("messages.search_lost_one", index=record.index + 1, why=record.why)
        if record.index is not None
        else t("messages.search_lost_rest", sent=compare_words.sent(record.choice or Selection()), why=record.why)
        for record in result.failures[:PLACES]
    ]
    show.draw(
        show.h('<ul class="rb-small">{}</ul>', show.join([show.h("<li>{}</li>", record) for record in sentences]))
    )
