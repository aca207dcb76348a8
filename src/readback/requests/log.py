"""Index the logged requests of a workspace by condition, judge and record."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

from readback.prompts.selections import list_selections
from readback.readers.files import checksum
from readback.readers.files.bounded_diagnostics import BoundedDiagnostics, about, as_json, from_json
from readback.readers.files.cache_folder import cache_folder
from readback.readers.files.paths import resolve
from readback.readers.files.progress import Cancelled, Progress
from readback.readers.files.row import Row
from readback.readers.logs.decode import DecodedLog, decode
from readback.readers.logs.formats import find_format
from readback.records.dataset import Dataset, DatasetChanged, open_dataset
from readback.records.raw_rows import read_raw_rows
from readback.records.replies import batch_replies
from readback.records.replies.logged_calls import CALLS, KEY
from readback.requests.keys import Key
from readback.requests.log_names import LogNames, Matched
from readback.requests.request import Request, find_result, read_call, read_request
from readback.requests.row_names import RowNames, find_marks_of_judges
from readback.types import DatasetSource, Diagnostic, Location, Record, Workspace

# Columns of a table that are what was sent, even where it is JSON.
TEXT_COLUMNS = ("prompt", "system", "instructions", "input")
ID_CODES = ("dat-missing-id", "dat-duplicate-id")  # a log need not have ids
MOST_REPEATS = 8  # requests of one record and condition that are compared; retries are mostly equal
STEP = 1_000  # rows between two looks at whether to go on
MOST_OF_LOG = 64  # the same in a log of another tool, where one prompt may go to many providers
MOST_INDEXES = 64  # on disk
FIRST_ROWS = 5  # that tell whether requests are those of an export
READBACK = "readback_export"  # the format of Readback's own export, whose rows name everything themselves
VERSION = "9"


_Index = tuple[Mapping[Key, tuple[tuple[int, int], ...]], tuple[Diagnostic, ...], tuple[Matched, ...]]


@dataclass(frozen=True, slots=True)
class Logged:
    """One logged request and where it is."""

    request: Request
    place: Location


@dataclass(frozen=True, slots=True, eq=False)
class Log:
    """All logged requests; a row is read from disk when it is needed. `rows` counts them, matched or not.

    `matched` says of each log of another tool by which signs it belongs to the workspace.
    """

    files: tuple[Dataset, ...] = ()
    places: Mapping[Key, tuple[tuple[int, int], ...]] | None = None
    rows: int = 0
    diagnostics: tuple[Diagnostic, ...] = ()
    matched: tuple[Matched, ...] = ()

    def get(self, condition: str, record: str, judge: str = "") -> tuple[Logged, ...]:
        """Return the requests for a record under a condition, or those of the judge of its answer, in file order.

        Retries make several.
        """
        return tuple(self._read((self.places or {}).get(Key(condition, judge, record), ())))

    def _read(self, positions: Sequence[tuple[int, int]]) -> Iterator[Logged]:
        for file, index in positions:
            with contextlib.suppress(DatasetChanged):  # written to meanwhile: the next opening sees it
                dataset = self.files[file]
                row = dataset.record(index)
                if dataset.format == CALLS:
                    request: Request | str = read_call(row.fields)
                    line = row.fields.get("line") or row.place.line
                else:
                    request, line = read_request(row.fields), row.place.line
                if isinstance(request, Request):
                    yield Logged(request, Location(file=row.place.file, line=line))


def open_log(workspace: Workspace, records: Dataset, progress: Progress | None = None) -> Log:
    """Return the log of a workspace whose dataset is `records`; it is indexed once for each state of the files.

    Every row is matched or noted. Raises Cancelled when `progress` returns False.
    """
    if not workspace.sent:
        return Log()
    if workspace.dataset:
        private = workspace.dataset.private
    else:
        private = ()
    logs = {name: decoded for name in workspace.sent if (decoded := _decode_log(workspace, name)) is not None}
    sources = (_choose_source(name, private, name in logs) for name in workspace.sent)
    files = tuple(open_dataset(workspace.root, source, progress, growing=True) for source in sources)
    path = cache_folder("observed") / f"{_hash_state(workspace, records, files)}.json"
    index = _load(path) or _store(path, *_build_index(workspace, records, files, logs, progress))
    places, diagnostics, matched = index
    file_diagnostics = [
        diagnostic
        for file in files
        for diagnostic in file.diagnostics
        if about(diagnostic) not in ID_CODES and not _is_about_private(diagnostic, private)
    ]
    return Log(files, places, sum(map(len, files)), (*file_diagnostics, *diagnostics), matched)


def _decode_log(workspace: Workspace, name: str) -> DecodedLog | None:
    """Return the log of another tool that a file is; None for rows that name their record and condition themselves."""
    path = resolve(workspace.root, name)
    if isinstance(path, Diagnostic) or not path.is_file():
        return None
    log_format = find_format(path)
    is_ours = log_format is not None and (log_format.is_dataset or log_format.key == READBACK)
    if log_format is None or is_ours or _names_our_requests(path):  # rows that name record and condition themselves
        return None
    with contextlib.suppress(OSError):
        return decode(path, name)
    return None


def _names_our_requests(path: Path) -> bool:
    """Tell whether a file of requests names records and conditions by the ids that Readback exports."""
    rows = islice(read_raw_rows(path, path.name, enough=FIRST_ROWS), FIRST_ROWS)
    return batch_replies.is_exported([row.fields for row in rows if isinstance(row, Row)])


def _choose_source(name: str, private: tuple[str, ...], is_log: bool) -> DatasetSource:
    if is_log:
        return DatasetSource(name, format=CALLS, id=KEY)
    return DatasetSource(name, private=private, text=TEXT_COLUMNS)


def _build_index(
    workspace: Workspace,
    records: Dataset,
    files: Sequence[Dataset],
    logs: Mapping[str, DecodedLog],
    progress: Progress | None,
) -> tuple[dict[Key, list[tuple[int, int]]], list[Diagnostic], list[Matched]]:
    places: dict[Key, list[tuple[int, int]]] = {}
    all_diagnostics: list[Diagnostic] = []
    names = RowNames(workspace, records)
    all_matched: list[Matched] = []
    for number, file in enumerate(files):
        diagnostics = BoundedDiagnostics()
        decoded = logs.get(workspace.sent[number])
        in_log = None
        if decoded is not None:
            in_log = LogNames(workspace, records, workspace.sent[number], decoded, file)
            all_matched.append(in_log.matched)
        for index, row in enumerate(file.records()):
            if index % STEP == 0 and progress and progress(index, len(file)) is False:
                raise Cancelled
            if in_log is not None:
                key = in_log.find_key(row.fields)
            else:
                key = _find_key(row, file.file, names)
            if isinstance(key, str):
                at = Location(file=row.place.file, line=row.place.line)
                diagnostics.add(Diagnostic("dat-request-unmatched", {"reason": key}, at, f"{row.place.line}"))
            else:
                positions = places.setdefault(key, [])
                if len(positions) < (MOST_OF_LOG if in_log is not None else MOST_REPEATS):
                    positions.append((number, index))
        all_diagnostics += diagnostics.list_all(file.file)
    return places, all_diagnostics, all_matched


def _find_key(row: Record, file: str, names: RowNames) -> Key | str:
    """Return what a row is about, or why that is unknown."""
    request = read_request(row.fields)
    if isinstance(request, str):
        return request
    return names.find_key(find_result(row.fields), file, request)


def _is_about_private(diagnostic: Diagnostic, private: tuple[str, ...]) -> bool:
    return diagnostic.code == "dat-unknown-key" and diagnostic.flagged in private


@lru_cache(maxsize=4)
def _load(path: Any) -> _Index | None:
    try:
        content = checksum.strip_checksum(path.read_bytes())
        if content is None:
            return None
        index = json.loads(bytes(content))
        places = {Key(*key): tuple((file, row) for file, row in positions) for *key, positions in index["places"]}
        matched = tuple(_read_matched(each) for each in index["matched"])
        return places, tuple(from_json(diagnostic) for diagnostic in index["notes"]), matched
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _store(
    path: Any,
    places: Mapping[Key, Sequence[tuple[int, int]]],
    diagnostics: Sequence[Diagnostic],
    matched: Sequence[Matched],
) -> _Index:
    """Write the index for the next opening where that is allowed, which it is not for a child; return the index."""
    rows = [[*key, list(positions)] for key, positions in places.items()]
    notes = [as_json(diagnostic) for diagnostic in diagnostics]
    text = json.dumps({"places": rows, "notes": notes, "matched": [asdict(each) for each in matched]})
    with contextlib.suppress(OSError):
        new = path.with_suffix(f".{os.getpid()}")
        content = text.encode("utf-8", "surrogatepass")
        new.write_bytes(content + checksum.compute_digest(content))
        new.rename(path)
        old = sorted(path.parent.glob("*.json"), key=lambda file: file.stat().st_mtime)[:-MOST_INDEXES]
        for file in old:
            file.unlink(missing_ok=True)
    _load.cache_clear()
    return {key: tuple(positions) for key, positions in places.items()}, tuple(diagnostics), tuple(matched)


def _read_matched(value: Mapping[str, Any]) -> Matched:
    conditions = {name: (here, sign) for name, (here, sign) in value["conditions"].items()}
    columns, unmatched = tuple(value["columns"]), tuple(value["unmatched"])
    return Matched(
        value["log"], value["record_sign"], columns, conditions, unmatched, value["records"], value["requests"]
    )


def _hash_state(workspace: Workspace, records: Dataset, files: Sequence[Dataset]) -> str:
    """Return a hash of what the index depends on: the files as they were indexed, the ids, the names of conditions."""
    indexed = [[str(dataset.path), dataset.indexed_as] for dataset in (records, *files)]
    conditions: list[object] = [
        [condition.name, condition.aliases, condition.model] for condition in workspace.conditions
    ]
    conditions = conditions or list(workspace.prompts)
    selections = [[str(asdict(choice)) for choice in list_selections(workspace)], find_marks_of_judges(workspace)]
    state = [VERSION, indexed, records.id_field, conditions, selections, workspace.sent, {**workspace.log_names}]
    return hashlib.blake2b(json.dumps(state).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
