"""The logged requests of a workspace, reached by condition, judge and record."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

from readback.prompts.selections import list_selections
from readback.readers import checksum
from readback.readers.bounded_diagnostics import BoundedDiagnostics, about, as_json, from_json
from readback.readers.cache_folder import cache_folder
from readback.readers.progress import Cancelled, Progress
from readback.records.dataset import Dataset, DatasetChanged, open_dataset
from readback.requests.request import Request, read_request, result_of
from readback.requests.row_names import Key, RowNames, find_marks_of_judges
from readback.types import DatasetSource, Diagnostic, Location, Record, Workspace

TEXTS = (
    "prompt",
    "system",
    "instructions",
    "input",
)  # columns of a table that are what was sent, also where it is JSON
OURS = ("dat-missing-id", "dat-duplicate-id")  # about ids, which a log need not have
REPEATS = 8  # requests of one record and condition that are looked at; retries are mostly equal
STEP = 1_000  # rows between two looks at whether to go on
KEEP = 64  # indexes on disk
VERSION = "7"


@dataclass(frozen=True, slots=True)
class Logged:
    """One logged request and where it is."""

    request: Request
    place: Location


@dataclass(frozen=True, slots=True, eq=False)
class Log:
    """All logged requests; rows are read from disk when they are asked for. `rows` counts them, matched or not."""

    files: tuple[Dataset, ...] = ()
    places: Mapping[Key, tuple[tuple[int, int], ...]] | None = None
    rows: int = 0
    diagnostics: tuple[Diagnostic, ...] = ()

    def get(self, condition: str, record: str, judge: str = "") -> tuple[Logged, ...]:
        """The requests for a record under a condition, or those of the judge of its answer, in the order of the files;
        retries make several.
        """
        return tuple(self._read((self.places or {}).get(Key(condition, judge, record), ())))

    def _read(self, where: Sequence[tuple[int, int]]) -> Iterator[Logged]:
        for file, index in where:
            with contextlib.suppress(DatasetChanged):  # written to meanwhile: the next opening sees it
                row = self.files[file].record(index)
                if isinstance(found := read_request(row.fields), Request):
                    yield Logged(found, Location(file=row.place.file, line=row.place.line))


def open_log(opened: Workspace, data: Dataset, progress: Progress | None = None) -> Log:
    """The log of a workspace whose dataset is `data`; indexed once for each state of the files.

    Every row is matched or noted. Raises Cancelled when `progress` answers False.
    """
    if not opened.sent:
        return Log()
    private = opened.dataset.private if opened.dataset else ()
    sources = (DatasetSource(name, private=private, text=TEXTS) for name in opened.sent)
    files = tuple(open_dataset(opened.root, source, progress, growing=True) for source in sources)
    kept = cache_folder("observed") / f"{_mark(opened, data, files)}.json"
    places, diagnostics = _load(kept) or _keep(kept, *_index(opened, data, files, progress))
    said = [n for file in files for n in file.diagnostics if about(n) not in OURS and not _of_private(n, private)]
    return Log(files, places, sum(map(len, files)), (*said, *diagnostics))


def _index(
    opened: Workspace, data: Dataset, files: Sequence[Dataset], progress: Progress | None
) -> tuple[dict[Key, list[tuple[int, int]]], list[Diagnostic]]:
    places: dict[Key, list[tuple[int, int]]] = {}
    told: list[Diagnostic] = []
    names = RowNames(opened, data)
    for number, file in enumerate(files):
        diagnostics = BoundedDiagnostics()
        for index, row in enumerate(file.records()):
            if index % STEP == 0 and progress and progress(index, len(file)) is False:
                raise Cancelled
            key = _key(row, file.file, names)
            if isinstance(key, str):
                at = Location(file=row.place.file, line=row.place.line)
                diagnostics.add(Diagnostic("dat-request-unmatched", {"reason": key}, at, f"{row.place.line}"))
            elif len(found := places.setdefault(key, [])) < REPEATS:
                found.append((number, index))
        told += diagnostics.list_all(file.file)
    return places, told


def _key(row: Record, file: str, names: RowNames) -> Key | str:
    """What a row is about, or why that cannot be said."""
    request = read_request(row.fields)
    if isinstance(request, str):
        return request
    return names.find_key(result_of(row.fields), file, request)


def _of_private(diagnostic: Diagnostic, private: tuple[str, ...]) -> bool:
    return diagnostic.code == "dat-unknown-key" and diagnostic.flagged in private


@lru_cache(maxsize=4)
def _load(kept: Any) -> tuple[Mapping[Key, tuple[tuple[int, int], ...]], tuple[Diagnostic, ...]] | None:
    try:
        if (whole := checksum.checked(kept.read_bytes())) is None:
            return None
        found = json.loads(bytes(whole))
        places = {Key(*key): tuple((f, i) for f, i in where) for *key, where in found["places"]}
        return places, tuple(from_json(diagnostic) for diagnostic in found["notes"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _keep(
    kept: Any, places: Mapping[Key, Sequence[tuple[int, int]]], diagnostics: Sequence[Diagnostic]
) -> tuple[Mapping[Key, tuple[tuple[int, int], ...]], tuple[Diagnostic, ...]]:
    """Written for the next opening where that is allowed; a bounded child may not."""
    rows = [[*key, list(where)] for key, where in places.items()]
    text = json.dumps({"places": rows, "notes": [as_json(diagnostic) for diagnostic in diagnostics]})
    with contextlib.suppress(OSError):
        new = kept.with_suffix(f".{os.getpid()}")
        content = text.encode("utf-8", "surrogatepass")
        new.write_bytes(content + checksum.compute_digest(content))
        new.rename(kept)
        old = sorted(kept.parent.glob("*.json"), key=lambda path: path.stat().st_mtime)[:-KEEP]
        for one in old:
            one.unlink(missing_ok=True)
    _load.cache_clear()
    return {key: tuple(where) for key, where in places.items()}, tuple(diagnostics)


def _mark(opened: Workspace, data: Dataset, files: Sequence[Dataset]) -> str:
    """What the index depends on: the files as they were indexed, the ids, and the names of conditions."""
    seen = [[str(one.path), one.indexed_as] for one in (data, *files)]
    conditions: list[object] = [[condition.name, condition.aliases, condition.model] for condition in opened.conditions]
    conditions = conditions or list(opened.prompts)
    judged = [[str(asdict(choice)) for choice in list_selections(opened)], find_marks_of_judges(opened)]
    about = [VERSION, seen, data.id_field, conditions, judged, opened.sent]
    return hashlib.blake2b(json.dumps(about).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
