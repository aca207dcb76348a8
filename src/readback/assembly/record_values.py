"""What a mode's template sees of a record: its fields, where defaults step in, and which chunks are used.

Source of the Albert rules: the *Prompt template* page of etalab-ia/franceservices-backend and `make_variables` of the
program it describes (classic dialect, May 2024).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from readback.types import NOWHERE, Note, Place, Prompt, Values

CHUNKS = ("sheet_chunks", "experience_chunks")
META = ("limit", "skip_first")
LIMIT = 3  # chunks used where neither the data nor the configuration says


@dataclass(frozen=True, slots=True)
class Given:
    """`values` of the record; `defaults` fill the names that are not in them. Notes are about one name each."""

    values: Values
    defaults: Values
    notes: tuple[tuple[str, Note], ...] = ()


def given(prompt: Prompt, fields: Values, options: Mapping[str, str], place: Place = NOWHERE) -> Given:
    """The values for one record and mode.

    A default steps in where the record has nothing (missing or null); in an Albert configuration wherever the value
    is false, which is said when the record did have one.
    """
    if prompt.settings.get("dialect") == "albert":
        return _albert(prompt.defaults, dict(fields), options, place)
    values = {name: value for name, value in fields.items() if value is not None or name not in prompt.defaults}
    return Given(values, prompt.defaults)


def _albert(defaults: Values, data: dict[str, Any], options: Mapping[str, str], place: Place) -> Given:
    _ask(data)
    filled = {name: data.pop(name, None) for name in defaults if not data.get(name)}
    notes = [
        (name, _falsy(name, value, defaults[name], place))
        for name, value in filled.items()
        if value is not None and value != defaults[name]
    ]
    if options.get("albert_dialect") == "current":  # it fills only names that end in _collection
        for name in CHUNKS:
            data.pop(name, None)
    elif options.get("apply_limit") != "off":
        notes += list(_limit(data, defaults, place))
    return Given(data, defaults, tuple(notes))


def _falsy(name: str, value: Any, default: Any, place: Place) -> Note:
    said = {"name": name, "value": json.dumps(value), "default": json.dumps(default, ensure_ascii=False)}
    return Note("alb-falsy-default", said, _in(place, name), name)


def _ask(data: dict[str, Any]) -> None:
    """Set what the program derives from the history: the query, the search query and its misspelt twin."""
    turns = [turn for turn in listed(data.get("history")) if isinstance(turn.get("content"), str)]
    if not data.get("query") and turns:
        data["query"] = turns[-1]["content"]
    if "query" in data:
        data["seach_query"] = data["query"]  # [sic], the classic program's spelling
    if turns:
        data["search_query"] = "; ".join([turn["content"] for turn in turns if turn.get("role") == "user"][-3:])


def _limit(data: dict[str, Any], defaults: Values, place: Place) -> Iterator[tuple[str, Note]]:
    """Keep of each list of chunks what the search would have brought; says so where that is not all."""
    said = {name: data.get(name) or defaults.get(name) for name in META}
    limit = _whole(said["limit"] or LIMIT)
    for name in CHUNKS:
        chunks = data.get(name)
        if not isinstance(chunks, list):
            continue
        if limit is None:
            yield name, Note("alb-bad-limit", {"value": said["limit"], "kept": len(chunks)}, _in(place, "limit"))
            continue
        kept = chunks[1 if said["skip_first"] else 0 :][:limit]
        if len(kept) < len(chunks):
            values = {"name": name, "kept": len(kept), "given": len(chunks), "limit": limit}
            first = {"skipped": 1 if said["skip_first"] else 0}
            data[name] = kept
            yield name, Note("alb-limit-applied", values | first, _in(place, name))


def _whole(value: Any) -> int | None:
    try:
        number = int(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if number > 0 else None


def listed(value: Any) -> list[dict[str, Any]]:
    """The objects in a list; anything else is none."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _in(place: Place, field: str) -> Place:
    return Place(file=place.file, line=place.line, field=field)
