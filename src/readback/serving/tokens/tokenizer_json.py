"""Count tokens by any tokenizer.json, which Hugging Face's tokenizers reads and uses in the sandbox."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from readback import sandbox
from readback.readers.files.checksum import state
from readback.serving.tokens import token_pieces
from readback.serving.tokens.child_counter import ChildCounter, Work
from readback.serving.tokens.estimate import fits_in_bytes
from readback.serving.tokens.token_pieces import Piece

NAME = "tokenizer.json"
CURE = "pip install readback[tokenizers]"
LARGEST = 64 << 20  # bytes; the largest in use, of 262,000 tokens, has 33 MB
MEMORY = 2 << 30  # a file of 33 MB takes 600 MB while it is read
LIMITS = sandbox.Limits(seconds=30.0, total=60.0, memory=MEMORY, output=64 << 20)
WORK = "readback.serving.tokens.tokenizer_json"
LOADING = 30.0  # seconds
CACHED = 4  # files whose facts a process remembers


@dataclass(frozen=True, slots=True)
class FileCounter(ChildCounter):
    """Count by a tokenizer.json; `stamp` distinguishes versions of the file."""

    name: str
    path: str
    stamp: tuple[int | str, ...]
    by_bytes: bool
    composed: bool
    exact: bool = True

    def surely_fits(self, text: str, room: int) -> bool:
        """Return whether the text has so few bytes that it fits."""
        return self.by_bytes and fits_in_bytes(text, room, composed=self.composed)

    def _ask(self, work: Work, question: Any, special: bool) -> Any:
        payload = {"path": self.path, "stamp": self.stamp, "about": question, "special": special}
        return sandbox.call(f"{WORK}:{work}", payload, LIMITS)


def load_counter(tokenizer: str, root: Path) -> FileCounter | tuple[str, str]:
    """Return the counter for the file that `tokenizer` leads to, or the reason why it is unusable and the cure."""
    if not is_installed():
        return "the package tokenizers, which reads it, is not installed", CURE
    path = root / locate_file(root, tokenizer)
    try:
        stamp = state(path)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not a path"
        return f"it cannot be read: {reason.lower()}", "put the file there"
    if stamp.size > LARGEST:
        return f"it has more than {LARGEST >> 20} MiB", "name the model's own tokenizer.json"
    return _load_facts(tokenizer, str(path), stamp)


@cache
def is_installed() -> bool:
    """Return whether Hugging Face's tokenizers is installed."""
    return importlib.util.find_spec("tokenizers") is not None


def locate_file(root: Path, path: str) -> str:
    """Return the tokenizer.json for a path: the file itself, the one in a folder, or next to a configuration."""
    if (root / path).is_dir():
        return f"{path.rstrip('/')}/{NAME}"
    folder, slash, last = path.rpartition("/")
    if last == "tokenizer_config.json":
        return f"{folder}{slash}{NAME}"
    return path


@lru_cache(CACHED)
def _load_facts(name: str, path: str, stamp: tuple[int | str, ...]) -> FileCounter | tuple[str, str]:
    """Load the file once and return its counter, or the reason why it is not a tokenizer and the cure."""
    cure = "name the model's own tokenizer.json, whole and unchanged, or one of the tables"
    try:
        answer = sandbox.call(f"{WORK}:describe", {"path": path, "stamp": stamp}, LIMITS)
    except sandbox.Stopped as stopped:
        return f"reading it took {stopped.detail}", cure
    if "reason" in answer:
        return answer["reason"], cure
    return FileCounter(name, path, stamp, answer["by_bytes"], answer["composed"])


def describe(payload: dict[str, Any]) -> dict[str, Any]:
    """Describe in the child whether the file is a tokenizer, and what holds for any text without counting."""
    try:
        tokenizer = _load(payload["path"], tuple(payload["stamp"]))
        tokenizer.encode("Is it a tokenizer?", add_special_tokens=False)
    except MemoryError:
        raise
    except BaseException as error:
        return {"reason": _describe_error(error)}
    if tokenizer.normalizer:
        normal = type(tokenizer.normalizer).__name__
    else:
        normal = None
    by_bytes = type(tokenizer.model).__name__ == "BPE" and "ByteLevel" in repr(tokenizer.pre_tokenizer)
    return {"by_bytes": by_bytes and normal in (None, "NFC"), "composed": normal == "NFC"}


def count_each(payload: dict[str, Any]) -> list[int]:
    """Return, in the child, the number of tokens of each text."""
    return [len(_encode(payload, text).ids) for text in payload["about"]]


def count_by_part(payload: dict[str, Any]) -> tuple[int, ...]:
    """Return, in the child, the number of tokens that begin in each part."""
    return token_pieces.count_by_part(
        _split(payload, "".join(payload["about"])), [len(part) for part in payload["about"]]
    )


def split(payload: dict[str, Any]) -> list[tuple[int, int, tuple[int, ...], bool]]:
    """Return, in the child, the pieces of one text."""
    text, start, stop = payload["about"]
    pieces = [piece for piece in _split(payload, text) if piece.end > start and piece.start < stop]
    return [(piece.start, piece.end, piece.ids, piece.special) for piece in pieces]


def _split(payload: dict[str, Any], text: str) -> Iterator[Piece]:
    added_tokens = _load_for(payload).get_added_tokens_decoder()
    special = {number for number, token in added_tokens.items() if token.special}
    encoding = _encode(payload, text)
    spans = ((number, *span, number in special) for number, span in zip(encoding.ids, encoding.offsets, strict=True))
    return token_pieces.split_by_spans(len(text), spans)


def _encode(payload: dict[str, Any], text: str) -> Any:
    tokenizer = _load_for(payload)
    tokenizer.encode_special_tokens = not payload["special"]
    return tokenizer.encode(token_pieces.replace_surrogates(text), add_special_tokens=False)


def _load_for(payload: dict[str, Any]) -> Any:
    return _load(payload["path"], tuple(payload["stamp"]))


@lru_cache(2)
def _load(path: str, stamp: tuple[int | str, ...]) -> Any:
    """Load a tokenizer without what would shorten, fill or extend a text, or move its offsets."""
    os.environ["TOKENIZERS_PARALLELISM"] = "false"  # one thread: a child has little memory and one text
    from tokenizers import Tokenizer, processors

    sandbox.beat(LOADING)
    tokenizer = Tokenizer.from_buffer(Path(path).read_bytes())
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    sandbox.beat()
    return tokenizer


def _describe_error(error: BaseException) -> str:
    message = " ".join(str(error).split())
    return f"it is no {NAME}: {message[:200] or type(error).__name__}"
