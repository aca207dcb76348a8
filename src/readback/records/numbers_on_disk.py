"""Numbers that come by the million: where each record of a file begins and ends, and its line; or hashes."""

from __future__ import annotations

import os
from abc import abstractmethod
from array import array
from collections.abc import Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryFile
from typing import overload

BLOCK = 1 << 13  # numbers in memory, 64 KB
SIZE = 8  # bytes of one


class Numbers(Sequence[int]):
    """Of 64 bits, read where they are asked for. A slice is an array: of a step other than 1 there is none."""

    @overload
    def __getitem__(self, at: int) -> int: ...
    @overload
    def __getitem__(self, at: slice) -> array[int]: ...
    def __getitem__(self, at: int | slice) -> int | array[int]:
        if isinstance(at, slice):
            start, stop, step = at.indices(len(self))
            if step != 1:
                raise ValueError("numbers on disk have slices without steps only")
            return self._read(start, max(start, stop))
        place = range(len(self))[at]
        return self._read(place, place + 1)[0]

    @abstractmethod
    def _read(self, start: int, stop: int) -> array[int]: ...


class NumbersOnDisk(Numbers):
    """The last ones in memory, those before in a file without a name. Raises OSError where it has no room."""

    def __init__(self, folder: Path | None = None) -> None:
        """`folder`: where the file is; None: where temporary files are."""
        self._folder = folder
        self._last: array[int] = array("q")
        self._file: int | None = None
        self._written = 0

    def __del__(self) -> None:
        if self._file is not None:
            os.close(self._file)

    def __len__(self) -> int:
        return self._written + len(self._last)

    def append(self, number: int) -> None:
        self._last.append(number)
        if len(self._last) >= BLOCK:
            self.put_away()

    def extend(self, numbers: Iterable[int]) -> None:
        self._last.extend(numbers)
        if len(self._last) >= BLOCK:
            self.put_away()

    def _read(self, start: int, stop: int) -> array[int]:
        found: array[int] = array("q")
        if self._file is not None and start < self._written:
            found.frombytes(os.pread(self._file, (min(stop, self._written) - start) * SIZE, start * SIZE))
        found += self._last[max(start - self._written, 0) : max(stop - self._written, 0)]
        return found

    def put_away(self) -> None:
        """Hold nothing in memory."""
        if self._file is None:
            with TemporaryFile(dir=self._folder) as file:
                self._file = os.dup(file.fileno())
        with open(self._file, "ab", closefd=False) as out:
            self._last.tofile(out)
        self._written += len(self._last)
        self._last = array("q")
