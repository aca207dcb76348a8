"""A column that is probably the records' id where none is called so: proposed, and taken when somebody confirms it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from readback.readers.paths import resolve
from readback.readers.row import Row
from readback.records.raw_rows import read_raw_rows
from readback.records.record_ids import CANDIDATES
from readback.types import DatasetSource, Diagnostic
from readback.workspace.draft import Draft
from readback.workspace.recognise import ID

KEY = "id"  # of what whoever opens a workspace chooses, and of what is proposed
ROWS = 200  # rows that are looked at
CALLED = re.compile(
    r"(?:^|[\W_])(?:id|ids|nr|no|num|number|nummer|numero|numéro|n°|key|code|uuid|guid|case|item|record|ref|index)"
    r"(?:$|[\W_])",
    re.IGNORECASE,
)
CAMEL = re.compile(r"[a-z](?:Id|ID|No|Nr|Key)$")
MADE = re.compile(  # what a program or a filing system numbers: A-17, q0042, a UUID
    r"(?:[A-Za-z]{1,8}[-_#/.]?\d{1,12})|(?:[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12})"
)


def propose(draft: Draft) -> None:
    """Take the id that was chosen; propose one where the records have none."""
    source = draft.dataset
    if source is None or source.absent or source.id is not None:
        return
    if asked := draft.chosen.get(KEY):
        draft.dataset = replace(source, id=asked)
        return
    rows = first_rows(draft, source)
    if not rows or any(2 * sum(bool(row.get(name)) for row in rows) >= len(rows) for name in CANDIDATES):
        return
    if found := tuple(islice(probable(rows, source.private), 1)):
        draft.alternatives[KEY] = found


def probable(rows: Sequence[Mapping[str, Any]], private: Sequence[str] = ()) -> Iterator[str]:
    """The columns that may be the id, the likeliest first: short, different in every row, and called like one; then
    those whose values look like one.
    """
    apart = [name for name in rows[0] if name not in private and _tells_apart([row.get(name) for row in rows])]
    named = [name for name in apart if _called(name)]
    yield from named
    for name in apart:
        if name not in named and all(MADE.fullmatch(str(row[name])) for row in rows):
            yield name


def first_rows(draft: Draft, source: DatasetSource) -> list[Mapping[str, Any]]:
    """The fields of the first rows of a dataset; none where it cannot be read."""
    path = resolve(draft.root, source.path)
    if isinstance(path, Diagnostic) or not path.is_file():
        return []
    rows = read_raw_rows(path, source.path, source.format, enough=ROWS, encoding=source.encoding)
    return list(islice((row.fields for row in rows if isinstance(row, Row)), ROWS))


def _called(name: str) -> bool:
    return bool(CALLED.search(name.strip()) or CAMEL.search(name.strip()))


def _tells_apart(values: Sequence[Any]) -> bool:
    """Whether each value is a short text or a whole number, and none of them is there twice."""
    short = [one for one in values if isinstance(one, str | int) and not isinstance(one, bool) and str(one).strip()]
    texts = {str(one) for one in short}
    return len(values) > 1 and len(short) == len(values) == len(texts) and all(len(text) <= ID for text in texts)
