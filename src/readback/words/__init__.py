"""Provide every sentence of the pages by key.

Each language has a YAML file (`en.yml`) with a section for each page.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from readback.quantity import fill_sentence

HERE = Path(__file__).parent
ENGLISH = "en"  # provides the sentences that another language lacks


@cache
def language() -> str:
    """Return the language of all sentences: READBACK_LANGUAGE where this folder has a file for it, else English."""
    wanted = os.environ.get("READBACK_LANGUAGE", ENGLISH)
    exists = wanted.isalpha() and (HERE / f"{wanted}.yml").is_file()
    if not exists:
        return ENGLISH
    return wanted


def words(code: str) -> Mapping[str, str]:
    """Return all sentences of a language by dotted key: `messages.title` is `title` of the section `messages`."""
    return _read_file(f"{code}.yml")


def t(key: str, **values: Any) -> str:
    """Return the sentence of `key` with its places filled: `t("frame.records", n=16)`.

    Where a key has the forms `one` and `other`, the value `n` chooses the form; further numbers choose their words with
    `{all:record|records}`. Raises KeyError for an unknown key.
    """
    sentences, english = words(language()), words(ENGLISH)
    if key not in english:
        key = f"{key}.{'one' if values.get('n') == 1 else 'other'}"
    return fill_sentence(sentences.get(key, english[key]), values)


@cache
def _read_file(name: str) -> Mapping[str, str]:
    """Return the sentences of one file, none where it does not exist.

    The file belongs to the program, so it is not read in the bounded child. Everything in it is text: `no` and `on` are
    words, not truth values.
    """
    import yaml

    if not (HERE / name).is_file():
        return {}
    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    sections = loader((HERE / name).read_bytes()).get_single_data() or {}
    return {key: text for section, node in sections.items() for key, text in _flatten(node, section)}


def _flatten(node: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, str]]:
    for name, value in node.items():
        key = f"{prefix}.{name}"
        if isinstance(value, Mapping):
            yield from _flatten(value, key)
        else:
            yield key, str(value)
