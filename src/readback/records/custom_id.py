"""The `custom_id` of a request in a batch: which record under which choice it is, to be read out of the reply again.

It is written like the query of an address, so that any library for those reads it:
`index=5&record=ellery-06&condition=base%2C%20open%20book`. The number of the record (from 0) comes first and makes it
unique also where several records have one id; then `record`, unless the record has no id, and what the choice names of
`condition`, `mode`, `task`, `adapter` and `judge`.

Services allow 64 characters. A longer one is shortened to `index=5&name=ellery-06.base-open&sha256=` and the first 16
hexadecimal digits of the SHA-256 of the long one: `name` is for people, and whoever knows the records and the names of
the choices finds out which it is (`resolve`). Earlier versions wrote 32 digits and no name, which are still read.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from dataclasses import fields
from urllib.parse import quote, unquote

from readback.types import Selection, Workspace

NAMES = tuple(field.name for field in fields(Selection))
MOST = 64  # characters that OpenAI's and Anthropic's batches allow
DIGITS = 16  # of the SHA-256, beside the index: no two of one file are equal
EARLIER_DIGITS = 32
SHORT, NAME = "sha256", "name"
UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")  # what a name for people leaves out


def written(index: int, record: str | None, choice: Selection) -> str:
    """The id in ASCII, at most 64 characters; a lone surrogate in a name keeps its three bytes."""
    long = _long(index, record, choice)
    if len(long) <= MOST:
        return long
    end = f"&{SHORT}={_digest(long, DIGITS)}"
    start = f"index={index}&{NAME}="
    parts = [record, *(getattr(choice, name) for name in NAMES)]
    names = [UNSAFE.sub("-", part).strip("-") for part in parts if part]
    return f"{start}{_shorten([name for name in names if name], MOST - len(start) - len(end))}{end}"


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
    return next(((index, named, choice) for choice in choices(opened) if text in forms(index, named, choice)), None)


def is_ours(text: str) -> bool:
    """Whether a text is written as these ids are, whatever it names."""
    try:
        return bool(_parts(text))
    except ValueError:
        return False


def forms(index: int, record: str | None, choice: Selection) -> tuple[str, ...]:
    """Every id that a request may have: as it is written now, and as earlier versions shortened it."""
    long, now = _long(index, record, choice), written(index, record, choice)
    return (now,) if now == long else (now, f"index={index}&{SHORT}={_digest(long, EARLIER_DIGITS)}")


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


def _digest(long: str, digits: int) -> str:
    return hashlib.sha256(long.encode()).hexdigest()[:digits]


def _shorten(names: list[str], room: int) -> str:
    """The names with a dot between them, each cut to an equal share of the room."""
    share = max(1, (room + 1) // max(1, len(names)) - 1)
    return ".".join(name[:share] for name in names)[: max(0, room)]


def _parts(text: str) -> dict[str, str]:
    parts = {name: unquote(value, errors="surrogatepass") for name, _, value in map(_cut, text.split("&"))}
    known = {"index", NAME, SHORT} if SHORT in parts else {"index", "record", *NAMES}
    if not parts.get("index", "").isdecimal() or not parts.keys() <= known:
        raise ValueError(f"no custom_id of Readback: {text}")
    return parts


def _cut(part: str) -> tuple[str, str, str]:
    return part.partition("=")


def _quoted(text: str) -> str:
    return quote(text, safe="", errors="surrogatepass")
