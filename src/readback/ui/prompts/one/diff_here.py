"""The difference of two assemblies in place, on Prompts: before a change and after it; and how many records change."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st
from markupsafe import Markup

from readback.compare.diff import Difference, MessageDifference, compare_sides
from readback.compare.record_differences import RecordCounts
from readback.compare.sentence import format_sentence
from readback.compare.side import ShownSide, Side
from readback.html import exact
from readback.types import Assembly
from readback.ui.common import address, show
from readback.ui.common.draw.text import message
from readback.ui.common.state import background, choice, work
from readback.ui.common.state.work import Progress
from readback.ui.prompts.two_texts.compare_rows import Fold, Row, count, rows
from readback.ui.prompts.two_texts.compare_text import Text, side_by_side
from readback.words import t

AT_ONCE = 60_000  # characters of both sides on the page at once
LISTED = 20  # records that are named


def both(old: Assembly, new: Assembly) -> Difference:
    """Return what differs between two assemblies of one record."""
    return compare_sides(_shorten(old, "A"), _shorten(new, "B"))


def draw(difference: Difference, name: str, before: str, after: str) -> None:
    """Draw the sentence, and side by side what changed; `name` is unique on the page."""
    for words, title_and_side in ((before, difference.a), (after, difference.b)):
        if not title_and_side.messages:
            show.problem(t("messages.change_not_built", side=words))
    if not (difference.a.messages and difference.b.messages):
        return
    if difference.equal:
        show.draw(show.h('<p role="status">{}</p>', t("messages.change_equal")))
        return
    heads = show.join(
        [
            show.h('<p class="rb-side-name"><strong>{}</strong> {}</p>', *pair)
            for pair in zip("AB", (before, after), strict=True)
        ]
    )
    room = AT_ONCE
    body: list[str] = []
    for number, pair in enumerate(pair for pair in difference.messages if not pair.equal):
        drawn, used = _message(pair, f"{name}-{number}", room)
        body.append(drawn)
        room -= used
    lead = show.h('<p class="rb-lead" role="status">{}</p>', format_sentence(difference))
    st.html(
        f'<div class="rb rb-compared">{lead}<div class="rb-heads"><div class="rb-row">{heads}</div></div>'
        f"{''.join(body)}</div>"
    )
    if room <= 0:
        show.notice(t("messages.change_cut"), "warning")


def counting(kind: str, key: object, work_on: Callable[[Progress], RecordCounts]) -> None:
    """How many records change: counted when somebody asks, with progress; the records as links."""
    job = background.find_job(kind, key)
    if job is None:
        st.button(t("messages.change_count"), key=f"{kind}_count", on_click=_begin, args=(kind, key, work_on))
        return
    if job.error is not None:
        background.drop(kind)  # else it would fail again at each look
    if work.look(job, "messages.change_counting", kind) and job.result is not None:
        _counted(job.result)


def _begin(kind: str, key: object, work_on: Callable[[Progress], RecordCounts]) -> None:
    background.ask(kind, key, work_on)


def _counted(counts: RecordCounts) -> None:
    changing = counts.differing + counts.only_a + counts.only_b
    if counts.stopped:
        sentence = t("messages.change_counted_some", n=changing, done=counts.done)
    else:
        sentence = t("messages.change_counted", n=changing, all=counts.total)
    if counts.why and not counts.done:
        parts = []
    else:
        parts = [sentence]
    parts += [t("messages.change_not_now", n=counts.only_a)] if counts.only_a else []
    parts += [t("messages.change_not_before", n=counts.only_b)] if counts.only_b else []
    parts += [t("messages.change_lost_some", n=counts.neither)] if counts.neither else []
    parts += [t("messages.change_lost", why=counts.why)] if counts.why else []
    show.draw(show.h('<p role="status">{}</p>', " ".join(parts)))
    if counts.first:
        links = [_link(*index) for index in counts.first[:LISTED]]
        left = counts.differing - len(links)
        if left > 0:
            more = show.h(" {}", t("messages.change_more", n=left))
        else:
            more = Markup("")
        show.draw(show.h('<p class="rb-small">{} {}{}</p>', t("messages.change_records"), show.join(links, ", "), more))


def _link(index: int, called: str | None) -> Markup:
    settings = {name: st.query_params.get(name) for name in ("change", "whitespace")}
    own = called is not None and called == exact.spelling(called) and choice.dataset().find(called) == index
    if own:
        at = {"record": called, "index": None}
    else:
        at = {"record": None, "index": str(index)}
    if called is not None:
        label = exact.spelling(called)
    else:
        label = str(index + 1)
    return show.link("prompts", label, **{**address.query(), **settings, **at})


def _shorten(assembly: Assembly, label: str) -> ShownSide:
    return ShownSide(
        Side(assembly.choice), assembly.messages, assembly.fingerprint, assembly, assembly.diagnostics, label
    )


def _message(pair: MessageDifference, name: str, room: int) -> tuple[str, int]:
    """One message, as far as there is room for it, and the characters it took."""
    white = message.whitespace()
    a, b = (Text(side.segments if side else (), message.describe, white) for side in (pair.a, pair.b))
    shown_rows, used = _within(tuple(rows(a.text, b.text, pair.changes)), room)
    title = t(f"compare.role_{pair.role_a or pair.role_b or ''}")
    changes = t("compare.changes", n=count(pair.changes))
    head = show.h('<div class="rb-head"><h3>{}</h3><span class="rb-small">{}</span></div>', title, changes)
    label = exact.attribute(title)
    inner = side_by_side(a, b, shown_rows)
    look = "rb-diff rb-white" if white else "rb-diff"
    return f'{head}<div class="{look}" id="{name}" role="region" tabindex="0" aria-label="{label}">{inner}</div>', used


def _within(items: Sequence[Row | Fold], room: int) -> tuple[tuple[Row | Fold, ...], int]:
    kept_rows: list[Row | Fold] = []
    used = 0
    for row in items:
        parts = (row.part,) if isinstance(row, Fold) else row.parts
        used += sum(stop - start for part in parts for start, stop in (part.a, part.b))
        if used > room:
            break
        kept_rows.append(row)
    return tuple(kept_rows), used
