"""JSON: a list of objects, an object that holds such a list, or one object; each record read by itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any, BinaryIO

from readback.readers import jsonl
from readback.readers.json_cursor import Cursor
from readback.readers.json_walk import LISTS, Walk, skip_mark
from readback.readers.row import Event, Row
from readback.readers.spread_objects import SpreadCount

NAME = "json"
SUFFIXES = (".json",)
BY_LINES = False  # what is counted are the list's items
parse = jsonl.parse


def rows(stream: BinaryIO, file: str) -> Iterator[Event]:
    """Every object of the list as a Row, everything else in it as a Refused.

    In an object the records are the list under one of LISTS, or under its only key; without one the object
    itself is the record. After an item that is not JSON reading goes on where another item starts at the
    same indentation; where there is none the rest is refused as one.
    """
    begin = yield from skip_mark(stream, file)
    if begin is None:
        return
    walk = Walk(Cursor(stream, begin), file)
    match walk.cursor.peek():
        case "":
            return
        case "[":
            listed = SpreadCount()
            for event in walk.items():
                if isinstance(event, Row):
                    listed.add(event.line)
                yield event
            if any(suffix in jsonl.SUFFIXES for suffix in PurePosixPath(file.lower()).suffixes):
                yield from listed.report(file, "written as one list", ".[]")
        case "{":
            row = walk.item()
            key = _find_list(row.fields) if isinstance(row, Row) else None
            if isinstance(row, Row) and key is None:
                yield row
            else:
                stream.seek(begin)
                walk = Walk(Cursor(stream, begin), file)
                yield from walk.object(key, row)
        case _:
            yield walk.refused("neither a list nor an object")
            return
    if walk.whole and walk.cursor.peek():
        yield walk.refused("something follows the end of the list or object")


def _find_list(fields: Mapping[str, Any]) -> str | None:
    """Return the key under which an object holds a list of records; None where there is none."""
    keys = [key for key in fields if key in LISTS] or list(fields)
    list_keys = [
        key for key in keys if isinstance(fields[key], list) and any(isinstance(item, dict) for item in fields[key])
    ]
    return list_keys[0] if len(list_keys) == 1 and (list_keys[0] in LISTS or len(fields) == 1) else None
