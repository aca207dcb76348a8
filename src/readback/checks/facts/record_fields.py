"""List the fields of a record, and find the field that a template's variable probably means."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from readback.records.fields.field_likeness import CONTEXTS as CONTEXTS
from readback.records.fields.field_likeness import compute_likeness
from readback.records.fields.field_path import list_texts as list_texts

DEPTH = 3  # levels of a record that are looked at: rag.contexts, metadata.a.b
MIN_LIKENESS = 0.5  # from which on a field is offered for a name


def find_nearest_field(name: str, fields: Mapping[str, Any], is_list: bool) -> str | None:
    """Return the path of the field that a name most likely means; of a list if the template loops over it."""
    paths = [path for path, value in list_paths(fields) if isinstance(value, list) == is_list]
    ranked = sorted(((compute_likeness(name, path), -index, path) for index, path in enumerate(paths)), reverse=True)
    if ranked and ranked[0][0] >= MIN_LIKENESS:
        return ranked[0][2]
    if is_list and len(paths) == 1:
        return paths[0]
    return None


def list_paths(fields: Mapping[str, Any], prefix: str = "", depth: int = DEPTH) -> Iterator[tuple[str, Any]]:
    """Yield the dotted path and value of every field that has a value, those of mappings too."""
    for name, value in fields.items():
        path = f"{prefix}{name}"
        if isinstance(value, Mapping):
            if depth > 1:
                yield from list_paths(value, f"{path}.", depth - 1)
        elif value is not None:
            yield path, value


def find_offered_field(name: str, fields: Mapping[str, Any], is_list: bool, used: Collection[str] = ()) -> str | None:
    """Return the field that a missing name may mean: of the record, or of the items of the list it is looked up in.

    Of an item's fields only those that no other name uses (`used`), and none if some item has the very field.
    """
    path, _, field = name.rpartition("[*].")
    if not path:
        return find_nearest_field(name, fields, is_list)
    value = _get_value(fields, path)
    if isinstance(value, list):
        items = [item for item in value if isinstance(item, Mapping)]
    else:
        items = []
    if not items or any(item.get(field) is not None for item in items):
        return None
    free = {key: value for key, value in items[0].items() if f"{path}[*].{key}" not in used}
    nearest = find_nearest_field(field, free, is_list)
    if nearest:
        return f"{path}[*].{nearest}"
    return None


def _get_value(fields: Mapping[str, Any], path: str) -> Any:
    value: Any = fields
    for name in path.split("."):
        if isinstance(value, Mapping):
            value = value.get(name)
        else:
            value = None
    return value
