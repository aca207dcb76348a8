"""What a model's chat template is given besides the messages: in serving, in training, and as it is saved."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from readback import workspace
from readback.prompts import training_text
from readback.prompts.model_input import build_served_input, read_row_options
from readback.records import dataset
from readback.types import Message, Segment, Selection, Workspace

Write = Callable[[Mapping[str, Any]], Path]
CHAT = (
    "{% for m in messages %}{{ m.role }}: {{ m.content }};{% endfor %}"
    "{{ tools | tojson if tools }}{{ documents | map(attribute='text') | join if documents }}"
    "{% if enable_thinking is defined and not enable_thinking %}<think></think>{% endif %}{{ level }}"
)
TALK = (Message("user", (Segment("q", "variable", "q"),)),)
MODEL = "models: {m: {%s}}\n"


def _texts(opened: Workspace) -> tuple[str, str]:
    """What serving and training write of one message."""
    model = opened.models["m"]
    sent, template = build_served_input(opened, model, TALK), training_text.find_training_template(model)
    assert sent
    assert template
    return sent.text, training_text.render_training_text(opened, template, TALK).text


@pytest.mark.parametrize(
    ("said", "serving", "training"),
    [
        ("template_options: {enable_thinking: false}", "<think></think>", "<think></think>"),
        ("training: {template_options: {enable_thinking: false}}", "", "<think></think>"),
        ("template_options: {level: low}, training: {template_options: {level: high}}", "low", "high"),
        ("template_options: {tools: tools.json}", '[{"name": "tide"}]', '[{"name": "tide"}]'),
        ("template_options: {tools: []}", "", ""),
        ("template_options: {documents: [{text: one}, {text: two}]}", "onetwo", "onetwo"),
    ],
)
def test_options_reach_the_text_of_serving_and_of_training(
    write: Write, said: str, serving: str, training: str
) -> None:
    entry = said if "serving:" in said else f"serving: {{chat_template: t.jinja}}, {said}"
    files = {"t.jinja": CHAT, "tools.json": [{"name": "tide"}], "readback.yml": MODEL % entry}
    opened = workspace.open(write(files))
    assert opened.diagnostics == ()
    assert _texts(opened) == (f"user: q;{serving}", f"user: q;{training}")
    again = workspace.open(write({**files, "readback.yml": workspace.init_text(opened)}))
    assert (again.models["m"].serving_options, again.models["m"].training_options) == (
        opened.models["m"].serving_options,
        opened.models["m"].training_options,
    )


@pytest.mark.parametrize(
    "said",
    [
        "tools: absent.json",
        "tools: broken.json",
        "tools: deep.json",
        "tools: [a, b]",
        "tools: 7",
        "documents: {text: a}",
        "messages: []",
        "add_generation_prompt: false",
        "tools: ../out.json",
    ],
)
def test_an_option_that_is_wrong_is_one_finding_and_the_rest_counts(write: Write, said: str) -> None:
    entry = f"serving: {{chat_template: t.jinja}}, template_options: {{level: low, {said}}}"
    files = {"broken.json": "[{", "deep.json": "[" * 100_000, "t.jinja": CHAT, "readback.yml": MODEL % entry}
    opened = workspace.open(write(files))
    assert len(opened.diagnostics) == 1
    assert opened.models["m"].serving_options == {"level": "low"}


THINKS = (
    'FROM x\nTEMPLATE """{{ range .Messages }}{{ .Content }}{{ if .Thinking }}<think>{{ .Thinking }}</think>{{ end }}'
    '{{ end }}{{ if .IsThinkSet }}{{ if .Think }}/think{{ else }}/no_think{{ end }}{{ end }}"""\n'
)


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("", "q/think"),
        (", template_options: {think: false}", "q/no_think"),
        (", template_options: {enable_thinking: false}", "q/no_think"),
        ("}}\nserving: {ollama: {version: '0.9.0'", "q"),
    ],
)
def test_ollama_asks_a_model_to_think_where_template_writes_thoughts(write: Write, said: str, text: str) -> None:
    entry = f"serving: {{modelfile: Modelfile}}{said}"
    opened = workspace.open(write({"Modelfile": THINKS, "readback.yml": MODEL % entry}))
    sent = build_served_input(opened, opened.models["m"], TALK)
    assert sent
    assert sent.text == text


def test_ollama_gets_tools_and_thinking(write: Write) -> None:
    go = (
        'FROM x\nTEMPLATE """{{ range .Messages }}{{ .Content }}{{ end }}{{ .Tools }}{{ .Think }}{{ .IsThinkSet }}"""\n'
    )
    tools = json.dumps([{"type": "function", "function": {"name": "tide"}}])
    entry = f"serving: {{modelfile: Modelfile}}, template_options: {{enable_thinking: true, tools: {tools}}}"
    opened = workspace.open(write({"Modelfile": go, "readback.yml": MODEL % entry}))
    sent = build_served_input(opened, opened.models["m"], TALK)
    assert sent
    assert sent.text.startswith('q[{"type":"function"')
    assert sent.text.endswith("truetrue")


@pytest.mark.parametrize("as_text", [False, True])
def test_the_tools_of_a_training_row_reach_its_text(write: Write, as_text: bool) -> None:
    tools: Any = [{"name": "tide"}]
    row = {"messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]}
    files = {
        "t.jinja": CHAT,
        "train.jsonl": [{**row, "tools": json.dumps(tools) if as_text else tools}],
        "d.jsonl": [{"id": "1", "question": "q"}],
        "readback.yml": "dataset: d.jsonl\nmodes: [{mode: m, template: '{{ question }}'}]\n"
        "models: {m: {serving: {chat_template: t.jinja}, training: {messages: train.jsonl}}}\n"
        "conditions: [{name: c, mode: m, model: m}]\n",
    }
    opened = workspace.open(write(files))
    assert opened.dataset
    record = dataset.open_dataset(opened.root, opened.dataset).record(0)
    trained = training_text.build_trained_text(opened, record, "m")
    assert trained.text
    assert trained.text.text == 'user: q;assistant: a;[{"name": "tide"}]'
    known = training_text.build_trained_input(opened, record, Selection(condition="c"))
    assert known
    assert known.text == trained.text.text


@pytest.mark.parametrize("tools", ["not JSON", "[" * 50_000, [], ["a"], 7, None])
def test_a_column_that_holds_no_tools_is_none(tools: Any) -> None:
    assert read_row_options({"tools": tools}) == {}
