"""Unpack and parse what a store keeps, within limits: a few kilobytes may claim to be gigabytes."""

from __future__ import annotations

import json
import zlib
from typing import Any

FLOOR = 32 << 20  # bytes that any kept text may come to
RATIO = 16  # times its packed size that a larger one may come to; fingerprints and messages shrink to a third at most
CEILING = 512 << 20  # bytes that no kept text may exceed
PARTS = 2_000_000  # values in one JSON text: each takes tens of bytes of memory, however short it is written
DEPTH = 200  # brackets inside one another: the parser and every reader of the value follow them by recursion


class NotKeptError(ValueError):
    """A kept text is damaged or beyond its limits; the text says which."""


def compute_room(packed: bytes) -> int:
    """Answer how many bytes a packed text may unpack to."""
    return min(CEILING, max(FLOOR, RATIO * len(packed)))


def unpack(packed: bytes) -> bytes:
    """Unpack a text that zlib packed. Raises NotKeptError where it is damaged, or larger than `room` allows."""
    most = compute_room(packed)
    unpacker = zlib.decompressobj()
    try:
        raw = unpacker.decompress(packed, most + 1)
    except zlib.error:
        raise NotKeptError("it is damaged") from None
    if len(raw) > most:
        raise NotKeptError(f"it unpacks to more than {most >> 20} MiB")
    if not unpacker.eof:
        raise NotKeptError("its end is missing")
    return raw


def parse(raw: bytes | str) -> Any:
    """Parse JSON of at most PARTS values, DEPTH deep. Raises NotKeptError."""
    if isinstance(raw, str):
        text = raw.encode("utf-8", "surrogatepass")
    else:
        text = raw
    if sum(text.count(sign) for sign in (b",", b"[", b"{")) > PARTS:
        raise NotKeptError(f"it holds more than {PARTS:,} values")
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError):
        raise NotKeptError("it is not JSON that can be read") from None
    if _is_deeper(value, DEPTH):
        raise NotKeptError(f"its brackets are more than {DEPTH} deep")
    return value


def _is_deeper(value: Any, left: int) -> bool:
    """Return whether lists and objects lie deeper inside one another; level by level, not by recursion."""
    level = [value]
    for _ in range(left):
        inner: list[Any] = []
        for container in level:
            if isinstance(container, dict):
                inner.extend(each for each in container.values() if isinstance(each, (dict, list)))
            elif isinstance(container, list):
                inner.extend(each for each in container if isinstance(each, (dict, list)))
        if not inner:
            return False
        level = inner
    return True
