"""Two to four conditions of a record as columns of real text, differences marked against the first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import get_args

import streamlit as st
from markupsafe import Markup

from readback.compare.diff import Difference
from readback.compare.side import ShownSide, Side, SideError
from readback.compare.texts import Change
from readback.html import exact
from readback.html.templates import render_template
from readback.types import Message, Role, Selection
from readback.ui.common import address, show
from readback.ui.common.draw.head import keys, steps
from readback.ui.common.draw.text import message
from readback.ui.common.state import choice
from readback.ui.prompts import room
from readback.ui.prompts.difference import compare_bar, compare_made
from readback.ui.prompts.sides import choices
from readback.ui.prompts.sides.rows import Other, Piece, Row, align
from readback.ui.prompts.two_texts.compare_rows import LONG
from readback.ui.prompts.two_texts.compare_sides import PARTS, keys_of, side
from readback.ui.prompts.two_texts.compare_text import Text
from readback.ui.prompts.two_texts.compare_words import sent
from readback.words import t

AT_ONCE = 160_000  # characters of all columns on the page at once


@dataclass(slots=True)
class Column:
    """A text that is shown, every choice that has it, and its difference from the first."""

    selections: list[Selection]
    text: ShownSide
    difference: Difference | None = None


@dataclass(frozen=True, slots=True)
class Slot:
    """A message of the first text (None where only others have it), and what each other has there."""

    role: str
    first: Message | None
    others: tuple[tuple[Message | None, Sequence[Change]], ...]


def draw() -> None:
    """Draw the list of what stands beside the condition in view, and the columns."""
    room.require_texts()
    places = room.draw_bar(room.SIDES, keys.COMPARE)
    with places.switches:
        address.follow_switch("whole")
        st.toggle(
            t("compare.whole"), key="whole", help=t("compare.whole_help"), on_change=address.keep, args=("whole",)
        )
    with st.container(horizontal=True, vertical_alignment="center", key="sides"):
        selections = choices.draw()
        compare_bar.layer()
    if not selections:
        show.notice(t("sides.nothing" if choices.list_offered() else "sides.alone"))
    columns = list(_build_columns(side("a"), selections))
    if not columns:
        return
    first, *others = columns
    unaligned = [
        column for column in others if column.difference and column.difference.a.messages != first.text.messages
    ]
    for column in unaligned:  # the form of a training text follows the other side
        show.notice(show.h("{} {}", t("sides.not_aligned", name=_name(column)), _to_difference(column.selections[0])))
    level = [column for column in columns if column not in unaligned]
    show.draw(show.h('<p class="rb-lead" role="status">{}</p>', _summarise(first, level)))
    _draw_columns(level)


def _build_columns(a: Side, selections: Sequence[Selection]) -> Iterator[Column]:
    """Yield a column for each different text; what cannot be shown is said above them."""
    columns: list[Column] = []
    for selection in (a.choice, *selections):
        own = replace(a, choice=selection)
        try:
            text = compare_made.build_side(own)
            if columns:
                difference = compare_made.compare(a, own)
            else:
                difference = None
        except SideError as error:
            show.problem(t("sides.not_shown", name=sent(selection)), str(error))
            continue
        if not text.messages:
            why = show.link("prompts", t("compare.see_why"), **{**dict.fromkeys(PARTS), **keys_of(selection)})
            show.notice(show.h("{} {}", t("sides.not_built", name=sent(selection)), why), "error")
            continue
        same = next((column for column in columns if column.text.fingerprint == text.fingerprint), None)
        if same is not None:
            same.selections.append(selection)
            continue
        columns.append(Column([selection], text, difference))
    if columns and columns[0].selections[0] != a.choice:  # the first cannot be shown: the next one is in its place
        head = columns[0]
        head.difference = None
        for column in columns[1:]:
            column.difference = compare_made.compare(
                replace(a, choice=head.selections[0]), replace(a, choice=column.selections[0])
            )
    yield from columns


def _summarise(first: Column, level: Sequence[Column]) -> str:
    count = sum(len(column.selections) for column in level)
    if len(level) == 1:
        if count > 1:
            return t("sides.all_equal", n=count)
        return t("sides.only", name=_name(first))
    return t("sides.summary", n=len(level), all=count)


def _draw_columns(columns: Sequence[Column]) -> None:
    whole = st.query_params.get("whole") == "1"
    drawn, number, left = [], 1, AT_ONCE
    cut = False
    for slot in _pair(columns):
        texts = [
            Text(own.segments if own else (), message.describe, message.whitespace())
            for own in (slot.first, *(other for other, _ in slot.others))
        ]
        unknown = _explain_unknown(slot, columns)
        parts: list[str] = []
        for row in _align(texts, slot, unknown, number, whole):
            left -= _weigh(row)
            if left < 0 and parts:
                cut = True
                break
            number = max(number, row.number + 1)
            parts.append(_draw_row(row, texts, columns, slot, unknown))
        cells = Markup("".join(parts))  # noqa: S704 (escaped by Text)
        drawn.append({"title": _title(slot.role), "sentence": _describe(slot, columns, unknown), "rows": cells})
        if cut:
            break
    total = number - 1
    moves = Markup("")
    if total:
        moves = steps.steps(
            "change",
            t("compare.previous_change_help"),
            t("compare.next_change_help"),
            t("compare.at_change", all=total),
            t("sides.places", n=total),
        )
    show.draw(
        render_template(
            "ui/prompts/sides/sides.html.jinja",
            columns=[_make_head(column, columns[0]) for column in columns],
            and_also=t("sides.and_also"),
            steps=moves,
            messages=drawn,
            white=" rb-white" if message.whitespace() else "",
            spoken=show.spoken_attribute(),
        )
    )
    if cut:
        show.notice(t("sides.cut", n=AT_ONCE), "warning")
    if total:
        gone = t("sides.del_two" if len(columns) == 2 else "sides.del_more")
        marks = [
            show.h('<li><span class="rb-{}">{}</span></li>', name, words)
            for name, words in (("del", gone), ("ins", t("sides.ins")))
        ]
        show.draw(show.h('<ul class="rb-legend">{}</ul>', show.join(marks)))


def _pair(columns: Sequence[Column]) -> list[Slot]:
    """Return the messages of the first text with those of the others; what only others have is at its place."""
    first, *others = columns
    own: list[list[tuple[Message | None, Sequence[Change]]]] = [[] for _ in first.text.messages]
    extra: dict[tuple[int, str, int], dict[int, tuple[Message, Sequence[Change]]]] = {}
    for number, column in enumerate(others):
        at, before = 0, 0
        for pair in column.difference.messages if column.difference else ():
            if pair.a is not None:
                own[at].append((pair.b, pair.changes))
                at, before = at + 1, 0
            elif pair.b is not None:
                extra.setdefault((at, pair.b.role, before), {})[number] = (pair.b, pair.changes)
                before += 1
    slots: list[Slot] = []
    for at in range(len(own) + 1):
        for (place, role, _), there in sorted(extra.items(), key=lambda item: item[0][2]):
            if place == at:
                slots.append(Slot(role, None, tuple(there.get(number, (None, ())) for number in range(len(others)))))
        if at < len(own):
            slots.append(Slot(first.text.messages[at].role, first.text.messages[at], tuple(own[at])))
    return slots


def _explain_unknown(slot: Slot, columns: Sequence[Column]) -> list[str | None]:
    """Return for each column why it is not known which message of this slot its model gets; None where it is known."""
    there = (slot.first, *(other for other, _ in slot.others))
    return [
        column.text.system_unknown if slot.role == "system" and own is None else None
        for own, column in zip(there, columns, strict=True)
    ]


def _align(texts: Sequence[Text], slot: Slot, unknown: Sequence[str | None], number: int, whole: bool) -> Iterator[Row]:
    """Yield the rows of a slot. What is not known is no side of a difference: where it is the first, nothing is."""
    if unknown[0]:
        yield Row(tuple((Piece((0, len(text.text))),) for text in texts))
        return
    compared = [at for at, why in enumerate(unknown) if at and not why]
    others = [Other(texts[at].text, slot.others[at - 1][1]) for at in compared]
    for row in align(texts[0].text, others, number, whole):
        cells = dict(zip((0, *compared), row.cells, strict=True))
        yield replace(row, cells=tuple(cells.get(at, ()) for at in range(len(texts))))


def _draw_row(
    row: Row, texts: Sequence[Text], columns: Sequence[Column], slot: Slot, unknown: Sequence[str | None]
) -> str:
    there = [own is not None for own in (slot.first, *(other for other, _ in slot.others))]
    missing = [
        show.h('<span class="rb-unstated">{}</span>', t("compare.not_known", why=why))
        if why
        else f'<span class="rb-none" data-none="{exact.attribute(t("sides.no_message"))}"></span>'
        for why in unknown
    ]
    cells = "".join(
        f'<div class="rb-cell{" rb-a" if at == 0 else " rb-b"}" data-column="{at}" '
        f'data-name="{exact.attribute(_name(column))}">'
        f"{''.join(_draw_piece(text, piece, row.number) for piece in pieces) if has else nothing}</div>"
        for at, (text, pieces, column, has, nothing) in enumerate(
            zip(texts, row.cells, columns, there, missing, strict=True)
        )
    )
    same = "" if row.number else " rb-same"
    if not row.folded:
        return f'<div class="rb-row{same}">{cells}</div>'
    start, stop = row.cells[0][0].span
    lines = texts[0].text.count("\n", start, stop)
    summary = t("compare.folded", n=stop - start) + (t("compare.folded_lines", n=lines) if lines else "")
    if stop - start > LONG:
        return f'<p class="rb-fold">{exact.text(summary)} {exact.text(t("sides.too_long"))}</p>'
    inner = f'<div class="rb-row{same}">{cells}</div>'
    return f'<details class="rb-fold"><summary>{exact.text(summary)}</summary>{inner}</details>'


def _weigh(row: Row) -> int:
    """Return how many characters of a row are drawn."""
    lengths = [stop - start for cell in row.cells for start, stop in (piece.span for piece in cell)]
    if row.folded and lengths[0] > LONG:
        return 0
    return sum(min(length, LONG) for length in lengths)


def _draw_piece(text: Text, piece: Piece, number: int) -> str:
    if piece.mark == "gone":
        return f'<span class="rb-gone" role="img" aria-label="{exact.attribute(t("sides.gone"))}"></span>'
    if not piece.mark:
        return text.html(piece.span)
    inner = text.html(piece.span, text.text[slice(*piece.span)].isspace())
    return f'<{piece.mark} class="rb-{piece.mark}" data-rb-change="{number}" tabindex="-1">{inner}</{piece.mark}>'


def _describe(slot: Slot, columns: Sequence[Column], unknown: Sequence[str | None]) -> str:
    """Say of a message who has it and whether it is the same."""
    names = [_name(column) for column in columns]
    there = [own is not None for own in (slot.first, *(other for other, _ in slot.others))]
    missing = [name for name, has, why in zip(names, there, unknown, strict=True) if not has and not why]
    unstated = [name for name, why in zip(names, unknown, strict=True) if why]
    if missing:
        sentences = [t("sides.without", names="; ".join(missing))]
    else:
        sentences = []
    sentences += [t("sides.unstated", names="; ".join(unstated))] if unstated else []
    if sentences:
        return "; ".join(sentences)
    equal = all(change.kind == "equal" for _, changes in slot.others for change in changes)
    if equal and len(columns) > 1:
        return t("sides.equal")
    return ""


def _make_head(column: Column, first: Column) -> dict[str, object]:
    text = "".join(own.text for own in column.text.messages)
    links = [_to_one(column.selections[0])]
    if column is not first:
        links.append(_to_difference(column.selections[0]))
    return {
        "names": [sent(selection) for selection in column.selections],
        "size": t("messages.characters", n=len(text)),
        "links": show.join(links, " "),
    }


def _to_one(selection: Selection) -> Markup:
    return show.h(
        '<a class="rb-link" target="_self" href="{}" aria-label="{}">{}</a>',
        address.href("prompts", **{**dict.fromkeys(PARTS), **keys_of(selection)}),
        t("cells.open_of", name=sent(selection)),
        t("cells.open"),
    )


def _to_difference(selection: Selection) -> Markup:
    b = {f"b_{key}": value for key, value in asdict(selection).items() if value is not None}
    label = t("cells.compare_of", name=sent(selection), a=sent(choice.sent()))
    return show.h(
        '<a class="rb-link" target="_self" href="{}" aria-label="{}">{}</a>',
        address.href("prompts", view=room.DIFFERENCE, layer=st.query_params.get("layer"), **b),
        label,
        t("sides.difference"),
    )


def _name(column: Column) -> str:
    return ", ".join(sent(selection) for selection in column.selections)


def _title(role: str) -> str:
    if role in ("prompt", *get_args(Role)):
        return t(f"compare.role_{role}")
    return message.role_title(role)
