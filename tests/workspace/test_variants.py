"""Every text that an option made says which, and what the option could be instead, with the version of each."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import looking
import pytest

import readback
from readback import workspace
from readback.cli import main
from readback.prompts.selections import VERSIONS, list_variants
from readback.sources.options import OPTIONS
from readback.types import Selection

Write = Callable[[Mapping[str, Any]], Path]
FORMATS = """\
dataset: data.jsonl
prompts: [builtin:prompt-formats]
models: {b: {type: base}, i: {type: instruction_only}, r: {type: rag_trained}}
conditions:
  - {name: c1, mode: instruction, model: b}
  - {name: c2, mode: rag, model: b}
  - {name: c3, mode: instruction, model: i}
  - {name: c4, mode: rag, model: i}
  - {name: c5, mode: instruction, model: r}
  - {name: c6, mode: rag, model: r}
  - {name: built, mode: standard, model: r}
"""
ROW = {"task_id": "t1", "instruction": "Why?", "rag": {"prompt": "P", "contexts": ["one"]}}
NO_FILE = "no Modelfile of b is among the files"
WENT, VERY = "until the document went", "the very commit that brought the document"


def folder(write: Write, options: str = "") -> Path:
    return write({"readback.yml": FORMATS + options, "data.jsonl": [ROW, {**ROW, "task_id": "t2"}]})


@pytest.mark.parametrize(
    ("options", "condition", "expected"),
    [
        ("", "c1", {}), ("", "c2", {}), ("", "c3", {}), ("", "c6", {}), ("", "built", {}),
        ("", "c4", {"condition4": "hybrid", "spacing": "program"}),
        ("options: {condition4: standard}", "c4", {"condition4": "standard"}),
        ("options: {spacing: document}", "c4", {"condition4": "hybrid", "spacing": "document"}),
        ("", "c5", {"closed_book": "no_citations"}),
        ("options: {closed_book: short}", "c5", {"closed_book": "short"}),
    ],
)  # fmt: skip
def test_a10_only_what_makes_the_text_is_named(
    write: Write, options: str, condition: str, expected: dict[str, str]
) -> None:
    opened = workspace.open(folder(write, options))
    found = list_variants(opened, Selection(condition=condition))
    assert {one.option: one.value for one in found} == expected
    for one in found:
        assert {one.value, *(value for value, _ in one.others)} == set(OPTIONS[one.option])


@pytest.mark.parametrize("name", VERSIONS)
def test_a10_every_value_belongs_to_a_version(name: str) -> None:
    assert tuple(VERSIONS[name]) == OPTIONS[name]


def test_a10_what_an_option_could_be_is_another_text(write: Write) -> None:
    for condition, name in (("c4", "condition4"), ("c4", "spacing"), ("c5", "closed_book")):
        texts = set()
        for value in OPTIONS[name]:
            workspace = readback.open(folder(write, f"options: {{{name}: {value}}}"))
            texts.add(workspace.assemble(condition, "t1").text())
        assert len(texts) == len(OPTIONS[name])


def test_a10_the_command_line_and_the_notebook_name_both_wordings(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    root = str(folder(write))
    main(["render", root, "--condition", "c5", "--fail-on", "never"])
    line = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("closed_book"))
    assert line.startswith("closed_book: no_citations, as in the program from 98 minutes after")
    assert WENT in line
    assert line.endswith(f"; or short, as in the program in {VERY}")
    main(["render", root, "--condition", "c5", "--format", "json", "--fail-on", "never"])
    (told,) = json.loads(capsys.readouterr().out)["made_by"]
    assert (told["option"], told["value"], told["others"][0][0]) == ("closed_book", "no_citations", "short")
    made = readback.open(root).assemble("c5")
    assert line in repr(made)
    assert "no_citations" in made._repr_html_()
    main(["diff", root, "--a", "condition=c5", "--b", "closed_book=short"])
    said = capsys.readouterr().out
    assert "A: closed_book: no_citations" in said
    assert "B: closed_book: short" in said


def test_a10_messages_and_compare_name_both_wordings(
    serving: Callable[[Mapping[str, Any]], Path],
) -> None:
    serving({"readback.yml": FORMATS, "data.jsonl": [ROW, {**ROW, "task_id": "t2"}]})
    said = looking.said(looking.page("prompts", condition="c5"))
    assert WENT in said
    assert VERY in said
    assert "b_option=closed_book%3Dshort" in said
    said = looking.said(looking.page("prompts", view="difference", condition="c5", b_option="closed_book=short"))
    assert "A: Closed-book instruction: asks for no citations" in said
    assert "B: Closed-book instruction: is short" in said


@pytest.mark.parametrize(
    ("model", "modelfile", "expected"),
    [
        ("type: base", "", NO_FILE),
        ("type: base, serving: {modelfile: Modelfile}", "FROM qwen\n", "its Modelfile states none, and qwen, which it"),
        ("type: base, serving: {modelfile: Modelfile}", "FROM ./x.gguf\n", None),
        ("type: base, serving: {modelfile: Modelfile}", 'FROM qwen\nSYSTEM ""\n', None),
        ("type: base, serving: {modelfile: Modelfile}", "FROM qwen\nSYSTEM S\n", None),
        ("type: base, serving: {format: chatml-plain}", "", None),
        ("type: base, settings: {provider: openai}", "", None),
    ],
)
def test_a12_a_system_message_that_is_not_known_is_not_called_none(
    write: Write, capsys: pytest.CaptureFixture[str], model: str, modelfile: str, expected: str | None
) -> None:
    config = FORMATS.replace("b: {type: base}", f"b: {{{model}}}")
    root = write({"readback.yml": config, "data.jsonl": [ROW], "Modelfile": modelfile or "FROM unused\n"})
    opened = readback.open(root)
    made = opened.assemble("c1")
    assert (made.system_unknown or "").startswith(expected or "")
    assert bool(made.system_unknown) == bool(expected)
    assert ("system message not known here" in repr(made)) == bool(expected)
    main(["render", str(root), "--condition", "c1", "--format", "json", "--fail-on", "never"])
    assert json.loads(capsys.readouterr().out)["system_unknown"] == made.system_unknown
    (row,) = [one for one in opened.audit().conditions if one.name == "c1"]
    assert row.system_unknown == made.system_unknown
    assert (row.system is None) == (row.system_sha is None)


def test_a12_the_tables_of_conditions_say_not_known_here(
    serving: Callable[[Mapping[str, Any]], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    root = serving({"readback.yml": FORMATS, "data.jsonl": [ROW]})
    main(["check", str(root), "--fail-on", "never"])
    said = capsys.readouterr().out
    assert f"system message unknown: {NO_FILE}" in next(line for line in said.splitlines() if line.startswith("  c1:"))
    assert "no system message" not in said
    main(["check", str(root), "--format", "json", "--fail-on", "never"])
    first = json.loads(capsys.readouterr().out)["conditions"][0]
    assert (first["system"], first["system_sha"], first["system_unknown"]) == (None, None, NO_FILE)
    said = looking.said(looking.page("overview"))
    assert "not known" in said
    assert NO_FILE in said
    assert NO_FILE in looking.said(looking.page("prompts", condition="c1"))


def test_a12_a_condition_of_which_nothing_was_built_has_no_length_and_no_system_message(
    serving: Callable[[Mapping[str, Any]], Path],
) -> None:
    root = serving({"readback.yml": FORMATS, "data.jsonl": [{"task_id": "t1", "expected_response": "So."}]})
    rows = {row.name: row for row in readback.open(root).audit().conditions}
    assert (rows["c6"].longest, rows["c6"].system_unknown) == (None, "nothing could be built of the first record")
