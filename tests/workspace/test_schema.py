"""The schema of readback.yml: one pass finds every fault, and the JSON Schema agrees with what is read."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from test_workspace import WHOLE

from readback import cli, workspace
from readback.readers.yaml.yaml_file import parse_yaml
from readback.workspace import kinds
from readback.workspace.draft import Draft
from readback.workspace.workspace_file.reader import read_workspace_file
from readback.workspace.workspace_file.schema import WorkspaceFile, describe_file
from readback.workspace.workspace_file.values import list_keys

Write = Callable[[dict[str, Any]], Path]
ROOT = Path(__file__).parents[2]
FILES = sorted([*ROOT.glob("configs/examples/*/readback.yml"), *ROOT.glob("tests/cases/*/ws/readback.yml")])


def is_valid(text: str) -> bool:
    return jsonschema.Draft7Validator(describe_file()).is_valid(parse_yaml(text, "readback.yml").value)


def test_the_schema_is_a_json_schema_and_the_command_prints_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["schema"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed == json.loads(json.dumps(describe_file()))
    jsonschema.Draft7Validator.check_schema(printed)


def test_every_key_has_a_sentence_of_help() -> None:
    def walk(schema: Any) -> list[tuple[str, str]]:
        if isinstance(schema, list):
            return [pair for each in schema for pair in walk(each)]
        if not isinstance(schema, dict):
            return []
        own = [(name, each.get("description", "")) for name, each in schema.get("properties", {}).items()]
        return own + [pair for each in schema.values() for pair in walk(each)]

    described = dict(walk(describe_file()))
    assert len(described) > 90
    top = {name for name, key in list_keys(WorkspaceFile).items() if key.description.endswith(".")}
    assert top == set(list_keys(WorkspaceFile))


def test_every_key_by_which_a_workspace_file_is_known_is_in_the_schema() -> None:
    assert set(list_keys(WorkspaceFile)) >= kinds.TOP


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.parent.relative_to(ROOT)))
def test_the_files_of_demos_and_cases_fit_the_json_schema(path: Path) -> None:
    assert is_valid(path.read_text("utf-8"))


def test_a_file_with_every_key_fits_the_json_schema() -> None:
    assert is_valid(WHOLE)


@pytest.mark.parametrize(
    "text",
    [
        "datset: d.jsonl",
        "dataset: {id: x}",
        "dataset: {path: d.jsonl, encoding: utf-9}",
        "modes: [{template: x}]",
        "modes: {a: {tempalte: x}}",
        "options: {condition4: hybird}",
        "models: {m: {type: tuned}}",
        "models: {m: {context: 0}}",
        "models: {m: {training: {system: {constant: X}}}}",
        "models: {m: {template_options: {messages: []}}}",
        "scores: [{item: a}]",
        "criteria: {c: {scale: many}}",
        "comparisons: [{a: x}]",
        "comparisons: [{a: x, b: y, margin: 0}]",
        "leaks: {threshold: 2}",
        "ignore: [{why: x}]",
        "instructions: {parsng: x}",
    ],
)
def test_what_is_wrong_in_reading_is_wrong_in_the_json_schema(tmp_path: Path, text: str) -> None:
    draft = Draft(tmp_path, "x")
    read_workspace_file(draft, parse_yaml(text, "readback.yml"))
    assert {diagnostic.code for diagnostic in draft.diagnostics} & {"dat-wrong-value", "dat-unknown-key"}
    assert not is_valid(text)


def test_one_pass_finds_every_fault(write: Write) -> None:
    text = "datset: x\nscores: [{itm: a, synthetic: 3}]\njudges: {j: {fields: [a], criteria: {b: c}}}\n"
    opened = workspace.open(write({"readback.yml": text, "d.jsonl": [{"id": "1"}]}))
    faults = {
        (diagnostic.code, diagnostic.values.get("where") or diagnostic.values["key"])
        for diagnostic in opened.diagnostics
        if diagnostic.code in ("dat-wrong-value", "dat-unknown-key")
    }
    assert faults == {
        ("dat-unknown-key", "datset"),
        ("dat-unknown-key", "itm"),
        ("dat-wrong-value", "scores[0].synthetic"),
        ("dat-wrong-value", "scores[0]"),
        ("dat-wrong-value", "judges.j.fields"),
        ("dat-wrong-value", "judges.j.criteria"),
        ("dat-wrong-value", "judges.j"),
    }


SHAPES = {
    "names": "modes: {a: {template: 'Q: {{ q }}', system: Hi}, b: b.jinja, c: c.yml}\n",
    "list": "modes: [{mode: a, template: 'Q: {{ q }}', system: Hi}, {mode: b, template_file: b.jinja},"
    " {mode: c, system: Ho, template: Hum}]\n",
    "user": "modes: {a: {user: 'Q: {{ q }}', system: Hi}, b: {user_file: b.jinja}, c: {system: Ho, user: Hum}}\n",
}


@pytest.mark.parametrize("shape", SHAPES)
def test_modes_are_named_or_listed_and_a_text_has_either_name(write: Write, shape: str) -> None:
    files = {"readback.yml": SHAPES[shape], "b.jinja": "{{ b }}", "c.yml": "system: Ho\nuser: Hum\n"}
    opened = workspace.open(write(files))
    assert opened.diagnostics == ()
    assert {name: (prompt.system, prompt.template) for name, prompt in opened.prompts.items()} == {
        "a": ("Hi", "Q: {{ q }}"),
        "b": (None, "{{ b }}"),
        "c": ("Ho", "Hum"),
    }


def test_tasks_have_the_shape_of_modes(write: Write) -> None:
    text = "tasks: {parsing: {system: Hi, template: x}, generation: {template_file: g.jinja, settings: {k: 1}}}\n"
    opened = workspace.open(write({"readback.yml": text, "g.jinja": "{{ q }}"}))
    assert opened.diagnostics == ()
    assert {name: prompt.template for name, prompt in opened.tasks.items()} == {"parsing": "x", "generation": "{{ q }}"}


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("modes: {a: {template: x, user: y}}\n", "modes.a.user"),
        ("modes: {a: {user: x, user_file: b.jinja}}\n", "modes.a.user_file"),
        ("tasks: {parsing: {template: x, user_file: b.jinja}}\n", "tasks.parsing.user_file"),
    ],
)
def test_a_text_that_is_given_twice_is_found(write: Write, text: str, where: str) -> None:
    opened = workspace.open(write({"readback.yml": text, "b.jinja": "{{ b }}"}))
    (fault,) = (diagnostic for diagnostic in opened.diagnostics if diagnostic.code == "dat-wrong-value")
    assert fault.values["where"] == where
    assert "is given too" in fault.values["expected"]


def test_a_workspace_is_written_in_the_one_shape(write: Write) -> None:
    text = "modes: [{mode: a, template: 'Q: {{ q }}'}]\ntasks: {parsing: {user: '{{ q }}'}}\n"
    written = workspace.init_text(workspace.open(write({"readback.yml": text})))
    assert yaml.safe_load(written) | {"name": ""} == {
        "name": "",
        "modes": {"a": {"template": "Q: {{ q }}"}},
        "tasks": {"parsing": {"template": "{{ q }}"}},
    }
