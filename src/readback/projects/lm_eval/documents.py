"""The documents of a task that lie in the workspace, as `datasets` hands them to lm-eval.

Source: datasets 5.2.0, packaged_modules/json, csv, text and parquet. A column has one type in all of a task's files:
integers beside fractions become fractions, texts that are all dates become times, what is missing becomes null.
The first split decides. A column of mixed types, or of objects with differing members, keeps the values as they are.
Files are found from the working folder of the tool, which the task does not name: its own folder and those above are
tried. In the bounded child only.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from readback.readers.files.paths import expand, format_relative, resolve
from readback.readers.files.text_file import UTF8_MARK
from readback.types import Diagnostic, Location

LOADERS = ("json", "csv", "text", "parquet")
LARGEST = 64 << 20  # bytes of the files of one split
WILD = "*?["

Document = dict[str, Any]


class Unreadable(Exception):  # noqa: N818 - carries the reason
    """The documents of a split cannot be had; `diagnostic` says more where there is more to say."""

    def __init__(self, reason: str, diagnostic: Diagnostic | None = None) -> None:
        super().__init__(reason)
        self.diagnostic = diagnostic


@dataclass(slots=True)
class Documents:
    """The splits of a task: their files by name, and what was read of them."""

    root: Path
    folder: Path
    loader: str
    settings: Mapping[str, Any]
    files: dict[str, list[str]]
    place: Location
    read: dict[str, list[Document]] = field(default_factory=dict)
    schema: Any = None  # the types of the first split

    def take(self, split: str) -> list[Document]:
        """Return the documents of a split; raises Unreadable."""
        if split not in self.files:
            raise Unreadable(f"there is no split {split!r} in its data_files")
        first = next(iter(self.files))
        for name in dict.fromkeys((first, split)):
            if name not in self.read:
                self.read[name] = self._load(name, name == first)
        return self.read[split]

    def list_paths(self) -> tuple[str, ...]:
        """Return the files of all splits that are here, from the workspace."""
        listed: dict[str, None] = {}
        for name in (name for names in self.files.values() for name in names):
            with contextlib.suppress(Unreadable):
                listed.update({format_relative(self.root, path): None for path in self._find(name)})
        return tuple(listed)

    def _load(self, split: str, is_first: bool) -> list[Document]:
        paths = [path for name in self.files[split] for path in self._find(name)]
        if sum(path.stat().st_size for path in paths) > LARGEST:
            values = {"what": "bytes of the documents of a task", "limit": LARGEST}
            raise Unreadable("its documents are too large", Diagnostic("dat-limit", values, self.place))
        if self.loader == "json":
            return self._load_json(paths, is_first)
        import pyarrow as pa  # type: ignore[import-untyped]

        try:
            return [row for path in paths for row in _make_plain(_read_table(path, self.loader, self.settings))]
        except (pa.ArrowException, ValueError, OSError, UnicodeDecodeError) as error:
            raise Unreadable(f"its documents are not {self.loader} that can be read: {str(error)[:200]}") from None

    def _load_json(self, paths: Sequence[Path], is_first: bool) -> list[Document]:
        rows: list[Document] = []
        for path in paths:
            part, is_list = _decode_json(path, self.settings.get("field"), format_relative(self.root, path))
            if is_list or self.settings.get("field"):
                schema = None
            else:
                schema = self.schema
            typed, types = _give_types(part, schema)
            rows += typed
            if is_first and self.schema is None and not is_list and not self.settings.get("field"):
                self.schema = types
        return rows

    def _find(self, name: str) -> list[Path]:
        """Return the files that a name stands for, from the folder of the task or one above it."""
        folder = self.folder
        fault: Diagnostic | None = None
        for _ in range(len(self.folder.parts)):
            path = Path(os.path.normpath(folder / name))
            if path.is_relative_to(self.root) and not Path(name).is_absolute():
                relative = format_relative(self.root, path)
                if any(sign in name for sign in WILD):
                    paths, _ = expand(self.root, relative, self.place)
                    if paths:
                        return list(paths)
                else:
                    inside = resolve(self.root, relative, place=self.place)
                    if isinstance(inside, Path):
                        return [inside]
                    if inside.code != "dat-file-missing":
                        fault = inside
            folder = folder.parent
        fault = fault or explain_missing(self.root, self.folder, name, self.place)
        raise Unreadable(f"{name} cannot be read: {fault.values['reason']}", fault)


def explain_missing(root: Path, folder: Path, name: str, place: Location) -> Diagnostic:
    """Return why a file that a task names is not there."""
    reason = "no such file beside the task or above it"
    inside = resolve(root, name, base=folder, place=place)
    if isinstance(inside, Diagnostic) and inside.code != "dat-file-missing":
        return inside
    return Diagnostic("dat-file-missing", {"path": name, "reason": reason}, place, name)


def list_files(config: Mapping[str, Any]) -> dict[str, list[str]] | None:
    """Return the files of each split of a task; None where its documents are no files of this machine."""
    settings = config.get("dataset_kwargs")
    if config.get("dataset_path") not in LOADERS or not isinstance(settings, dict):
        return None
    named = settings.get("data_files")
    if isinstance(named, str | list):
        named = {"train": named}
    if not isinstance(named, dict) or not named:
        return None
    files = {split: each if isinstance(each, list) else [each] for split, each in named.items()}
    if any(not isinstance(name, str) or "://" in name for names in files.values() for name in names):
        return None
    return files


def _decode_json(path: Path, key: Any, file: str) -> tuple[list[Document], bool]:
    """Return the rows of a file of JSON lines, or of a list of objects or texts; whether it is a list."""
    try:
        text = path.read_bytes().removeprefix(UTF8_MARK).decode("utf-8")
        if isinstance(key, str):
            whole = json.loads(text)
            if isinstance(whole, dict):
                part = whole.get(key)
            else:
                part = None
            if not isinstance(part, list):
                raise Unreadable(f"{file} has no list under {key!r}")
            return [_wrap(each) for each in part], True
        if text.startswith("["):
            return [_wrap(each) for each in json.loads(text)], True
        rows = [json.loads(line) for line in text.split("\n") if line.strip()]
    except (ValueError, RecursionError) as error:
        reason = f"not lines of JSON ({str(error)[:120]})"
        fault = Diagnostic("dat-bad-line", {"reason": reason}, Location(file=file))
        raise Unreadable(f"{file}: {reason}", fault) from None
    except OSError as error:
        raise Unreadable(f"{file}: {(error.strerror or 'not readable').lower()}") from None
    if any(not isinstance(row, dict) for row in rows):
        number = next(index for index, row in enumerate(rows) if not isinstance(row, dict))
        fault = Diagnostic("dat-bad-line", {"reason": "not an object"}, Location(file=file, line=number + 1))
        raise Unreadable(f"{file}: line {number + 1} is no object", fault)
    return rows, False


def _wrap(value: Any) -> Document:
    if isinstance(value, dict):
        return value
    return {"text": value}


def _give_types(rows: Sequence[Document], schema: Any) -> tuple[list[Document], Any]:
    """Return the rows with a value of one type in each column, and these types."""
    import pyarrow as pa
    from pyarrow import json as arrow_json

    names = list(dict.fromkeys(name for row in rows for name in row))
    mixed = {name for name in names if _is_mixed([row[name] for row in rows if row.get(name) is not None])}
    while True:
        plain = [{name: value for name, value in row.items() if name not in mixed} for row in rows]
        if not any(plain):
            table = pa.table({})
            break
        lines = "\n".join(json.dumps(row, ensure_ascii=False) for row in plain).encode("utf-8", "surrogatepass")
        options = arrow_json.ReadOptions(block_size=max(len(lines), 1 << 14), use_threads=False)
        try:
            table = arrow_json.read_json(io.BytesIO(lines), read_options=options)
            table = _repair(table, plain)
            break
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            column = _name_column(str(error), names)
            if column is None or column in mixed:
                raise Unreadable(f"its documents cannot be read as a table: {str(error)[:200]}") from None
            mixed.add(column)
    if schema is not None:
        table, names = _cast(table, schema, mixed, names)
    if table.num_columns:
        typed = _make_plain(table)
    else:
        typed = [{} for _ in rows]
    return [
        {name: row.get(name) if name in mixed or name not in columns else columns[name] for name in names}
        for row, columns in zip(rows, typed, strict=True)
    ], table.schema


def _repair(table: Any, rows: Sequence[Document]) -> Any:
    """Return a table that can be read: pyarrow's reader breaks lists of texts that begin with a null.

    `datasets` makes the table of the rows then, as is done here.
    """
    import pyarrow as pa

    try:
        table.validate(full=True)
    except pa.ArrowInvalid:
        return pa.concat_tables([pa.Table.from_pylist([row]) for row in rows], promote_options="default")
    return table


def _cast(table: Any, schema: Any, mixed: set[str], names: list[str]) -> tuple[Any, list[str]]:
    """Return a table with the types of an earlier split, whose columns it must not exceed."""
    import pyarrow as pa

    if further := [name for name in names if name not in schema.names and name not in mixed]:
        raise Unreadable(f"the column {further[0]!r} is not in the first split, so `datasets` stops")
    for name in names:
        if name not in mixed and name in table.column_names and name in schema.names:
            index = table.column_names.index(name)
            wanted = schema.field(name).type
            if table.schema.field(name).type == wanted:
                continue
            try:
                table = table.set_column(index, name, table.column(name).cast(wanted))
            except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
                raise Unreadable(f"the column {name!r} differs between splits: {str(error)[:160]}") from None
    return table, [*names, *(name for name in schema.names if name not in names)]


def _name_column(message: str, names: Sequence[str]) -> str | None:
    """Return the column of which pyarrow says that its type changes."""
    _, _, after = message.partition("Column(/")
    if after:
        inside = after.rpartition(") changed from")[0]
    else:
        inside = ""
    candidates = [name for name in names if inside == name or inside.startswith(f"{name}/")]
    return max(candidates, key=len, default=None)


def _is_mixed(values: Sequence[Any]) -> bool:
    """Whether objects below a value differ in their members, or stand beside something else."""
    pending: list[Sequence[Any]] = [values]
    while pending:
        content = pending.pop()
        if not content:
            continue
        if all(isinstance(each, dict) for each in content):
            if any(set(each) != set(content[0]) for each in content) or not content[0]:
                return True
            pending += [[each[key] for each in content if each[key] is not None] for key in content[0]]
        elif all(isinstance(each, list) for each in content):
            pending.append([each for inner in content for each in inner if each is not None])
        elif any(isinstance(each, dict | list) for each in content):
            return True
    return False


def _read_table(path: Path, loader: str, settings: Mapping[str, Any]) -> Any:
    """Return the table of a CSV, text or Parquet file."""
    import pyarrow as pa

    if loader == "text":
        lines = path.read_text(encoding="utf-8").split("\n")
        return pa.table({"text": lines[:-1] if lines and not lines[-1] else lines})
    if loader == "parquet":
        from pyarrow import parquet

        return parquet.read_table(pa.OSFile(str(path), "rb"), use_threads=False)
    import pandas as pd

    separator = settings.get("sep") or settings.get("delimiter") or ","
    return pa.Table.from_pandas(pd.read_csv(path, sep=str(separator)), preserve_index=False)


def _make_plain(table: Any) -> list[Document]:
    """Return the rows of a table as values of JSON; times are written as Python prints them."""
    return [_plain(row) for row in table.to_pylist()]


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if value is None or isinstance(value, str | int | float):
        return value
    return str(value)
