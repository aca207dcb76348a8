"""Write and read the `custom_id` of a request in a batch, which names its record and selection.

It has the form of a URL query:
`index=5&record=ellery-06&condition=base%2C%20open%20book`. The number of the record (from 0) comes first and makes it
unique if several records have one id; then `record`, unless the record has no id, and those parts of the selection that
are set, of `condition`, `mode`, `task`, `adapter` and `judge`.

Services allow 64 characters. A longer one is shortened to `index=5&name=ellery-06.base-open&sha256=` and the first 16
hexadecimal digits of the SHA-256 of the long one: `name` is for people; `resolve` finds
the record and the selection in a workspace. Earlier versions wrote 32 digits and no name; these are still read.
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


def write(index: int, record: str | None, choice: Selection) -> str:
    """Return the custom_id in ASCII, at most 64 characters; a lone surrogate in a name keeps its three bytes."""
    long = _write_long(index, record, choice)
    if len(long) <= MOST:
        return long
    end = f"&{SHORT}={_digest(long, DIGITS)}"
    start = f"index={index}&{NAME}="
    parts = [record, *(getattr(choice, name) for name in NAMES)]
    names = [UNSAFE.sub("-", part).strip("-") for part in parts if part]
    return f"{start}{_join_short([name for name in names if name], MOST - len(start) - len(end))}{end}"


def parse(text: str) -> tuple[int, str | None, Selection]:
    """Return the number of the record, its id and the selection that `write` put into a custom_id.

    Raises ValueError for any other text, and for a shortened one, which `resolve` reads.
    """
    parts = _split_query(text)
    if SHORT in parts:
        raise ValueError(f"a shortened custom_id, which only its records and choices explain: {text}")
    index, record = int(parts.pop("index")), parts.pop("record", None)
    return index, record, Selection(**parts)


def resolve(
    text: str, opened: Workspace, record: Callable[[int], str | None]
) -> tuple[int, str | None, Selection] | None:
    """Return the number of the record, its id and the selection for a long or shortened custom_id.

    `record` returns the id of a record by its number. Return None if no selection of the workspace gives the record
    this custom_id. Raises ValueError for any other text.
    """
    parts = _split_query(text)
    if SHORT not in parts:
        return parse(text)
    index = int(parts["index"])
    record_id = record(index)
    for selection in list_selections(opened):
        if text in list_forms(index, record_id, selection):
            return index, record_id, selection
    return None


def is_ours(text: str) -> bool:
    """Tell whether a text has the form of these ids, whatever it names."""
    try:
        return bool(_split_query(text))
    except ValueError:
        return False


def list_forms(index: int, record: str | None, choice: Selection) -> tuple[str, ...]:
    """Return each custom_id that a request may have: the present form, and the short form of earlier versions."""
    long, present = _write_long(index, record, choice), write(index, record, choice)
    if present == long:
        return (present,)
    return present, f"index={index}&{SHORT}={_digest(long, EARLIER_DIGITS)}"


def list_selections(opened: Workspace) -> Iterator[Selection]:
    """Yield every selection that an export may have: conditions, modes, tasks, and the prompts of each judge."""
    conditions = [condition.name for condition in opened.conditions]
    yield from (Selection(condition=name) for name in conditions)
    yield from (Selection(mode=name) for name in opened.prompts)
    yield from (Selection(task=name) for name in opened.tasks)
    for judge in opened.judges:
        yield Selection(judge=judge)
        yield from (Selection(condition=name, judge=judge) for name in conditions)


def _write_long(index: int, record: str | None, choice: Selection) -> str:
    parts = {"index": str(index), "record": record, **{name: getattr(choice, name) for name in NAMES}}
    return "&".join(f"{name}={_quote(text)}" for name, text in parts.items() if text is not None)


def _digest(long: str, digits: int) -> str:
    return hashlib.sha256(long.encode()).hexdigest()[:digits]


def _join_short(names: list[str], room: int) -> str:
    """Join names with dots, each cut to an equal share of the room."""
    share = max(1, (room + 1) // max(1, len(names)) - 1)
    return ".".join(name[:share] for name in names)[: max(0, room)]


def _split_query(text: str) -> dict[str, str]:
    parts = {name: unquote(value, errors="surrogatepass") for name, _, value in map(_cut_part, text.split("&"))}
    if SHORT in parts:
        keys = {"index", NAME, SHORT}
    else:
        keys = {"index", "record", *NAMES}
    if not parts.get("index", "").isdecimal() or not parts.keys() <= keys:
        raise ValueError(f"no custom_id of Readback: {text}")
    return parts


def _cut_part(part: str) -> tuple[str, str, str]:
    return part.partition("=")


def _quote(text: str) -> str:
    return quote(text, safe="", errors="surrogatepass")
