"""What a folder holds, in a few words, so that it is known again when it was renamed: a disk uses its numbers anew."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from readback.readers.paths import format_relative, list_files

FILES = 50  # files that are remembered
BEGINNING = 64 << 10  # bytes of each of them
SHARE = 0.5  # of the remembered files that have to be there as they were


def describe(root: Path) -> str:
    """The first files of a folder, each with a digest of its size and its beginning, as JSON."""
    found = {
        format_relative(root, path): digest for path in list_files(root).files[:FILES] if (digest := _digest(path))
    }
    return json.dumps(found, ensure_ascii=True, separators=(",", ":"), sort_keys=True)


def is_same(root: Path, described: str | None) -> bool | None:
    """Whether most of the files that were described are in a folder as they were; None where nothing was described."""
    try:
        there = json.loads(described) if described else None
    except (ValueError, RecursionError):
        there = None
    if not isinstance(there, dict) or not there:
        return None
    names = [name for name in list(there)[:FILES] if ".." not in Path(name).parts and not Path(name).is_absolute()]
    return bool(sum(_digest(root / name) == there[name] for name in names) >= SHARE * len(there))


def _digest(path: Path) -> str | None:
    try:
        with path.open("rb") as file:
            beginning = file.read(BEGINNING)
        return hashlib.sha256(b"%d " % path.stat().st_size + beginning).hexdigest()[:24]
    except (OSError, ValueError):
        return None
