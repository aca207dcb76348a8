"""One record under every condition (or mode, or task) and adapter: which of them send the same bytes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from readback.assembly import assemble
from readback.assembly.arms import choices
from readback.records import answers
from readback.types import Assembly, Choice, Record, Workspace


@dataclass(frozen=True, slots=True)
class Cell:
    """What is sent under one choice. Cells of a row with one letter send equal bytes; "" where nothing is built."""

    choice: Choice
    letter: str
    characters: int
    fingerprint: str
    ok: bool
    assembly: Assembly


@dataclass(frozen=True, slots=True)
class Grid:
    """Rows are conditions (else modes and tasks; judges at the end), columns adapters, "" for none."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[Cell | None, ...], ...]


def grid(opened: Workspace, record: Record) -> Grid:
    """Every choice of the workspace for one record."""
    wanted: dict[str, dict[str, Choice]] = {}
    for choice in choices(opened):
        wanted.setdefault(_row(choice), {})[_column(opened, choice)] = choice
    found = {column for row in wanted.values() for column in row}
    columns = tuple(name for name in ("", *opened.adapters) if name in found)
    columns += tuple(sorted(found - set(columns)))
    cells = tuple(_lettered(opened, record, [row.get(column) for column in columns]) for row in wanted.values())
    return Grid(tuple(wanted), columns, cells)


def _row(choice: Choice) -> str:
    name = choice.condition or choice.mode or choice.task or ""
    return (f"{choice.judge} of {name}" if name else choice.judge) if choice.judge else name


def _column(opened: Workspace, choice: Choice) -> str:
    if choice.judge:
        return ""
    arm = opened.condition(choice.condition) if choice.condition else None
    return choice.adapter or (arm.adapter if arm else None) or ""


def _lettered(opened: Workspace, record: Record, row: Sequence[Choice | None]) -> tuple[Cell | None, ...]:
    letters: dict[str, str] = {}
    made: list[Cell | None] = []
    for choice in row:
        made.append(_cell(opened, record, choice, letters) if choice else None)
    return tuple(made)


def _cell(opened: Workspace, record: Record, choice: Choice, letters: dict[str, str]) -> Cell:
    arm = opened.condition(choice.condition) if choice.judge and choice.condition else None
    answer = answers.open_answers(opened, arm).get(record.id) if arm else None
    found = assemble.assemble(opened, record, choice, answer)
    ok = bool(found.messages)
    letter = letters.setdefault(found.fingerprint, _letter(len(letters))) if ok else ""
    characters = sum(len(message.text) for message in found.messages)
    return Cell(choice, letter, characters, found.fingerprint, ok, found)


def _letter(number: int) -> str:
    """A … Z, AA, AB, …"""
    return (_letter(number // 26 - 1) if number >= 26 else "") + chr(ord("A") + number % 26)
