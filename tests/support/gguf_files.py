"""GGUF headers, written for tests."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any

TEXT, ARRAY = 8, 9


def gguf(values: Mapping[str, Any], *, version: int = 3, order: str = "<", count: int | None = None) -> bytes:
    """A file with these keys and no tensors; `count` is the number of keys that it says it has."""
    head = b"GGUF" + struct.pack(f"{order}IQQ", version, 0, len(values) if count is None else count)
    return head + b"".join(text(key, order) + typed(value, order) for key, value in values.items())


def text(value: str, order: str = "<") -> bytes:
    data = value.encode("utf-8")
    return struct.pack(f"{order}Q", len(data)) + data


def typed(value: Any, order: str = "<") -> bytes:
    """A value behind its type: a truth value, a whole number, a number, a text or a list of texts or of numbers."""
    if isinstance(value, bool):
        return struct.pack(f"{order}I?", 7, value)
    if isinstance(value, int):
        return struct.pack(f"{order}II", 4, value)
    if isinstance(value, float):
        return struct.pack(f"{order}If", 6, value)
    if isinstance(value, str):
        return struct.pack(f"{order}I", TEXT) + text(value, order)
    if isinstance(value, bytes):
        return value
    if value and isinstance(value[0], list):
        inner = b"".join(typed(item, order)[4:] for item in value)
        return struct.pack(f"{order}IIQ", ARRAY, ARRAY, len(value)) + inner
    if value and isinstance(value[0], int):
        return struct.pack(f"{order}IIQ", ARRAY, 4, len(value)) + struct.pack(f"{order}{len(value)}I", *value)
    return struct.pack(f"{order}IIQ", ARRAY, TEXT, len(value)) + b"".join(text(item, order) for item in value)


def model(template: str | None = None, architecture: str = "llama", **more: Any) -> bytes:
    """The header of a small model, with its vocabulary before its chat template as converters write them."""
    values: dict[str, Any] = {
        "general.architecture": architecture,
        f"{architecture}.context_length": 4096,
        "tokenizer.ggml.tokens": ["<unk>", "<s>", "</s>", "a", "b"],
        "tokenizer.ggml.scores": [0, 0, 0, 1, 2],
        "tokenizer.ggml.bos_token_id": 1,
        "tokenizer.ggml.eos_token_id": 2,
        "tokenizer.ggml.add_bos_token": True,
        **({} if template is None else {"tokenizer.chat_template": template}),
        **more,
    }
    return gguf(values)
