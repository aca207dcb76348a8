"""What whoever opens a workspace chooses of its data: the id column, the encoding, which numbers are scores."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Literal

from readback.readers.files.decoding import ENCODINGS
from readback.readers.files.paths import resolve
from readback.readers.files.row import Row
from readback.records.raw_rows import read_raw_rows
from readback.records.record_ids import CANDIDATES
from readback.types import Criterion, DatasetSource, Diagnostic
from readback.workspace.draft import Draft
from readback.workspace.recognise import ID

# Keys of what whoever opens a workspace chooses; the id is also proposed under its key.
ID_KEY, ENCODING_KEY, TABLE_KEY = "id", "encoding", "table"
NUMBERS_KEY = "numbers"  # CRITERION=failed:-1,99 a line
ROWS = 200  # rows that are looked at
ID_NAME = re.compile(
    r"(?:^|[\W_])(?:id|ids|nr|no|num|number|nummer|numero|numéro|n°|key|code|uuid|guid|case|item|record|ref|index)"
    r"(?:$|[\W_])",
    re.IGNORECASE,
)
CAMEL_ID_NAME = re.compile(r"[a-z](?:Id|ID|No|Nr|Key)$")
ID_VALUE = re.compile(  # what a program or a filing system numbers: A-17, q0042, a UUID
    r"(?:[A-Za-z]{1,8}[-_#/.]?\d{1,12})|(?:[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12})"
)
Meaning = Literal["failed", "scores"]
MEANINGS: tuple[Meaning, ...] = ("failed", "scores")


def propose_id(draft: Draft) -> None:
    """Take the id that was chosen; propose a column where the records have no id, which somebody may confirm."""
    source = draft.dataset
    if source is None or source.absent or source.id is not None:
        return
    if draft.chosen.get(ID_KEY):
        draft.dataset = replace(source, id=draft.chosen[ID_KEY])
        return
    rows = read_first_rows(draft, source)
    if not rows or any(2 * sum(bool(row.get(name)) for row in rows) >= len(rows) for name in CANDIDATES):
        return
    likeliest = next(list_id_columns(rows, source.private), None)
    if likeliest is not None:
        draft.alternatives[ID_KEY] = (likeliest,)


def list_id_columns(rows: Sequence[Mapping[str, Any]], private: Sequence[str] = ()) -> Iterator[str]:
    """Yield the columns that may be the id, the likeliest first: short, different in every row, and called like one;
    then those whose values look like one.
    """
    distinct = [name for name in rows[0] if name not in private and _is_distinct([row.get(name) for row in rows])]
    named = [name for name in distinct if _is_id_name(name)]
    yield from named
    for name in distinct:
        if name not in named and all(ID_VALUE.fullmatch(str(row[name])) for row in rows):
            yield name


def read_first_rows(draft: Draft, source: DatasetSource) -> list[Mapping[str, Any]]:
    """Return the fields of the first rows of a dataset; none where it cannot be read."""
    path = resolve(draft.root, source.path)
    if isinstance(path, Diagnostic) or not path.is_file():
        return []
    rows = read_raw_rows(path, source.path, source.format, enough=ROWS, encoding=source.encoding, table=source.table)
    return list(islice((row.fields for row in rows if isinstance(row, Row)), ROWS))


def _is_id_name(name: str) -> bool:
    return bool(ID_NAME.search(name.strip()) or CAMEL_ID_NAME.search(name.strip()))


def _is_distinct(values: Sequence[Any]) -> bool:
    """Return whether each value is a short text or a whole number, and none of them is there twice."""
    if not all(isinstance(value, str | int) and not isinstance(value, bool) for value in values):
        return False
    texts = [str(value) for value in values]
    if not all(text.strip() and len(text) <= ID for text in texts):
        return False
    return len(texts) > 1 and len(set(texts)) == len(texts)


def apply_encoding(draft: Draft) -> None:
    """Read the dataset in the encoding that was chosen, whatever its workspace file states."""
    encoding = draft.chosen.get(ENCODING_KEY)
    if draft.dataset and encoding in ENCODINGS:
        draft.dataset = replace(draft.dataset, encoding=encoding)


def apply_table(draft: Draft) -> None:
    """Read the sheet or table of the dataset that was chosen, whatever its workspace file names."""
    table = draft.chosen.get(TABLE_KEY)
    if draft.dataset and table:
        draft.dataset = replace(draft.dataset, table=table)


def find_encoding(draft: Draft) -> str | None:
    """Return the encoding that is chosen or stated for the dataset, before all of its workspace is read."""
    chosen = draft.chosen.get(ENCODING_KEY)
    if chosen in ENCODINGS:
        return chosen
    if draft.dataset:
        return draft.dataset.encoding
    return None


@dataclass(frozen=True, slots=True)
class NumberMeaning:
    """What somebody said of the numbers of one criterion: that they stand for no score, or that they are scores."""

    criterion: str
    meaning: Meaning
    numbers: tuple[float, ...]

    @property
    def line(self) -> str:
        """The choice as the address has it."""
        return f"{self.criterion}={self.meaning}:{','.join(f'{number:g}' for number in self.numbers)}"


def read_number_meanings(text: str | None) -> Iterator[NumberMeaning]:
    """Yield what the lines of a choice say; a line that says nothing is passed over."""
    for line in (text or "").split("\n"):
        criterion, equals, rest = line.rpartition("=")
        meaning, colon, listed = rest.partition(":")
        numbers = tuple(_read_numbers(listed.split(",")))
        for word in MEANINGS:
            if equals and colon and criterion and numbers and meaning == word:
                yield NumberMeaning(criterion, word, numbers)


def apply_number_meanings(draft: Draft) -> None:
    """Put what was chosen into the criteria, beside what the workspace file says of them."""
    for choice in read_number_meanings(draft.chosen.get(NUMBERS_KEY)):
        criterion = draft.criteria.get(choice.criterion, Criterion(choice.criterion))
        if choice.meaning == "failed":
            criterion = replace(criterion, failed=(*criterion.failed, *choice.numbers))
        else:
            criterion = replace(criterion, scores=(*criterion.scores, *choice.numbers))
        draft.criteria[choice.criterion] = criterion


def _read_numbers(texts: Iterable[str]) -> Iterator[float]:
    for text in texts:
        try:
            value = float(text)
        except ValueError:
            continue
        if abs(value) < 1e15:
            yield value
