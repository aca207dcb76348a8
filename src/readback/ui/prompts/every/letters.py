"""A letter for each distinct text, and the table that says which condition and adapter get which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from string import ascii_uppercase

from markupsafe import Markup

from readback.checks.run.prompt_lengths import PromptLengths
from readback.html.templates import render_template
from readback.types import Selection
from readback.ui.common import show
from readback.ui.common.draw import picker
from readback.ui.prompts.every.cells import Cells, Row
from readback.words import t

HEIGHT = 6  # rows of one table, so that it leaves the first screen of a laptop to the texts
BESIDE = 4  # columns at most of a table that has another one beside it


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


def render_table(rows: Sequence[Row], cells: Cells, letters: Mapping[str, str], ids: Mapping[str, str]) -> Markup:
    """Return the table, folded where it is too high; nothing where there is one text to choose.

    `ids` are those of the elements that show the texts, by fingerprint.
    """
    adapters = list(dict.fromkeys(adapter for row in rows for adapter in row.adapters))
    if len(rows) * len(adapters) < 2:
        return Markup("")
    lines = [(row.name, [_make_cell(row, adapter, cells, letters, ids) for adapter in adapters]) for row in rows]
    if len(adapters) <= BESIDE:
        height = HEIGHT
    else:
        height = len(lines)
    stop = next((cell for _, line in lines for cell in line if cell.id), None)
    if stop is not None:
        stop.is_stop = True  # the Tab key stops at one letter; the arrow keys go on from there
    named = sum(bool(adapter) for adapter in adapters)
    if named == len(adapters):
        adapters_key = "cells.by_adapters"
    else:
        adapters_key = "cells.by_adapters_and_none"
    summary = t(f"cells.rows_{picker.kind()}", texts=t("cells.texts", n=len(letters)), n=len(rows))
    return render_template(
        "ui/prompts/every/letters.html.jinja",
        summary=t(adapters_key, rows=summary, n=named) if named else summary,
        heads=[adapter or t("compare.grid_own") for adapter in adapters] if len(adapters) > 1 else [],
        tables=[lines[start : start + height] for start in range(0, len(lines), height)],
        is_open=len(lines) <= (2 * HEIGHT if len(adapters) <= BESIDE else HEIGHT),
        ways=t("cells.letters"),
        signs=show.SIGNS,
    )


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
