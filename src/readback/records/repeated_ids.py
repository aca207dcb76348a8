"""Find records that share an id and differ in another column, such as a row for each condition, model or rater."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

DISTINGUISHING = frozenset({"condition", "model", "variant", "system", "rater", "judge", "annotator", "style"})
MOST = 1_000  # records compared: findings about more are counted and not listed
LONGEST = 1 << 16  # bytes of a compared record, so that a file of long ones is not read twice

Row = Callable[[int], Mapping[str, Any]]


def find_distinguished(
    repeats: Iterable[tuple[int, int]], columns: Sequence[str], size: Callable[[int], int], row: Row
) -> set[int]:
    """Return the numbers of the records that differ from all earlier ones with their id in a DISTINGUISHING column.

    `repeats` are pairs of a record and the first record with its id, by number and in order; `size` returns the length
    of a record in bytes, `row` its fields, and may raise ValueError. Without such a column no record is read.
    """
    distinguishing = [name for name in columns if name.strip().casefold() in DISTINGUISHING]
    differing: set[int] = set()
    if not distinguishing:
        return differing
    values_by_first: dict[int, set[str]] = {}
    for index, first in islice(repeats, MOST):
        if max(size(index), size(first)) > LONGEST:
            continue
        try:
            earlier = values_by_first.setdefault(first, {_values(row(first), distinguishing)})
            own = _values(row(index), distinguishing)
        except (ValueError, KeyError):  # changed while it was read; a later read reports it
            continue
        if own not in earlier:
            earlier.add(own)
            differing.add(index)
    return differing


def _values(fields: Mapping[str, Any], columns: Sequence[str]) -> str:
    return json.dumps([fields.get(name) for name in columns], sort_keys=True, default=str)
