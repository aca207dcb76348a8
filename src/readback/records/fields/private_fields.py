"""Find the private fields of a source and mask them in its records."""

from __future__ import annotations

from collections.abc import Iterable

from readback.records.fields.field_path import MISSING, look, mask, split_path
from readback.types import DatasetSource, Values


def private_paths(source: DatasetSource) -> tuple[str, ...]:
    """Return the private paths of a source: those it lists, and the fields behind listed template variables."""
    paths = dict.fromkeys(source.private)
    for path in source.private:
        first, *rest = split_path(path) or (path,)
        target = source.fields.get(path) or source.fields.get(first)
        if target:
            inner = [] if path in source.fields else rest
            paths[".".join([target, *inner])] = None
    return tuple(paths)


def mask_private(fields: Values, source: DatasetSource, private: Iterable[str]) -> tuple[Values, bool]:
    """Return the fields of a row with its mapped names, private ones as "[masked]", and whether any was masked.

    Masking comes first, so that no mapped name reveals a private value.
    """
    masked = False
    for path in private:
        fields, is_present = mask(fields, path)
        masked = masked or is_present
    if not source.fields:
        return fields, masked
    mapped = {name: look(fields, path) for name, path in source.fields.items()}
    return {**fields, **{name: value for name, value in mapped.items() if value is not MISSING}}, masked
