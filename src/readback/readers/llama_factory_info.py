"""What `dataset_info.json` of LLaMA-Factory says: which files are datasets, how their columns and roles are called.

Source: LLaMA-Factory 0.9 (Apache-2.0), `data/README.md` and `llamafactory/data/parser.py`. An entry is
`{"file_name", "formatting": "alpaca" | "sharegpt", "ranking", "columns", "tags"}`. Without `columns` the usual names
hold; with it, what it does not name is not there, and `tags` likewise. Entries that name a hub or a script have no
file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from readback.readers.files.paths import resolve
from readback.readers.files.text_file import read_head
from readback.types import Diagnostic

FILE = "dataset_info.json"
LARGEST = 4 << 20
ALPACA, SHAREGPT = "alpaca", "sharegpt"
COLUMNS: Mapping[str, Mapping[str, str]] = {
    ALPACA: {"prompt": "instruction", "query": "input", "response": "output"},
    SHAREGPT: {"messages": "conversations"},
}
TAGS: Mapping[str, str] = {
    "role_tag": "from",
    "content_tag": "value",
    "user_tag": "human",
    "assistant_tag": "gpt",
    "observation_tag": "observation",
    "function_tag": "function_call",
    "system_tag": "system",
}
PLACES = ("file_name", "hf_hub_url", "ms_hub_url", "om_hub_url", "script_url", "cloud_file_name")


@dataclass(frozen=True, slots=True)
class Entry:
    """One dataset: its name, the file that it names ("" for none), and the names of its columns and roles."""

    name: str
    file: str
    formatting: str
    ranking: bool
    columns: Mapping[str, str]
    tags: Mapping[str, str]


def is_info(head: bytes) -> bool:
    """Tell whether a JSON file that begins so is a list of datasets of LLaMA-Factory."""
    return head.lstrip().startswith(b"{") and any(f'"{key}"'.encode() in head for key in PLACES) and _is_mapping(head)


def _is_mapping(head: bytes) -> bool:
    try:
        value = json.loads(head)
    except (ValueError, RecursionError):
        return False
    if isinstance(value, dict):
        entries = list(value.values())
    else:
        entries = []
    return bool(entries) and all(isinstance(entry, dict) and entry.keys() & set(PLACES) for entry in entries)


def read_entries(path: Path) -> tuple[Entry, ...]:
    """Return the datasets that a file lists; none of a file that is no such list."""
    try:
        status = path.stat()
    except OSError:
        return ()
    return _read_entries(path, status.st_size, status.st_mtime_ns)


@lru_cache(maxsize=16)
def _read_entries(path: Path, size: int, _: int) -> tuple[Entry, ...]:
    head = read_head(path, LARGEST)
    if size > LARGEST or not is_info(head):
        return ()
    return tuple(_read_entry(str(name), entry) for name, entry in json.loads(head).items())


def _read_entry(name: str, entry: Mapping[str, Any]) -> Entry:
    formatting = entry.get("formatting", ALPACA)
    if not (isinstance(formatting, str) and formatting in COLUMNS):
        formatting = ALPACA
    file = entry.get("file_name")
    return Entry(
        name,
        file if isinstance(file, str) else "",
        formatting,
        entry.get("ranking") is True,
        _list_texts(entry.get("columns"), COLUMNS[formatting]),
        _list_texts(entry.get("tags"), TAGS),
    )


def _list_texts(value: Any, usual: Mapping[str, str]) -> Mapping[str, str]:
    if not isinstance(value, dict):
        return usual
    return {key: text for key, text in value.items() if isinstance(text, str)}


def find_info(path: Path, root: Path) -> Path | None:
    """Return the list, in the folder of a file or above it up to `root`, that names the file; None without one."""
    folder = path.parent
    while folder == root or folder.is_relative_to(root):
        info = folder / FILE
        if info != path and info.is_file() and path in list_files(info):
            return info
        if folder == root:
            return None
        folder = folder.parent
    return None


def list_files(info: Path) -> list[Path]:
    """Return the files below the folder of a list that it names and that are there."""
    files = (resolve(info.parent, entry.file) for entry in read_entries(info) if entry.file)
    return [file for file in files if not isinstance(file, Diagnostic) and file.is_file()]
