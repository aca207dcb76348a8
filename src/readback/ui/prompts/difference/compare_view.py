"""What Compare draws: the sentence, the way to the other views, and the texts, a bounded part of them at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import get_args

import streamlit as st
from markupsafe import Markup

from readback import adapters
from readback.compare.diff import Difference, MessageDifference, explain_unknown_message
from readback.compare.side import ShownSide
from readback.html import exact
from readback.message_parts import parts
from readback.prompts.selections import explain_unknown_system
from readback.types import Role
from readback.ui.common import address, show
from readback.ui.common.draw.head import steps
from readback.ui.common.draw.text import message
from readback.ui.common.state import choice
from readback.ui.prompts.difference import compare_made
from readback.ui.prompts.two_texts.compare_rows import LONG, Fold, Part, Row, count, rows
from readback.ui.prompts.two_texts.compare_sides import PARTS, keys_of, side
from readback.ui.prompts.two_texts.compare_text import Text, inline, side_by_side
from readback.ui.prompts.two_texts.compare_words import coded, form, labels
from readback.words import t

AT_ONCE = 120_000  # characters of both sides on the page at once
CHANGES = 400  # and differences

Items = tuple[Row | Fold, ...]


@dataclass(frozen=True, slots=True)
class Screen:
    """What is on the page at once: pieces of messages by their number; `first` to `last` are its differences."""

    pieces: tuple[tuple[int, Items], ...]
    first: int
    last: int


def here(**changes: str | None) -> str:
    """Return the address of this page with some keys changed."""
    own = {key: value for key, value in st.query_params.to_dict().items() if key not in address.SHARED}
    return address.href("prompts", **{**own, **changes})


def draw_sentence(d: Difference) -> None:
    """Draw the sentence that describes the difference."""
    unbuilt = [name for name, shown_side in (("A", d.a), ("B", d.b)) if not shown_side.messages]
    for name in unbuilt if unbuilt != ["A", "B"] else [t("compare.both")]:
        show.notice(show.h("{} {}", t("compare.not_built", side=name), _why(name)), "error")
    if side("a") == side("b"):
        show.notice(t("compare.choose_b"))
    elif d.a.messages and d.b.messages:
        sentence = compare_made.sentence(d)
        show.draw(
            show.h('<p class="rb-lead" role="status">{}</p>', coded(sentence) if d.first_differences else sentence)
        )


def _why(name: str) -> Markup:
    """Make the link to the diagnostics in Prompts of a side that could not be built."""
    failed_side = side("b" if name == "B" else "a")
    spot = {"record": failed_side.record, "index": None if failed_side.index is None else str(failed_side.index)}
    return show.link("prompts", t("compare.see_why"), **{**dict.fromkeys(PARTS), **keys_of(failed_side.choice), **spot})


def warned(d: Difference) -> None:
    """Draw the notices about the two texts; what is true of both appears once."""
    for name, shown_side in (("A", d.a), ("B", d.b)):
        if words := form(shown_side):
            assumed = (
                shown_side.trained and shown_side.trained.template and shown_side.trained.template.basis == "assumed"
            )
            show.notice(t("compare.side_is", side=name, label=words), "warning" if assumed else "info")
    boxed = any(explain_unknown_message(d, pair) for pair in d.messages)  # the text of the other side stands beside it
    sides = () if boxed else (("A", d.a), ("B", d.b))
    unknown = {name: why for name, shown_side in sides if (why := _unknown(shown_side))}
    if len(unknown) == 2 and unknown["A"] == unknown["B"]:
        unknown = {t("compare.both"): unknown["A"]}
    for name, why in unknown.items():
        show.notice(t("compare.side_is", side=name, label=t("messages.system_unknown", why=why)), "warning")
    if any(shown_side.assembly and shown_side.assembly.masked for shown_side in (d.a, d.b)):
        show.notice(t("messages.masked"), "warning")
    if adapter_names := adapters.list_own_wordings((*d.a.messages, *d.b.messages)):
        show.notice(t("messages.wording", names=", ".join(adapter_names)))
    if d.coarse:
        show.notice(t("compare.coarse"))


def _unknown(shown_side: ShownSide) -> str | None:
    """Why it is not known which system message the model of a side gets."""
    assembly = shown_side.assembly
    if (
        assembly is None
        or not assembly.messages
        or shown_side.side.workspace is not None
        or shown_side.side.layer == "training"
    ):
        return None
    return explain_unknown_system(choice.workspace(), shown_side.side.choice, assembly.messages)


def texts(d: Difference) -> None:
    """Draw the messages with what differs in them, a bounded part at a time."""
    if not (d.a.messages and d.b.messages):
        return
    whole = st.query_params.get("whole") == "1" or (d.equal and _size(d) <= LONG)
    screens = list(_screens(d, whole))
    number = _part(len(screens))
    screen = screens[number]
    total = _count_marked(d)
    if len(screens) > 1:
        show.notice(t("compare.part", first=screen.first, last=screen.last, n=total))
    body = "".join(_message(d, index, items) for index, items in screen.pieces)
    if st.query_params.get("inline") == "1":
        narrow = " rb-inline"
    else:
        narrow = ""
    st.html(f'<div class="rb rb-compared{narrow}">{_heads(screen, total)}{body}</div>')
    if len(screens) > 1:
        _turn(number, len(screens))


def legend(d: Difference) -> None:
    """Draw the legend of the marks and tints on the page."""
    if not (d.a.messages and d.b.messages):
        return
    there = {
        exact.look(segment) for side in (d.a, d.b) for m in side.messages for segment in m.segments if segment.text
    }
    marks = [
        show.h('<li><span class="rb-{}">{}</span></li>', look, t(f"compare.{look}"))
        for look in ("del", "ins")
        if _count_marked(d)
    ]
    looks = [
        show.h('<li><span class="rb-s rb-{}">{}</span></li>', look, t(f"messages.look_{look}"))
        for look in exact.ORDER
        if look in there
    ]
    show.draw(show.h('<ul class="rb-legend">{}</ul>', show.join([*marks, *looks])))


def exactness(d: Difference) -> None:
    """Draw the fingerprints of both sides."""
    fingerprints = show.join(
        [
            show.h("<p>{} <code>{}</code></p>", name, side.fingerprint)
            for name, side in (("A", d.a), ("B", d.b))
            if side.messages
        ]
    )
    opened = show.h(" open") if d.equal else ""
    show.draw(show.h("<details{}><summary>{}</summary>{}</details>", opened, t("messages.fingerprint"), fingerprints))


def _count_marked(d: Difference) -> int:
    """Count the differences that are marked; against a message that is not known nothing is one."""
    return sum(count(pair.changes) for pair in d.messages if not explain_unknown_message(d, pair))


def whole_text(shown_side: ShownSide) -> str:
    """All of a side's text."""
    return "".join(message.text for message in shown_side.messages)


def _heads(screen: Screen, total: int) -> Markup:
    """Make the heads of the columns and the buttons to the next difference; they stay in view."""
    names = labels()
    name_of = '<p class="rb-side-name"><strong>{}</strong> {}</p>'
    cells = [show.h(name_of, *pair) for pair in zip("AB", names, strict=True)]
    previous, following = t("compare.previous_change_help"), t("compare.next_change_help")
    at, all_of = t("compare.at_change", all=total), t("compare.changes", n=total)
    if screen.last:
        moves = steps.steps("change", previous, following, at, all_of)
    else:
        moves = Markup("")
    heads = '<div class="rb-heads"><div class="rb-row">{}<div class="rb-to-b">{}{}</div></div></div>'
    return show.h(heads, *cells, moves)


def _message(d: Difference, index: int, items: Items) -> str:
    pair = d.messages[index]
    white, spoken = message.whitespace(), show.spoken_attribute()
    a, b = (
        Text(own_message.segments if own_message else (), message.describe, white) for own_message in (pair.a, pair.b)
    )
    if st.query_params.get("inline") == "1":
        draw = inline
    else:
        draw = side_by_side
    role = pair.role_a or pair.role_b or ""
    title = _title(role)
    head = show.h('<div class="rb-head"><h2>{}</h2><span class="rb-small">{}</span></div>', title, _counts(pair))
    end = _ends(pair, items)
    attributes = f'id="diff-{index}" role="region" tabindex="0" aria-label="{exact.attribute(title)}"{spoken}'
    if pair.a is None:
        absent = " rb-no-a"
    elif pair.b is None:
        absent = " rb-no-b"
    else:
        absent = ""
    looks = f"rb-diff{' rb-white' if white else ''}{end}{absent}"
    unknown = explain_unknown_message(d, pair)
    if unknown:
        inner = _draw_alone(pair, a, b, unknown)
    else:
        inner = draw(a, b, items)
    return f'{head}<div class="{looks}" {attributes}>{inner}</div>{_format_other_parts(pair, index)}'


def _draw_alone(pair: MessageDifference, a: Text, b: Text, unknown: str) -> str:
    """Format a message that stands against one which is not known: without the marks of a difference."""
    box = show.h('<span class="rb-unstated">{}</span>', t("compare.not_known", why=unknown))
    left, right = (
        text.html((0, len(text.text))) if own_message else box for text, own_message in ((a, pair.a), (b, pair.b))
    )
    cells = f'<div class="rb-cell rb-a">{left}</div><div class="rb-cell rb-b">{right}</div>'
    return f'<div class="rb-row rb-same">{cells}</div>'


def _title(role: str) -> str:
    if role in ("prompt", *get_args(Role)):
        return t(f"compare.role_{role}")
    return message.role_title(role)


def _format_other_parts(pair: MessageDifference, index: int) -> str:
    """Format what either message holds besides its text, and whether that is the same."""
    sides = [(name, own_message.whole if own_message else None) for name, own_message in (("a", pair.a), ("b", pair.b))]
    drawn = [message.parts_markup(f"{name}-{index}", parts(whole)) for name, whole in sides]
    if not any(drawn):
        return ""
    word = "same" if pair.same_beside else "differ"
    sentence = show.h('<p class="rb-small">{}</p>', t(f"compare.parts_{word}"))
    if pair.same_beside:
        return f"{sentence}{drawn[0]}"
    columns = show.h(
        '<div class="rb-row"><div class="rb-cell rb-a">{}</div><div class="rb-cell rb-b">{}</div></div>', *drawn
    )
    return f"{sentence}{columns}"


def _counts(pair: MessageDifference) -> str:
    """How long a message is on both sides, and how much of it differs."""
    if pair.a is None or pair.b is None:
        only = pair.a or pair.b
        side = "A" if pair.b is None else "B"
        # what the other one gets may not be known
        if only and only.role == "system":
            key = "only_states"
        else:
            key = "only"
        return t(f"compare.{key}", side=side, characters=t("messages.characters", n=len(only.text if only else "")))
    n = count(pair.changes)
    if not n:
        return t("compare.equal_message", characters=t("messages.characters", n=len(pair.a.text)))
    return t("compare.counts", a=len(pair.a.text), b=len(pair.b.text), changes=t("compare.changes", n=n))


def _screens(d: Difference, whole: bool) -> Iterator[Screen]:
    """Yield the rows of all messages, cut into parts that a browser draws at once."""
    pieces: list[tuple[int, list[Row | Fold]]] = []
    weight = first = last = 0
    for index, pair in enumerate(d.messages):
        texts = [own_message.text if own_message else "" for own_message in (pair.a, pair.b)]
        pieces.append((index, []))
        alone = Row((Part((0, len(texts[0])), (0, len(texts[1]))),), 1, 1)  # nothing is known to hold it against
        drawn = [alone] if explain_unknown_message(d, pair) else rows(texts[0], texts[1], pair.changes, last + 1, whole)
        for item in drawn:
            more, numbers = _weight(item), _numbers(item)
            if weight and (weight + more > AT_ONCE or (numbers and numbers[-1] - first >= CHANGES)):
                yield Screen(tuple((n, tuple(items)) for n, items in pieces if items), first, last)
                pieces, weight, first = [(index, [])], 0, 0
            pieces[-1][1].append(item)
            weight += more
            if numbers:
                first, last = first or numbers[0], numbers[-1]
    yield Screen(tuple((n, tuple(items)) for n, items in pieces), first, last)


def _weight(item: Row | Fold) -> int:
    if isinstance(item, Fold):
        length = item.part.a[1] - item.part.a[0]
        if length <= LONG:
            return 2 * length
        return 0
    return sum(min(stop - start, LONG) for part in item.parts for start, stop in (part.a, part.b))


def _numbers(item: Row | Fold) -> list[int]:
    if isinstance(item, Row):
        return [part.number for part in item.parts if part.number]
    return []


def _ends(pair: MessageDifference, items: Sequence[Row | Fold]) -> str:
    """Where the text of each side ends on this part of the page, a mark says so."""
    if not items:
        return ""
    if isinstance(items[-1], Fold):
        end = items[-1].part
    else:
        end = items[-1].parts[-1]
    lengths = tuple(len(own_message.text) if own_message else 0 for own_message in (pair.a, pair.b))
    if (end.a[1], end.b[1]) == lengths:
        return " rb-to-end"
    return ""


def _part(parts: int) -> int:
    requested = st.query_params.get("part", "1")
    return min(int(requested) if requested.isdecimal() and int(requested) else 1, parts) - 1


def _turn(number: int, parts: int) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        for name, to in (("earlier", number), ("later", number + 2)):
            st.button(
                t(f"findings.{name}"),
                key=f"part_{name}",
                disabled=not 1 <= to <= parts,
                on_click=address.put,
                kwargs={"part": str(to)},
            )
        st.caption(t("compare.part_of", n=number + 1, all=parts))


def _size(d: Difference) -> int:
    return len(whole_text(d.a)) + len(whole_text(d.b))
