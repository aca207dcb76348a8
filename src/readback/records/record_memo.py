"""Remember results about one record until the next record is looked at.

Several rules ask the same of one record, and of equal texts under several conditions. A result may be remembered if it
depends on nothing but its key, since records, messages and workspaces never change. The key of the memory is the very
object of the record's fields, not an equal one, so no result outlives them.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from threading import local
from typing import Any, TypeVar

from readback.types import Values

T = TypeVar("T")
MOST = 500  # results about one record; of a record with more, the rest is computed each time


class _Memo(local):
    """The fields of the present record and the results about it, for this thread."""

    fields: Values | None = None
    results: dict[Hashable, Any]


_memo = _Memo()


def remember(fields: Values, key: Hashable, work: Callable[[], T]) -> T:
    """Return the result of `work`, or its former result for the same key and record.

    `key` names the question and everything else that the result depends on. If it contains the `id` of an object, the
    result must hold that object, so that the number is not reused meanwhile.
    """
    if _memo.fields is not fields:
        _memo.fields, _memo.results = fields, {}
    results = _memo.results
    result: T
    try:
        result = results[key]
    except KeyError:
        result = work()
        if len(results) < MOST:
            results[key] = result
    return result
