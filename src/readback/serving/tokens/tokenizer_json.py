"""Tokenizers by file: any tokenizer.json, read and used by Hugging Face's tokenizers in the bounded child."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from readback import sandbox
from readback.readers.file_state import state
from readback.serving.tokens import token_pieces
from readback.serving.tokens.estimate import fits
from readback.serving.tokens.in_a_child import InAChild, Work
from readback.serving.tokens.token_pieces import Piece

NAME = "tokenizer.json"
CURE = "pip install readback[tokenizers]"
LARGEST = 64 << 20  # bytes; the largest in use, of 262,000 tokens, has 33 MB
MEMORY = 2 << 30  # a file of 33 MB takes 600 MB while it is read
LIMITS = sandbox.Limits(seconds=30.0, total=60.0, memory=MEMORY, output=64 << 20)
WORK = "readback.serving.tokens.tokenizer_json"
LOADING = 30.0  # seconds
HELD = 4  # files whose facts a process remembers


@dataclass(frozen=True, slots=True)
class File(InAChild):
    """Counts by a tokenizer.json; `stamp` tells one version of the file from another."""

    name: str
    path: str
    stamp: tuple[int | str, ...]
    by_bytes: bool
    composed: bool
    exact: bool = True

    def surely_fits(self, text: str, room: int) -> bool:
        """Whether so few bytes prove it."""
        return self.by_bytes and fits(text, room, composed=self.composed)

    def _ask(self, work: Work, about: Any, special: bool) -> Any:
        asked = {"path": self.path, "stamp": self.stamp, "about": about, "special": special}
        return sandbox.call(f"{WORK}:{work}", asked, LIMITS)


def counter(tokenizer: str, root: Path) -> File | tuple[str, str]:
    """What counts by the file that `tokenizer` leads to, or the reason why it cannot and the cure."""
    if not there():
        return "the package tokenizers, which reads it, is not installed", CURE
    path = root / file(root, tokenizer)
    try:
        found = state(path)
    except (OSError, ValueError) as error:
        return f"it cannot be read: {(getattr(error, 'strerror', None) or 'not a path').lower()}", "put the file there"
    if found.size > LARGEST:
        return f"it has more than {LARGEST >> 20} MiB", "name the model's own tokenizer.json"
    return _facts(tokenizer, str(path), found)


@cache
def there() -> bool:
    """Whether Hugging Face's tokenizers is installed."""
    return importlib.util.find_spec("tokenizers") is not None


def file(root: Path, named: str) -> str:
    """The tokenizer.json that a path means: the file itself, the one in a folder, or the one beside a configuration."""
    if (root / named).is_dir():
        return f"{named.rstrip('/')}/{NAME}"
    folder, slash, last = named.rpartition("/")
    return f"{folder}{slash}{NAME}" if last == "tokenizer_config.json" else named


@lru_cache(HELD)
def _facts(name: str, path: str, stamp: tuple[int | str, ...]) -> File | tuple[str, str]:
    """The file looked at once: what it is, or why it is none."""
    cure = "name the model's own tokenizer.json, whole and unchanged, or one of the tables"
    try:
        said = sandbox.call(f"{WORK}:facts", {"path": path, "stamp": stamp}, LIMITS)
    except sandbox.Stopped as stopped:
        return f"reading it took {stopped.detail}", cure
    if "reason" in said:
        return said["reason"], cure
    return File(name, path, stamp, said["by_bytes"], said["composed"])


def facts(asked: dict[str, Any]) -> dict[str, Any]:
    """In the child: whether the file is a tokenizer, and what can be said of any text without counting."""
    try:
        found = _load(asked["path"], tuple(asked["stamp"]))
        found.encode("Is it a tokenizer?", add_special_tokens=False)
    except MemoryError:
        raise
    except BaseException as error:
        return {"reason": _reason(error)}
    normal = type(found.normalizer).__name__ if found.normalizer else None
    by_bytes = type(found.model).__name__ == "BPE" and "ByteLevel" in repr(found.pre_tokenizer)
    return {"by_bytes": by_bytes and normal in (None, "NFC"), "composed": normal == "NFC"}


def counts(asked: dict[str, Any]) -> list[int]:
    """In the child: the tokens of each text."""
    return [len(_encoded(asked, text).ids) for text in asked["about"]]


def shares(asked: dict[str, Any]) -> tuple[int, ...]:
    """In the child: the tokens that begin in each part."""
    return token_pieces.shares(_cut(asked, "".join(asked["about"])), [len(part) for part in asked["about"]])


def cut(asked: dict[str, Any]) -> list[tuple[int, int, tuple[int, ...], bool]]:
    """In the child: the pieces of one text."""
    text, start, stop = asked["about"]
    return [(p.start, p.end, p.ids, p.special) for p in _cut(asked, text) if p.end > start and p.start < stop]


def _cut(asked: dict[str, Any], text: str) -> Iterator[Piece]:
    special = {number for number, one in _loaded(asked).get_added_tokens_decoder().items() if one.special}
    made = _encoded(asked, text)
    spans = ((number, *span, number in special) for number, span in zip(made.ids, made.offsets, strict=True))
    return token_pieces.from_spans(len(text), spans)


def _encoded(asked: dict[str, Any], text: str) -> Any:
    found = _loaded(asked)
    found.encode_special_tokens = not asked["special"]
    return found.encode(token_pieces.whole(text), add_special_tokens=False)


def _loaded(asked: dict[str, Any]) -> Any:
    return _load(asked["path"], tuple(asked["stamp"]))


@lru_cache(2)
def _load(path: str, stamp: tuple[int | str, ...]) -> Any:
    """The tokenizer of a file, without what would shorten, fill or add to a text, or move its offsets."""
    os.environ["TOKENIZERS_PARALLELISM"] = "false"  # one thread: a child has little memory and one text
    from tokenizers import Tokenizer, processors

    sandbox.beat(LOADING)
    found = Tokenizer.from_buffer(Path(path).read_bytes())
    found.no_truncation()
    found.no_padding()
    found.post_processor = processors.ByteLevel(trim_offsets=False)
    sandbox.beat()
    return found


def _reason(error: BaseException) -> str:
    said = " ".join(str(error).split())
    return f"it is no {NAME}: {said[:200] or type(error).__name__}"
