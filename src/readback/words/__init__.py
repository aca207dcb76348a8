"""Every sentence of the pages and of the command line, by key.

Two YAML files for each language: `en.yml` has a section for each page, `cli.en.yml` one for each command.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from readback.quantity import filled

HERE = Path(__file__).parent
ENGLISH = "en"  # what a language that lacks a key falls back to
# The command line's file is apart, so that its help does not wait until the sentences of all pages are read.
PAGES, COMMANDS = "{}.yml", "cli.{}.yml"


@cache
def language() -> str:
    """The language of all sentences: READBACK_LANGUAGE where one of its files lies here, else English."""
    wanted = os.environ.get("READBACK_LANGUAGE", ENGLISH)
    there = wanted.isalpha() and any((HERE / name.format(wanted)).is_file() for name in (PAGES, COMMANDS))
    return wanted if there else ENGLISH


def words(code: str) -> Mapping[str, str]:
    """All sentences of a language by dotted key: `messages.title` is the key `title` of the section `messages`."""
    return {**_read(PAGES.format(code)), **_read(COMMANDS.format(code))}


def t(key: str, **values: Any) -> str:
    """The sentence of `key` with its places filled: `t("frame.records", n=16)`.

    A key with the forms `one` and `other` is chosen by the value `n`; any other number chooses its word by itself
    (`{all:record|records}`). An unknown key is our mistake: KeyError.
    """
    file = COMMANDS if key.partition(".")[0] == "cli" else PAGES
    here, english = _read(file.format(language())), _read(file.format(ENGLISH))
    if key not in english:
        key = f"{key}.{'one' if values.get('n') == 1 else 'other'}"
    return filled(here.get(key, english[key]), values)


@cache
def _read(name: str) -> Mapping[str, str]:
    """The sentences of one file, none where it is not there.

    The file is the program's own, so it is read here and not in the bounded child. Everything in it is text: `no` and
    `on` are words, not truth values.
    """
    import yaml

    if not (HERE / name).is_file():
        return {}
    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    sections = loader((HERE / name).read_bytes()).get_single_data() or {}
    return {key: text for section, node in sections.items() for key, text in _flat(node, section)}


def _flat(node: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, str]]:
    for name, value in node.items():
        key = f"{prefix}.{name}"
        if isinstance(value, Mapping):
            yield from _flat(value, key)
        else:
            yield key, str(value)
