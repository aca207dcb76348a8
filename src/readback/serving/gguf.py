"""Read the header of a GGUF file: the architecture of the weights, their chat template and its tokens.

Source of the layout: docs/gguf.md of ggml-org/ggml (MIT). A file may be anybody's, so every count and length in it is
held against the size of the file and a limit before anything is read by it, and nothing is kept but what is asked for.
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
LONGEST = 1 << 20  # bytes of a text that is kept
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


class Refused(Exception):  # noqa: N818 - says of a file what is wrong with it
    """Why a header cannot be read, and at which byte."""

    def __init__(self, reason: str, offset: int) -> None:
        super().__init__(f"{reason} (byte {offset:,})")
        self.reason, self.offset = reason, offset


@dataclass(frozen=True, slots=True)
class Weights:
    """What a header says. `templates` are the chat templates by name, the usual one under ""; `tokens` by role."""

    architecture: str = ""
    templates: dict[str, str] = field(default_factory=dict)
    tokens: dict[str, str] = field(default_factory=dict)
    adds_bos: bool | None = None


def read_weights(path: Path) -> Weights:
    """The header of a file. Raises Refused, and OSError where the file cannot be opened."""
    state = path.stat()
    return _read(path, state.st_size, state.st_mtime_ns)


@lru_cache(maxsize=16)
def _read(path: Path, size: int, changed: int) -> Weights:
    """`changed` is the time of the file's last change: another file of the same name is read again."""
    with path.open("rb", buffering=BUFFER) as file:
        header = _Header(file, size)
        values = header.values(_wanted)
        if header.tokens_at is None:
            return _weights(values, {})
        numbers = {values[key]: role for role, key in TOKEN_KEYS.items() if isinstance(values.get(key), int)}
        return _weights(values, header.texts_at(header.tokens_at, numbers))


def _wanted(key: str) -> bool:
    return key in (ARCHITECTURE, ADDS_BOS, *TOKEN_KEYS.values()) or key == CHAT or key.startswith(f"{CHAT}.")


def _weights(values: dict[str, Any], tokens: dict[str, str]) -> Weights:
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
    """A header that is read from its beginning to its end, each length checked before it is used."""

    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file = file
        self._end = min(size, HEADER)
        self._size = size
        self._at = 0
        self._items = 0
        self._order = "<"
        self.tokens_at: int | None = None  # the byte where the tokens of the vocabulary begin
        self._tokens = 0

    def values(self, wanted: Callable[[str], bool]) -> dict[str, Any]:
        """The values of the wanted keys. Raises Refused."""
        if self._bytes(4) != MAGIC:
            raise Refused("it does not begin with GGUF", 0)
        version = self._bytes(4)
        self._order = next((order for order in "<>" if struct.unpack(f"{order}I", version)[0] in VERSIONS), "")
        if not self._order:
            number = struct.unpack("<I", version)[0]
            raise Refused(f"its version {number} is none of {', '.join(map(str, VERSIONS))}", 4)
        self._number(10)  # the number of tensors, which lie behind what is read here
        count = self._number(10)
        if count > KEYS:
            raise Refused(f"it says that it has {count:,} keys, and at most {KEYS:,} are read", self._at - 8)
        values: dict[str, Any] = {}
        for _ in range(count):
            key = self._text(KEY)
            kind = self._number(4)
            if key == TOKENS and kind == ARRAY:
                self._skip_tokens()
            elif wanted(key):
                values[key] = self._value(kind)
            else:
                self._skip(kind)
        return values

    def texts_at(self, offset: int, numbers: dict[Any, str]) -> dict[str, str]:
        """The texts of an array of texts that begins at a byte, by the roles of their numbers."""
        last = max((number for number in numbers if 0 <= number < self._tokens), default=-1)
        self._file.seek(offset)
        self._at = offset
        texts: dict[str, str] = {}
        for number in range(last + 1):
            if number in numbers:
                texts[numbers[number]] = self._text(KEY)
            else:
                self._pass(self._number(10))
        return texts

    def _skip_tokens(self) -> None:
        kind, count = self._array_head()
        if kind == TEXT:
            self.tokens_at, self._tokens = self._at, count
        self._skip_items(kind, count, 1)

    def _value(self, kind: int) -> Any:
        if kind == TEXT:
            return self._text(LONGEST)
        if kind == ARRAY:
            self._skip(kind)
            return None
        return self._number(kind)

    def _skip(self, kind: int, depth: int = 0) -> None:
        if kind == TEXT:
            self._pass(self._number(10))
        elif kind == ARRAY:
            if depth >= DEEPEST:
                raise Refused(f"arrays are nested deeper than {DEEPEST} levels", self._at)
            self._skip_items(*self._array_head(), depth + 1)
        else:
            self._pass(self._size_of(kind))

    def _skip_items(self, kind: int, count: int, depth: int) -> None:
        if kind in SIZES:
            self._pass(SIZES[kind] * count)
            return
        for _ in range(count):
            self._skip(kind, depth)

    def _array_head(self) -> tuple[int, int]:
        """The type and the number of an array's elements."""
        kind = self._number(4)
        count = self._number(10)
        if kind not in SIZES:  # numbers are passed in one step, whatever their count
            self._items += count
        if self._items > ITEMS:
            raise Refused(
                f"it says that its arrays have {self._items:,} elements, and {ITEMS:,} are read", self._at - 8
            )
        return kind, count

    def _text(self, most: int) -> str:
        length = self._number(10)
        if length > most:
            raise Refused(f"a text of {length:,} bytes is longer than {most:,}", self._at - 8)
        return self._bytes(length).decode("utf-8", "replace")

    def _number(self, kind: int) -> Any:
        return struct.unpack(self._order + FORMS.get(kind, ""), self._bytes(self._size_of(kind)))[0]

    def _size_of(self, kind: int) -> int:
        if kind not in SIZES:
            raise Refused(f"there is no type {kind}", self._at - 4)
        return SIZES[kind]

    def _pass(self, length: int) -> None:
        self._checked(length)
        self._file.seek(length, 1)
        self._at += length

    def _bytes(self, length: int) -> bytes:
        self._checked(length)
        data = self._file.read(length)
        if len(data) < length:
            raise Refused("the file ends in its header", self._at)
        self._at += length
        return data

    def _checked(self, length: int) -> None:
        if self._at + length <= self._end:
            return
        if self._end < self._size:
            raise Refused(f"its header is longer than {HEADER >> 20} MiB", self._at)
        raise Refused("the file ends in its header", self._at)
