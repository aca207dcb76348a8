"""Keep the bodies of requests, byte for byte, as lines of JSON that only their owner may read.

    {"tap": 1, "index": 0, "url": "/v1/chat/completions", "body": {…}}

`body` is what the program sent; the line ends of a body over several lines become blanks, which mean the same in JSON.
A body that is no JSON stands as a text under `text`. The query of the address is left out, for it may hold a key.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

VERSION = 1
OWNER_ONLY = 0o600


class RequestFile:
    """A new file of requests. Raises FileExistsError where there is one, OSError where it cannot be made."""

    def __init__(self, path: Path) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0)
        self._stream = os.fdopen(os.open(path, flags, OWNER_ONLY), "wb", buffering=0)
        self.count = 0

    def add(self, path: str, body: bytes) -> int:
        """Write one request at once, so that it is there whatever becomes of the program; return its number."""
        number = self.count
        head = f'{{"tap": {VERSION}, "index": {number}, "url": {json.dumps(path)}'.encode()
        self._stream.write(head + b", " + _format_body(body) + b"}\n")
        self.count += 1
        return number

    def close(self) -> None:
        """Close the file."""
        self._stream.close()


def _format_body(body: bytes) -> bytes:
    try:
        json.loads(body.decode("utf-8"))
    except (ValueError, RecursionError):
        return b'"text": ' + json.dumps(body.decode("utf-8", "surrogateescape")).encode()
    return b'"body": ' + body.strip().replace(b"\r", b" ").replace(b"\n", b" ")
