"""Export the index of a dataset as JSON and import it on another machine that has the same file.

That spares the other machine a pass over the whole file.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from readback.readers.files import cache_folder
from readback.readers.files.checksum import State, state
from readback.records.dataset import locate_index
from readback.records.dataset_index import IDS, META, NUMBERS, load, seal
from readback.types import DatasetSource

LEAST = 16 << 20  # bytes of a file; indexing a smaller one is as fast as a transfer
LARGEST = 128 << 20  # bytes of an index: about two million records
NAMES = (NUMBERS, IDS, META)


@dataclass(frozen=True, slots=True)
class MissingIndex:
    """An index that this machine lacks: its file, the state of the file, and the cache entry for the index."""

    path: Path
    state: State
    entry: Path


def export_index(root: Path, source: DatasetSource | None) -> dict[str, str] | None:
    """Return the parts of the index by name, packed; None without an index, or if it exceeds LARGEST."""
    try:
        place = locate_index(root, source)
        if place is None:
            return None
        _, entry = place
        if load(entry) is None:
            return None
        parts = {name: (entry / name).read_bytes() for name in NAMES if (entry / name).exists()}
        if sum(map(len, parts.values())) > LARGEST:
            return None
        return {name: _pack(content) for name, content in parts.items()}
    except OSError:
        return None


def find_missing(root: Path, source: DatasetSource | None) -> MissingIndex | None:
    """Return the index to import; None if there is one, or if indexing the file is as fast."""
    try:
        place = locate_index(root, source)
        if place is None:
            return None
        path, entry = place
        if path.stat().st_size < LEAST or load(entry):
            return None
        return MissingIndex(path, state(path), entry)
    except OSError:
        return None


def import_index(missing: MissingIndex, parts: Mapping[str, Any]) -> bool:
    """Store the exported parts of an index in the cache; return whether the index is there now.

    The caller knows that they describe the file in the state of `missing`. Nothing is stored if the file has changed
    since, or if the parts cannot be read.
    """
    folder = None
    try:
        folder = cache_folder.fresh(missing.entry)
        for name in NAMES:
            if name in parts:
                (folder / name).write_bytes(_unpack(parts[name]))
        seal(folder, missing.path)
        with cache_folder.alone(missing.entry, lambda: None):
            if state(missing.path) == missing.state and load(folder) and not load(missing.entry):
                cache_folder.keep(folder, missing.entry)
    except (OSError, ValueError, TypeError, zlib.error):  # on a full disk, indexing the file reports it
        pass
    finally:
        if folder:
            cache_folder.drop(folder)
    with suppress(OSError):
        return load(missing.entry) is not None
    return False


def _pack(content: bytes) -> str:
    """Return bytes compressed, as a JSON string."""
    return base64.b64encode(zlib.compress(content, 1)).decode("ascii")


def _unpack(text: str) -> bytes:
    return zlib.decompress(base64.b64decode(text))
