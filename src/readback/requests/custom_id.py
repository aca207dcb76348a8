"""The `custom_id` of a request in a batch: which record under which choice it is, to be read out of the reply again.

It is written like the query of an address, so that any library for those reads it:
`index=5&record=ellery-06&condition=base%2C%20open%20book`. The number of the record (from 0) comes first and makes it
unique also where several records have one id; then `record`, unless the record has no id, and what the choice names of
`condition`, `mode`, `task`, `adapter` and `judge`.

Services allow 64 characters. A longer one is shortened to `index=5&sha256=` and the first 32 hexadecimal digits of the
SHA-256 of the long one: who knows the records and the names of the choices finds out which it is (`resolve`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import fields
from urllib.parse import quote, unquote

from readback.types import Selection, Workspace

NAMES = tuple(field.name for field in fields(Selection))
MOST = 64  # characters that OpenAI's and Anthropic's batches allow
DIGITS = 32  # of the SHA-256: 128 bits, so that no two of one file are equal
SHORT = "sha256"


def written(index: int, record: str | None, choice: Selection) -> str:
    """The id in ASCII, at most 64 characters; a lone surrogate in a name keeps its three bytes."""
    long = _long(index, record, choice)
    return long if len(long) <= MOST else f"index={index}&{SHORT}={hashlib.sha256(long.encode()).hexdigest()[:DIGITS]}"


def read(text: str) -> tuple[int, str | None, Selection]:
    """What `written` was given: the record's number, its id, what was chosen.

    Raises ValueError for any other text, and for one that was shortened: `resolve` reads that.
    """
    parts = _parts(text)
    if SHORT in parts:
        raise ValueError(f"a shortened custom_id, which only its records and choices explain: {text}")
    index, record = int(parts.pop("index")), parts.pop("record", None)
    return index, record, Selection(**parts)


def resolve(
    text: str, opened: Workspace, record: Callable[[int], str | None]
) -> tuple[int, str | None, Selection] | None:
    """The same of a long and of a shortened one, for a workspace in which `record` gives the id of a number.

    None where no choice of the workspace makes that id of that record. Raises ValueError for any other text.
    """
    parts = _parts(text)
    if SHORT not in parts:
        return read(text)
    index = int(parts["index"])
    named = record(index)
    return next(((index, named, one) for one in choices(opened) if written(index, named, one) == text), None)


def choices(opened: Workspace) -> Iterator[Selection]:
    """All that an export of the workspace may be of: conditions, modes, tasks, and each judge's prompts."""
    conditions = [condition.name for condition in opened.conditions]
    yield from (Selection(condition=name) for name in conditions)
    yield from (Selection(mode=name) for name in opened.prompts)
    yield from (Selection(task=name) for name in opened.tasks)
    for judge in opened.judges:
        yield Selection(judge=judge)
        yield from (Selection(condition=name, judge=judge) for name in conditions)


def _long(index: int, record: str | None, choice: Selection) -> str:
    parts = {"index": str(index), "record": record, **{name: getattr(choice, name) for name in NAMES}}
    return "&".join(f"{name}={_quoted(text)}" for name, text in parts.items() if text is not None)


def _parts(text: str) -> dict[str, str]:
    parts = {name: unquote(value, errors="surrogatepass") for name, _, value in map(_cut, text.split("&"))}
    known = {"index", SHORT} if SHORT in parts else {"index", "record", *NAMES}
    if not parts.get("index", "").isdecimal() or not parts.keys() <= known:
        raise ValueError(f"no custom_id of Readback: {text}")
    return parts


def _cut(part: str) -> tuple[str, str, str]:
    return part.partition("=")


def _quoted(text: str) -> str:
    return quote(text, safe="", errors="surrogatepass")
