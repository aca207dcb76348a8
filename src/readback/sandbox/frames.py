"""Write and read the frames between a sandboxed child and its caller: a kind, a length, and JSON or bytes."""

from __future__ import annotations

import json
import socket
import struct
import time
from typing import Any

HEAD = struct.Struct(">cI")
VALUE, FAILED, STOPPED, DONE = b"v", b"e", b"s", b"d"
RAW = b"r"  # how a value of bytes travels
CHUNK = 1 << 18


class Closed(Exception):  # noqa: N818 - outcomes of reading, all three handled by the callers
    """The other side went away in the middle of a conversation."""


class TooLarge(Exception):  # noqa: N818
    """The next frame would exceed what the reader allows."""


class Late(Exception):  # noqa: N818
    """The reader's time is used up."""


def encode(kind: bytes, value: Any) -> bytes:
    """Return one frame, in ASCII JSON, so that lone surrogates travel too; a value of bytes travels as it is."""
    if kind == VALUE and isinstance(value, bytes):
        return HEAD.pack(RAW, len(value)) + value
    body = json.dumps(value, separators=(",", ":")).encode("ascii")
    return HEAD.pack(kind, len(body)) + body


def read(sock: socket.socket, allowed: int, seconds: float | None) -> tuple[bytes, Any, int]:
    """Return the next frame as kind, value and body size; bytes are a VALUE. Raises Closed, TooLarge or Late."""
    if seconds is None:
        until = None
    else:
        until = time.monotonic() + seconds
    kind, size = HEAD.unpack(_receive_exactly(sock, HEAD.size, until))
    if size > allowed:
        raise TooLarge
    body = _receive_exactly(sock, size, until)
    if kind == RAW:
        return (VALUE, body, size)
    return (kind, json.loads(body), size)


def _receive_exactly(sock: socket.socket, size: int, until: float | None) -> bytes:
    parts: list[bytes] = []
    while size:
        if until is not None:
            left = until - time.monotonic()
            if left <= 0:
                raise Late
            sock.settimeout(left)
        try:
            part = sock.recv(min(size, CHUNK))
        except TimeoutError:
            raise Late from None
        except OSError:
            raise Closed from None
        if not part:
            raise Closed
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
