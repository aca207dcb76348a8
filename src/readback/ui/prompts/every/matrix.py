"""The table of a record: a row a condition, a column an adapter, and in each cell the text that is sent, in short.

Where one column is enough, and no text has two messages of one role, each role has a column instead: there a message
that a row above shows already is only named, so that what is the same and what is not shows at a glance.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

from markupsafe import Markup

from readback.checks.groups import WEIGHT, title
from readback.checks.run.prompt_lengths import Excerpt, PromptLengths
from readback.compare.sentence import MessageChange, join_clauses
from readback.html import exact
from readback.html.templates import render_template
from readback.prompts.selections import explain_unknown_system
from readback.types import Message, Role, Selection, Severity
from readback.ui.common import show
from readback.ui.common.draw import picker
from readback.ui.common.draw.text import message
from readback.ui.common.state import choice
from readback.ui.prompts.every.cells import Cells, Row
from readback.ui.prompts.every.outline import Gap, Stretch, list_stretches
from readback.ui.prompts.two_texts.compare_words import coded, sent
from readback.words import t

LINE_ENDS = re.compile(r"(\n+)")
KINDS = 2  # of findings that a cell names
WAYS = 2  # in which an adapter changes texts, that are named
SIDE_BY_SIDE = ("system", "user")  # roles that have a column each where no text has another one
# Rules that hold a text against what was logged: a request that was sent as planned differs from every other way.
AGAINST_LOGS = frozenset({"fmt-assembly-differs"})


@dataclass(frozen=True, slots=True)
class Column:
    """Adapters that give the same text in every row; "" stands for none."""

    adapters: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FoldedColumn:
    """Adapters that no condition uses: their names, what they do, what is found, and the texts by their conditions."""

    name: str
    does: str
    marks: str
    lines: Sequence[tuple[str, TextCell]]


@dataclass(frozen=True, slots=True)
class MessageCell:
    """What a row shows in the column of a role: what is different there, and the message in short, or in words. Of a
    message that differs and that a row above has, `words_after` name that row.
    """

    role: str
    changes: str = ""
    words: str = ""
    text: str = ""
    words_after: str = ""


@dataclass(slots=True)
class TextCell:
    """What one row and column show: the messages of a text in short, or in `words` why there is none here.

    `is_beside` says that the marks are signs, for which there is room behind the text. `id` is that of the element that
    shows the whole text, `label` what a screen reader says of the link there. `by_role` has a cell for each role where
    roles have columns, and `against` what this row is compared with, `is_against_row` that this is another row.
    """

    way: str
    words: str = ""
    messages: Sequence[tuple[str, Markup]] = ()
    changes: str = ""
    marks: str = ""
    is_beside: bool = False
    id: str = ""
    label: str = ""
    is_stop: bool = False
    is_same: bool = False
    by_role: Sequence[MessageCell] = ()
    against: str = ""
    is_against_row: bool = False


def render_matrix(rows: Sequence[Row], cells: Cells, ids: Mapping[str, str], in_view: Selection, most: str) -> Markup:
    """Return the table. `ids` are those of the elements that show the whole texts, by fingerprint; `most` is the look
    of most of the texts, which is not marked.
    """
    all_columns = list_columns(rows, cells)
    unused = [column for column in all_columns if _is_unused(column, rows, in_view)]
    columns = [column for column in all_columns if column not in unused]
    firsts: dict[str, tuple[Row, str]] = {}
    lines = []
    for row in rows:
        line = [_make_cell(row, column, cells, ids, firsts, in_view) for column in columns]
        lines.append((row.name, _describe_row(row, cells), in_view in row.choices, line))
    stop = next((cell for *_, line in lines for cell in line if cell.id), None)
    if stop is not None:
        stop.is_stop = True  # the Tab key stops at one cell; the arrow keys go on from there
    roles = list_roles(rows, cells) if len(columns) == 1 else ()
    if roles:
        _split_by_role(rows, lines, cells, roles, in_view)
        heads = [(t(f"cells.head_{role}"), "") for role in roles]
        caption = t("cells.head_condition" if picker.kind() == "condition" else "overview.name")
    else:
        heads = [(_name_column(column), t("cells.against_left") if n else "") for n, column in enumerate(columns)]
        caption = ""
    described = [(_name_adapters(column), *_describe_column(column, rows, cells)) for column in columns]
    folded = [_fold_column(column, rows, cells, ids, firsts, in_view) for column in unused]
    looks = {exact.look(segment) for cell in cells.values() for each in cell.excerpts for segment in each.segments}
    key = message.list_key(looks, most)
    if any(cell.reference for cell in cells.values()):
        key.append(show.h("<mark>{}</mark>", t("cells.key_new")))
    every_cell = [*(cell for *_, line in lines for cell in line), *(cell for fold in folded for _, cell in fold.lines)]
    if any("rb-moved" in text for cell in every_cell for _, text in cell.messages):
        key.append(show.h('<mark class="rb-moved">{}</mark>', t("cells.key_moved")))
    if roles and (adapters := _name_only_column(columns[0], len(all_columns))):
        key.append(show.h('<span class="rb-small">{}</span>', adapters))
    return render_template(
        "ui/prompts/every/matrix.html.jinja",
        heads=heads if roles or len(all_columns) > 1 or len(columns[0].adapters) > 1 else [],
        caption=caption,
        roles=roles,
        folded=folded,
        described=[entry for entry in described if entry[1]],
        most=most,
        lines=lines,
        many=len(columns) > 2,
        ways=t("cells.matrix"),
        key=key,
        key_label=t("cells.key"),
        whole=t("cells.whole"),
        in_view=t("cells.in_view"),
        in_view_first=t("cells.in_view_first"),
    )


def list_roles(rows: Sequence[Row], cells: Cells) -> tuple[str, ...]:
    """Return the roles that have a column each: none where a text has another one, or two messages of one role."""
    firsts = [cells[row.choices[0]] for row in rows if row.choices[0] in cells]
    found_roles = [[excerpt.role for excerpt in cell.excerpts] for cell in firsts]
    if any(len(set(roles)) < len(roles) or not set(roles) <= set(SIDE_BY_SIDE) for roles in found_roles):
        return ()
    is_stated = any("system" in roles for roles in found_roles)
    is_unknown = any(cell.fingerprint and explain_unknown(cell) is not None for cell in firsts)
    if is_stated or is_unknown:
        return SIDE_BY_SIDE
    return SIDE_BY_SIDE[1:]


def _name_only_column(column: Column, n: int) -> str:
    """Name the adapters of the only column; "" where the table has no others and it has none."""
    if n == 1 and column.adapters == ("",):
        return ""
    return _name_column(column)


def _split_by_role(
    rows: Sequence[Row],
    lines: Sequence[tuple[str, Markup, bool, Sequence[TextCell]]],
    cells: Cells,
    roles: Sequence[str],
    in_view: Selection,
) -> None:
    """Fill the cells of each row by role; a message that a row above shows is named there by its condition."""
    shown_by: dict[tuple[str, str], str] = {}
    for row, (*_, line) in zip(rows, lines, strict=True):
        measured, cell = cells.get(row.choices[0]), line[0]
        if measured is None or not cell.messages:
            continue
        if measured.reference is not None:
            cell.is_against_row = measured.reference != in_view
            key = "against_row" if cell.is_against_row else "against_view"
            cell.against = t(f"cells.{key}", name=sent(measured.reference))
        cell.by_role = [_make_message_cell(row, role, roles, measured, cells, shown_by) for role in roles]


def _make_message_cell(
    row: Row,
    role: str,
    roles: Sequence[str],
    measured: PromptLengths,
    cells: Cells,
    shown_by: dict[tuple[str, str], str],
) -> MessageCell:
    """Return the cell of a role; changes of several messages stand in the first column."""
    own_roles = (role, "") if role == roles[0] else (role,)
    changes = [change for change in _list_changes(measured) if change.role in own_roles]
    phrases = render_changes([change.phrase for change in changes])
    excerpt = next((excerpt for excerpt in measured.excerpts if excerpt.role == role), None)
    if excerpt is None:
        unknown = [text for _, text in _say_unknown(measured)] if role == "system" else []
        return MessageCell(role, phrases, words=unknown[0] if unknown else t("cells.no_message"))
    text = "".join(segment.text for segment in excerpt.segments)
    home = row.name
    if len(text) == excerpt.length:  # of a longer one nobody knows here whether it is the same
        home = shown_by.setdefault((role, text), row.name)
    if home != row.name and changes:
        return MessageCell(role, phrases, words_after=t("cells.text_of_row", name=home))
    if home != row.name:
        return MessageCell(role, phrases, words=t("cells.same_message_as", name=home))
    return MessageCell(role, phrases, text=_make_message(excerpt, measured, cells, False)[1])


def _is_unused(column: Column, rows: Sequence[Row], in_view: Selection) -> bool:
    """Return whether a column is of adapters that no condition is planned through and nobody looks at."""
    ways = [way for row in rows for way in zip(row.choices, row.adapters, strict=True)]
    selections = [selection for selection, adapter in ways if adapter in column.adapters]
    return in_view not in selections and all(each.condition and each.adapter for each in selections)


def _fold_column(
    column: Column,
    rows: Sequence[Row],
    cells: Cells,
    ids: Mapping[str, str],
    firsts: dict[str, tuple[Row, str]],
    in_view: Selection,
) -> FoldedColumn:
    """Return what is folded of adapters that no condition uses: the texts that no other cell shows."""
    lines = [(row.name, _make_cell(row, column, cells, ids, firsts, in_view)) for row in rows]
    lines = [(name, cell) for name, cell in lines if cell.messages or (cell.words and not cell.is_same)]
    stop = next((cell for _, cell in lines if cell.id), None)
    if stop is not None:
        stop.is_stop = True
    return FoldedColumn(_name_adapters(column), *_describe_column(column, rows, cells), lines)


def list_columns(rows: Sequence[Row], cells: Cells) -> list[Column]:
    """Return the adapters in their order; those that give the same text in every row where both are share a column."""
    adapters = list(dict.fromkeys(adapter for row in rows for adapter in row.adapters))
    columns: list[Column] = []
    texts_of_columns: list[list[str | None]] = []
    for adapter in adapters:
        texts = [_find_fingerprint(row, adapter, cells) for row in rows]
        at = next((n for n, others in enumerate(texts_of_columns) if _are_alike(texts, others)), None)
        if at is None:
            columns.append(Column((adapter,)))
            texts_of_columns.append(texts)
        else:
            columns[at] = Column((*columns[at].adapters, adapter))
            texts_of_columns[at] = [own or other for own, other in zip(texts, texts_of_columns[at], strict=True)]
    return columns


def _are_alike(texts: Sequence[str | None], others: Sequence[str | None]) -> bool:
    """Return whether two adapters give the same texts, as far as both are in a row, and have one in common."""
    both = [(a, b) for a, b in zip(texts, others, strict=True) if a is not None and b is not None]
    return any(a for a, _ in both) and all(a == b for a, b in both)


def _find_fingerprint(row: Row, adapter: str, cells: Cells) -> str | None:
    if adapter not in row.adapters:
        return None
    cell = cells.get(row.choices[row.adapters.index(adapter)])
    if cell is None:
        return None
    return cell.fingerprint


def _name_column(column: Column) -> str:
    """Name the adapters of a column, and that it has no adapter."""
    names = [adapter for adapter in column.adapters if adapter]
    if not names:
        return t("cells.without")
    if len(names) < len(column.adapters):
        return t("cells.without_or", names=join_clauses(names))
    return t("cells.through_only", names=join_clauses(names))


def _name_adapters(column: Column) -> str:
    return join_clauses([adapter for adapter in column.adapters if adapter]) or t("cells.without")


def _describe_row(row: Row, cells: Cells) -> Markup:
    """Say how long the first text of a row is, as far as it is measured."""
    cell = cells.get(row.choices[0])
    if cell is None or not cell.fingerprint:
        return Markup("")
    tokens = t("compare.cell_tokens" if cell.exact else "compare.cell_estimated", n=cell.tokens)
    return show.h('<span class="rb-matrix-size">{}</span>', tokens)


def render_changes(changes: Sequence[str]) -> Markup:
    """Return what a text does differently, each phrase in a line of its own."""
    lines = [show.h('<span class="rb-matrix-change">{}</span>', coded(f"{change}.")) for change in changes]
    return show.join(lines, " ")


def _make_cell(
    row: Row,
    column: Column,
    cells: Cells,
    ids: Mapping[str, str],
    firsts: dict[str, tuple[Row, str]],
    in_view: Selection,
) -> TextCell:
    """Return the cell; what another cell shows already is named. `firsts` gathers who shows what."""
    adapters = [adapter for adapter in column.adapters if adapter in row.adapters]
    way = _name_column(column)
    if not adapters:
        return TextCell(way)
    at = row.adapters.index(adapters[0])
    cell = cells.get(row.choices[at])
    if cell is None:
        return TextCell(way, Markup("…"))
    if not cell.fingerprint:
        why = t(f"compare.grid_{'too_late' if cell.late else 'not_built'}")
        return TextCell(way, show.h("{} {}", show.severity("error"), why))
    name = row.name
    if adapters[0]:
        name = t("cells.through", name=row.name, adapter=adapters[0])
    marks = name_findings([cell]) if at == 0 else _sign_findings(cell, cells.get(row.choices[0]))
    home = firsts.setdefault(cell.fingerprint, (row, way))
    id_, label = ids.get(cell.fingerprint, ""), t("cells.whole_of", name=name)
    if home != (row, way):
        if home[0] is row:
            words = t("cells.same_text")
        else:
            words = t("cells.same_as", name=home[0].name)
        return TextCell(way, show.h('<span class="rb-small">{}</span>', words), is_same=True)
    return TextCell(
        way,
        messages=[*_say_unknown(cell), *(_make_message(excerpt, cell, cells, at > 0) for excerpt in cell.excerpts)],
        changes=_describe_changes(cell, in_view) if at == 0 else "",
        marks=marks,
        is_beside=at > 0,
        id=id_,
        label=label,
    )


def _make_message(excerpt: Excerpt, cell: PromptLengths, cells: Cells, is_window: bool) -> tuple[str, Markup]:
    """Return the role of a message and its text in short."""
    name = _name_role(excerpt.role)
    other, elsewhere = _find_texts(cell.reference, excerpt.role, cells)
    if is_window and other is not None and excerpt.differs is None and not excerpt.alone:
        return name, show.h('<span class="rb-small">{}</span>', t("cells.same_message"))
    stretches = list_stretches(excerpt, other, is_window, elsewhere)
    return name, show.join([_draw(stretch) for stretch in stretches])


def explain_unknown(cell: PromptLengths) -> str | None:
    """Return why it is not known which system message goes with a text; None where it is known."""
    roles = tuple(Message(excerpt.role, ()) for excerpt in cell.excerpts)
    return explain_unknown_system(choice.workspace(), cell.choice, roles)


def _say_unknown(cell: PromptLengths) -> list[tuple[str, Markup]]:
    """Return the line of a system message that no file states."""
    why = explain_unknown(cell)
    if why is None:
        return []
    words = show.h('<span class="rb-unstated-system" title="{}">{}</span>', why, t("cells.system_unknown"))
    return [(_name_role("system"), words)]


def _describe_changes(cell: PromptLengths, in_view: Selection) -> Markup:
    """Say what a text does differently, and than which other where that is not the one in view."""
    words = render_changes([change.words for change in _list_changes(cell)])
    if not words or cell.reference is None:
        return words
    key = "against_named_view" if cell.reference == in_view else "against_named"
    against = t(f"cells.{key}", name=sent(cell.reference))
    return show.h('<span class="rb-matrix-against">{}</span> {}', against, words)


def _list_changes(cell: PromptLengths) -> Sequence[MessageChange]:
    """Return what a text does differently, without what the line of an unknown system message says."""
    if cell.changes and "system" in cell.lacks and explain_unknown(cell) is not None:
        return cell.changes[1:]
    return cell.changes


def _find_texts(reference: Selection | None, role: str, cells: Cells) -> tuple[str | None, str]:
    """Return the text of the messages with a role that a text is compared with, and that of the other messages; None
    where there is no such text or not all of it is here, since nothing can be called new then.
    """
    if reference is None or reference not in cells:
        return None, ""
    texts = [
        (excerpt.role, "".join(segment.text for segment in excerpt.segments)) for excerpt in cells[reference].excerpts
    ]
    if any(len(text) < each.length for (_, text), each in zip(texts, cells[reference].excerpts, strict=True)):
        return None, ""
    of_role = "\n".join(text for other_role, text in texts if other_role == role)
    return of_role, "\n".join(text for other_role, text in texts if other_role != role)


def _name_role(role: str) -> str:
    if role in get_args(Role):
        return t(f"cells.role_{role}")
    return message.role_title(role)


def _draw(stretch: Stretch | Gap) -> Markup:
    if isinstance(stretch, Gap):
        return show.h('<span class="rb-gap-words">{}</span>', _describe_gap(stretch))
    parts = [
        show.h('<span class="rb-line-end" aria-hidden="true">{}</span> ', "↵" * len(part))
        if part.startswith("\n")
        else Markup(exact.text(part))  # noqa: S704 (escaped by exact.text)
        for part in LINE_ENDS.split(stretch.text)
    ]
    inner = show.join(parts)
    words = show.h('<span class="rb-s rb-{}">{}</span>', stretch.look, inner)
    if stretch.is_moved:
        return show.h('<mark class="rb-moved">{}</mark>', words)
    if stretch.is_new:
        return show.h("<mark>{}</mark>", words)
    return words


def _describe_gap(gap: Gap) -> str:
    if gap.is_shared and gap.name:
        return t("cells.gap_shared_value", n=gap.length, name=gap.name)
    if gap.is_shared:
        return t("cells.gap_shared", n=gap.length)
    if gap.times > 1:
        return t("cells.gap_values", n=gap.length, name=gap.name, times=gap.times)
    if gap.name:
        return t("cells.gap_value", n=gap.length, name=gap.name)
    return t("cells.gap", n=gap.length)


def list_kinds(cell: PromptLengths) -> list[tuple[Severity, str]]:
    """Return the severity and rule of what is found on a text; through an adapter that nobody plans nothing is held
    against what was logged.
    """
    if cell.choice.condition and cell.choice.adapter:
        return [kind for kind in cell.codes if kind[1] not in AGAINST_LOGS]
    return list(cell.codes)


def name_findings(cells: Sequence[PromptLengths], beyond: Sequence[PromptLengths] = ()) -> Markup:
    """Name the kinds of errors and warnings on texts by sign and title, with the number of texts of each; but not those
    that are on the text at the same place of `beyond`, too.
    """
    counts = Counter(
        kind for n, cell in enumerate(cells) for kind in list_kinds(cell) if not beyond or kind not in beyond[n].codes
    )
    kinds = sorted(counts, key=lambda kind: (WEIGHT[kind[0]], -counts[kind]))
    lines = []
    for severity, code in kinds[:KINDS]:
        if len(cells) > 1:
            words = t("cells.finding_on", title=title(code), n=counts[severity, code])
        else:
            words = title(code)
        lines.append(show.mark_severity(severity, coded(words)))
    if len(kinds) > KINDS:
        lines.append(show.h('<span class="rb-small">{}</span>', t("cells.more_kinds", n=len(kinds) - KINDS)))
    return show.join(lines, " ")


def _sign_findings(cell: PromptLengths, first: PromptLengths | None) -> Markup:
    """Return the sign of the gravest of what is found on a text and not on the first of its row; the head names it."""
    kinds = [kind for kind in list_kinds(cell) if first is None or kind not in first.codes]
    if not kinds:
        return Markup("")
    severity = min((kind[0] for kind in kinds), key=WEIGHT.__getitem__)
    names = ", ".join(title(code) for _, code in kinds)
    return show.h('<span title="{}">{}</span>', names, show.sign_severity(severity))


def _describe_column(column: Column, rows: Sequence[Row], cells: Cells) -> tuple[str, Markup]:
    """Say what an adapter changes in how many texts, whether a condition is planned through it, and what is found
    on them only through it.
    """
    adapter = column.adapters[0]
    pairs = [
        (cells[row.choices[0]], cells[row.choices[at]])
        for row in rows
        if adapter in row.adapters
        for at in (row.adapters.index(adapter),)
        if at and row.choices[0] in cells and row.choices[at] in cells
    ]
    if not pairs:
        return "", Markup("")
    changed = [(first, cell) for first, cell in pairs if cell.fingerprint and cell.fingerprint != first.fingerprint]
    ways = Counter("; ".join(change.words for change in cell.changes) or t("cells.otherwise") for _, cell in changed)
    sentences = [t("cells.adapter_does", change=change, n=n, all=len(pairs)) for change, n in ways.most_common(WAYS)]
    if len(ways) > WAYS:
        sentences.append(t("cells.more_ways", n=len(ways) - WAYS))
    if not changed:
        sentences.append(t("cells.adapter_nothing"))
    does = " ".join(sentences)
    marks = name_findings([cell for _, cell in pairs], [first for first, _ in pairs])
    if all(cell.choice.condition and cell.choice.adapter for _, cell in pairs):
        return t("cells.unplanned", does=does), marks
    return f": {does}", marks
