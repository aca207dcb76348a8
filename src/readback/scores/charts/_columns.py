"""Text in columns: what is beside the marks of rows, on several lines where no column may run into the next."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from readback.scores.charts._chart import wrapped

PART = " · "  # what parts the factors of a condition's name
CHARACTER = 7.6  # pixels of an average character here: columns are mostly short words and digits
GAP = 2  # characters between columns
MOST, ALONE = 24, 40  # characters of a line of one column among several, and of the only one
LINES = 6  # of a cell; what is longer still is cut, and the table has it whole
PIECE = re.compile(r"[^ _/-]+[ _/-]?")  # what a head is broken after
FEWEST = 5  # characters below which no column gets
HEAD = 12  # characters that a part of a head may widen its column to


@dataclass(frozen=True, slots=True)
class Columns:
    """Rows of cells with their lines, the lines of each head (none: no heads), and each column's characters."""

    shown: tuple[tuple[str, ...], ...]
    heads: tuple[tuple[str, ...], ...]
    titles: tuple[str, ...]
    widths: tuple[int, ...]

    @property
    def lines(self) -> int:
        """The lines of the highest cell."""
        return max((text.count("\n") + 1 for row in self.shown for text in row), default=1)

    @property
    def pixels(self) -> float:
        """What they need."""
        return sum(self.widths) * CHARACTER + 8

    @property
    def starts(self) -> tuple[int, ...]:
        """Where each column begins."""
        return tuple(sum(self.widths[:at]) for at in range(len(self.widths)))


def distinct(names: Sequence[str]) -> list[str]:
    """Names without the parts that all of them share, where something is left to tell them apart.

    A name that is made otherwise than most, as that of a file among factors, stays as it is.
    """
    rows = [name.split(PART) for name in names]
    many = _parts(rows)
    similar = [row for row in rows if len(row) == many]
    kept = [at for at, column in enumerate(zip(*similar, strict=True)) if len(set(column)) > 1]
    if len(similar) < 2 or not kept:
        return list(names)
    return [PART.join(row[at] for at in kept) if len(row) == many else PART.join(row) for row in rows]


def as_columns(names: Sequence[str]) -> tuple[list[tuple[str, ...]], tuple[str, ...]]:
    """Names of the form `factor=value · factor=value` as columns headed by the factors; others as they are.

    A name that is only values makes columns without heads, where most names have as many; a name that has more or
    fewer is across the columns.
    """
    rows = [tuple(name.split(PART)) for name in names]
    many = _parts(rows)
    similar = [row for row in rows if len(row) == many]
    if 2 * len(similar) <= len(rows):
        return [(name,) for name in names], ()
    heads = []
    for column in zip(*similar, strict=True):
        before = {part.partition("=")[0] for part in column if "=" in part}
        heads.append(before.pop() if len(before) == 1 and all("=" in part for part in column) else "")
    if len(heads) == 1:
        return [(name,) for name in names], ()
    cells = [
        tuple(part.partition("=")[2] if head else part for head, part in zip(heads, row, strict=True))
        if len(row) == many
        else (name,)
        for name, row in zip(names, rows, strict=True)
    ]
    return cells, tuple(heads) if any(heads) else ()


def _parts(rows: Sequence[Sequence[str]]) -> int:
    """How many parts most names have."""
    return Counter(map(len, rows)).most_common(1)[0][0] if rows else 0


def within(rows: Sequence[tuple[str, ...]], heads: Sequence[str], pixels: float) -> Columns:
    """The columns within a width: as wide as their cells, the widest on more lines where that is too much.

    A row with fewer cells than the others has one text for all columns.
    """
    many = max(map(len, rows), default=1)
    full = [row for row in rows if len(row) == many]
    most = ALONE if many == 1 else MOST
    titles = tuple(heads) if heads else ("",) * many
    wide = [min(max((len(row[at]) for row in full), default=1), most) for at in range(many)]
    wide = [
        max(w, min(HEAD, max(map(len, PIECE.findall(t)), default=0))) if t else w
        for w, t in zip(wide, titles, strict=True)
    ]
    while (sum(wide) + GAP * many) * CHARACTER + 8 > pixels and max(wide) > FEWEST:
        wide[wide.index(max(wide))] -= 1
    across = min(max((len(row[0]) for row in rows if len(row) < many), default=0), ALONE)
    spare = int((pixels - 8) / CHARACTER) - sum(wide) - GAP * many
    wide[-1] += max(0, min(across - sum(wide) - GAP * (many - 1), spare))
    room = sum(wide) + GAP * (many - 1)
    shown = tuple(
        tuple(_broken(text, w) for text, w in zip(row, wide, strict=True))
        if len(row) == many
        else (_broken(row[0], room), *[""] * (many - 1))
        for row in rows
    )
    said = tuple(tuple(wrapped(t, w, 4)) if t else () for t, w in zip(titles, wide, strict=True)) if heads else ()
    return Columns(shown, said, titles, tuple(w + GAP for w in wide))


def _broken(text: str, most: int) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= most else "\n".join(wrapped(flat, most, LINES))
