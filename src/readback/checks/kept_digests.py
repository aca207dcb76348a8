"""The digests of ranges of records, kept by the hashes of the parts of their file.

To keep an answer, a file is hashed in parts of 64 MiB; to name what is kept of ranges, each of them would be hashed,
too. Where a part of the file is what it was, the digests of the ranges in it are as well: then it is hashed once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from threading import Lock
from typing import Any

from readback.readers.checksum import PART, Hashes
from readback.readers.file_state import state
from readback.records.dataset import Dataset


class KeptDigests:
    """Of one dataset. Safe to use from several threads."""

    def __init__(self, data: Dataset, hashes: Hashes, known: Mapping[str, Any]) -> None:
        """`known`: the digests of an earlier check, by their names (`_name`)."""
        self._data, self._hashes, self._known = data, hashes, known
        self._lock = Lock()
        self._made: dict[tuple[int, int], str] = {}
        self._names: dict[tuple[int, int], str] = {}

    @property
    def any(self) -> bool:
        """Whether an earlier check knew any."""
        return bool(self._known)

    def of(self, start: int, stop: int) -> str:
        """The digest of a range. Raises DatasetChanged."""
        if (digest := self._made.get((start, stop))) is None:
            digest = self._kept(start, stop) or self._data.digest(start, stop)
            self._made[start, stop] = digest
        return digest

    def others(self, spans: Sequence[tuple[int, int]]) -> Sequence[tuple[int, int]]:
        """Those of these ranges whose digest is not known from earlier, without a look at their records."""
        self._made |= {span: digest for span in spans if (digest := self._kept(*span))}
        return [span for span in spans if span not in self._made]

    def _kept(self, start: int, stop: int) -> str:
        made = self._known.get(self._name(start, stop)) if self._known else None
        return made if isinstance(made, str) else ""

    def new(self) -> dict[str, str] | None:
        """All that are known now, by their names; None where an earlier check knew them, or where they have none."""
        made = {self._name(*span): digest for span, digest in sorted(self._made.items())}
        return None if "" in made or made.keys() <= self._known.keys() else made

    def _name(self, start: int, stop: int) -> str:
        """What a digest is known by; nothing where the file is another by now, or is not read as it is."""
        with self._lock:
            sums = self._sums
        if (name := self._names.get((start, stop))) is None:
            name = self._data.digest_name(start, stop, PART, sums) if sums else ""
            self._names[start, stop] = name
        return name

    @cached_property
    def _sums(self) -> list[str]:
        """Of the parts of the file that the dataset has open."""
        data = self._data
        try:
            size = state(data.path).size
            made = self._hashes.of_parts([(data.path, at, at + PART) for at in range(0, size, PART)])
            return made if data.is_at_its_path else []
        except OSError:
            return []
