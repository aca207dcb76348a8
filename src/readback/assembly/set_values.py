"""Values that stand in for a record's own while somebody tries them out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from readback.records.field_path import steps
from readback.types import Record, Values


def with_values(record: Record, extra: Values) -> Record:
    """The record with `extra` in place; a dotted name (`rag.prompt`) reaches into an object the record has."""
    if not extra:
        return record
    fields: dict[str, Any] = dict(record.fields)
    for name, value in extra.items():
        path = steps(name)
        inside = len(path) > 1 and name not in fields and isinstance(fields.get(path[0]), Mapping | list)
        if inside:
            fields[path[0]] = _put(fields[path[0]], path[1:], value)
        else:
            fields[name] = value
    return replace(record, fields=fields)


def _put(inner: Any, path: Sequence[str], value: Any) -> Any:
    """A copy of `inner` with `value` at `path`; objects on the way are made, an index beyond a list changes nothing."""
    if not path:
        return value
    step, *rest = path
    if isinstance(inner, list):
        at = int(step) if step.isdecimal() else -1
        return [_put(one, rest, value) if i == at else one for i, one in enumerate(inner)]
    own = dict(inner) if isinstance(inner, Mapping) else {}
    return {**own, step: _put(own.get(step), rest, value)}
