"""A table as CSV that no spreadsheet computes: the one way in which pages and commands write it."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from itertools import chain
from typing import Any

# What spreadsheets take for the beginning of a formula; the full-width forms are folded to the narrow ones by some.
STARTS = tuple("=+-@" + "＝＋－＠")
ALONE = ("\t", "\r", "\n", "\0")  # at the start of a cell they may push what follows into a cell of its own
BLANKS = "\u200b\u200c\u200d\u2060\ufeff\u00ad"  # invisible, and not white space to Python


def cell(value: Any) -> Any:
    """What is in a cell: a text that a spreadsheet would compute gets a `'` in front; numbers stay numbers, what is
    not there is empty.

    A formula may begin behind blanks, visible or not. Source: OWASP, CSV Injection.
    """
    if value is None:
        return ""
    if isinstance(value, str) and (value.startswith(ALONE) or _begun(value).startswith(STARTS)):
        return f"'{value}"
    return value


def csv_text(titles: Iterable[Any], rows: Iterable[Iterable[Any]]) -> str:
    """The titles and the rows, each cell as `cell` has it; lines end with LF."""
    out = io.StringIO()
    plain = csv.writer(out, lineterminator="\n")
    # Python's writer leaves a lone CR bare when lines end with LF; a reader would begin a new row there.
    quoted = csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_ALL)
    for row in chain((titles,), rows):
        cells = [cell(value) for value in row]
        (quoted if any("\r" in one for one in cells if isinstance(one, str)) else plain).writerow(cells)
    return out.getvalue()


def _begun(value: str) -> str:
    """The text from its first visible character on."""
    at = 0
    while at < len(value) and (value[at].isspace() or value[at] in BLANKS or value[at] < " "):
        at += 1
    return value[at : at + 1]
