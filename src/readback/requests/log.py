"""The logged requests of a workspace, reached by condition and record."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Any

from readback.readers import checksum
from readback.readers.bounded_diagnostics import BoundedDiagnostics, about, as_json, from_json
from readback.readers.cache_folder import cache_folder
from readback.readers.progress import Cancelled, Progress
from readback.records import custom_id
from readback.records.dataset import Dataset, DatasetChanged, open_dataset
from readback.requests.request import Request, read_request, result_of
from readback.types import DatasetSource, Diagnostic, Location, Record, Workspace

RECORDS = ("record", "record_id", "custom_id", "id", "task_id", "qid", "question_id", "item_id")  # after the dataset's
CONDITION_FIELDS = ("condition", "run", "run_name", "label", "model_label", "mode", "prompt_mode")
CUSTOM_ID = "custom_id"
BESIDE = ("metadata", "meta", "extra")  # where else a row keeps such names
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
VERSION = "6"

Key = tuple[str, str]  # condition (or mode, where there are none), record id


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

    def get(self, condition: str, record: str) -> tuple[Logged, ...]:
        """The requests for a record under a condition, in the order of the files; retries make several."""
        return tuple(self._read((self.places or {}).get((condition, record), ())))

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
    conditions = _Conditions(opened)
    for number, file in enumerate(files):
        diagnostics = BoundedDiagnostics()
        for index, row in enumerate(file.records()):
            if index % STEP == 0 and progress and progress(index, len(file)) is False:
                raise Cancelled
            key = _key(row, file.file, data, conditions)
            if isinstance(key, str):
                at = Location(file=row.place.file, line=row.place.line)
                diagnostics.add(Diagnostic("dat-request-unmatched", {"reason": key}, at, f"{row.place.line}"))
            elif len(found := places.setdefault(key, [])) < REPEATS:
                found.append((number, index))
        told += diagnostics.told(file.file)
    return places, told


def _key(row: Record, file: str, data: Dataset, conditions: _Conditions) -> Key | str:
    """What a row is about, or why that cannot be said."""
    request = read_request(row.fields)
    if isinstance(request, str):
        return request
    names = dict.fromkeys((data.id_field, *RECORDS)) if data.id_field else dict.fromkeys(RECORDS)
    fields = result_of(row.fields)
    if (ours := conditions.exported(_named(fields, CUSTOM_ID), data)) is not None:
        return ours
    said = [text for name in names if name and (text := _named(fields, name)) is not None]
    record = next((text for text in said if data.find(text) is not None), None)
    if record is None:
        return (
            f"no record is called '{said[0]}'"
            if said
            else f"it names no record (under {', '.join(filter(None, names))})"
        )
    condition = conditions.of(fields, file, request)
    return (condition[3:], record) if condition.startswith("is ") else condition


class _Conditions:
    """The names a row may go by, and what they stand for."""

    def __init__(self, opened: Workspace) -> None:
        self.opened = opened
        self.names = {
            name: condition.name for condition in opened.conditions for name in (condition.name, *condition.aliases)
        }
        self.names = self.names or {mode: mode for mode in opened.prompts}
        served: dict[str, set[str]] = {}
        for condition in opened.conditions:
            model = opened.models.get(condition.model or "")
            for name in {condition.model, model and model.name, model and model.settings.get("model")}:
                if isinstance(name, str):
                    served.setdefault(name, set()).add(condition.name)
        self.by_model = {name: next(iter(found)) for name, found in served.items() if len(found) == 1}

    def exported(self, said: str | None, data: Dataset) -> Key | str | None:
        """What a request that Readback exported is about, or why that cannot be said; None for any other request."""
        try:
            found = custom_id.resolve(said or "", self.opened, lambda index: _record(data, index))
        except ValueError:
            return None
        if found is None:
            return f"its custom_id '{said}' is of a record or a condition that is not here any more"
        index, record, choice = found
        if choice.judge is not None:
            return f"it is what the judge '{choice.judge}' was asked, and requests of judges are not compared"
        if record is None or data.find(record) is None:
            return f"no record is called '{record}'" if record is not None else "its record has no id"
        if _record(data, index) == record and data.again(index):
            return f"its record {index} shares the id '{record}' with an earlier one"
        name = choice.condition or choice.mode or choice.task or ""
        return (self.names[name], record) if name in self.names else f"no condition is called '{name}'"

    def of(self, fields: Mapping[str, Any], file: str, request: Request) -> str:
        """`is NAME`, or a sentence that begins with `no `: the row itself says it, else its file, else its model."""
        said = [text for name in CONDITION_FIELDS if (text := _named(fields, name)) is not None]
        stem = PurePosixPath(file).name.split(".")[0]
        for name in (*said, stem, PurePosixPath(file).parent.name):
            if name in self.names:
                return f"is {self.names[name]}"
        if len(set(self.names.values())) == 1 and not said:
            return f"is {next(iter(self.names.values()))}"
        if request.model in self.by_model:
            return f"is {self.by_model[request.model]}"
        return f"no condition is called '{said[0]}'" if said else "no condition is named, and there are several"


def _record(data: Dataset, index: int) -> str | None:
    return data.place(index).record if index < len(data) else None


def _named(fields: Mapping[str, Any], name: str) -> str | None:
    for where in (fields, *(fields[part] for part in BESIDE if isinstance(fields.get(part), Mapping))):
        value = where.get(name)
        if isinstance(value, str) and value:
            return value
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
    return None


def _of_private(diagnostic: Diagnostic, private: tuple[str, ...]) -> bool:
    return diagnostic.code == "dat-unknown-key" and diagnostic.flagged in private


@lru_cache(maxsize=4)
def _load(kept: Any) -> tuple[Mapping[Key, tuple[tuple[int, int], ...]], tuple[Diagnostic, ...]] | None:
    try:
        if (whole := checksum.checked(kept.read_bytes())) is None:
            return None
        found = json.loads(bytes(whole))
        places = {(condition, record): tuple((f, i) for f, i in where) for condition, record, where in found["places"]}
        return places, tuple(from_json(diagnostic) for diagnostic in found["notes"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _keep(
    kept: Any, places: Mapping[Key, Sequence[tuple[int, int]]], diagnostics: Sequence[Diagnostic]
) -> tuple[Mapping[Key, tuple[tuple[int, int], ...]], tuple[Diagnostic, ...]]:
    """Written for the next opening where that is allowed; a bounded child may not."""
    rows = [[condition, record, list(where)] for (condition, record), where in places.items()]
    text = json.dumps({"places": rows, "notes": [as_json(diagnostic) for diagnostic in diagnostics]})
    with contextlib.suppress(OSError):
        new = kept.with_suffix(f".{os.getpid()}")
        content = text.encode("utf-8", "surrogatepass")
        new.write_bytes(content + checksum.of(content))
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
    about = [VERSION, seen, data.id_field, conditions, list(opened.judges), opened.sent]
    return hashlib.blake2b(json.dumps(about).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
