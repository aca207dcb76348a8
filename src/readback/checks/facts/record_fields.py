"""Which fields a record has, and which of them a template's variable probably means."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from readback.records.field_likeness import SAME as SAME
from readback.records.field_likeness import compute_likeness
from readback.records.field_path import list_texts as list_texts

DEPTH = 3  # levels of a record that are looked at: rag.contexts, metadata.a.b


def nearest(name: str, fields: Mapping[str, Any], a_list: bool) -> str | None:
    """The field that `name` most likely means, dotted; a list where the template goes through one."""
    found = [(path, value) for path, value in paths(fields) if isinstance(value, list) == a_list]
    ranked = sorted(((compute_likeness(name, path), -at, path) for at, (path, _) in enumerate(found)), reverse=True)
    if ranked and ranked[0][0] >= 0.5:
        return ranked[0][2]
    return found[0][0] if a_list and len(found) == 1 else None


def paths(fields: Mapping[str, Any], before: str = "", depth: int = DEPTH) -> Iterator[tuple[str, Any]]:
    """Every field that has a value, with its dotted path; those of mappings too."""
    for name, value in fields.items():
        path = f"{before}{name}"
        if isinstance(value, Mapping):
            if depth > 1:
                yield from paths(value, f"{path}.", depth - 1)
        elif value is not None:
            yield path, value


def offered(name: str, fields: Mapping[str, Any], a_list: bool, taken: Collection[str] = ()) -> str | None:
    """The field that a missing name may mean: of the record, or of the items of the list it is looked up in.

    Of an item's fields only such as are not `taken` by another name, and none where some item has the very field.
    """
    start, _, rest = name.rpartition("[*].")
    if not start:
        return nearest(name, fields, a_list)
    listed = _at(fields, start)
    items = [item for item in listed if isinstance(item, Mapping)] if isinstance(listed, list) else []
    if not items or any(item.get(rest) is not None for item in items):
        return None
    free = {key: value for key, value in items[0].items() if f"{start}[*].{key}" not in taken}
    near = nearest(rest, free, a_list)
    return f"{start}[*].{near}" if near else None


def _at(fields: Mapping[str, Any], path: str) -> Any:
    value: Any = fields
    for step in path.split("."):
        value = value.get(step) if isinstance(value, Mapping) else None
    return value
