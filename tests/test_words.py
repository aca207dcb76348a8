"""The sentences of the pages and the command line: every key that is used is there, and every key there is used."""

from __future__ import annotations

import ast
import re
import string
from functools import cache
from pathlib import Path

import pytest

from readback import words
from readback.project_files import PROJECT

SOURCES = [PROJECT / "app.py", *sorted((PROJECT / "pages").glob("*.py")), *sorted(words.HERE.parent.rglob("*.py"))]
ENGLISH = words.words("en")
AREAS = {key.partition(".")[0] for key in ENGLISH}
NO_KEY = re.compile(r" |\.(jsonl?|csv|md|yml)$")  # a sentence, a file's name
LANGUAGES = sorted({file.stem.removeprefix("cli.") for file in words.HERE.glob("*.yml")})


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
    """The keys that any source file has, each with the name of one of its files."""
    return {text: path.name for path in SOURCES for text in literals(path)}


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


# The command line has no sentence in its code.

COMMANDS = sorted((words.HERE.parent / "cli").glob("*.py"))
# What programs read: the reasons in the JSON of `model-input --batch` are the same in every language, and so is what a
# shell runs.
FOR_PROGRAMS = {"_completion_scripts.py", "_model_input_cases.py"}
VALUES = {
    '<?xml version="1.0" encoding="UTF-8"?>',
    "a is higher",
    "b is higher",
    "not separated",
    "its own",
    "line \0: not JSON (\0)",
}  # of JSON, too
NOT_WORDS = re.compile(r"\bsha256\b|\breadback( init| scores)?\b|--?[a-z-]+|\\033\[K|\(key ")
WORDS_IN_A_ROW = re.compile(r"[^\W\d_]{2,}[,;:.]? +(?:[^\W\d_]{2,}|\0)|\0[,;:.]? +[^\W\d_]{2,}")


def sentences(path: Path) -> set[str]:
    """The literals of a module in which words follow each other or a value; docstrings are none."""
    tree = ast.parse(path.read_text("utf-8"))
    no_text = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    no_text |= {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in no_text:
            found.add(node.value)
        elif isinstance(node, ast.JoinedStr):
            parts = [part.value if isinstance(part, ast.Constant) else "\0" for part in node.values]
            found.add("".join(map(str, parts)))
    return {text for text in found if WORDS_IN_A_ROW.search(NOT_WORDS.sub("", text))}


@pytest.mark.parametrize("path", COMMANDS, ids=lambda path: path.stem)
def test_no_command_has_a_sentence_in_its_code(path: Path) -> None:
    assert path.name in FOR_PROGRAMS or sentences(path) - VALUES == set()


def test_a_sentence_in_code_is_found(tmp_path: Path) -> None:
    file = tmp_path / "command.py"
    file.write_text(
        '''"""What a module is."""\nprint("nothing was written")\nprint(f"{n} records")\nprint(f"{a}: {b}")\n'''
    )
    assert sentences(file) == {"nothing was written", "\0 records"}


def test_a_key_of_the_command_line_that_is_put_together_has_its_name_in_the_code() -> None:
    """A pattern such as `cli.check.…` alone would let every key of that section pass."""
    named = {text for path in SOURCES for text in constants(path)[0]} | {path.stem for path in COMMANDS}
    patterns = [pattern.replace("[^.]+", "([^.]*)") for pattern in used() if pattern.startswith(r"cli\.")]
    found = {key: [made for pattern in patterns if (made := re.fullmatch(pattern, key))] for key in DEFINED}
    left = {key: made for key, made in found.items() if key.startswith("cli.") and re.escape(key) not in used()}
    assert {key for key, made in left.items() if not any(named.issuperset(one.groups()) for one in made)} == set()


def test_a_command_is_in_another_language_as_a_page_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Either file of a language is enough, and what it lacks is English."""
    for name in ("en.yml", "cli.en.yml"):
        (tmp_path / name).write_bytes((words.HERE / name).read_bytes())
    (tmp_path / "cli.fr.yml").write_text("cli: {main: {stopped: interrompu}}\n", "utf-8")
    (tmp_path / "de.yml").write_text("frame: {open: Öffnen}\n", "utf-8")
    monkeypatch.setattr(words, "HERE", tmp_path)
    said = {}
    for language in ("fr", "de", "xx"):
        monkeypatch.setenv("READBACK_LANGUAGE", language)
        words.language.cache_clear()
        words._read_file.cache_clear()
        said[language] = (words.language(), words.t("cli.main.stopped"), words.t("frame.open"))
    monkeypatch.undo()
    words.language.cache_clear()
    words._read_file.cache_clear()
    assert said == {
        "fr": ("fr", "interrompu", "Open"),
        "de": ("de", "stopped", "Öffnen"),
        "xx": ("en", "stopped", "Open"),
    }
