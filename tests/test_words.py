"""The pages' sentences: every key that is used is there, and every key that is there is used."""

from __future__ import annotations

import ast
import re
import string
from pathlib import Path

import pytest

from readback import words
from readback.project_files import PROJECT

SOURCES = [PROJECT / "app.py", *sorted((PROJECT / "pages").glob("*.py")), *sorted(words.HERE.parent.rglob("*.py"))]
ENGLISH = words.words("en")
AREAS = {key.partition(".")[0] for key in ENGLISH}
NO_KEY = re.compile(r" |\.(jsonl?|csv|md)$")  # a sentence, a file's name
LANGUAGES = sorted({file.stem.removeprefix("cli.") for file in words.HERE.glob("*.yml")})


def literals(path: Path) -> set[str]:
    """The keys in a source file, as patterns: a place in an f-string stands for anything."""
    found = set()
    tree = ast.parse(path.read_text("utf-8"))
    inner = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inner:
            found.add(re.escape(node.value))
        elif isinstance(node, ast.JoinedStr):
            parts = [re.escape(p.value) if isinstance(p, ast.Constant) else r"[^.]+" for p in node.values]
            found.add("".join(map(str, parts)))
    return {text for text in found if text.partition(r"\.")[0] in AREAS and r"\." in text and not NO_KEY.search(text)}


def base(key: str) -> str:
    return key.removesuffix(".one").removesuffix(".other")


USED = {text: path.name for path in SOURCES for text in literals(path)}


DEFINED = {base(key) for key in ENGLISH}


def test_every_key_that_is_used_is_defined() -> None:
    plain = {re.escape(key) for key in DEFINED}
    assert {pattern: name for pattern, name in USED.items() if pattern not in plain and not matching(pattern)} == {}


def test_every_key_that_is_defined_is_used() -> None:
    left = {key for key in DEFINED if re.escape(key) not in USED}
    assert left - {key for pattern in USED if "[^.]+" in pattern for key in matching(pattern)} == set()


def matching(pattern: str) -> list[str]:
    return [key for key in DEFINED if re.fullmatch(pattern, key)]


def test_a_language_has_no_key_of_its_own_and_the_same_places() -> None:
    for language in LANGUAGES:
        for key, text in words.words(language).items():
            assert places(ENGLISH[key]) == places(text), (language, key)


def places(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def test_one_and_many_are_told_apart() -> None:
    assert (words.t("frame.records", n=1), words.t("frame.records", n=2)) == ("1 record", "2 records")


def test_an_unknown_key_is_our_mistake() -> None:
    with pytest.raises(KeyError):
        words.t("frame.nonsense")


def test_values_are_put_in_once_and_never_read_as_a_sentence() -> None:
    assert words.t("frame.record_is", record="{n} {0.__class__}") == "record {n} {0.__class__}"
