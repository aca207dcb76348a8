"""Tokenizers by name: the tables that the package quicktok-v1 carries, used without a network."""

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
from readback.serving.tokens.estimate import fits
from readback.serving.tokens.in_a_child import InAChild, Work
from readback.serving.tokens.token_pieces import Piece

CURE = "pip install readback[tokens]"
LIMITS = sandbox.Limits(seconds=20.0, total=30.0, memory=1 << 30, output=64 << 20)
WORK = "readback.serving.tokens.named_tokenizers"
LOADING = 20.0  # seconds: a table takes 0.1 to 0.4 s


@dataclass(frozen=True, slots=True)
class Table:
    """A table's name in quicktok, the special tokens that this model has not, and whether it reads text as NFC."""

    encoding: str
    without: tuple[str, ...] = ()
    composed: bool = False


TABLES = {
    "cl100k": Table("cl100k_base"),
    "o200k": Table("o200k_base"),
    "o200k_harmony": Table("o200k_harmony"),
    "llama3": Table("llama3"),
    "qwen3": Table("qwen3", composed=True),
    "qwen2.5": Table(
        "qwen3", ("<tool_response>", "</tool_response>", "<think>", "</think>"), composed=True
    ),  # the same table with fewer special tokens
}
ALIASES = {
    "cl100k_base": "cl100k", "gpt-4": "cl100k", "gpt-4-turbo": "cl100k", "gpt-3.5-turbo": "cl100k",
    "o200k_base": "o200k", "gpt-4o": "o200k", "gpt-4o-mini": "o200k", "gpt-4.1": "o200k",
    "harmony": "o200k_harmony", "gpt-oss": "o200k_harmony",
    "llama-3": "llama3", "llama3.1": "llama3", "llama-3.1": "llama3", "llama3.2": "llama3", "llama-3.2": "llama3",
    "llama3.3": "llama3", "llama-3.3": "llama3",
    "qwen-3": "qwen3", "qwen2": "qwen2.5", "qwen-2.5": "qwen2.5",
}  # fmt: skip


def known(tokenizer: str) -> bool:
    """Whether it is the name of a table."""
    return _name(tokenizer) in TABLES


@cache
def there() -> bool:
    """Whether quicktok is installed."""
    return importlib.util.find_spec("quicktok") is not None


def counter(tokenizer: str) -> By | tuple[str, str]:
    """What counts by the table of that name; the reason and the cure where quicktok is not installed."""
    if not there():
        return "the package quicktok-v1, which holds this table, is not installed", CURE
    return By(_name(tokenizer))


@dataclass(frozen=True, slots=True)
class By(InAChild):
    """Counts by a table."""

    name: str
    exact: bool = True
    by_bytes: bool = True

    def surely_fits(self, text: str, room: int) -> bool:
        """Whether so few bytes prove it."""
        return fits(text, room, composed=TABLES[self.name].composed)

    def _ask(self, work: Work, about: Any, special: bool) -> Any:
        asked = {"table": self.name, "about": about, "special": special}
        return sandbox.call(f"{WORK}:{work}", asked, LIMITS, shared=(shared(self.name),))


def shared(name: str) -> str:
    """What children of the sandbox share: the table, loaded once in the process they are forked from."""
    return f"{WORK}:load:{TABLES[_name(name)].encoding}"


def counts(asked: dict[str, Any]) -> list[int]:
    """In the child: the tokens of each text. Counting what lies between special tokens is faster than listing all."""
    table = TABLES[asked["table"]]
    count: Callable[[str], int] = load(table.encoding).count
    texts = (token_pieces.whole(text) for text in asked["about"])
    if not asked["special"]:
        return [count(text) for text in texts]
    cut = (_specials(asked["table"]).split(text) for text in texts)
    return [len(parts) - 1 + sum(count(part) for part in parts if part) for parts in cut]


def shares(asked: dict[str, Any]) -> tuple[int, ...]:
    """In the child: the tokens that begin in each part."""
    return token_pieces.shares(_cut(asked, "".join(asked["about"])), [len(part) for part in asked["about"]])


def cut(asked: dict[str, Any]) -> list[tuple[int, int, tuple[int, ...], bool]]:
    """In the child: the pieces of one text."""
    text, start, stop = asked["about"]
    return [(p.start, p.end, p.ids, p.special) for p in _cut(asked, text) if p.end > start and p.start < stop]


@cache
def load(encoding: str) -> Any:
    """A table of quicktok. Ours and not a workspace's, so children may share it."""
    sandbox.beat(LOADING)
    found = importlib.import_module("quicktok").get_encoding(encoding)
    sandbox.beat()
    return found


@cache
def _specials(name: str) -> re.Pattern[str]:
    """Finds the special tokens of a table; of two that begin alike the longer one."""
    table = TABLES[name]
    wanted = load(table.encoding).special_tokens_set - set(table.without)
    return re.compile("|".join(re.escape(one) for one in sorted(wanted, key=lambda one: (-len(one), one))))


def _cut(asked: dict[str, Any], text: str) -> Iterator[Piece]:
    table = TABLES[asked["table"]]
    spelt: Callable[[int], bytes] = load(table.encoding).decode_single_token_bytes
    marked: Callable[[int], bool] = load(table.encoding).is_special_token
    tokens = ((number, spelt(number), marked(number)) for number in _ids(asked, text))
    return token_pieces.from_bytes(token_pieces.whole(text), tokens, composed=table.composed)


def _ids(asked: dict[str, Any], text: str) -> list[int]:
    table = TABLES[asked["table"]]
    encoding, text = load(table.encoding), token_pieces.whole(text)
    if not asked["special"]:
        found: list[int] = encoding.encode_ordinary(text)
    elif table.without:
        wanted = encoding.special_tokens_set - set(table.without)
        found = encoding.encode(text, allowed_special=wanted, disallowed_special=())
    else:
        found = encoding.encode_with_special(text)
    return found


def _name(tokenizer: str) -> str:
    name = tokenizer.strip().lower()
    return ALIASES.get(name, name)
