"""readback.yml: every key of it, what is wrong in it as located notes, and the good rest."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from counts import some
from hypothesis import given, settings
from hypothesis import strategies as st

from readback import workspace
from readback.readers.yaml.yaml_file import format_flow
from readback.sources.options import OPTIONS
from readback.types import Ignored, Workspace
from readback.workspace.workspace_file.reader import SECTIONS
from readback.workspace.workspace_file.schema import WorkspaceFile
from readback.workspace.workspace_file.values import list_keys

Write = Callable[[dict[str, Any]], Path]

WHOLE = """\
name: Closed book or open book
dataset: {path: data/eval.jsonl, id: task_id, fields: {query: question, sheet_chunks: rag.contexts}, private: [email]}
prompts: [prompt_config.yml, "builtin:prompt-formats"]
modes:
  - {mode: short, system: "Be brief.", template: "Q: {{ question }}"}
  - mode: filed
    template_file: templates/q.txt
    system_file: templates/s.txt
    syntax: format
    default: {limit: 3}
  - mode: block
    template: |
      First {{ question }}
      Second
tasks:
  parsing: {system: "Extract the fields.", user: "{{ question }}\\n{{ answer }}"}
options: {condition4: standard, closed_book: short, apply_limit: off}
context: {parsing: {json_schema: schemas/answer.json, format_instructions: ""}}
adapters: [langchain, adapters/house.yml]
instructions: {parsing: "Normalise gene names."}
models:
  instruction_only:
    type: instruction_only
    training: {system: {from: train.py, constant: SYSTEM}, messages: data/train.jsonl}
    serving: {modelfile: ollama/Modelfile.instruction_only}
    tokenizer: tokenizers/qwen.json
    context: 4096
  typed: {type: base, training: {system: "You are typed."}, serving: {format: chatml}}
conditions:
  - {name: closed book, mode: instruction, model: instruction_only, judge: instruction, answers: responses/closed.jsonl}
  - {name: open book, mode: hybrid, model: instruction_only, adapter: house, aliases: [ob], factors: {k: 4}}
judges:
  instruction: judges/r.yaml
  rag: {prompts: {system: S, user: U, file: judges/rag.py}, fields: {answer: response}, criteria: [relevance]}
  texts: {prompts: {system: templates/s.txt, user: templates/j.txt}}
scores: ["results/*.jsonl", {path: j.csv, item: [query, passage], condition: [arm], judges: [j1, j2], criterion: r}]
sent: ["logs/*.jsonl"]
criteria:
  faithfulness: {scale: [-1, 0, 1]}
  pass: {scale: binary}
  overall: {scale: {min: 0, max: 1}, direction: up, headline: true}
comparisons: [{a: closed book, b: ob, criterion: faithfulness, margin: 0.1, expected: b, question: "Does it help?"}]
language: en
ignore: [{code: fmt-markers, why: "the paper's own", by: me, date: 2026-01-31, where: {record: "12"}}]
"""
FILES: dict[str, Any] = {
    "readback.yml": WHOLE,
    "data/eval.jsonl": [{"task_id": "1", "question": "Why?", "email": "a@b", "rag": {"contexts": []}}],
    "prompt_config.yml": "prompts: [{mode: simple, template: t.jinja}]\n",
    "t.jinja": "{{query}}",
    "templates/q.txt": "{question}",
    "templates/s.txt": "You read files.",
    "templates/j.txt": "{question} {answer}",
    "schemas/answer.json": {"type": "object"},
    "adapters/house.yml": "name: house\nsystem_prompt: false\n",
    "train.py": 'SYSTEM = "You were trained."\nOTHER_SYSTEM = "You were not."\n',
    "data/train.jsonl": [{"messages": [{"role": "system", "content": "You were trained."}]}],
    "ollama/Modelfile.instruction_only": 'FROM x\nSYSTEM "You were served."\n',
    "tokenizers/qwen.json": {"version": "1.0", "model": {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "a"}},
    "responses/closed.jsonl": [{"task_id": "1", "response": "So."}],
    "judges/r.yaml": {"name": "r", "prompt": "{{QUESTION}}", "criteria": [{"id": "facts", "weight": 1}]},
    "judges/rag.py": 'S = "You judge."\nU = "{question} {answer}"\n',
    "results/a.jsonl": [{"item": "1", "condition": "ob", "criterion": "pass", "score": 1}],
    "results/b.jsonl": [{"item": "1", "condition": "ob", "criterion": "pass", "score": 1}],
    "j.csv": "query,passage,arm,j1,j2\n",
    "logs/x.jsonl": [],
}


@pytest.fixture
def whole(write: Write) -> Workspace:
    return workspace.open(write(FILES))


def codes(found: Workspace) -> list[str]:
    return [n.code for n in found.diagnostics]


def test_a_whole_workspace_file_opens_without_a_note(whole: Workspace) -> None:
    assert [(n.code, n.values) for n in whole.diagnostics] == []
    assert (
        whole.name,
        whole.file,
        whole.language,
        whole.headline,
    ) == ("Closed book or open book", "readback.yml", "en", "overall")


def test_the_dataset_is_read_with_its_fields(whole: Workspace) -> None:
    source = whole.dataset
    assert source is not None
    assert (source.path, source.id, source.private) == ("data/eval.jsonl", "task_id", ("email",))
    assert source.fields == {"query": "question", "sheet_chunks": "rag.contexts"}
    assert (source.place.file, source.place.line) == ("readback.yml", 2)


def test_modes_come_from_every_source(whole: Workspace) -> None:
    assert list(whole.prompts) == ["simple", "instruction", "rag", "hybrid", "standard", "short", "filed", "block"]
    assert [c.dialect for c in whole.configs] == ["albert", "prompt-formats", "inline"]
    short, filed, block = (whole.prompts[name] for name in ("short", "filed", "block"))
    assert (
        short.template,
        short.system,
        short.syntax,
        short.place.line,
    ) == ("Q: {{ question }}", "Be brief.", "jinja", 5)
    assert (
        filed.template,
        filed.system,
        filed.syntax,
        filed.defaults,
    ) == ("{question}", "You read files.", "format", {"limit": 3})
    assert (filed.place.file, filed.place.line, filed.system_place.file) == ("templates/q.txt", 1, "templates/s.txt")
    assert (block.template, block.place.line, block.place.column) == ("First {{ question }}\nSecond\n", 13, 7)
    assert (whole.prompts["hybrid"].syntax, whole.prompts["hybrid"].template) == ("builder", "hybrid")


def test_tasks_options_context_and_instructions_are_read(whole: Workspace) -> None:
    assert (whole.tasks["parsing"].system, whole.tasks["parsing"].system_syntax) == ("Extract the fields.", "jinja")
    assert whole.options == {"condition4": "standard", "closed_book": "short", "apply_limit": "off"}
    assert whole.context["parsing"] == {"json_schema": {"type": "object"}, "format_instructions": ""}
    assert whole.instructions == {"parsing": "Normalise gene names."}
    assert [(a.name, a.system_prompt) for a in whole.adapters.values()] == [("langchain", True), ("house", False)]


def test_models_say_what_they_were_trained_and_served_with(whole: Workspace) -> None:
    model = whole.models["instruction_only"]
    assert model.training is not None
    assert model.modelfile is not None
    assert (
        model.training.text,
        model.training.source,
        model.training.place.file,
    ) == ("You were trained.", "training", "train.py")
    assert (model.type, model.type_reason) == ("instruction_only", "the configuration says so")
    assert (
        model.modelfile.system,
        model.training_messages,
        model.tokenizer,
        model.context,
    ) == ("You were served.", "data/train.jsonl", "tokenizers/qwen.json", 4096)


def test_a_typed_training_text_is_not_verified(whole: Workspace) -> None:
    text = whole.models["typed"].training
    assert text is not None
    assert (text.text, text.source, text.verified, text.name) == ("You are typed.", "typed", False, "typed")
    assert whole.models["typed"].chat_format == "chatml"


def test_conditions_judges_and_scores_are_read(whole: Workspace) -> None:
    closed, opened = whole.conditions
    assert (closed.mode, closed.answers, closed.place.line) == ("instruction", "responses/closed.jsonl", 30)
    assert (opened.aliases, opened.settings, opened.adapter) == (("ob",), {"k": 4}, "house")
    rag = whole.judges["rag"]
    assert (rag.system, rag.user, rag.criteria) == ("You judge.", "{question} {answer}", ("relevance",))
    assert rag.fields["answer"] == "response"
    assert (whole.judges["instruction"].syntax, whole.judges["texts"].system) == ("placeholder", "You read files.")
    assert [s.path for s in whole.scores] == ["results/a.jsonl", "results/b.jsonl", "j.csv"]
    assert (
        whole.scores[2].item,
        whole.scores[2].condition,
        whole.scores[2].judges,
        whole.scores[2].criterion,
    ) == (("query", "passage"), ("arm",), ("j1", "j2"), "r")
    assert whole.sent == ("logs/x.jsonl",)


def test_criteria_comparisons_and_suppressions_are_read(whole: Workspace) -> None:
    scales = {name: (c.scale, c.values, c.low, c.high) for name, c in whole.criteria.items()}
    assert scales["faithfulness"] == ("ordinal", (-1, 0, 1), -1, 1)
    assert (scales["pass"][0], scales["overall"][0]) == ("binary", "numeric")
    assert {"a": "closed book", "b": "ob", "margin": 0.1, "expected": "b"}.items() <= whole.comparisons[0].items()
    assert (Ignored("fmt-markers", "the paper's own", "me", "2026-01-31", {"record": "12"}),) == whole.ignore


def test_every_place_that_states_a_system_text_is_known(whole: Workspace) -> None:
    stated = {(t.text, t.source) for t in whole.system_texts}
    assert {
        ("You were trained.", "training"),
        ("You are typed.", "typed"),
        ("You were served.", "modelfile"),
        ("Be brief.", "configuration"),
        ("You read files.", "configuration"),
        ("Extract the fields.", "configuration"),
        ("You are a research paper assistant.", "format"),
    } <= stated


def test_the_last_prompt_of_a_mode_wins(write: Write) -> None:
    found = workspace.open(write({"readback.yml": "modes: [{mode: a, template: x}, {mode: a, template: y}]\n"}))
    assert found.prompts["a"].template == "y"


def test_one_judge_of_several_in_a_file_is_taken_by_its_name(write: Write) -> None:
    rows = [{"name": n, "system_prompt": n, "prompt_template": f"{{question}} {{{n}}}"} for n in ("first", "second")]
    text = "judges: {second: {prompts: j.jsonl, fields: {second: note}}}\n"
    found = workspace.open(write({"readback.yml": text, "j.jsonl": rows}))
    assert (found.judges["second"].system, found.judges["second"].fields, codes(found)) == (
        "second",
        {"second": "note"},
        [],
    )


def test_names_of_what_is_nowhere_defined_are_only_labels(write: Write) -> None:
    found = workspace.open(write({"readback.yml": "conditions: [{name: a, model: gpt, judge: someone}]\n"}))
    assert codes(found) == []


def test_a_mode_may_have_only_a_system_text(write: Write) -> None:
    found = workspace.open(write({"readback.yml": "modes: [{mode: a, system: s}]\n"}))
    assert (found.prompts["a"].template, found.prompts["a"].system, codes(found)) == (None, "s", [])


def test_a_model_without_a_type_is_inferred_where_the_formats_need_one(write: Write) -> None:
    text = "prompts: ['builtin:prompt-formats']\nmodels: {lora_science: {}, typed: {type: base}}\n"
    found = workspace.open(write({"readback.yml": text}))
    assert {m.name: m.type for m in found.models.values()} == {"lora_science": "rag_trained", "typed": "base"}
    assert codes(found) == ["fmt-model-type-inferred"]
    without = workspace.open(write({"readback.yml": "models: {lora_science: {}}\n"}))
    assert (without.models["lora_science"].type, codes(without)) == (None, [])


def test_a_plan_may_be_listed_and_its_models_completed(write: Write) -> None:
    files = {
        "readback.yml": "plan: p.yaml\nmodels: {m: {context: 10}}\nconditions: [{name: more, mode: rag, model: m}]\n",
        "p.yaml": "runs: [{label: a, model_config: m.yaml}]\n",
        "m.yaml": "provider: x\nmodel: m\nmodel_type: base\n",
    }
    listed = workspace.open(write(files))
    assert [c.name for c in listed.conditions] == ["a", "more"]
    files["readback.yml"] = "prompts: [p.yaml]\nmodels: {m: {context: 10}}\n"
    prompted = workspace.open(write(files))
    assert (
        prompted.models["m"].type,
        prompted.models["m"].context,
        prompted.models["m"].settings["provider"],
    ) == ("base", 10, "x")


def test_every_key_of_the_schema_is_taken_into_the_workspace() -> None:
    assert {*SECTIONS, "name", "language", "headline", "today"} == set(list_keys(WorkspaceFile))


def test_the_options_are_those_of_the_specification() -> None:
    assert [values[0] for values in OPTIONS.values()][:8] == [
        "hybrid",
        "no_citations",
        "program",
        "braces",
        "classic",
        "on",
        "document",
        "readback",
    ]


@pytest.mark.parametrize("name", ["readback.yml", "study.yml"])
def test_the_file_opens_by_its_own_path_too(write: Write, name: str) -> None:
    root = write({name: WHOLE, **{k: v for k, v in FILES.items() if k != "readback.yml"}})
    assert name == workspace.open(root / name).file
    assert codes(workspace.open(root / name)) == []


@settings(max_examples=some(200), deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.floats(allow_nan=False) | st.text(max_size=12),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
        max_leaves=10,
    )
)
def test_a_value_written_as_yaml_reads_back_as_itself(value: Any) -> None:
    import yaml

    surrogates = any("\ud800" <= c <= "\udfff" for c in repr(value).encode("utf-8", "replace").decode())
    assert surrogates or value == yaml.safe_load(f"key: {format_flow(value)}\n")["key"]
