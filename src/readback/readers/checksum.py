"""The checksum of what is kept on disk between runs: damaged bytes are made again from their source, never believed."""

from __future__ import annotations

import hashlib
from pathlib import Path

SIZE = 16  # bytes


def of(content: bytes | memoryview) -> bytes:
    """16 bytes of BLAKE2b over the content (RFC 7693): a change that nobody means is found, whatever it is."""
    return hashlib.blake2b(content, digest_size=SIZE).digest()


def of_file(path: Path) -> str:
    """The same over a file's bytes, in hex. Raises OSError."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=SIZE)).hexdigest()


def checked(content: bytes | memoryview) -> bytes | memoryview | None:
    """What is before a checksum at the end of the content; None where it is not the checksum of that."""
    body = content[:-SIZE]
    return body if len(content) >= SIZE and of(body) == bytes(content[-SIZE:]) else None
