"""What several rules ask of one record, and of equal texts under several conditions: worked out once, and kept until
the next record is looked at.

An answer may be kept where it depends on nothing but what it is asked with, since records, messages and workspaces
are never changed. It is kept by the record's own fields (the very object, not an equal one), so nothing outlives them.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from threading import local
from typing import Any, TypeVar

from readback.types import Values

T = TypeVar("T")
MOST = 500  # answers about one record; a record with more distinct questions is looked at as if nothing were kept


class _Held(local):
    """Of this thread: the fields of the record in hand, and what is known of it."""

    fields: Values | None = None
    known: dict[Hashable, Any]


_held = _Held()


def kept(fields: Values, asked: Hashable, work: Callable[[], T]) -> T:
    """What `work` answers; of the same question about the same record the answer that it gave before.

    `asked` names the question and everything that its answer depends on beside the fields. Objects in it are compared;
    where one is named by its `id`, the answer must hold it, so that the number is not given to another meanwhile.
    """
    if _held.fields is not fields:
        _held.fields, _held.known = fields, {}
    known = _held.known
    found: T
    try:
        found = known[asked]
    except KeyError:
        found = work()
        if len(known) < MOST:
            known[asked] = found
    return found
