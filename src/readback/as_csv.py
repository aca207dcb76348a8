"""Write tables as CSV in which no spreadsheet executes a formula; all pages and commands use it."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from itertools import chain
from typing import Any

# Characters with which a formula begins; some spreadsheets fold the full-width forms to the narrow ones.
STARTS = tuple("=+-@" + "＝＋－＠")
ALONE = ("\t", "\r", "\n", "\0")  # at the start of a cell they may push what follows into a cell of its own
BLANKS = "\u200b\u200c\u200d\u2060\ufeff\u00ad"  # invisible, and not white space to Python


def escape_cell(value: Any) -> Any:
    """Return the content of a cell: a text that a spreadsheet would compute gets a `'` in front, None becomes "".

    Numbers stay numbers. A formula may begin behind blanks, visible or not. Source: OWASP, CSV Injection.
    """
    if value is None:
        return ""
    if isinstance(value, str) and (value.startswith(ALONE) or _find_first_visible(value).startswith(STARTS)):
        return f"'{value}"
    return value


def format_csv(titles: Iterable[Any], rows: Iterable[Iterable[Any]]) -> str:
    """Return the titles and the rows as CSV, each cell escaped by `escape_cell`; lines end with LF."""
    out = io.StringIO()
    plain = csv.writer(out, lineterminator="\n")
    # Python's writer leaves a lone CR bare when lines end with LF; a reader would begin a new row there.
    quoted = csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_ALL)
    for row in chain((titles,), rows):
        cells = [escape_cell(value) for value in row]
        (quoted if any("\r" in value for value in cells if isinstance(value, str)) else plain).writerow(cells)
    return out.getvalue()


def _find_first_visible(value: str) -> str:
    """Return the first visible character of a text, "" where it has none."""
    offset = 0
    while offset < len(value) and (value[offset].isspace() or value[offset] in BLANKS or value[offset] < " "):
        offset += 1
    return value[offset : offset + 1]
