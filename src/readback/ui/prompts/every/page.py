"""Every mode and adapter of a record as real text: each distinct text once, its first differing line in view.

A row is a condition; its texts stand beside each other, each under the names of all adapters that give it. What another
row has already is a line that leads there, so that the width belongs to what differs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import get_args

import streamlit as st
from markupsafe import Markup

from readback.checks.run.prompt_lengths import Excerpt, PromptLengths
from readback.html import exact
from readback.html.templates import render_template
from readback.types import Role, Selection
from readback.ui.common import address, show
from readback.ui.common.draw import picker, setting
from readback.ui.common.draw.head import keys
from readback.ui.common.draw.text import message
from readback.ui.common.state import choice
from readback.ui.common.state.work import look
from readback.ui.prompts import room
from readback.ui.prompts.every.cells import Cells, Row, layout, measure_again, measured
from readback.ui.prompts.every.cut import Cut, cut
from readback.ui.prompts.every.matrix import explain_unknown, render_changes, render_matrix
from readback.ui.prompts.two_texts.compare_sides import PARTS, keys_of
from readback.ui.prompts.two_texts.compare_text import Text
from readback.ui.prompts.two_texts.compare_words import sent
from readback.words import t

ROWS = 24  # on the screen at once


@dataclass(frozen=True, slots=True)
class Page:
    """The rows on the screen, from row `start` of `total` on, and A, with which their texts are compared."""

    a: Selection
    rows: tuple[Row, ...]
    start: int
    total: int

    @property
    def selections(self) -> tuple[Selection, ...]:
        """The choices of all texts, in their order."""
        return tuple(selection for row in self.rows for selection in row.choices)


@dataclass(slots=True)
class Group:
    """The choices of a row that have the same text, and the adapter of each."""

    text: PromptLengths
    choices: list[tuple[Selection, str]]


def draw() -> None:
    """Draw the texts of the record in view, a page of rows at a time; they appear as they are measured."""
    room.require_texts()
    room.draw_bar(room.EVERY, keys.COMPARE)
    a, rows = layout(choice.workspace(), choice.sent())
    if a is None:
        show.empty(t("cells.no_rows"))
        return
    start = setting.offset("rows", len(rows), ROWS)
    page = Page(a, rows[start : start + ROWS], start, len(rows))
    cells, job = measured(a, page.rows)
    if job is not None:
        if not look(job, "cells.building", "every", part=lambda so_far: _draw(page, so_far)):
            setting.turn("rows", "rows", start, len(rows), ROWS)
            return
        cells = job.result or cells
    with st.container():  # a late message of `look`, which draws into a block here, would break a page without one
        _draw(page, cells)
    missing = sum(selection not in cells or cells[selection].late for selection in page.selections)
    if missing:
        show.notice(t("cells.missing", n=missing))
        st.button(t("compare.grid_go_on"), key="grid_go_on", on_click=measure_again)
    setting.turn("rows", "rows", start, len(rows), ROWS)


def _draw(page: Page, cells: Cells) -> None:
    homes = _find_homes(page, cells)
    excerpts = [excerpt for selection in homes.values() for excerpt in cells[selection].excerpts]
    most = message.find_most([segment for excerpt in excerpts for segment in excerpt.segments])
    ids = {fingerprint: _id(selection, page) for fingerprint, selection in homes.items()}
    lead, key = _make_lead(page, cells), _draw_key(page, cells, homes, most)
    above = [show.h('<p class="rb-lead">{}</p>', lead)]
    if homes and len(page.selections) > 1:
        above.append(render_matrix(page.rows, cells, ids, page.a, most))
        above.append(show.h('<h2 class="rb-every-whole">{}</h2>', t("cells.whole_texts")))
    show.draw(show.join([*above, key]))
    show.draw(
        render_template(
            "ui/prompts/every/grid.html.jinja",
            caption=t(f"compare.view_grid_{picker.kind()}"),
            most=most,
            rows=[_make_row(row, page, cells, homes) for row in page.rows],
        )
    )


def _find_homes(page: Page, cells: Cells) -> Mapping[str, Selection]:
    """Return, by fingerprint, the choice whose cell shows a text, the first that has it."""
    homes: dict[str, Selection] = {}
    for selection in page.selections:
        cell = cells.get(selection)
        if cell is not None and cell.fingerprint:
            homes.setdefault(cell.fingerprint, selection)
    return homes


def _make_lead(page: Page, cells: Cells) -> Markup:
    """Say how many texts there are, in which messages they differ, and whether something is wrong with them."""
    firsts = [cells[row.choices[0]] for row in page.rows if row.choices[0] in cells]
    if len(firsts) < len(page.rows):
        return Markup("")  # they are measured still
    sentences = []
    if len(page.selections) == 1:
        sentences.append(show.h("{}", t("cells.single")))
    else:
        sentences.append(show.h("{}", _count_texts(page, firsts)))
        sentences.append(_say_what_is_wrong(page, cells))
    unknown = sum(explain_unknown(cell) is not None for cell in firsts if cell.fingerprint)
    if unknown:
        sentences.append(show.h("{}", t("cells.systems_unknown", n=unknown)))
    if page.a in cells and not cells[page.a].fingerprint:
        sentences.append(show.h("{}", t("cells.how_alone")))
    if page.total > ROWS:
        stop = page.start + len(page.rows)
        sentences.append(show.h("{}", t("compare.grid_rows", start=page.start + 1, stop=stop, all=page.total)))
    return show.join(sentences, " ")


def _count_texts(page: Page, firsts: Sequence[PromptLengths]) -> str:
    """Count the conditions and their distinct texts."""
    texts = {cell.fingerprint for cell in firsts if cell.fingerprint}
    rows = t(f"cells.gets_{picker.kind()}", n=len(page.rows), texts=t("cells.different", n=len(texts)))
    return t("cells.without_adapters", rows=rows)


def _say_what_is_wrong(page: Page, cells: Cells) -> Markup:
    """Count the conditions with an error or a warning on what is planned; without conditions, on any text."""
    planned = [
        (row.name, cells[selection])
        for row in page.rows
        for selection in row.choices
        if selection in cells and (selection.condition is None or selection.adapter is None)
    ]
    counts = {
        "error": len({name for name, cell in planned if cell.errors or not cell.fingerprint}),
        "warning": len({name for name, cell in planned if cell.warnings}),
    }
    marks = [show.mark_severity(severity, t(f"cells.with_{severity}", n=n)) for severity, n in counts.items() if n]
    is_all = all(
        cells[selection] in [cell for _, cell in planned] for selection in page.selections if selection in cells
    )
    if marks:
        return show.join(marks, " ")
    if is_all:
        return show.h("{}", t("cells.with_none"))
    return show.h("{}", t("cells.planned_none"))


def _say_what_is_counted(texts: Sequence[PromptLengths]) -> str:
    """Say whether the tokens are those of the messages alone or of what the model reads."""
    layers = {text.layer for text in texts if text.fingerprint}
    return t(f"cells.counted_{layers.pop() if len(layers) == 1 else 'either'}")


def _draw_key(page: Page, cells: Cells, homes: Mapping[str, Selection], most: str) -> Markup:
    """Make the line that says what the marks mean: only those that are on the page."""
    excerpts = [excerpt for selection in homes.values() for excerpt in cells[selection].excerpts]
    looks = {exact.look(segment) for excerpt in excerpts for segment in excerpt.segments}
    entries = []
    if len(page.selections) > 1 and page.a != choice.sent():
        entries.append(show.h("{}", t("cells.key_first", name=sent(page.a))))
    elif len(page.selections) > 1 and page.a not in page.selections:
        entries.append(show.h("{}", t("cells.key_a_named", name=sent(page.a))))
    if any(excerpt.differs is not None for excerpt in excerpts):
        sample = Markup('<span class="rb-first-differs" aria-hidden="true"></span>')
        entries.append(show.h("{} {}", sample, t("cells.key_differs")))
    entries += message.list_key(looks, most)
    if homes:
        entries.append(show.h("{}", _say_what_is_counted([cells[each] for each in page.selections if each in cells])))
    items = show.join([show.h("<li>{}</li>", entry) for entry in entries])
    if not items:
        return items
    return show.h('<ul class="rb-legend rb-every-key" aria-label="{}">{}</ul>', t("cells.key"), items)


def _make_row(row: Row, page: Page, cells: Cells, homes: Mapping[str, Selection]) -> dict[str, object]:
    """Return what the template draws of a row: its texts, and the lines of what is elsewhere or not there."""
    groups: dict[str, Group] = {}
    lines: list[Markup] = []
    for selection, adapter in zip(row.choices, row.adapters, strict=True):
        cell = cells.get(selection)
        if cell is None:
            lines.append(show.h("{} …", _name(row, adapter)))
        elif not cell.fingerprint:
            why = t(f"compare.grid_{'too_late' if cell.late else 'not_built'}")
            lines.append(show.h("{} {} {}", _open(row, selection, adapter), show.severity("error"), why))
        else:
            groups.setdefault(cell.fingerprint, Group(cell, [])).choices.append((selection, adapter))
    texts = []
    for fingerprint, group in groups.items():
        home = homes[fingerprint]
        if home == group.choices[0][0]:
            texts.append(_make_text(row, group, page, cells))
        else:
            lines.append(_say_same(row, group, page, cells[home], cells))
    return {
        "name": row.name,
        "texts": texts,
        "lines": lines,
        "ways": t("cells.ways", name=row.name),
    }


def _say_same(row: Row, group: Group, page: Page, home: PromptLengths, cells: Cells) -> Markup:
    """Say in a line which text this is; another tokenizer counts it otherwise, and other findings may be on it."""
    link = show.h('<a class="rb-link" href="#" data-rb-to="{}">{}</a>', _id(home.choice, page), sent(home.choice))
    ways = _keep_one_stop(_open_all(row, group, cells))
    return show.h(
        "{} {} {} {} {}", ways, t("cells.same"), link, _chips(group.text), _say_count_differs(group.text, home)
    )


def _say_count_differs(cell: PromptLengths, home: PromptLengths) -> Markup:
    """Say how many tokens the same text has elsewhere, and why it is another number; nothing where it is the same."""
    if (cell.tokens, cell.exact) == (home.tokens, home.exact):
        return Markup("")
    tokens = t("compare.cell_tokens" if cell.exact else "compare.cell_estimated", n=cell.tokens)
    if cell.layer != home.layer:
        words = t(f"cells.as_{cell.layer}", tokens=tokens)
    elif cell.tokenizer != home.tokenizer:
        words = t("cells.by_tokenizer", tokens=tokens, tokenizer=cell.tokenizer, other=home.tokenizer)
    else:
        words = t("cells.other_format", tokens=tokens)
    return show.h('<span class="rb-small">{}</span>', words)


def _keep_one_stop(links: Markup) -> Markup:
    """Return the links so that Tab stops at the first; the arrow keys go through the others, as in a toolbar."""
    before, link, others = links.partition("<a ")
    return before + link + others.replace("<a ", Markup('<a tabindex="-1" '))


def _make_text(row: Row, group: Group, page: Page, cells: Cells) -> dict[str, object]:
    selection = group.choices[0][0]
    return {
        "id": _id(selection, page),
        "links": _keep_one_stop(show.h("{} {}", _open_all(row, group, cells), _against(row, group, page))),
        "chips": _chips(group.text),
        "size": _size(group.text),
        "differs": render_changes([change.words for change in group.text.changes]),
        "messages": [
            _draw_message(excerpt, piece, sent(selection), selection, _name_reference(row, group.text, page))
            for excerpt, piece in zip(group.text.excerpts, cut(group.text.excerpts), strict=True)
        ],
    }


def _id(selection: Selection, page: Page) -> str:
    return f"cell-{page.selections.index(selection)}"


def _name(row: Row, adapter: str) -> str:
    """Name a choice within its row: by its adapter, where the row has several."""
    if len(row.choices) > 1:
        return adapter or t("compare.grid_own")
    return ""


def _chips(cell: PromptLengths) -> Markup:
    counts = (("error", cell.errors), ("warning", cell.warnings))
    return show.join([show.severity(word, n) for word, n in counts if n], " ")


def _size(cell: PromptLengths) -> Markup:
    characters = t("messages.characters", n=cell.characters)
    tokens = t("compare.cell_tokens" if cell.exact else "compare.cell_estimated", n=cell.tokens)
    title = t("compare.cell_size", characters=characters, tokenizer=cell.tokenizer)
    return show.h('<span title="{}">{}, {}</span>', title, characters, tokens)


def _name_reference(row: Row, cell: PromptLengths, page: Page) -> str:
    """Name the text with which another is compared: as what is in view, in its row by the adapter of the first, or by
    its condition.
    """
    if cell.reference is None:
        return ""
    if cell.reference == page.a == choice.sent():
        return t("cells.a")
    if cell.reference != page.a and cell.reference in row.choices:
        return _name(row, row.adapters[row.choices.index(cell.reference)])
    return sent(cell.reference)


def _draw_message(excerpt: Excerpt, piece: Cut, name: str, selection: Selection, reference: str) -> dict[str, object]:
    title = _title(excerpt.role)
    size = t("messages.characters", n=excerpt.length)
    if excerpt.parts:
        size += ", " + t("cells.parts", n=excerpt.parts)
    return {
        "title": title,
        "label": t("cells.message_of", role=title, name=name),
        "size": size,
        "text": Markup(_draw_text(excerpt, piece, selection, reference)),  # noqa: S704 (escaped by Text and show)
    }


def _draw_text(excerpt: Excerpt, piece: Cut, selection: Selection, reference: str) -> str:
    """Return the text of a message: what is shown, its first differing line marked, and what is folded around it."""
    white = message.whitespace()
    text = Text(excerpt.segments, message.describe, white)
    whole, (start, stop) = len(text.text), piece.visible
    before, after = excerpt.start, excerpt.length - excerpt.start - whole
    parts = []
    if before:
        parts.append(_elsewhere(before, selection))
    if start:
        parts.append(_fold(t("cells.above", n=text.text.count("\n", 0, start) or 1), text, (0, start), False))
    ends = not after and stop == whole
    if piece.marked is None:
        inner = text.html((start, stop))
    else:
        marked, kind = piece.marked, t("cells.mark_blank" if excerpt.blank else "cells.mark", reference=reference)
        inner = (
            f'{text.html((start, marked[0]))}<mark class="rb-first-differs" title="{exact.attribute(kind)}">'
            f"{text.html(marked, excerpt.blank)}</mark>{text.html((marked[1], stop))}"
        )
    parts.append(_exact(inner, ends, white))
    if stop < whole:
        n = text.text.count("\n", stop) + 1
        parts.append(_fold(t("cells.show_all", n=n), text, (stop, whole), not after))
    if after > 0:
        parts.append(_elsewhere(after, selection))
    return "".join(parts)


def _exact(inner: str, ends: bool, white: bool) -> str:
    looks = f"{'' if ends else ' rb-more'}{' rb-white' if white else ''}"
    return f'<div class="rb-exact{looks}"{show.spoken_attribute()}>{inner}</div>'


def _fold(summary: str, text: Text, span: tuple[int, int], ends: bool) -> str:
    inner = _exact(text.html(span), ends, message.whitespace())
    return f'<details class="rb-fold"><summary>{exact.text(summary)}</summary>{inner}</details>'


def _elsewhere(n: int, selection: Selection) -> str:
    """Link to the whole of a text that is too long for a cell."""
    link = show.link("prompts", t("cells.in_one"), **_keys(selection))
    return str(show.h('<p class="rb-fold">{} {}</p>', t("cells.left_out", n=n), link))


def _keys(selection: Selection) -> dict[str, str | None]:
    return {**dict.fromkeys(PARTS), **keys_of(selection)}


def _open_all(row: Row, group: Group, cells: Cells) -> Markup:
    """Make a link for each choice that has a text; other findings than those of the first stand beside it."""
    links = []
    for selection, adapter in group.choices:
        chips = _chips(cells[selection])
        links.append(show.h("{} {}", _open(row, selection, adapter), chips if chips != _chips(group.text) else ""))
    return show.join(links, " ")


def _open(row: Row, selection: Selection, adapter: str) -> Markup:
    """Make the link that opens a text in One; a click on the text follows it, too."""
    if selection == choice.sent():
        current = Markup(' aria-current="true"')
    else:
        current = Markup("")
    name = _name(row, adapter)
    if name:
        whole = t("cells.through", name=row.name, adapter=name)
    else:
        whole = row.name
    return show.h(
        '<a class="rb-link rb-every-open" target="_self" href="{}" aria-label="{}"{}>{}</a>',
        address.href("prompts", **_keys(selection)),
        t("cells.open_of", name=whole),
        current,
        name or t("cells.open"),
    )


def _against(row: Row, group: Group, page: Page) -> Markup:
    """Make the link that opens a text, as B, beside the one with which it is compared; for A a word that says so."""
    cell = group.text
    if len(page.selections) == 1:
        return Markup("")
    if page.a in (selection for selection, _ in group.choices):
        return show.h(
            '<span class="rb-small">{}</span>', t("cells.in_view" if page.a == choice.sent() else "cells.is_a")
        )
    if cell.reference is None:
        return Markup("")
    b = {f"b_{key}": value for key, value in asdict(cell.choice).items() if value is not None}
    return show.h(
        '<a class="rb-link" target="_self" href="{}" aria-label="{}">{}</a>',
        address.href("prompts", view="difference", **_keys(cell.reference), **b),
        t(
            "cells.against_of",
            name=sent(cell.choice),
            a=sent(cell.reference),
            reference=_name_reference(row, cell, page),
        ),
        t("cells.against", reference=_name_reference(row, cell, page)),
    )


def _title(role: str) -> str:
    if role in get_args(Role):
        return t(f"compare.role_{role}")
    return message.role_title(role)
