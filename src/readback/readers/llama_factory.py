"""Training data of LLaMA-Factory: `dataset_info.json` names files, and says what their columns and roles are called.

`llama_factory_info` has the rules of the file and their source. The dataset is the list; one of its entries is read,
the one that was chosen or the first whose file is there. Its rows come out under the usual names: `instruction`,
`input` and `output` for alpaca, and for sharegpt `conversations` with `from` and `value`, where a text in the column of
the system prompt is the first message. All other columns stay what they are.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO

from readback.readers import parquet
from readback.readers.choose_format import ChosenFormat, choose_format
from readback.readers.files import cache_folder
from readback.readers.files.decoding import make_decoding_step, unpack
from readback.readers.files.paths import resolve
from readback.readers.files.row import Refused, Row
from readback.readers.files.text_file import BUFFER
from readback.readers.llama_factory_info import SHAREGPT, Entry, list_files, read_entries
from readback.readers.tables.table_choice import report_tables
from readback.types import Diagnostic, Location

NAME = "llama-factory"
SUFFIXES: tuple[str, ...] = ()
BY_LINES = False
TABLES = True
NO_FILE = "none of its entries names a file that is here; what a hub or a script would bring is not fetched"
ALPACA_NAMES = {"prompt": "instruction", "query": "input", "response": "output"}
ROLES = {
    "user_tag": "human",
    "assistant_tag": "gpt",
    "observation_tag": "observation",
    "function_tag": "function_call",
    "system_tag": "system",
}
OPENAI = {"role_tag": "role", "content_tag": "content", "user_tag": "user", "assistant_tag": "assistant"}
rows = parquet.rows
parse = parquet.parse


def list_companions(path: Path) -> tuple[Path, ...]:
    """Return the files that belong to a dataset: those that the list names."""
    return tuple(list_files(path))


def spool(path: Path, out: BinaryIO, file: str, table: str | None = None) -> Iterator[int | Diagnostic]:
    """Write the rows of one dataset of the list to `out` as JSON lines; yield how far it is, and diagnostics."""
    place = Location(file=file)
    entries = [entry for entry in read_entries(path) if entry.file]
    present = [entry for entry in entries if isinstance(resolve(path.parent, entry.file), Path)]
    current = next((entry for entry in entries if entry.name == table), None) or next(iter(present), None)
    if current is None:
        yield Diagnostic("dat-bad-line", {"reason": NO_FILE}, place)
        return
    yield from report_tables([[entry.name, 1, True] for entry in present], current.name, table, "dataset", place)
    data = resolve(path.parent, current.file, place=place)
    if isinstance(data, Diagnostic):
        yield data
        return
    name = (PurePosixPath(file).parent / current.file).as_posix()
    yield from _write_rows(data, out, name, current)
    yield path.stat().st_size


def _write_rows(data: Path, out: BinaryIO, file: str, entry: Entry) -> Iterator[int | Diagnostic]:
    """Write the rows of a file under the usual names."""
    try:
        chosen = choose_format(data, file)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        yield Diagnostic("dat-file-missing", {"path": file, "reason": reason}, Location(file=file), file)
        return
    if isinstance(chosen, Diagnostic):
        yield chosen
        return
    if entry.formatting == SHAREGPT:
        convert = _convert_conversation
    else:
        convert = _convert_instruction
    with ExitStack() as until_read:
        text = yield from _unpack(data, chosen, file, until_read)
        stream = until_read.enter_context(text.open("rb", BUFFER))
        for event in chosen.module.rows(stream, file):
            match event:
                case Row(fields=fields, diagnostics=diagnostics):
                    yield from diagnostics
                    out.write(json.dumps(convert(fields, entry)).encode() + b"\n")
                case Refused(diagnostic=diagnostic):
                    out.write(parquet.GONE)
                    if diagnostic:
                        yield diagnostic
                case Diagnostic():
                    yield replace(event)


def _unpack(data: Path, chosen: ChosenFormat, file: str, until_read: ExitStack) -> Generator[Diagnostic, None, Path]:
    """Return the file as text in UTF-8: unpacked, decoded, or written out by the reader of a binary format."""
    steps: list[Callable[[Path, BinaryIO, str], Iterator[int | Diagnostic]]] = [unpack] if chosen.packed else []
    if chosen.encoding:
        steps.append(make_decoding_step(chosen.encoding, chosen.guess))
    if hasattr(chosen.module, "spool"):
        steps.append(chosen.module.spool)
    if steps:
        until_read.enter_context(cache_folder.room())
        parent = cache_folder.cache_folder()
        folder = Path(until_read.enter_context(TemporaryDirectory(prefix=".rows-", dir=parent)))
    for number, step in enumerate(steps):
        target = folder / str(number)
        with target.open("wb") as out:
            for event in step(data, out, file):
                if isinstance(event, Diagnostic):
                    yield event
        data = target
    return data


def _convert_instruction(fields: Mapping[str, Any], entry: Entry) -> dict[str, Any]:
    """Return a row of alpaca under its usual names; a column that is not there is left out."""
    names = {column: ALPACA_NAMES.get(key, key) for key, column in entry.columns.items()}
    return _rename(fields, names)


def _convert_conversation(fields: Mapping[str, Any], entry: Entry) -> dict[str, Any]:
    """Return a row of sharegpt under its usual names and roles."""
    names = {column: "conversations" if key == "messages" else key for key, column in entry.columns.items()}
    row = _rename(fields, names)
    messages = row.get("conversations")
    if not isinstance(messages, list):
        return row
    is_openai = all(entry.tags.get(tag) == name for tag, name in OPENAI.items())
    if not is_openai:
        messages = [_convert_message(message, entry) for message in messages]
    system = row.get("system")
    if isinstance(system, str) and system:
        messages = [
            {"role": "system", "content": system} if is_openai else {"from": "system", "value": system},
            *messages,
        ]
        del row["system"]
    if is_openai:
        renamed: dict[str, Any] = {}
        for name, value in row.items():  # in the place where the conversation was
            if name == "conversations":
                renamed["messages"] = messages
            else:
                renamed[name] = value
        return renamed
    return {**row, "conversations": messages}


def _convert_message(message: Any, entry: Entry) -> Any:
    if not isinstance(message, dict):
        return message
    tags = entry.tags
    names = {tags.get("role_tag"): "from", tags.get("content_tag"): "value"}
    renamed = {names.get(name, name): value for name, value in message.items()}
    roles = {tags[tag]: role for tag, role in ROLES.items() if tag in tags}
    role = renamed.get("from")
    return {**renamed, "from": roles.get(role, role) if isinstance(role, str) else role}


def _rename(fields: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Return the fields with other names; one whose name another field gets is called by its own name and a `_`."""
    row: dict[str, Any] = {new: fields[column] for column, new in names.items() if column in fields}
    for name, value in fields.items():
        if name not in names:
            while name in row:
                name += "_"
            row[name] = value
    return row
