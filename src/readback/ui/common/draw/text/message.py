"""One exact text on the page: its heading, the text with origins and findings marked, and the ways to take it along."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Sequence
from typing import get_args

import streamlit as st
from markupsafe import Markup

from readback import adapters
from readback.html import exact
from readback.message_parts import Part, part_title, parts
from readback.records.replies.logged_calls import TEXT_ROLE
from readback.types import Finding, Location, Message, Role, Segment, Values
from readback.ui.common import address, show
from readback.ui.common.draw import downloads, exports
from readback.ui.common.draw.text import bookmarks, cited, token_sizes
from readback.ui.common.draw.text.token_sizes import UNSIZED, Cut, Sized
from readback.ui.common.state import choice, hits
from readback.words import language, sentence, t

UNKNOWN = "unknown"  # the look of a text that is shown as a log has it
MOST = 0.5  # of the characters of a text, from which on its origin is what most of the text is


def message(
    name: str,
    title: str,
    segments: Sequence[Segment],
    findings: Sequence[Finding] = (),
    numbers: Sequence[int] = (),
    masked: bool = False,
    more: Sequence[exact.Mark] = (),
    sized: Sized = UNSIZED,
    source: cited.Source | None = None,
    gaps: Sequence[exact.Gap] = (),
    whole: Values | None = None,
    together: Sequence[Segment] = (),
) -> None:
    """Draw a text. `name` is unique on the page; `found` are findings with offsets into it, `numbers` theirs, `more`
    are further marks, `sized` its tokens; `held` is what the citations of an answer are held against; `gaps` are where
    values are missing; `whole` is the message as its row has it, whose tool calls, images and names stand below it.
    `together` are the segments of all texts whose origins are marked alike.
    """
    text = "".join(segment.text for segment in segments)
    raw = exports.exact(text)
    if len(raw) == len(text):
        in_bytes = ""  # the copy's menu says both
    else:
        in_bytes = t("messages.bytes", n=len(raw))
    sizes = (t("messages.characters", n=len(text)), in_bytes, sized.words)
    other_parts = parts(whole)
    if text:
        counts = ", ".join(part for part in sizes if part)
    else:
        counts = _no_text(other_parts)
    head = show.h('<div class="rb-head"><h2>{}</h2><span class="rb-small">{}</span></div>', title, counts)
    cut = sized.cut if token_sizes.on() else None
    marked = (*marks(findings, numbers), *more, *hits.marks(text), *cited.marked(text, source))
    with st.container(key=f"message_{name}", gap=None):
        _text(name, title, head, segments, marked, cut, gaps, find_most(together or segments))
        show.draw(parts_markup(name, other_parts))
        _take(name, title, text, masked, adapters.list_own_wordings((Message("", tuple(segments)),)))


def role_title(role: str) -> str:
    """Return the heading of a message: the four usual roles have words of their own."""
    if role in get_args(Role):
        return t(f"messages.role_{role}")
    if role == TEXT_ROLE:
        return t("messages.role_text")
    return t("training_row.role", role=role)


def parts_markup(name: str, other_parts: Sequence[Part]) -> Markup:
    """Draw what a message holds besides its text: each part with its title, and its text below it."""
    rows = []
    for number, part in enumerate(other_parts):
        below = Markup("")
        if part.text:
            below = show.h(
                '<dd><div class="rb-text" id="part-{}-{}">{}</div></dd>', name, number, show.exact_text(part.text)
            )
        rows.append(show.h("<dt>{}</dt>{}", part_title(part), below))
    if rows:
        return show.h('<dl class="rb-parts">{}</dl>', show.join(rows))
    return Markup("")


def _no_text(other_parts: Sequence[Part]) -> str:
    if not other_parts:
        return t("messages.no_text")
    return t("parts.no_text", n=len(other_parts))


def marks(findings: Sequence[Finding], numbers: Sequence[int]) -> tuple[exact.Mark, ...]:
    """Return findings with a span as marks; the one that the address names stands out."""
    key_in_address = st.query_params.get("finding")
    return tuple(
        exact.Mark(
            finding.place.start,
            finding.place.end,
            n,
            finding.severity,
            sentence.finish(finding.message),
            finding.key == key_in_address,
        )
        for finding, n in zip(findings, numbers, strict=True)
        if finding.place.start is not None and finding.place.end is not None and finding.place.end > finding.place.start
    )


def describe(segment: Segment) -> str:
    """Where a stretch comes from, in words: `from rag.contexts[2], data/eval.jsonl line 3`."""
    at = segment.place
    place = show.where(Location(file=at.file, line=at.line, column=at.column))
    origin = t(f"messages.from_{segment.origin}", name=segment.name or "")
    if segment.wording == adapters.OURS:
        wording = t("messages.wording_readback")
    else:
        wording = ""
    return ", ".join(part for part in (" ".join(origin.split()), wording, place) if part)


def spoken() -> str | None:
    """Return the language of the workspace's texts, "" where it states none; None where it is that of the page."""
    workspace, _ = choice.peek()
    stated = workspace.language if workspace else ""
    if stated == language():
        return None
    return stated


def markup(
    name: str,
    title: str,
    segments: Sequence[Segment],
    marked: Sequence[exact.Mark] = (),
    tokens: Sequence[exact.Token] = (),
    gaps: Sequence[exact.Gap] = (),
    start: int = 0,
    is_stop: bool = True,
    most: str | None = None,
) -> str:
    """Return the element itself, for pages that draw several texts beside each other. `start` is the offset of its
    first character in the whole text, which the browser adds where it says what is selected. `is_stop` says whether
    the Tab key stops at it. `most` is the look that is not marked; by default that of most of the text.
    """
    text = exact.html(
        segments,
        marked,
        whitespace=whitespace(),
        describe=describe,
        language=spoken(),
        label=title,
        tokens=tokens,
        gaps=gaps,
        is_stop=is_stop,
    )
    dim = st.query_params.get("look", "")
    dims = " ".join(f"rb-dim-{look}" for look in exact.ORDER if dim in exact.ORDER and look != dim)
    if most is None:
        most = find_most(segments)
    is_untraced = all(exact.look(segment) == UNKNOWN for segment in segments)  # then a mark tells nothing apart
    if is_untraced:
        kind = f"rb-all-{UNKNOWN}"
    else:
        kind = f"rb-most-{most}"
    looks = " ".join(filter(None, (dims, kind if most and not dims else "")))
    return f'<div class="{looks}" id="text-{name}" data-rb-start="{start}">{text}</div>'


def make_key(segments: Sequence[Segment]) -> Markup:
    """Make the list that says how origins are marked in texts that are marked alike; nothing where all is of one."""
    looks = {exact.look(segment) for segment in segments if segment.text}
    if len(looks) < 2:
        return Markup("")
    end = show.h('<span class="rb-end-sign" aria-hidden="true">■</span> {}', t("messages.key_end"))
    listed = [*list_key(looks, find_most(segments)), end]
    entries = show.join([show.h("<li>{}</li>", entry) for entry in listed])
    return show.h('<ul class="rb-legend rb-origin-key" aria-label="{}">{}</ul>', t("messages.origin_key"), entries)


def list_key(looks: Collection[str], most: str) -> list[Markup]:
    """Return an entry for each look, drawn as it is in a text; the look of most of the text is not marked there."""
    entries = []
    for name in exact.ORDER:
        words = t(f"messages.look_{name}")
        if name == most:
            entries.append(show.h("{}", t("cells.key_most", look=words)))
        elif name in looks:
            entries.append(show.h('<span class="rb-s rb-{}">{}</span>', name, words))
    return entries


def find_most(segments: Sequence[Segment]) -> str:
    """Return the look of more than half of a text, "" where none is: only what is of another origin is marked then."""
    sizes = Counter[str]()
    for segment in segments:
        sizes[exact.look(segment)] += len(segment.text)
    look, size = next(iter(sizes.most_common(1)), ("", 0))
    if size > MOST * sizes.total():
        return look
    return ""


def whitespace() -> bool:
    """Whether blanks are drawn; the switch is on the page."""
    return st.query_params.get("whitespace") == "1"


def draw_whitespace_switch() -> None:
    """Draw the switch with which blanks are drawn; the choice is in the address."""
    address.follow_switch("whitespace")
    st.toggle(
        t("messages.whitespace"),
        key="whitespace",
        help=t("messages.whitespace_help"),
        on_change=address.keep,
        args=("whitespace",),
    )


def _text(
    name: str,
    title: str,
    head: Markup,
    segments: Sequence[Segment],
    marked: Sequence[exact.Mark],
    cut: Cut | None,
    gaps: Sequence[exact.Gap],
    most: str,
) -> None:
    here = next((mark.start for mark in marked if mark.here), None)
    shown_segments, start, left = exact.window(segments, whitespace() or cut is not None, here)
    total = sum(len(segment.text) for segment in segments)
    if not left or (not cut and st.session_state.get(f"whole_{name}") == (choice.position(), choice.sent())):
        drawn = token_sizes.drawn(cut, (0, total))
        st.html(f'<div class="rb">{head}{markup(name, title, segments, marked, drawn, gaps, most=most)}</div>')
        return
    end = start + sum(len(segment.text) for segment in shown_segments)
    near = [exact.Gap(gap.at - start, gap.description) for gap in gaps if start <= gap.at <= end]
    moved = [exact.shift_mark(mark, -start) for mark in marked if mark.end > start and mark.start < end]
    drawn = token_sizes.drawn(cut, (start, end))
    st.html(f'<div class="rb">{head}{markup(name, title, shown_segments, moved, drawn, near, start, most=most)}</div>')
    show.notice(t("messages.window", start=start + 1, end=end, all=total), "warning")
    if cut is None:  # each token is an element: all of a long text are too many for a browser
        st.button(t("messages.show_all", n=total), key=f"show_all_{name}", on_click=_whole, args=(name,))


def _whole(name: str) -> None:
    st.session_state[f"whole_{name}"] = (choice.position(), choice.sent())


def _take(name: str, title: str, text: str, masked: bool, ours: Sequence[str]) -> None:
    with st.popover(t("messages.take"), key=f"menu_{name}", type="tertiary"), st.container(key=f"in_menu_{name}"):
        ways_to_take(name, title, text, masked, ours)


def ways_to_take(name: str, title: str, text: str, masked: bool, ours: Sequence[str] = ()) -> None:
    """Draw the ways to take an exact text along; the element `text-{name}` holds it."""
    raw = exports.exact(text)
    copy = show.h(
        '<button class="rb-button" type="button" data-rb-copy="text-{}" data-rb-done="{}" data-rb-failed="{}">{}'
        "</button>",
        name,
        t("messages.copied"),
        t("messages.not_copied"),
        t("messages.copy"),
    )
    st.html(f'<div class="rb">{copy}</div>', width="content")
    file = exports.name(address.get("record") or str(choice.position()), name, exports.wording(ours)) + ".txt"
    label = t("messages.download_masked" if masked else "messages.download")
    label += t("messages.download_wording") if ours else ""
    downloads.button(
        label,
        lambda: raw,
        file,
        "application/octet-stream",
        key=f"download_{name}",
        on_click="ignore",
        type="tertiary",
    )
    bookmarks.offer(name, bookmarks.of_text(title, text, masked, ours))
    facts = show.h(
        '<div class="rb-small"><p>{}</p><p>sha256 <code>{}</code></p></div>',
        t(
            "messages.exact_facts",
            bytes=t("messages.bytes", n=len(raw)),
            characters=t("messages.characters", n=len(text)),
            lines=t("messages.lines", n=text.count("\n") + 1),
            end=t("messages.ends_with_newline" if text.endswith("\n") else "messages.ends_without_newline"),
        ),
        hashlib.sha256(raw).hexdigest(),
    )
    show.draw(facts)
