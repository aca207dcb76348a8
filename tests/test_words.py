"""The sentences of the pages: every key that is used is there, and every key there is used."""

from __future__ import annotations

import ast
import re
import string
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
import yaml

from readback import words
from readback.project_files import PROJECT

SOURCES = [PROJECT / "app.py", *sorted((PROJECT / "pages").glob("*.py")), *sorted(words.HERE.parent.rglob("*.py"))]
ENGLISH = words.words("en")
AREAS = {key.partition(".")[0] for key in ENGLISH}
NO_KEY = re.compile(r" |\.(jsonl?|csv|css|md|yml)$")  # a sentence, a file's name
LANGUAGES = sorted(file.stem for file in words.HERE.glob("*.yml"))


@cache
def constants(path: Path) -> tuple[frozenset[str], frozenset[str]]:
    """The texts of a source file, and its f-strings as patterns: a place in one stands for anything."""
    nodes = list(ast.walk(ast.parse(path.read_text("utf-8"))))
    built = [node for node in nodes if isinstance(node, ast.JoinedStr)]
    inner = {id(part) for node in built for part in node.values}
    plain = (node for node in nodes if isinstance(node, ast.Constant) and id(node) not in inner)
    parts = ([re.escape(str(p.value)) if isinstance(p, ast.Constant) else r"[^.]+" for p in f.values] for f in built)
    return frozenset(node.value for node in plain if isinstance(node.value, str)), frozenset(map("".join, parts))


def literals(path: Path) -> set[str]:
    """The keys in a source file, as patterns."""
    plain, patterns = constants(path)
    found = {re.escape(text) for text in plain if "." in text} | patterns
    return {text for text in found if text.partition(r"\.")[0] in AREAS and r"\." in text and not NO_KEY.search(text)}


def base(key: str) -> str:
    return key.removesuffix(".one").removesuffix(".other")


@cache
def used() -> dict[str, str]:
    """The keys that any source file or template has, each with the name of one of its files."""
    in_templates = {
        re.escape(key) + ("[^.]+" if end == "~" else ""): path.name
        for path in words.HERE.parent.rglob("*.jinja")
        for key, end in re.findall(r"\bt\('([\w.]+)'\s*([,)~])", path.read_text("utf-8"))
    }
    return {text: path.name for path in SOURCES for text in literals(path)} | in_templates


DEFINED = {base(key) for key in ENGLISH}


def test_every_key_that_is_used_is_defined() -> None:
    plain = {re.escape(key) for key in DEFINED}
    assert {pattern: name for pattern, name in used().items() if pattern not in plain and not matching(pattern)} == {}


def test_every_key_that_is_defined_is_used() -> None:
    left = {key for key in DEFINED if re.escape(key) not in used()}
    assert left - {key for pattern in used() if "[^.]+" in pattern for key in matching(pattern)} == set()


def matching(pattern: str) -> list[str]:
    return [key for key in DEFINED if re.fullmatch(pattern, key)]


def test_a_language_has_no_key_of_its_own_and_the_same_places() -> None:
    for language in LANGUAGES:
        for key, text in words.words(language).items():
            assert places(ENGLISH[key]) == places(text), (language, key)


def test_a_language_that_has_one_form_of_a_sentence_has_both() -> None:
    forms = {key for key in ENGLISH if key.endswith((".one", ".other"))}
    for language in LANGUAGES:
        there = words.words(language).keys() & forms
        assert {base(key) for key in there if key.endswith(".one")} == {
            base(key) for key in there if key.endswith(".other")
        }, language


def places(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def test_one_and_many_are_told_apart() -> None:
    assert (words.t("frame.records", n=1), words.t("frame.records", n=2)) == ("1 record", "2 records")


def test_an_unknown_key_is_our_mistake() -> None:
    with pytest.raises(KeyError):
        words.t("frame.nonsense")


def test_values_are_put_in_once_and_never_read_as_a_sentence() -> None:
    assert words.t("frame.record_is", record="{n} {0.__class__}") == "record {n} {0.__class__}"


def test_a_language_needs_no_more_than_some_of_the_sentences(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What it lacks is English."""
    (tmp_path / "en.yml").write_bytes((words.HERE / "en.yml").read_bytes())
    (tmp_path / "de.yml").write_text("frame: {open: Öffnen}\n", "utf-8")
    monkeypatch.setattr(words, "HERE", tmp_path)
    sentences = {}
    for language in ("de", "xx"):
        monkeypatch.setenv("READBACK_LANGUAGE", language)
        words.language.cache_clear()
        words._read_file.cache_clear()
        sentences[language] = (words.language(), words.t("frame.open"), words.t("frame.records", n=2))
    monkeypatch.undo()
    words.language.cache_clear()
    words._read_file.cache_clear()
    assert sentences == {"de": ("de", "Öffnen", "2 records"), "xx": ("en", "Open", "2 records")}


def list_repeated_keys(node: yaml.Node, above: str = "") -> Iterator[str]:
    """Yield the path of each key that a mapping has twice: the reader would take the last and say nothing."""
    if not isinstance(node, yaml.MappingNode):
        return
    seen: set[str] = set()
    for key, value in node.value:
        path = f"{above}.{key.value}"
        if key.value in seen:
            yield path
        seen.add(key.value)
        yield from list_repeated_keys(value, path)


@pytest.mark.parametrize("file", ["words/en.yml", "catalogue/en.yml"])
def test_no_key_of_the_words_is_there_twice(file: str) -> None:
    text = (words.HERE.parent / file).read_text("utf-8")
    assert list(list_repeated_keys(yaml.compose(text))) == []
    assert list(list_repeated_keys(yaml.compose("a: {b: 1, c: 2, b: 3}"))) == [".a.b"]
