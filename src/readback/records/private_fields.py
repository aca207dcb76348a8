"""Which fields of a record are private, and what a record looks like to everybody else."""

from __future__ import annotations

from collections.abc import Iterable

from readback.records.field_path import MISSING, look, mask, steps
from readback.types import DatasetSource, Values


def private_paths(source: DatasetSource) -> tuple[str, ...]:
    """The private paths of a source: what it lists, and what a listed template variable is read from."""
    paths = dict.fromkeys(source.private)
    for path in source.private:
        first, *rest = steps(path) or (path,)
        if target := source.fields.get(path) or source.fields.get(first):
            paths[".".join([target, *(() if path in source.fields else rest)])] = None
    return tuple(paths)


def shown(fields: Values, source: DatasetSource, private: Iterable[str]) -> tuple[Values, bool]:
    """The row's fields and the mapped names, private ones as "[masked]"; and whether any was.

    Masking comes first, so that a mapped name can only be read from what may be shown.
    """
    masked = False
    for path in private:
        fields, found = mask(fields, path)
        masked = masked or found
    if not source.fields:
        return fields, masked
    mapped = {name: look(fields, path) for name, path in source.fields.items()}
    return {**fields, **{name: value for name, value in mapped.items() if value is not MISSING}}, masked
