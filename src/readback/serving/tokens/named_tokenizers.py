"""Count tokens by the tables that the package quicktok-v1 carries, without a network."""

from __future__ import annotations

import importlib
import importlib.util
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from readback import sandbox
from readback.serving.tokens import token_pieces
from readback.serving.tokens.child_counter import ChildCounter, Work
from readback.serving.tokens.estimate import fits_in_bytes
from readback.serving.tokens.token_pieces import Piece

CURE = "pip install readback[tokens]"
LIMITS = sandbox.Limits(seconds=20.0, total=30.0, memory=1 << 30, output=64 << 20)
WORK = "readback.serving.tokens.named_tokenizers"
LOADING = 20.0  # seconds: a table takes 0.1 to 0.4 s


@dataclass(frozen=True, slots=True)
class Table:
    """Describe a table.

    It has its name in quicktok, the special tokens that this model lacks, and whether text is read as NFC.
    """

    encoding: str
    without: tuple[str, ...] = ()
    composed: bool = False


TABLES = {
    "cl100k": Table("cl100k_base"),
    "o200k": Table("o200k_base"),
    "o200k_harmony": Table("o200k_harmony"),
    "llama3": Table("llama3"),
    "qwen3": Table("qwen3", composed=True),
    # The same table with fewer special tokens.
    "qwen2.5": Table("qwen3", ("<tool_response>", "</tool_response>", "<think>", "</think>"), composed=True),
}
ALIASES = {
    "cl100k_base": "cl100k",
    "gpt-4": "cl100k",
    "gpt-4-turbo": "cl100k",
    "gpt-3.5-turbo": "cl100k",
    "o200k_base": "o200k",
    "gpt-4o": "o200k",
    "gpt-4o-mini": "o200k",
    "gpt-4.1": "o200k",
    "harmony": "o200k_harmony",
    "gpt-oss": "o200k_harmony",
    "llama-3": "llama3",
    "llama3.1": "llama3",
    "llama-3.1": "llama3",
    "llama3.2": "llama3",
    "llama-3.2": "llama3",
    "llama3.3": "llama3",
    "llama-3.3": "llama3",
    "qwen-3": "qwen3",
    "qwen2": "qwen2.5",
    "qwen-2.5": "qwen2.5",
}


def is_table(tokenizer: str) -> bool:
    """Return whether it is the name of a table."""
    return _resolve_alias(tokenizer) in TABLES


@cache
def is_installed() -> bool:
    """Return whether quicktok is installed."""
    return importlib.util.find_spec("quicktok") is not None


def load_counter(tokenizer: str) -> TableCounter | tuple[str, str]:
    """Return the counter for the table of that name, or the reason and the cure if quicktok is not installed."""
    if not is_installed():
        return "the package quicktok-v1, which holds this table, is not installed", CURE
    return TableCounter(_resolve_alias(tokenizer))


@dataclass(frozen=True, slots=True)
class TableCounter(ChildCounter):
    """Count by a table."""

    name: str
    exact: bool = True
    by_bytes: bool = True

    def surely_fits(self, text: str, room: int) -> bool:
        """Return whether the text has so few bytes that it fits."""
        return fits_in_bytes(text, room, composed=TABLES[self.name].composed)

    def _ask(self, work: Work, question: Any, special: bool) -> Any:
        payload = {"table": self.name, "about": question, "special": special}
        return sandbox.call(f"{WORK}:{work}", payload, LIMITS, shared=(name_loading(self.name),))


def name_loading(name: str) -> str:
    """Return what children share, as the sandbox names it: the table, loaded once in their parent process."""
    return f"{WORK}:load:{TABLES[_resolve_alias(name)].encoding}"


def count_each(payload: dict[str, Any]) -> list[int]:
    """Return, in the child, the number of tokens of each text.

    Counting the text between special tokens is faster than listing all tokens.
    """
    table = TABLES[payload["table"]]
    count: Callable[[str], int] = load(table.encoding).count
    texts = (token_pieces.replace_surrogates(text) for text in payload["about"])
    if not payload["special"]:
        return [count(text) for text in texts]
    special_tokens = _compile_special_tokens(payload["table"])
    totals = []
    for text in texts:
        parts = special_tokens.split(text)
        totals.append(len(parts) - 1 + sum(count(part) for part in parts if part))
    return totals


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


@cache
def load(encoding: str) -> Any:
    """Load a table of quicktok. It is ours and not a workspace's, so that children may share it."""
    sandbox.beat(LOADING)
    encoding_table = importlib.import_module("quicktok").get_encoding(encoding)
    sandbox.beat()
    return encoding_table


@cache
def _compile_special_tokens(name: str) -> re.Pattern[str]:
    """Return the pattern of a table's special tokens; of two that begin alike the longer one matches."""
    table = TABLES[name]
    special_tokens = load(table.encoding).special_tokens_set - set(table.without)
    longest_first = sorted(special_tokens, key=lambda token: (-len(token), token))
    return re.compile("|".join(re.escape(token) for token in longest_first))


def _split(payload: dict[str, Any], text: str) -> Iterator[Piece]:
    table = TABLES[payload["table"]]
    decode: Callable[[int], bytes] = load(table.encoding).decode_single_token_bytes
    is_special: Callable[[int], bool] = load(table.encoding).is_special_token
    tokens = ((number, decode(number), is_special(number)) for number in _list_ids(payload, text))
    return token_pieces.split_by_bytes(token_pieces.replace_surrogates(text), tokens, composed=table.composed)


def _list_ids(payload: dict[str, Any], text: str) -> list[int]:
    table = TABLES[payload["table"]]
    encoding, text = load(table.encoding), token_pieces.replace_surrogates(text)
    ids: list[int]
    if not payload["special"]:
        ids = encoding.encode_ordinary(text)
    elif table.without:
        special_tokens = encoding.special_tokens_set - set(table.without)
        ids = encoding.encode(text, allowed_special=special_tokens, disallowed_special=())
    else:
        ids = encoding.encode_with_special(text)
    return ids


def _resolve_alias(tokenizer: str) -> str:
    name = tokenizer.strip().lower()
    return ALIASES.get(name, name)
