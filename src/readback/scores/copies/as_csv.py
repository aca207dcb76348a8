"""A plain table as CSV that no spreadsheet computes."""

from __future__ import annotations

import csv
import io
from typing import Any

from readback.scores.copies.plain_table import PlainTable

RISKY = ("=", "+", "-", "@", "\t", "\r", "\0")  # what a spreadsheet takes for a formula at the start of a cell


def cell(value: Any) -> Any:
    """Text that a spreadsheet would compute gets a quote in front; numbers stay numbers, what is not there is empty.

    Source: OWASP, CSV Injection.
    """
    if isinstance(value, str) and value.startswith(RISKY):
        return f"'{value}"
    return "" if value is None else value


def csv_text(table: PlainTable) -> str:
    """The table with its titles, lines ended by LF; numbers as exactly as they are held."""
    out = io.StringIO()
    write = csv.writer(out, lineterminator="\n")
    write.writerow([cell(title) for title in table.columns])
    write.writerows([cell(value) for value in row] for row in table.rows)
    return out.getvalue()
