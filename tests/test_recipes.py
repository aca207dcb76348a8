"""The recipes of docs/adding: each is carried out as it stands there, and what it makes is run.

In a recipe a block of code belongs to the path that the text before it names: *New file*, *Append to*, or *In* before
a diff, whose lines must stand in the file exactly once. `sh` blocks are commands and `text` blocks lines of what
they print.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml
from unforked import unforked

from readback import cli, words
from readback.checks import rule as rule_values
from readback.checks import rules
from readback.project_files import PROJECT
from readback.serving.chat import formats as chat_formats

Write = Callable[[Mapping[str, Any]], Path]
FOLDER = PROJECT / "docs" / "adding"
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
TARGET = re.compile(r"(New file|Append to|[Ii]n) `([^`\n]+\.[a-z]+)`")


class Recipe:
    """A recipe carried out: the files as they are then by path, the lines it adds to each, its commands and output."""

    def __init__(self, name: str) -> None:
        text = (FOLDER / f"{name}.md").read_text("utf-8")
        self.files: dict[str, str] = {}
        self.added: dict[str, str] = {}
        self.commands: list[str] = []
        self.printed: list[str] = []
        end, path, verb = 0, "", ""
        for block in FENCE.finditer(text):
            stated = TARGET.findall(text[end : block.start()])
            end = block.end()
            if stated:
                verb, path = stated[-1]
            kind, content = block[1], block[2]
            if kind == "sh":
                self.commands += content.splitlines()
            elif kind == "text":
                self.printed += content.splitlines()
            elif kind == "diff":
                self._edit(path, content)
            elif stated:
                assert (verb == "Append to") == (PROJECT / path).exists(), path
                before = f"{self._read(path)}\n\n" if verb == "Append to" else ""
                self.files[path] = before + content
                self.added[path] = self.added.get(path, "") + content

    def _read(self, path: str) -> str:
        return self.files.get(path) or (PROJECT / path).read_text("utf-8")

    def _edit(self, path: str, diff: str) -> None:
        lines = [(line[:1] or " ", line[1:]) for line in diff.splitlines()]
        old = "".join(f"{rest}\n" for sign, rest in lines if sign in " -")
        new = "".join(f"{rest}\n" for sign, rest in lines if sign in " +")
        text = self._read(path)
        assert f"\n{text}".count(f"\n{old}") == 1, f"{path} has these lines not exactly once:\n{old}"
        self.files[path] = text.replace(old, new)
        self.added[path] = self.added.get(path, "") + "".join(f"{rest}\n" for sign, rest in lines if sign == "+")

    def write(self, folder: Path) -> None:
        """Write all files below a folder, and look at the code as `make check` does."""
        for path, text in self.files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, "utf-8")
            if path.endswith(".py"):
                _lint(path, text)

    def put(self, path: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
        """Have everybody use a module as it is then."""
        name = path.removeprefix("src/").removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        made = ModuleType(name)
        made.__file__, made.__package__ = path, name if path.endswith("__init__.py") else name.rpartition(".")[0]
        is_new = not (PROJECT / path).exists()
        if is_new:
            monkeypatch.setitem(sys.modules, name, made)
            monkeypatch.setattr(import_module(name.rpartition(".")[0]), name.rpartition(".")[2], made, raising=False)
        else:
            present = import_module(name)
        exec(compile(self.files[path], path, "exec"), made.__dict__)
        if not is_new:
            for attribute, value in vars(made).items():
                if not attribute.startswith("__"):
                    monkeypatch.setattr(present, attribute, value, raising=False)
        return made

    def load_tests(self, path: str) -> Mapping[str, Any]:
        """The module of tests as it is then."""
        made: dict[str, Any] = {"__name__": "tests_of_the_recipe", "__file__": str(PROJECT / path)}
        exec(compile(self._read(path), path, "exec"), made)
        return made

    def run_tests(self, path: str, **fixtures: Any) -> None:
        """Run the tests that the recipe appends."""
        made = self.load_tests(path)
        tests = [node for node in ast.parse(self.added[path]).body if isinstance(node, ast.FunctionDef)]
        assert tests
        for test in tests:
            made[test.name](**{argument.arg: fixtures[argument.arg] for argument in test.args.args})

    def run_commands(self, capsys: pytest.CaptureFixture[str]) -> str:
        """What the commands print, in which every line is that the recipe shows."""
        for command in self.commands:
            program, *arguments = command.split()
            assert program == "readback"
            cli.main(arguments)
        output = capsys.readouterr().out
        assert self.printed
        assert [line for line in self.printed if line.strip() not in output] == [], output
        return output


def _lint(path: str, text: str) -> None:
    """Look that a file is as `make check` wants it."""
    for command in (["check", "--quiet"], ["format", "--check", "--quiet"]):
        words_of_command = [sys.executable, "-m", "ruff", *command, "--no-cache", "--stdin-filename", path, "-"]
        done = subprocess.run(words_of_command, cwd=PROJECT, input=text, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{path}: {done.stdout}{done.stderr}"


@pytest.fixture
def carried_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Recipe]:
    """carried_out(name) is a recipe with its files below the folder that the process is in."""

    def carry_out(name: str) -> Recipe:
        recipe = Recipe(name)
        recipe.write(tmp_path)
        monkeypatch.chdir(tmp_path)
        if "src/readback/words/en.yml" in recipe.files:
            monkeypatch.setattr(words, "HERE", tmp_path / "src" / "readback" / "words")
            monkeypatch.setattr(words, "_read_file", words._read_file.__wrapped__)
            read = words.words("en")
            monkeypatch.setattr(words, "_read_file", lambda name: read)
        return recipe

    return carry_out


def test_a_format_of_score_files(
    carried_out: Callable[[str], Recipe],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    write: Write,
) -> None:
    recipe = carried_out("score-format")
    recipe.put("src/readback/scores/files/formats/clarity.py", monkeypatch)
    recipe.put("src/readback/scores/files/formats/__init__.py", monkeypatch)
    recipe.run_commands(capsys)
    recipe.run_tests("tests/scores/test_results.py", write=write)


def test_a_rule(
    carried_out: Callable[[str], Recipe],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    recipe = carried_out("rule")
    code, catalogue = "asm-many-question-marks", "src/readback/catalogue/en.yml"
    logic = recipe.put(f"src/readback/checks/rules/{code.replace('-', '_')}.py", monkeypatch)
    added = rule_values.build_rule(code, yaml.safe_load(recipe.added[catalogue])[code], logic)
    every = {**rules.RULES(), code: added}
    monkeypatch.setattr(rules, "RULES", lambda: every)
    monkeypatch.setattr(rules, "_list_rules_on", rules._list_rules_on.__wrapped__)
    unforked(monkeypatch)
    recipe.run_commands(capsys)
    tests = recipe.load_tests("tests/checks/test_rules.py")
    (tmp_path / "examples").mkdir()
    finds = tests["test_a_rule_finds_its_fault_in_the_examples_that_have_it_and_in_no_other"]
    finds(added, tmp_path / "examples", monkeypatch)
    tests["test_a_rule_says_what_why_and_how_and_its_file_is_named_after_its_fault"](added)


def test_a_chat_format(
    carried_out: Callable[[str], Recipe], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    recipe = carried_out("chat-format")
    monkeypatch.setattr(chat_formats, "FOLDER", Path("configs", "chat_formats").resolve())
    for cached in (chat_formats.list_formats, chat_formats.load_format):
        cached.cache_clear()
    try:
        printed = recipe.run_commands(capsys)
        tests = recipe.load_tests("tests/serving/test_chat_formats.py")
        assert printed == tests["GOLDEN"]["harbour"]
        tests["test_a_format_writes_its_text_and_says_what_it_is"]("harbour")
    finally:
        for cached in (chat_formats.list_formats, chat_formats.load_format):
            cached.cache_clear()


def test_a_column_of_the_table_of_records(
    carried_out: Callable[[str], Recipe], monkeypatch: pytest.MonkeyPatch, serving: Any
) -> None:
    recipe = carried_out("record-column")
    recipe.put("src/readback/ui/results/record_list.py", monkeypatch)
    recipe.run_tests("tests/ui/test_records_page.py", serving=serving)


def test_a_sentence_on_overview(
    carried_out: Callable[[str], Recipe], monkeypatch: pytest.MonkeyPatch, serving: Any
) -> None:
    recipe = carried_out("overview-sentence")
    recipe.put("src/readback/ui/overview/facts.py", monkeypatch)
    recipe.run_tests("tests/ui/test_overview_page.py", serving=serving)


def test_every_recipe_is_carried_out_here_and_named_in_contributing() -> None:
    names = {path.stem for path in FOLDER.glob("*.md")}
    carried = set(re.findall(r'carried_out\("([\w-]+)"\)', Path(__file__).read_text("utf-8")))
    linked = set(re.findall(r"\(docs/adding/([\w-]+)\.md\)", (PROJECT / "CONTRIBUTING.md").read_text("utf-8")))
    assert names == carried == linked
