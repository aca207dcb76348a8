"""CSV as promptfoo reads it: every cell a text with its blanks, rows as wide as the header or a refusal."""

from __future__ import annotations

import csv
import io

from readback.projects.promptfoo.files import Refusal

WIDEST = 1 << 24  # characters of one cell


class _Strict(csv.Dialect):
    """Quotes only around whole cells, doubled inside."""

    quotechar = '"'
    doublequote = True
    skipinitialspace = False
    lineterminator = "\n"
    quoting = csv.QUOTE_MINIMAL
    strict = True


def read_csv(text: str, delimiter: str = ",", *, has_mark: bool = True) -> list[dict[str, str]]:
    """Return the rows of a table; raises Refusal where a row is wider or narrower than the header, as csv-parse does.

    Quotes inside a cell are text where the strict reading fails, as promptfoo tries both. `has_mark`: a byte order
    mark at the beginning is dropped.
    """
    if has_mark:
        text = text.removeprefix("\ufeff")
    if len(delimiter) != 1:
        raise Refusal("a delimiter of more than one character is not read by Readback")
    records = _split(text, delimiter)
    if not records:
        return []
    header, rows = records[0][1], []
    for line, cells in records[1:]:
        if len(cells) != len(header):
            raise Refusal(f"line {line} has {len(cells)} columns, the header {len(header)}")
        rows.append(dict(zip(header, cells, strict=True)))
    return rows


def _split(text: str, delimiter: str) -> list[tuple[int, list[str]]]:
    """Return the records of a text with their lines."""
    before = csv.field_size_limit(WIDEST)
    try:
        strict = type("Strict", (_Strict,), {"delimiter": delimiter})
        try:
            return _read(text, strict)
        except csv.Error:
            return _read(text, type("Relaxed", (strict,), {"strict": False}))
    except csv.Error as error:
        raise Refusal(f"not CSV ({error})") from None
    finally:
        csv.field_size_limit(before)


def _read(text: str, dialect: type[csv.Dialect]) -> list[tuple[int, list[str]]]:
    records: list[tuple[int, list[str]]] = []
    # newline="" keeps line ends inside of quotes as they are
    reader = csv.reader(io.StringIO(text, newline=""), dialect)
    start = 1
    for cells in reader:
        records.append((start, cells or [""]))
        start = reader.line_num + 1
    return records
