"""Records that share an id and are told apart by another column: a row for each condition, model or rater."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

APART = frozenset({"condition", "model", "variant", "system", "rater", "judge", "annotator", "style"})
MOST = 1_000  # records that are looked at: more are counted and not listed
LONGEST = 1 << 16  # bytes of a record that is looked at, so that a file of long ones is not read twice

Row = Callable[[int], Mapping[str, Any]]


def meant(again: Iterable[tuple[int, int]], columns: Sequence[str], size: Callable[[int], int], row: Row) -> set[int]:
    """The numbers of the records that differ from all earlier ones of their id in a column that tells rows apart.

    `again` are records with the first one of their id, both by number, in order; `size` is a record's length in bytes,
    `row` its fields, which may raise ValueError. Where no column has such a name, no record is read.
    """
    apart = [name for name in columns if name.strip().casefold() in APART]
    found: set[int] = set()
    seen: dict[int, set[str]] = {}
    for index, first in islice(again, MOST) if apart else ():
        if max(size(index), size(first)) > LONGEST:
            continue
        try:
            known = seen.setdefault(first, {_values(row(first), apart)})
            own = _values(row(index), apart)
        except (ValueError, KeyError):  # changed while it was read, which is told where it is read again
            continue
        if own not in known:
            known.add(own)
            found.add(index)
    return found


def _values(fields: Mapping[str, Any], columns: Sequence[str]) -> str:
    return json.dumps([fields.get(name) for name in columns], sort_keys=True, default=str)
