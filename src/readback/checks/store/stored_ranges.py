"""Store what children find in ranges of records, so that a check goes on where it was killed, and after a change of the
dataset only the ranges that are new are worked out.

An answer is named by the content of its records and by all that it depends on beside them. Nothing is stored of a range
that stopped a child, in which a rule failed or a limit was met.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from functools import cached_property
from posixpath import normpath
from threading import Lock
from typing import Any

from readback import as_json
from readback.checks.store import answer_names, answer_store, finding_lines
from readback.checks.store.answer_names import States
from readback.checks.store.answer_store import AnswerStore
from readback.checks.summary import LIMIT
from readback.prompts import model_input
from readback.prompts.self_tests import summarise_for_child
from readback.readers.files.checksum import Hashes
from readback.readers.files.paths import format_relative
from readback.records.dataset import Dataset, DatasetChanged
from readback.records.files_of_rows import list_row_files
from readback.sandbox.json_values import freeze
from readback.types import Selection, Workspace

SLOW = 1.0  # seconds after which the answers of a check are worth storing
WAITING = 64  # ranges that wait for that

Frames = Iterable[Mapping[str, Any]]


class StoredRanges:
    """The ranges of one dataset. Safe to use from several threads."""

    def __init__(
        self,
        opened: Workspace,
        data: Dataset,
        codes: Collection[str] | None,
        files: States,
        store: AnswerStore,
        hashes: Hashes,
    ) -> None:
        """`files`: the states of all files of the workspace's folder when the check began."""
        self._opened, self._data, self._codes, self._files = opened, data, codes, files
        self._store, self._hashes = store, hashes
        self._lock = Lock()
        self._began = time.monotonic()
        self._waiting: list[tuple[str, list[bytes]]] = []

    def answer(
        self, start: int, stop: int, choices: Sequence[Selection], work: Callable[[], Frames]
    ) -> Iterator[Mapping[str, Any]]:
        """Yield the stored frames of a range under these choices, or those of `work`, and store them."""
        name = self._name_range(start, stop, choices)
        frames = self._read(name) if name else None
        if frames is not None:
            yield from frames
            return
        packed: list[bytes] = []
        records = 0
        can_store = True
        for frame in work():
            records += len(frame["indices"])
            can_store = can_store and not _has_fault_or_limit(frame)
            if name and can_store:
                packed.append(zlib.compress(as_json.pack(frame), 1))
            yield frame
        if name and can_store and records == stop - start:
            self._write(name, packed)

    def _read(self, name: str) -> list[Mapping[str, Any]] | None:
        if self._data.written:  # nothing is known of a file that was written to: a child says what became of it
            return None
        pieces = self._store.read(name)
        if pieces is None:
            return None
        try:
            return [as_json.unpack(zlib.decompress(piece)) for piece in pieces]
        except (zlib.error, ValueError):
            return None

    def _write(self, name: str, packed: list[bytes]) -> None:
        """Store an answer as soon as the check turns out to be a slow one, while all files are what they were."""
        with self._lock:
            self._waiting.append((name, packed))
            if time.monotonic() - self._began <= SLOW and len(self._waiting) < WAITING:
                return
            waiting, self._waiting = self._waiting, []
        if time.monotonic() - self._began > SLOW and self._is_unchanged():
            for ready, pieces in waiting:
                self._store.write(ready, pieces)

    def _is_unchanged(self) -> bool:
        return answer_names.list_files(self._opened.root) == self._files and not self._data.written

    def _name_range(self, start: int, stop: int, choices: Sequence[Selection]) -> str | None:
        try:
            records = self._data.digest(start, stop)
        except DatasetChanged:  # a child says so, too
            return None
        about = self._about
        if about is None:
            return None
        return answer_names.digest(["range", records, about, [asdict(choice) for choice in choices]])

    @cached_property
    def _about(self) -> str | None:
        """Everything that an answer depends on but the records and the choices; None where a file is gone."""
        opened = self._opened
        dated = replace(opened, today=model_input.resolve_today(opened))  # templates may print it
        if reads_other_records(opened):
            own = set()
        else:
            own = {format_relative(opened.root, self._data.path)}
        others = {name: state for name, state in self._files.items() if name not in own}
        if self._codes is None:
            codes = None
        else:
            codes = sorted(self._codes)
        with suppress(OSError):
            content = answer_names.digest_content(opened.root, others, self._hashes)
            about = [answer_names.list_versions(), freeze(dated), content, summarise_for_child(opened), codes]
            return answer_names.digest_in_order(about)
        return None


def open_ranges(opened: Workspace, data: Dataset, codes: Collection[str] | None, hashes: Hashes) -> StoredRanges | None:
    """Return the ranges of the check of a dataset, for the rules of `codes`; None where nothing can be stored."""
    if opened.dataset is None or not len(data) or not answer_names.can_name(opened):
        return None
    files = answer_names.list_files(opened.root)
    if files is None or format_relative(opened.root, data.path) not in files:
        return None
    store = answer_store.open_store()
    if store is None:
        return None
    return StoredRanges(opened, data, codes, files, store, hashes)


def reads_other_records(opened: Workspace) -> bool:
    """Return whether what is found in a record may depend on other records of the dataset.

    It does where its rows are looked for by what they ask (training) or by their ids (logged requests), and where
    another part of the workspace, answers say, names its file, too.
    """
    trained = any(model.training_messages for model in opened.models.values())
    named = opened.dataset is not None and normpath(opened.dataset.path) in list_row_files(
        replace(opened, dataset=None)
    )
    return bool(opened.training or opened.sent or trained or named)


def _has_fault_or_limit(frame: Mapping[str, Any]) -> bool:
    if frame.get("faults"):
        return True
    for _, lines in frame.get("findings", ()):
        for line in lines:
            if LIMIT in line and finding_lines.read_line(line).code == LIMIT:
                return True
    return False
