"""Our half of reading a large file of JSON lines in pieces, which children read ahead on every core."""

from __future__ import annotations

import os
from bisect import bisect_right
from collections import deque
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

from readback import sandbox
from readback.readers.lines import LONGEST
from readback.records import piece_in_child
from readback.types import DatasetSource

PIECE = 16 << 20  # bytes of one piece
LEAST = 5  # pieces: of fewer, to start children takes as long as they save
ODD = 3  # pieces one after another that had to be read here: then nobody is asked for further ones
LIMITS = sandbox.Limits(total=60.0)


class Pieces:
    """What children read ahead of a file, from the byte `begin` on: a context, which ends them.

    The first piece and the last are for whoever goes through the file: it begins at once, and knows where it ends.
    """

    def __init__(self, path: Path, source: DatasetSource, begin: int, size: int, jobs: int | None = None) -> None:
        """`jobs` children read at once, one on every core where that is None; where it is 1, nobody reads ahead."""
        self._path, self._source = path, source
        self._workers = jobs or os.cpu_count() or 1
        ahead = self._workers > 1 and size - begin >= LEAST * PIECE and not sandbox.inside()
        self._cuts: Sequence[int] = _cuts(path, begin, size) if ahead else ()
        self._left = deque(pairwise(self._cuts))
        self._made: deque[tuple[int, Future[Mapping[str, Any] | None]]] = deque()
        self._odd = 0
        self._threads = ThreadPoolExecutor(self._workers, thread_name_prefix="readback-piece")
        self._ask()

    def __enter__(self) -> Pieces:
        return self

    def __exit__(self, *_: object) -> None:
        self._threads.shutdown(cancel_futures=True)

    def take(self, start: int) -> Mapping[str, Any] | None:
        """What a child told of the piece that begins at this byte, as `piece_in_child.read` tells it; None where it was
        not asked, or where the piece has to be read here. Pieces are taken in their order.
        """
        told = None
        while self._made and self._made[0][0] <= start:
            first, made = self._made.popleft()
            if first == start:
                told = made.result()
                self._odd = 0 if told else self._odd + 1
        self._ask()
        return told

    def until(self, start: int) -> int | None:
        """Where the next piece begins; None where there is none."""
        at = bisect_right(self._cuts, start)
        return self._cuts[at] if at + 1 < len(self._cuts) and self._odd < ODD else None

    def _ask(self) -> None:
        while self._left and len(self._made) <= self._workers and self._odd < ODD:
            start, end = self._left.popleft()
            self._made.append((start, self._threads.submit(self._read, start, end)))

    def _read(self, start: int, end: int) -> Mapping[str, Any] | None:
        asked = piece_in_child.payload(str(self._path), self._source, start, end)
        told: Mapping[str, Any] | None = None
        with suppress(sandbox.Stopped):  # then it is read here, and what is wrong is met here
            for told in sandbox.stream(piece_in_child.WORK, asked, LIMITS, once=True, awaited=True):
                return told
        return told


def _cuts(path: Path, begin: int, size: int) -> list[int]:
    """Where lines begin, about a piece from each other, after the first piece; no child reads from the last on."""
    cuts: list[int] = []
    with path.open("rb") as stream:
        for at in range(begin + PIECE, size, PIECE):
            stream.seek(at)
            line = stream.readline(LONGEST)
            cut = at + len(line)
            if line.endswith(b"\n") and cut < size and (not cuts or cut > cuts[-1]):
                cuts.append(cut)
    return cuts
