"""Read the header of a GGUF file: the architecture of the weights, their chat template and its tokens.

Source of the layout: docs/gguf.md of ggml-org/ggml (MIT). A file may come from anybody, so every count and length in
it is compared with the size of the file and a limit before it is used, and only the requested values are stored.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO

MAGIC = b"GGUF"
VERSIONS = (2, 3)
HEADER = 256 << 20  # bytes of a header that are read; the longest in use have some 20 million
KEYS = 1 << 16  # keys of a header; the longest in use have a hundred
ITEMS = 3 << 19  # texts in all arrays of a header; the largest vocabularies have half as many, with their merges
DEEPEST = 4  # arrays inside arrays
LONGEST = 1 << 20  # bytes of a text
BUFFER = 1 << 20  # bytes read at once
KEY = 1 << 12  # bytes of a key

SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}  # bytes of a number by its type
FORMS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
TEXT, ARRAY = 8, 9

ARCHITECTURE = "general.architecture"
CHAT = "tokenizer.chat_template"
TOKENS = "tokenizer.ggml.tokens"
TOKEN_KEYS = {"bos_token": "tokenizer.ggml.bos_token_id", "eos_token": "tokenizer.ggml.eos_token_id"}
ADDS_BOS = "tokenizer.ggml.add_bos_token"


class HeaderError(Exception):
    """Say why a header cannot be read, and at which byte."""

    def __init__(self, reason: str, offset: int) -> None:
        super().__init__(f"{reason} (byte {offset:,})")
        self.reason, self.offset = reason, offset


@dataclass(frozen=True, slots=True)
class Weights:
    """Hold the values of a header.

    `templates` are the chat templates by name, the usual one under ""; `tokens` are by role.
    """

    architecture: str = ""
    templates: dict[str, str] = field(default_factory=dict)
    tokens: dict[str, str] = field(default_factory=dict)
    adds_bos: bool | None = None


def read_weights(path: Path) -> Weights:
    """Return the header of a file. Raises HeaderError, and OSError if the file cannot be opened."""
    state = path.stat()
    return _read(path, state.st_size, state.st_mtime_ns)


@lru_cache(maxsize=16)
def _read(path: Path, size: int, changed: int) -> Weights:
    """Read a header; `changed` is the time of the file's last change, so that a replaced file is read again."""
    with path.open("rb", buffering=BUFFER) as file:
        header = _Header(file, size)
        values = header.read_values(_is_wanted)
        if header.tokens_at is None:
            return _build_weights(values, {})
        numbers = {values[key]: role for role, key in TOKEN_KEYS.items() if isinstance(values.get(key), int)}
        return _build_weights(values, header.read_texts(header.tokens_at, numbers))


def _is_wanted(key: str) -> bool:
    return key in (ARCHITECTURE, ADDS_BOS, *TOKEN_KEYS.values()) or key == CHAT or key.startswith(f"{CHAT}.")


def _build_weights(values: dict[str, Any], tokens: dict[str, str]) -> Weights:
    """Return what a GGUF file's metadata hold about prompts: architecture, chat templates by name, tokens, and BOS."""
    templates = {key[len(CHAT) + 1 :]: text for key, text in values.items() if _is_template(key, text)}
    architecture, adds = values.get(ARCHITECTURE), values.get(ADDS_BOS)
    return Weights(
        architecture if isinstance(architecture, str) else "",
        templates,
        tokens,
        adds if isinstance(adds, bool) else None,
    )


def _is_template(key: str, value: object) -> bool:
    return isinstance(value, str) and key.startswith(CHAT) and bool(value)


class _Header:
    """Read a header from its beginning to its end, checking each length before it is used."""

    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file = file
        self._end = min(size, HEADER)
        self._size = size
        self._at = 0
        self._items = 0
        self._order = "<"
        self.tokens_at: int | None = None  # the byte where the tokens of the vocabulary begin
        self._tokens = 0

    def read_values(self, wanted: Callable[[str], bool]) -> dict[str, Any]:
        """Return the values of the wanted keys. Raises HeaderError."""
        if self._read_bytes(4) != MAGIC:
            raise HeaderError("it does not begin with GGUF", 0)
        version = self._read_bytes(4)
        self._order = next((order for order in "<>" if struct.unpack(f"{order}I", version)[0] in VERSIONS), "")
        if not self._order:
            number = struct.unpack("<I", version)[0]
            raise HeaderError(f"its version {number} is none of {', '.join(map(str, VERSIONS))}", 4)
        self._read_number(10)  # the number of tensors, which lie behind what is read here
        count = self._read_number(10)
        if count > KEYS:
            raise HeaderError(f"it says that it has {count:,} keys, and at most {KEYS:,} are read", self._at - 8)
        values: dict[str, Any] = {}
        for _ in range(count):
            key = self._read_text(KEY)
            kind = self._read_number(4)
            if key == TOKENS and kind == ARRAY:
                self._skip_vocabulary()
            elif wanted(key):
                values[key] = self._read_value(kind)
            else:
                self._skip(kind)
        return values

    def read_texts(self, offset: int, numbers: dict[Any, str]) -> dict[str, str]:
        """Return the texts of an array that begins at a byte, by the roles of their numbers."""
        last = max((number for number in numbers if 0 <= number < self._tokens), default=-1)
        self._file.seek(offset)
        self._at = offset
        texts: dict[str, str] = {}
        for number in range(last + 1):
            if number in numbers:
                texts[numbers[number]] = self._read_text(KEY)
            else:
                self._skip_bytes(self._read_number(10))
        return texts

    def _skip_vocabulary(self) -> None:
        kind, count = self._read_array_head()
        if kind == TEXT:
            self.tokens_at, self._tokens = self._at, count
        self._skip_items(kind, count, 1)

    def _read_value(self, kind: int) -> Any:
        if kind == TEXT:
            return self._read_text(LONGEST)
        if kind == ARRAY:
            self._skip(kind)
            return None
        return self._read_number(kind)

    def _skip(self, kind: int, depth: int = 0) -> None:
        if kind == TEXT:
            self._skip_bytes(self._read_number(10))
        elif kind == ARRAY:
            if depth >= DEEPEST:
                raise HeaderError(f"arrays are nested deeper than {DEEPEST} levels", self._at)
            self._skip_items(*self._read_array_head(), depth + 1)
        else:
            self._skip_bytes(self._get_size(kind))

    def _skip_items(self, kind: int, count: int, depth: int) -> None:
        if kind in SIZES:
            self._skip_bytes(SIZES[kind] * count)
            return
        for _ in range(count):
            self._skip(kind, depth)

    def _read_array_head(self) -> tuple[int, int]:
        """Return the type and the number of an array's elements."""
        kind = self._read_number(4)
        count = self._read_number(10)
        if kind not in SIZES:  # numbers are passed in one step, whatever their count
            self._items += count
        if self._items > ITEMS:
            reason = f"it says that its arrays have {self._items:,} elements, and {ITEMS:,} are read"
            raise HeaderError(reason, self._at - 8)
        return kind, count

    def _read_text(self, most: int) -> str:
        length = self._read_number(10)
        if length > most:
            raise HeaderError(f"a text of {length:,} bytes is longer than {most:,}", self._at - 8)
        return self._read_bytes(length).decode("utf-8", "replace")

    def _read_number(self, kind: int) -> Any:
        return struct.unpack(self._order + FORMS.get(kind, ""), self._read_bytes(self._get_size(kind)))[0]

    def _get_size(self, kind: int) -> int:
        if kind not in SIZES:
            raise HeaderError(f"there is no type {kind}", self._at - 4)
        return SIZES[kind]

    def _skip_bytes(self, length: int) -> None:
        self._check_length(length)
        self._file.seek(length, 1)
        self._at += length

    def _read_bytes(self, length: int) -> bytes:
        self._check_length(length)
        data = self._file.read(length)
        if len(data) < length:
            raise HeaderError("the file ends in its header", self._at)
        self._at += length
        return data

    def _check_length(self, length: int) -> None:
        if self._at + length <= self._end:
            return
        if self._end < self._size:
            raise HeaderError(f"its header is longer than {HEADER >> 20} MiB", self._at)
        raise HeaderError("the file ends in its header", self._at)
