"""What is wrong in a readback.yml: located, and the good rest loads."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from counts import some
from hypothesis import given, settings
from hypothesis import strategies as st

from readback import workspace
from readback.readers.yaml.yaml_file import Parsed
from readback.workspace.draft import Draft
from readback.workspace.workspace_file.reader import read_workspace_file
from readback.workspace.workspace_file.schema import WorkspaceFile
from readback.workspace.workspace_file.values import list_keys

Write = Callable[[dict[str, Any]], Path]


@pytest.mark.parametrize(
    ("key", "nearest", "line", "text"),
    [
        ("datset", "dataset", 2, "name: x\ndatset: d.jsonl\n"),
        ("pth", "path", 1, "dataset: {pth: d.jsonl}\n"),
        ("tempalte", "template", 3, "modes:\n  - mode: a\n    tempalte: x\n"),
        ("usr", "user", 1, "tasks: {parsing: {usr: x}}\n"),
        ("condition_4", "condition4", 1, "options: {condition_4: hybrid}\n"),
        ("trainig", "training", 1, "models: {m: {trainig: {system: x}}}\n"),
        ("sytem", "system", 1, "models: {m: {training: {sytem: x}}}\n"),
        ("form", "from", 1, "models: {m: {training: {system: {form: x}}}}\n"),
        ("modelfle", "modelfile", 1, "models: {m: {serving: {modelfle: x}}}\n"),
        ("modus", "mode", 1, "conditions: [{name: a, modus: x}]\n"),
        ("prompt", "prompts", 1, "judges: {j: {prompt: x}}\n"),
        ("fil", "file", 1, "judges: {j: {prompts: {fil: x}}}\n"),
        ("items", "item", 1, "scores: [{items: x, path: none.csv}]\n"),
        ("headlin", "headline", 1, "criteria: {c: {scale: binary, headlin: true}}\n"),
        ("questoin", "question", 1, "comparisons: [{a: x, b: y, questoin: z}]\n"),
        ("rekord", "record", 1, "ignore: [{code: x, where: {rekord: 1}}]\n"),
        ("parsng", "parsing", 1, "instructions: {parsng: x}\n"),
    ],
)
def test_an_unknown_key_is_found_at_every_level(write: Write, key: str, nearest: str, line: int, text: str) -> None:
    found = workspace.open(write({"readback.yml": text}))
    (diagnostic,) = (n for n in found.diagnostics if n.code == "dat-unknown-key")
    assert (key, nearest, "readback.yml", line) == (
        diagnostic.values["key"],
        diagnostic.values["nearest"],
        diagnostic.place.file,
        diagnostic.place.line,
    )


@pytest.mark.parametrize(
    ("where", "text"),
    [
        ("the file", "- a\n"),
        ("name", "name: yes\n"),
        ("name", "name: {a: b}\n"),
        ("dataset", "dataset: {id: x}\n"),
        ("dataset.fields", "dataset: {path: d.jsonl, fields: [a]}\n"),
        ("dataset.fields.query", "dataset: {path: d.jsonl, fields: {query: [a]}}\n"),
        ("dataset.format", "dataset: {path: d.jsonl, format: exel}\n"),
        ("prompts[0]", "prompts: ['builtin:prompt-formts']\n"),
        ("prompts[0]", "prompts: [{a: b}]\n"),
        ("modes", "modes: text\n"),
        ("modes[0]", "modes: [text]\n"),
        ("modes[0]", "modes: [{template: x}]\n"),
        ("modes[0].template", "modes: [{mode: a, template: 3.0e, syntax: jinja}, {mode: b}]\n".replace("3.0e", "[x]")),
        ("modes[0].syntax", "modes: [{mode: a, template: x, syntax: builder}]\n"),
        ("modes[0].template_file", "modes: [{mode: a, template: x, template_file: d.jsonl}]\n"),
        ("tasks", "tasks: [a]\n"),
        ("options.condition4", "options: {condition4: hybird}\n"),
        ("options.condition4", "options: {condition4: off}\n"),
        ("context", "context: 3\n"),
        ("models", "models: [a]\n"),
        ("models.m.type", "models: {m: {type: tuned}}\n"),
        ("models.m.context", "models: {m: {context: many}}\n"),
        ("models.m.context", "models: {m: {context: 0}}\n"),
        ("models.m.training.system", "models: {m: {training: {system: {constant: X}}}}\n"),
        ("conditions", "conditions: {a: b}\n"),
        ("conditions[0]", "conditions: [{}]\n"),
        ("judges.j", "judges: {j: {fields: {a: b}}}\n"),
        ("scores[0]", "scores: [{item: a}]\n"),
        ("criteria.c", "criteria: {c: {scale: many}}\n"),
        ("criteria.c.headline", "criteria: {c: {scale: binary, headline: 3}}\n"),
        ("comparisons[0]", "comparisons: [{a: x}]\n"),
        ("comparisons[0].margin", "comparisons: [{a: x, b: y, margin: wide}]\n"),
        ("comparisons[0].margin", "comparisons: [{a: x, b: y, margin: 0}]\n"),
        ("comparisons[0].margin", "comparisons: [{a: x, b: y, margin: -0.2}]\n"),
        ("comparisons[0].margin", "comparisons: [{a: x, b: y, margin: .inf}]\n"),
        ("comparisons[0].margin", "comparisons: [{a: x, b: y, margin: 1" + 400 * "0" + "}]\n"),
        ("ignore[0]", "ignore: [{why: x}]\n"),
        ("instructions", "instructions: [x]\n"),
    ],
)
def test_a_wrong_value_is_a_note_and_the_good_rest_loads(write: Write, where: str, text: str) -> None:
    rest = "" if text.startswith(("- ", "name")) else "name: kept\n"
    found = workspace.open(write({"readback.yml": text + rest, "d.jsonl": [{"id": "1"}]}))
    diagnostic = next(n for n in found.diagnostics if n.code == "dat-wrong-value")
    assert (where, "readback.yml") == (diagnostic.values["where"], diagnostic.place.file)
    assert found.name == "kept" or not rest


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        ("dat-file-missing", "dataset: gone.jsonl\n"),
        ("dat-path-outside", "dataset: ../gone.jsonl\n"),
        ("dat-file-missing", "prompts: [gone.yml]\n"),
        ("dat-not-recognised", "prompts: [notes.xyz]\n"),
        ("dat-file-missing", "modes: [{mode: a, template_file: gone.jinja}]\n"),
        ("dat-file-missing", "modes: {a: gone.jinja}\n"),
        ("dat-file-missing", "modes: {a: gone.yml}\n"),
        ("dat-path-outside", "modes: [{mode: a, template_file: /etc/passwd}]\n"),
        ("dat-file-missing", "context: {parsing: {json_schema: gone.json}}\n"),
        ("dat-file-missing", "adapters: [adapters/gone.yml]\n"),
        ("asm-unknown-interface", "adapters: [langchian]\n"),
        ("dat-file-missing", "models: {m: {training: {system: {from: gone.py}}}}\n"),
        ("dat-file-missing", "models: {m: {serving: {modelfile: gone}}}\n"),
        ("dat-file-missing", "conditions: [{name: a, answers: gone.jsonl}]\n"),
        ("dat-file-missing", "judges: {j: gone.yaml}\n"),
        ("dat-file-missing", "scores: ['gone/*.csv']\n"),
        ("dat-path-outside", "scores: ['../*.csv']\n"),
        ("dat-path-outside", "sent: [/var/log/*]\n"),
        ("fmt-unknown-mode", "conditions: [{name: a, mode: hybird}]\n"),
        ("dat-unknown-name", "models: {small: {}}\nconditions: [{name: a, model: smal}]\n"),
        ("dat-unknown-name", "judges: {rag: p.py}\nconditions: [{name: a, judge: rga}]\n"),
        ("asm-unknown-interface", "conditions: [{name: a, adapter: langchian}]\n"),
        ("dat-duplicate-name", "conditions: [{name: a}, {name: b, aliases: [c]}, {name: c}]\n"),
        ("dat-unknown-name", "conditions: [{name: a}]\ncomparisons: [{a: a, b: z}]\n"),
        ("alb-duplicate-mode", "modes: [{mode: a, template: x}, {mode: a, template: y}]\n"),
        ("alb-duplicate-mode", "prompts: ['builtin:prompt-formats']\nmodes: [{mode: rag, template: y}]\n"),
        ("dat-duplicate-key", "name: a\nname: b\n"),
    ],
)
def test_what_a_workspace_file_names_is_checked_where_it_names_it(write: Write, expected: str, text: str) -> None:
    files = {"readback.yml": text, "notes.xyz": "hello", "p.py": 'SYSTEM_PROMPT = "s"\nUSER_PROMPT = "{question}"\n'}
    found = workspace.open(write(files))
    diagnostic = next(n for n in found.diagnostics if n.code == expected)
    assert diagnostic.place.file == "readback.yml"
    assert diagnostic.place.line is not None


def test_a_secret_in_free_settings_is_masked(write: Write) -> None:
    text = "conditions: [{name: a, settings: {k: 4, openai_api_key: sk-1}}]\n"
    found = workspace.open(write({"readback.yml": text}))
    assert found.conditions[0].settings == {"k": 4, "openai_api_key": "[masked]"}
    assert [n.code for n in found.diagnostics] == ["dat-secret-masked"]


WORDS = st.sampled_from(
    [*list_keys(WorkspaceFile), "path", "mode", "name", "template", "system", "from", "a", "prompts", "scale"]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats() | st.text(max_size=5) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=12,
)


@settings(max_examples=some(150), deadline=None)
@given(st.dictionaries(WORDS, VALUES, max_size=5))
def test_no_value_anywhere_makes_reading_raise(tmp_path_factory: pytest.TempPathFactory, value: dict[str, Any]) -> None:
    draft = Draft(tmp_path_factory.getbasetemp(), "x")
    read_workspace_file(draft, Parsed(value, {(): (1, 1)}, (), "readback.yml"))
    assert all(diagnostic.code for diagnostic in draft.build_workspace().diagnostics)
