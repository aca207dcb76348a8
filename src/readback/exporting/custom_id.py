"""The `custom_id` of a request in a batch: which record under which choice it is, to be read out of the reply again.

It is written like the query of an address, so that any library for those reads it:
`index=5&record=ellery-06&condition=base%2C%20open%20book`. The number of the record (from 0) comes first and makes it
unique also where several records have one id; then `record`, unless the record has no id, and what the choice names of
`condition`, `mode`, `task`, `adapter` and `judge`.
"""

from __future__ import annotations

from dataclasses import fields
from urllib.parse import quote, unquote

from readback.types import Selection

NAMES = tuple(field.name for field in fields(Selection))


def written(index: int, record: str | None, choice: Selection) -> str:
    """The id in ASCII; a lone surrogate in a name keeps its three bytes."""
    parts = {"index": str(index), "record": record, **{name: getattr(choice, name) for name in NAMES}}
    return "&".join(f"{name}={_quoted(text)}" for name, text in parts.items() if text is not None)


def read(text: str) -> tuple[int, str | None, Selection]:
    """What `written` was given: the record's number, its id, what was chosen. Raises ValueError for any other text."""
    parts = {name: unquote(value, errors="surrogatepass") for name, _, value in map(_cut, text.split("&"))}
    if "index" not in parts or not parts.keys() <= {"index", "record", *NAMES}:
        raise ValueError(f"no custom_id of Readback: {text}")
    index, record = int(parts.pop("index")), parts.pop("record", None)
    return index, record, Selection(**parts)


def _cut(part: str) -> tuple[str, str, str]:
    return part.partition("=")


def _quoted(text: str) -> str:
    return quote(text, safe="", errors="surrogatepass")
