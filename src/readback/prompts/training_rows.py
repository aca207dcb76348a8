"""Find the row of a training file that a record was made into: what it asks is the same, or its id is.

The file is read once for each of its states; what is stored of a row are 16 bytes, looked up without the file. A
bounded child finds what was stored before it began.
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
from readback.readers.files import checksum
from readback.readers.files.cache_folder import cache_folder
from readback.readers.files.checksum import State
from readback.readers.files.checksum import state as file_state
from readback.records.dataset import Dataset, DatasetChanged, open_dataset
from readback.records.dataset_index import map_file
from readback.records.fields import row_fields
from readback.records.training import training_reader
from readback.records.training.training_row import QUESTION_COLUMNS, TrainingRow
from readback.types import DatasetSource, Record, Values, Workspace

VERSION = "2"
KEEP = 64  # indexes on disk
FEW = 3  # words of a field that tells what a record is about
ITEM = 8  # bytes of a hash, and of a number


def find_row(workspace: Workspace, record: Record, file: str, sent: str = "") -> tuple[Record, TrainingRow] | None:
    """Find the row of the training file that asks what `record` asks, else the one of its id; None where there is none.

    What is asked is compared without regard to white space, as it is in the record and in the layouts in which the
    prompt formats put it; then the user message that is `sent` for it. Of several rows the first one counts.
    """
    data = _open_training_file(workspace, file)
    if data is None:
        return None
    with contextlib.suppress(DatasetChanged):  # written to meanwhile: the next opening sees it
        index = _get_index(data)
        for text in dict.fromkeys(map(_normalise, (*_list_questions(record.fields), sent))):
            for number in index.find(text) if text else ():
                candidate = data.record(number)
                row = training_reader.read(candidate.fields)
                if row and row.question and _normalise(row.question.text) == text:
                    return candidate, row
        if record.is_called_by_place:
            record_id = None
        else:
            record_id = record.id
        if record_id is not None and data.id_field:
            number_of_id = data.find(record_id)
        else:
            number_of_id = None
        if number_of_id is not None:
            candidate = data.record(number_of_id)
            row = training_reader.read(candidate.fields)
            if row:
                return (candidate, row)
            return None
    return None


def lacks_system_messages(workspace: Workspace, file: str) -> bool:
    """Tell whether the training file holds conversations or prompts, and surely no row has a system message."""
    data = _open_training_file(workspace, file)
    if data is None or data.source is None or data.source.private:  # of private fields no text is counted
        return False
    return bool(data.kinds) and "rag" not in data.kinds and not data.systems.rows


def index_training_files(workspace: Workspace) -> None:
    """Index the training files of all models, for bounded children, which can write nothing."""
    for model in workspace.models.values():
        if model.training_messages:
            data = _open_training_file(workspace, model.training_messages)
        else:
            data = None
        with contextlib.suppress(DatasetChanged):
            if data and data.still_indexed(workspace.root):
                _get_index(data)


def _open_training_file(workspace: Workspace, file: str) -> Dataset | None:
    """Open the training file, once for each of its states; None where it cannot be read or has no rows."""
    if workspace.dataset:
        private = workspace.dataset.private
    else:
        private = ()
    try:
        state = file_state(workspace.root / file)
    except OSError:
        return None
    if workspace.dataset and workspace.dataset.path == file:
        own_dataset = workspace.dataset
    else:
        own_dataset = None
    data = _open_file(workspace.root, file, private, own_dataset.json if own_dataset else None, state)
    if len(data):
        return data
    return None


@lru_cache(maxsize=8)
def _open_file(root: Path, file: str, private: tuple[str, ...], json: tuple[str, ...] | None, state: State) -> Dataset:
    return open_dataset(root, DatasetSource(file, private=private, json=json))


def asks_question(record: Record, row: TrainingRow, sent: str) -> bool:
    """Tell whether a row asks what a record asks, white space aside.

    So it does where its text holds the question or a text of the record, or the user message that is `sent` holds it.
    """
    row_text, sent_text = _normalise(row.question.text) if row.question else "", _normalise(sent)
    if not row_text:
        return False
    fields = (value for value in record.fields.values() if isinstance(value, str) and len(value.split()) >= FEW)
    texts = map(_normalise, (*_list_questions(record.fields), *fields))
    return row_text in sent_text or any(text and text in row_text for text in texts)


def _list_questions(fields: Values) -> Iterator[str]:
    """Yield what a record asks, in the layouts in which it may have been trained on."""
    row = training_reader.read(fields)
    if row and row.question:
        yield row.question.text
    stored = row_fields.read_stored_prompt(fields)
    if stored and isinstance(stored.value, str):
        yield stored.value
    for name in sorted(QUESTION_COLUMNS):
        text = fields.get(name)
        if isinstance(text, str) and text.strip():
            yield from (f"Question: {text} Answer:", text)


class _Hashes:
    """Look up hashes of what rows ask; they are sorted, each with the number of its row."""

    def __init__(self, numbers: memoryview) -> None:
        half = len(numbers) // 2
        self.hashes, self.rows = numbers[:half], numbers[half:]

    def find(self, text: str) -> Iterator[int]:
        """Yield the numbers of the rows that ask a text."""
        wanted = _compute_hash(text)
        at = bisect_left(self.hashes, wanted)
        while at < len(self.hashes) and self.hashes[at] == wanted:
            yield self.rows[at]
            at += 1


def _get_index(data: Dataset) -> _Hashes:
    """Return the index of a training file: stored, else built and stored."""
    key = f"{VERSION}\0{data.path}\0{file_state(data.path)}\0{data.source}"
    digest = hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    path = cache_folder("trained") / digest
    index = _load_index(path)
    if index is None:
        numbers = _build_index(data)
        _store_index(path, numbers)
        _load_index.cache_clear()
        index = _load_index(path) or _Hashes(memoryview(numbers))  # a bounded child may not write
    return index


@lru_cache(maxsize=16)
def _load_index(path: Path) -> _Hashes | None:
    """Load a stored index; None where there is none, or it is damaged."""
    try:
        content = map_file(path)
    except OSError:
        return None
    # A bounded child does not check the checksum: its caller has.
    whole = content[: -checksum.SIZE] if sandbox.is_child() else checksum.strip_checksum(content)
    if whole is not None and len(whole) % (2 * ITEM) == 0:
        return _Hashes(memoryview(whole).cast("Q"))
    return None


def _build_index(data: Dataset) -> array[int]:
    """Build the index: all hashes, then all row numbers, sorted by hash."""
    pairs: list[tuple[int, int]] = []
    for number, record in enumerate(data.records()):
        row = training_reader.read(record.fields)
        if row and row.question:
            text = _normalise(row.question.text)
        else:
            text = ""
        if text:
            pairs.append((_compute_hash(text), number))
    pairs.sort()
    return array("Q", [*(hash_ for hash_, _ in pairs), *(number for _, number in pairs)])


def _store_index(path: Path, numbers: array[int]) -> None:
    """Store an index, and drop the oldest ones."""
    with contextlib.suppress(OSError):
        temporary = path.with_name(f".{path.name}-{os.getpid()}")
        with temporary.open("wb") as out:
            numbers.tofile(out)
            out.write(checksum.compute_digest(memoryview(numbers).cast("B")))
        temporary.rename(path)
        for old in sorted(path.parent.glob("[!.]*"), key=lambda stored: stored.stat().st_mtime)[:-KEEP]:
            old.unlink(missing_ok=True)


def _compute_hash(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=ITEM).digest())


def _normalise(text: str) -> str:
    return " ".join(text.split())
