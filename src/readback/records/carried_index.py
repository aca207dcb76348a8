"""The index of a dataset for another machine that has the same bytes: who has made it tells it as JSON, and who has not
takes it, in place of reading the whole file once more.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from readback.readers import cache_folder
from readback.readers.file_state import State, state
from readback.records.dataset import place_of_index
from readback.records.dataset_index import IDS, META, NUMBERS, load, seal
from readback.types import DatasetSource

LEAST = 16 << 20  # bytes of a file: a smaller one is read as fast
LARGEST = 128 << 20  # bytes of an index: about two million records
NAMES = (NUMBERS, IDS, META)


@dataclass(frozen=True, slots=True)
class Missing:
    """An index that is not here: of which file, in the state that it had when this was said, and where it will be."""

    path: Path
    seen: State
    entry: Path


def told(root: Path, source: DatasetSource | None) -> dict[str, str] | None:
    """The parts of the index that is here, by name; None where there is none, or one that is too large."""
    try:
        place = place_of_index(root, source)
        if place is None or load(place[1]) is None:
            return None
        parts = {name: (place[1] / name).read_bytes() for name in NAMES if (place[1] / name).exists()}
        return {name: _pack(one) for name, one in parts.items()} if sum(map(len, parts.values())) <= LARGEST else None
    except OSError:
        return None


def missing(root: Path, source: DatasetSource | None) -> Missing | None:
    """The index that would have to be made here; None where there is one, or where it is as quickly made as taken."""
    try:
        place = place_of_index(root, source)
        if place is None or place[0].stat().st_size < LEAST or load(place[1]):
            return None
        return Missing(place[0], state(place[0]), place[1])
    except OSError:
        return None


def take(wanted: Missing, parts: Mapping[str, Any]) -> bool:
    """Keep an index as it was told, of bytes that are known to be those of the file in the state of `wanted`. Answers
    whether it is there now: it is not where the file is another meanwhile, or where there is no sense in what was told.
    """
    made = None
    try:
        made = cache_folder.fresh(wanted.entry)
        for name in [one for one in NAMES if one in parts]:
            (made / name).write_bytes(_unpack(parts[name]))
        seal(made, wanted.path)
        with cache_folder.alone(wanted.entry, lambda: None):
            if state(wanted.path) == wanted.seen and load(made) and not load(wanted.entry):
                cache_folder.keep(made, wanted.entry)
    except (OSError, ValueError, TypeError, zlib.error):  # a full disk, too: who makes the index says so
        pass
    finally:
        if made:
            cache_folder.drop(made)
    with suppress(OSError):
        return load(wanted.entry) is not None
    return False


def _pack(content: bytes) -> str:
    """Return bytes as a JSON value, in few letters where they are alike."""
    return base64.b64encode(zlib.compress(content, 1)).decode("ascii")


def _unpack(text: str) -> bytes:
    return zlib.decompress(base64.b64decode(text))
