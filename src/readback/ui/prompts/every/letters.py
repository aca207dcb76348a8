"""A letter for each distinct text, and the table that says which condition and adapter get which."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from string import ascii_uppercase
from typing import get_args

from markupsafe import Markup

from readback.checks.groups import WEIGHT, title
from readback.checks.run.prompt_lengths import PromptLengths
from readback.compare.sentence import join_clauses
from readback.html.templates import render_template
from readback.types import Role, Selection
from readback.ui.common import show
from readback.ui.prompts.every.cells import Cells, Row
from readback.ui.prompts.two_texts.compare_words import coded
from readback.words import t

HEIGHT = 12  # rows of a table that is unfolded
BESIDE = 4  # columns of adapters at most of a table that is unfolded, where it has more than half as many rows
KINDS = 2  # of findings that a line names
WAYS = 2  # in which an adapter changes texts, that are named


@dataclass(slots=True)
class LetterCell:
    """What one pair gets: the letter, the `id` of the element that shows the text, and the mark of its findings.

    `label` is what a screen reader says of the letter, `why` what the mark means.
    """

    letter: str = ""
    id: str = ""
    label: str = ""
    mark: str = ""
    why: str = ""
    is_stop: bool = False


def assign(a: Selection, rows: Sequence[Row], cells: Cells) -> Mapping[str, str]:
    """Return the letter of each text by its fingerprint, in the order of the rows; A is the text that is in view."""
    first = cells[a].fingerprint if a in cells else ""
    letters = {first: "A"} if first else {}
    number = 1
    for row in rows:
        for selection in row.choices:
            if selection in cells:
                fingerprint = cells[selection].fingerprint
            else:
                fingerprint = ""
            if fingerprint and fingerprint not in letters:
                letters[fingerprint] = _name(number)
                number += 1
    return letters


def _name(number: int) -> str:
    """Return A to Z, then AA to AZ, BA and on."""
    name = ascii_uppercase[number % 26]
    if number < 26:
        return name
    return _name(number // 26 - 1) + name


def render_badge(letter: str) -> Markup:
    """Return a letter as it stands at the head of its text."""
    return show.h('<strong class="rb-every-a{}">{}</strong>', "" if letter == "A" else " rb-every-other", letter)


def render_table(
    lead: Markup, rows: Sequence[Row], cells: Cells, letters: Mapping[str, str], ids: Mapping[str, str]
) -> Markup:
    """Return the table below its sentence, folded where it is too high; nothing where there is one text to choose.

    Beside its letters a row says what sets its first text apart from A, and what is found on it. `ids` are those of the
    elements that show the texts, by fingerprint.
    """
    adapters = list(dict.fromkeys(adapter for row in rows for adapter in row.adapters))
    if len(rows) * len(adapters) < 2:
        return Markup("")
    firsts: dict[str, Row] = {}
    for row in rows:
        if cell := cells.get(row.choices[0]):
            firsts.setdefault(cell.fingerprint, row)
    lines = [
        (
            row.name,
            [_make_cell(row, adapter, cells, letters, ids) for adapter in adapters],
            _describe_first(row, cells, letters, firsts),
        )
        for row in rows
    ]
    stop = next((cell for _, line, _ in lines for cell in line if cell.id), None)
    if stop is not None:
        stop.is_stop = True  # the Tab key stops at one letter; the arrow keys go on from there
    return render_template(
        "ui/prompts/every/letters.html.jinja",
        lead=lead or t("cells.letters_title"),
        heads=[adapter or t("compare.grid_own") for adapter in adapters] if len(adapters) > 1 else [],
        change_head=_name_change(rows, cells) if len(rows) > 1 else "",
        lines=lines,
        is_open=len(lines) <= (HEIGHT if len(adapters) <= BESIDE else HEIGHT // 2),
        through=t("cells.sent_through"),
        ways=t("cells.letters"),
        signs=show.SIGNS,
    )


def _name_change(rows: Sequence[Row], cells: Cells) -> str:
    """Return the head of the column that says what changes, with the messages in which something does."""
    roles: set[str] = set()
    for row in rows:
        if cell := cells.get(row.choices[0]):
            roles |= {*cell.lacks, *(each.role for each in cell.excerpts if each.alone or each.differs is not None)}
    if not roles:
        return t("cells.change_head")
    order = [*get_args(Role)]
    names = sorted(roles, key=lambda role: (order.index(role) if role in order else len(order), role))
    return t("cells.change_head_in", where=t("frame.role_is", role=join_clauses(names)))


def _describe_first(row: Row, cells: Cells, letters: Mapping[str, str], firsts: Mapping[str, Row]) -> Markup:
    """Say what the first text of a row does differently than A, and name what is found on it."""
    cell = cells.get(row.choices[0])
    if cell is None or not cell.fingerprint:
        return Markup("")
    letter, first = letters[cell.fingerprint], firsts[cell.fingerprint]
    if first is not row:
        words = show.h("{}", t("cells.same_as", letter=letter))
    elif cell.reference is None:
        words = show.h('<span class="rb-small">{}</span>', t("cells.others_against") if letter == "A" else "")
    else:
        words = render_changes(cell.changes)
        if cell.line:
            words = show.h('{} <span class="rb-letter-line">{}</span>', words, cell.line)
    return show.h("{} {}", words, name_findings([cell]))


def render_changes(changes: Sequence[str]) -> Markup:
    """Return what a text does differently, each phrase in a line of its own."""
    lines = [show.h('<span class="rb-letter-part">{}</span>', coded(f"{change}.")) for change in changes]
    return show.join(lines, " ")


def name_findings(cells: Sequence[PromptLengths]) -> Markup:
    """Name the kinds of errors and warnings on texts by sign and title, with the number of texts of each."""
    counts = Counter(kind for cell in cells for kind in cell.codes)
    kinds = sorted(counts, key=lambda kind: (WEIGHT[kind[0]], -counts[kind]))
    lines = []
    for severity, code in kinds[:KINDS]:
        if len(cells) > 1:
            words = t("cells.finding_on", severity=t(f"frame.{severity}"), title=title(code), n=counts[severity, code])
        else:
            words = t("cells.finding", severity=t(f"frame.{severity}"), title=title(code))
        lines.append(show.mark_severity(severity, coded(words)))
    if len(kinds) > KINDS:
        lines.append(show.h('<span class="rb-small">{}</span>', t("cells.more_kinds", n=len(kinds) - KINDS)))
    return show.join(lines, " ")


def render_adapters(rows: Sequence[Row], cells: Cells) -> Markup:
    """Return a line for each adapter: what it does to the texts, and what is found on them only through it."""
    adapters = list(dict.fromkeys(adapter for row in rows for adapter in row.adapters))
    lines = []
    for adapter in adapters:
        pairs = [
            (cells[row.choices[0]], cells[row.choices[at]])
            for row in rows
            if adapter in row.adapters
            for at in (row.adapters.index(adapter),)
            if at and row.choices[0] in cells and row.choices[at] in cells
        ]
        if pairs:
            lines.append((adapter or t("compare.grid_own"), *_describe_adapter(pairs)))
    if not lines:
        return Markup("")
    return render_template("ui/prompts/every/adapters.html.jinja", title=t("cells.adapters"), lines=lines)


def _describe_adapter(pairs: Sequence[tuple[PromptLengths, PromptLengths]]) -> tuple[str, Markup]:
    """Say what an adapter changes in how many texts, and what is found on these that is not on the first."""
    changed = [(first, cell) for first, cell in pairs if cell.fingerprint and cell.fingerprint != first.fingerprint]
    ways = Counter("; ".join(cell.changes) or t("cells.otherwise") for _, cell in changed)
    sentences = [t("cells.adapter_does", change=change, n=n, all=len(pairs)) for change, n in ways.most_common(WAYS)]
    if len(ways) > WAYS:
        sentences.append(t("cells.more_ways", n=len(ways) - WAYS))
    if not changed:
        sentences.append(t("cells.adapter_nothing"))
    beyond = [
        replace(cell, codes=tuple(kind for kind in cell.codes if kind not in first.codes)) for first, cell in pairs
    ]
    marks = name_findings(beyond)
    if marks and all(cell.choice.condition and cell.choice.adapter for cell in beyond):
        marks = show.h('{} <span class="rb-small">{}</span>', marks, t("cells.unplanned"))
    return " ".join(sentences), marks


def _make_cell(row: Row, adapter: str, cells: Cells, letters: Mapping[str, str], ids: Mapping[str, str]) -> LetterCell:
    if adapter not in row.adapters:
        return LetterCell()
    cell = cells.get(row.choices[row.adapters.index(adapter)])
    if cell is None:
        return LetterCell("…")
    if not cell.fingerprint:
        return LetterCell(mark="error", why=t(f"compare.grid_{'too_late' if cell.late else 'not_built'}"))
    if adapter:
        name = t("cells.through", name=row.name, adapter=adapter)
    else:
        name = row.name
    letter = letters[cell.fingerprint]
    mark, why = _find_mark(cell)
    label = ", ".join(part for part in (letter, name, why) if part)
    return LetterCell(letter, ids.get(cell.fingerprint, ""), label, mark, why)


def _find_mark(cell: PromptLengths) -> tuple[str, str]:
    """Return the gravest severity of what is found on a text, and how much there is of each; "" where nothing is."""
    counts = {"error": cell.errors, "warning": cell.warnings}
    words = [t(f"frame.{severity}_n", n=n) for severity, n in counts.items() if n]
    return next((severity for severity, n in counts.items() if n), ""), ", ".join(words)
