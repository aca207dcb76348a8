"""Every sentence of the pages, by key: one YAML file for each language, in it one section for each page."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from readback.quantity import filled

HERE = Path(__file__).parent
ENGLISH = "en"  # what a language that lacks a key falls back to


@cache
def language() -> str:
    """The language of the pages: READBACK_LANGUAGE where a file of that name lies here, else English."""
    wanted = os.environ.get("READBACK_LANGUAGE", ENGLISH)
    return wanted if wanted.isalpha() and (HERE / f"{wanted}.yml").is_file() else ENGLISH


@cache
def words(code: str) -> Mapping[str, str]:
    """All sentences of a language by dotted key: `messages.title` is the key `title` of the section `messages`.

    The file is the program's own, so it is read here and not in the bounded child. Everything in it is text: `no` and
    `on` are words, not truth values.
    """
    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    sections = loader((HERE / f"{code}.yml").read_bytes()).get_single_data() or {}
    return {key: text for name, node in sections.items() for key, text in _flat(node, name)}


def t(key: str, **values: Any) -> str:
    """The sentence of `key` with its places filled: `t("frame.records", n=16)`.

    A key with the forms `one` and `other` is chosen by the value `n`; any other number chooses its word by itself
    (`{all:record|records}`). An unknown key is our mistake: KeyError.
    """
    here, english = words(language()), words(ENGLISH)
    if key not in english:
        key = f"{key}.{'one' if values.get('n') == 1 else 'other'}"
    return filled(here.get(key, english[key]), values)


def _flat(node: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, str]]:
    for name, value in node.items():
        key = f"{prefix}.{name}"
        if isinstance(value, Mapping):
            yield from _flat(value, key)
        else:
            yield key, str(value)
