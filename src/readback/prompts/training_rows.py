"""Find the row of a training file that a record was made into: what it asks is the same, or its id is.

The file is read once for each of its states; what is kept of a row are 16 bytes, looked up without the file. A bounded
child finds what was kept before it began.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from array import array
from bisect import bisect_left
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from readback import sandbox
from readback.readers import checksum
from readback.readers.cache_folder import cache_folder
from readback.readers.file_state import State
from readback.readers.file_state import state as file_state
from readback.records import row_fields, training_reader
from readback.records.dataset import Dataset, DatasetChanged, open_dataset
from readback.records.dataset_index import map_file
from readback.records.training_row import QUESTION_COLUMNS, TrainingRow
from readback.types import DatasetSource, Record, Values, Workspace

VERSION = "2"
KEEP = 64  # indexes on disk
FEW = 3  # words of a field that tells what a record is about
ITEM = 8  # bytes of a hash, and of a number


def find_row(workspace: Workspace, record: Record, file: str, sent: str = "") -> tuple[Record, TrainingRow] | None:
    """The row of the training file that asks what `record` asks, else the one of its id; None where there is none.

    What is asked is compared without regard to white space, as it is in the record and in the layouts in which
    the prompt formats put it; then the user message that is `sent` for it. Of several rows the first one counts.
    """
    if (data := _open_training_file(workspace, file)) is None:
        return None
    with contextlib.suppress(DatasetChanged):  # written to meanwhile: the next opening sees it
        index = _index(data)
        for text in dict.fromkeys(map(_normalise, (*_list_questions(record.fields), sent))):
            for number in index.find(text) if text else ():
                found = data.record(number)
                row = training_reader.read(found.fields)
                if row and row.question and _normalise(row.question.text) == text:
                    return found, row
        own = None if record.is_called_by_place else record.id
        if own is not None and data.id_field and (same := data.find(own)) is not None:
            found = data.record(same)
            row = training_reader.read(found.fields)
            return (found, row) if row else None
    return None


def lacks_system_messages(workspace: Workspace, file: str) -> bool:
    """Whether the training file holds conversations or prompts, and surely none of its rows has a system message."""
    data = _open_training_file(workspace, file)
    if data is None or data.source is None or data.source.private:  # of private fields no text is counted
        return False
    return bool(data.kinds) and "rag" not in data.kinds and not data.systems.rows


def index_training_files(workspace: Workspace) -> None:
    """Read the training files of all models, for bounded children, which can keep nothing."""
    for model in workspace.models.values():
        data = _open_training_file(workspace, model.training_messages) if model.training_messages else None
        with contextlib.suppress(DatasetChanged):
            if data and data.still_indexed(workspace.root):
                _index(data)


def _open_training_file(workspace: Workspace, file: str) -> Dataset | None:
    """The training file, opened once for each of its states."""
    private = workspace.dataset.private if workspace.dataset else ()
    try:
        now = file_state(workspace.root / file)
    except OSError:
        return None
    own = workspace.dataset if workspace.dataset and workspace.dataset.path == file else None
    data = _open_file(workspace.root, file, private, own.json if own else None, now)
    return data if len(data) else None


@lru_cache(maxsize=8)
def _open_file(root: Path, file: str, private: tuple[str, ...], json: tuple[str, ...] | None, state: State) -> Dataset:
    return open_dataset(root, DatasetSource(file, private=private, json=json))


def asks_question(record: Record, row: TrainingRow, sent: str) -> bool:
    """Whether a row asks what a record asks, white space aside: its text holds the question or a text of the record, or
    the user message that is `sent` holds it.
    """
    row_text, sent_text = _normalise(row.question.text) if row.question else "", _normalise(sent)
    if not row_text:
        return False
    fields = (value for value in record.fields.values() if isinstance(value, str) and len(value.split()) >= FEW)
    texts = map(_normalise, (*_list_questions(record.fields), *fields))
    return row_text in sent_text or any(text and text in row_text for text in texts)


def _list_questions(fields: Values) -> Iterator[str]:
    """What a record asks, in the layouts in which it may have been trained on."""
    row = training_reader.read(fields)
    if row and row.question:
        yield row.question.text
    stored = row_fields.read_stored_prompt(fields)
    if stored and isinstance(stored.value, str):
        yield stored.value
    for name in sorted(QUESTION_COLUMNS):
        if isinstance(text := fields.get(name), str) and text.strip():
            yield from (f"Question: {text} Answer:", text)


class _Hashes:
    """Hashes of what rows ask, sorted, and the number of the row of each."""

    def __init__(self, numbers: memoryview) -> None:
        half = len(numbers) // 2
        self.hashes, self.rows = numbers[:half], numbers[half:]

    def find(self, text: str) -> Iterator[int]:
        wanted = _compute_hash(text)
        at = bisect_left(self.hashes, wanted)
        while at < len(self.hashes) and self.hashes[at] == wanted:
            yield self.rows[at]
            at += 1


def _index(data: Dataset) -> _Hashes:
    about = f"{VERSION}\0{data.path}\0{file_state(data.path)}\0{data.source}"
    mark = hashlib.blake2b(about.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    kept = cache_folder("trained") / mark
    if (found := _load_index(kept)) is None:
        made = _build_index(data)
        _store_index(kept, made)
        _load_index.cache_clear()
        found = _load_index(kept) or _Hashes(memoryview(made))  # a bounded child may not write
    return found


@lru_cache(maxsize=16)
def _load_index(kept: Path) -> _Hashes | None:
    try:
        held = map_file(kept)
    except OSError:
        return None
    whole = held[: -checksum.SIZE] if sandbox.is_child() else checksum.checked(held)  # a child's caller has checked it
    return _Hashes(memoryview(whole).cast("Q")) if whole is not None and len(whole) % (2 * ITEM) == 0 else None


def _build_index(data: Dataset) -> array[int]:
    pairs: list[tuple[int, int]] = []
    for number, record in enumerate(data.records()):
        row = training_reader.read(record.fields)
        if row and row.question and (text := _normalise(row.question.text)):
            pairs.append((_compute_hash(text), number))
    pairs.sort()
    return array("Q", [*(one for one, _ in pairs), *(number for _, number in pairs)])


def _store_index(kept: Path, made: array[int]) -> None:
    with contextlib.suppress(OSError):
        new = kept.with_name(f".{kept.name}-{os.getpid()}")
        with new.open("wb") as out:
            made.tofile(out)
            out.write(checksum.compute_digest(memoryview(made).cast("B")))
        new.rename(kept)
        for old in sorted(kept.parent.glob("[!.]*"), key=lambda path: path.stat().st_mtime)[:-KEEP]:
            old.unlink(missing_ok=True)


def _compute_hash(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=ITEM).digest())


def _normalise(text: str) -> str:
    return " ".join(text.split())
