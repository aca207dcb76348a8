"""The difference of two assemblies in place, on Messages: before a change and after it; and how many records change."""

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
from readback.ui.common.draw import message
from readback.ui.common.state import background, choice, work
from readback.ui.common.state.work import Progress
from readback.ui.compare.compare_rows import Fold, Row, count, rows
from readback.ui.compare.compare_text import Text, side_by_side
from readback.words import t

AT_ONCE = 60_000  # characters of both sides on the page at once
LISTED = 20  # records that are named


def both(old: Assembly, new: Assembly) -> Difference:
    """What differs between two assemblies of one record."""
    return compare_sides(_shown(old, "A"), _shown(new, "B"))


def draw(found: Difference, name: str, before: str, after: str) -> None:
    """The sentence, and side by side what changed; `name` is unique on the page."""
    for words, shown in ((before, found.a), (after, found.b)):
        if not shown.messages:
            show.problem(t("messages.change_not_built", side=words))
    if not (found.a.messages and found.b.messages):
        return
    if found.equal:
        show.draw(show.h('<p role="status">{}</p>', t("messages.change_equal")))
        return
    heads = show.join([show.h('<p class="rb-side-name"><strong>{}</strong> {}</p>', *pair)
                       for pair in zip("AB", (before, after), strict=True)])  # fmt: skip
    room = AT_ONCE
    body: list[str] = []
    for number, pair in enumerate(pair for pair in found.messages if not pair.equal):
        drawn, used = _message(pair, f"{name}-{number}", room)
        body.append(drawn)
        room -= used
    lead = show.h('<p class="rb-lead" role="status">{}</p>', format_sentence(found))
    st.html(f'<div class="rb rb-compared">{lead}<div class="rb-heads"><div class="rb-row">{heads}</div></div>'
            f"{''.join(body)}</div>")  # fmt: skip
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


def _counted(found: RecordCounts) -> None:
    changing = found.differing + found.only_a + found.only_b
    if found.stopped:
        said = t("messages.change_counted_some", n=changing, done=found.done)
    else:
        said = t("messages.change_counted", n=changing, all=found.total)
    parts = [] if found.why and not found.done else [said]
    parts += [t("messages.change_not_now", n=found.only_a)] if found.only_a else []
    parts += [t("messages.change_not_before", n=found.only_b)] if found.only_b else []
    parts += [t("messages.change_lost_some", n=found.neither)] if found.neither else []
    parts += [t("messages.change_lost", why=found.why)] if found.why else []
    show.draw(show.h('<p role="status">{}</p>', " ".join(parts)))
    if found.first:
        links = [_link(*one) for one in found.first[:LISTED]]
        left = found.differing - len(links)
        more = show.h(" {}", t("messages.change_more", n=left)) if left > 0 else Markup("")
        show.draw(show.h('<p class="rb-small">{} {}{}</p>', t("messages.change_records"), show.join(links, ", "), more))


def _link(index: int, called: str | None) -> Markup:
    kept = {name: st.query_params.get(name) for name in ("change", "whitespace")}
    own = called is not None and called == exact.spelling(called) and choice.dataset().find(called) == index
    at = {"record": called, "index": None} if own else {"record": None, "index": str(index)}
    label = exact.spelling(called) if called is not None else str(index + 1)
    return show.link("messages", label, **{**address.query(), **kept, **at})


def _shown(made: Assembly, label: str) -> ShownSide:
    return ShownSide(Side(made.choice), made.messages, made.fingerprint, made, made.diagnostics, label)


def _message(pair: MessageDifference, name: str, room: int) -> tuple[str, int]:
    """One message, as far as there is room for it, and the characters it took."""
    white = message.whitespace()
    a, b = (Text(one.segments if one else (), message.describe, white) for one in (pair.a, pair.b))
    shown, used = _within(tuple(rows(a.text, b.text, pair.changes)), room)
    title = t(f"compare.role_{pair.role_a or pair.role_b or ''}")
    changes = t("compare.changes", n=count(pair.changes))
    head = show.h('<div class="rb-head"><h3>{}</h3><span class="rb-small">{}</span></div>', title, changes)
    label = exact.attribute(title)
    inner = side_by_side(a, b, shown)
    look = "rb-diff rb-white" if white else "rb-diff"
    return f'{head}<div class="{look}" id="{name}" role="region" tabindex="0" aria-label="{label}">{inner}</div>', used


def _within(items: Sequence[Row | Fold], room: int) -> tuple[tuple[Row | Fold, ...], int]:
    kept: list[Row | Fold] = []
    used = 0
    for one in items:
        parts = (one.part,) if isinstance(one, Fold) else one.parts
        used += sum(stop - start for part in parts for start, stop in (part.a, part.b))
        if used > room:
            break
        kept.append(one)
    return tuple(kept), used
