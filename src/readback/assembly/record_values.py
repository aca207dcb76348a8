"""What a mode's template sees of a record: its fields, where defaults step in, and which chunks are used.

Source of the Albert rules: the *Prompt template* page of etalab-ia/franceservices-backend and `make_variables` of the
program it describes (classic dialect, May 2024).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from readback.assembly.albert_query import asked
from readback.types import NOWHERE, Diagnostic, Location, Prompt, Values

CHUNKS = ("sheet_chunks", "experience_chunks")
COLLECTION = "_collection"  # how the names end that the later program fills
META = ("limit", "skip_first")
LIMIT = 3  # chunks used where neither the data nor the configuration says


@dataclass(frozen=True, slots=True)
class Given:
    """`values` of the record; `defaults` fill the names that are not in them. Notes are about one name each."""

    values: Values
    defaults: Values
    diagnostics: tuple[tuple[str, Diagnostic], ...] = ()


def given(
    prompt: Prompt,
    fields: Values,
    options: Mapping[str, str],
    place: Location = NOWHERE,
    acronyms: Mapping[str, str] | None = None,
) -> Given:
    """The values for one record and mode.

    A default steps in where the record has nothing (missing or null); in an Albert configuration wherever the value
    is false, which is said when the record did have one.
    """
    if prompt.settings.get("dialect") == "albert":
        return _albert(prompt.defaults, dict(fields), options, place, acronyms or {})
    values = {name: value for name, value in fields.items() if value is not None or name not in prompt.defaults}
    return Given(values, prompt.defaults)


def _albert(
    defaults: Values, data: dict[str, Any], options: Mapping[str, str], place: Location, acronyms: Mapping[str, str]
) -> Given:
    changed = list(asked(data, acronyms, place))
    filled = {name: data.pop(name, None) for name in defaults if not data.get(name)}
    diagnostics = [
        (name, _falsy(name, value, defaults[name], place))
        for name, value in filled.items()
        if value is not None and value != defaults[name]
    ]
    current = options.get("albert_dialect") == "current"
    for name in [name for name, value in data.items() if isinstance(value, list) and chunk_list(name)]:
        if name.endswith(COLLECTION) != current:
            del data[name]  # the other program's name, which this one leaves without a value
    if options.get("apply_limit") != "off":
        diagnostics += list(_limit(data, defaults, place))
    return Given(data, defaults, (*changed, *diagnostics))


def chunk_list(name: str) -> bool:
    """Whether the program fills a variable of that name with what it searched, in either dialect."""
    return name in CHUNKS or name.endswith(COLLECTION)


def _falsy(name: str, value: Any, default: Any, place: Location) -> Diagnostic:
    said = {"name": name, "value": json.dumps(value), "default": json.dumps(default, ensure_ascii=False)}
    return Diagnostic("alb-falsy-default", said, _in(place, name), name)


def _limit(data: dict[str, Any], defaults: Values, place: Location) -> Iterator[tuple[str, Diagnostic]]:
    """Keep of each list of chunks what the search would have brought; says so where that is not all."""
    said = {name: data.get(name) or defaults.get(name) for name in META}
    limit = _whole(said["limit"] or LIMIT)
    for name in [name for name in data if chunk_list(name)]:
        chunks = data[name]
        if not isinstance(chunks, list):
            continue
        if limit is None:
            yield name, Diagnostic("alb-bad-limit", {"value": said["limit"], "kept": len(chunks)}, _in(place, "limit"))
            continue
        kept = chunks[1 if said["skip_first"] else 0 :][:limit]
        if len(kept) < len(chunks):
            values = {"name": name, "kept": len(kept), "given": len(chunks), "limit": limit}
            first = {"skipped": 1 if said["skip_first"] else 0}
            data[name] = kept
            yield name, Diagnostic("alb-limit-applied", values | first, _in(place, name), name)


def _whole(value: Any) -> int | None:
    try:
        number = int(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if number > 0 else None


def _in(place: Location, field: str) -> Location:
    return Location(file=place.file, line=place.line, field=field)
