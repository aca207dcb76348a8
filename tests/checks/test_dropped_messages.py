"""Messages that a template leaves out are named by role and reason; what is trimmed, folded or merged is there."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from readback import workspace as workspaces
from readback.checks.facts.chat_templates import find_dropped_messages
from readback.checks.run import engine
from readback.types import Finding, Message, ModelInput, Segment

Write = Callable[[Mapping[str, Any]], Path]
TURNS = (
    "{% for m in messages %}{% if m.role in ('user', 'assistant') %}<{{ m.role }}>{{ m.content }}{% endif %}"
    "{% endfor %}A:"
)
HISTORY = [
    {"role": "user", "content": "Good day."},
    {"role": "assistant", "content": "Good day to you."},
]


def study(
    served: str, *, name: str = "t.jinja", history: object = HISTORY, question: str = "Who tolls?"
) -> dict[str, Any]:
    kind = "modelfile" if name == "Modelfile" else "chat_template"
    return {
        "readback.yml": "dataset: d.jsonl\ntasks: {generation: {system: Be brief., user: '{{ question }}'}}\n"
        f"models: {{m: {{serving: {{{kind}: {name}}}}}}}\nconditions: [{{name: c, task: generation, model: m}}]\n",
        "d.jsonl": [{"id": str(at), "question": question, "history": history} for at in range(3)],
        name: served,
    }


def found(folder: Path, *codes: str) -> list[Finding]:
    audit = engine.check(workspaces.open(folder))
    assert not audit.faults
    return [one for one in audit.findings if one.code in (codes or ("srv-message-dropped",))]


def test_a_later_turn_that_a_template_skips_is_named_once_with_its_count(write: Write) -> None:
    template = "{% for m in messages %}{% if m.role != 'assistant' %}{{ m.content }}\n{% endif %}{% endfor %}A:"
    (one,) = found(write(study(template)))
    assert "leaves out message 3 of 4, which has the role assistant" in one.message
    assert (one.severity, one.values["records"], one.place.role) == ("error", 3, "assistant")


@pytest.mark.parametrize("role", ["developer", "tool", "critic"])
def test_a_role_that_a_template_does_not_name_is_the_reason(role: str) -> None:
    messages = message("system", "Be brief."), message("user", "Who tolls?"), message(role, "Speak of bells.")
    text = made(messages[0], messages[1])
    (one,) = find_dropped_messages(text, messages, "{% if m.role == 'user' %}")
    reason = "none of its branches writes this message" if role == "tool" else "it does not name this role"
    assert (one.number, one.message.role, one.reason) == (2, role, reason)


def test_a_second_message_of_a_role_has_its_own_reason() -> None:
    messages = message("system", "Be brief."), message("user", "Who?"), message("system", "Now in verse.")
    (one,) = find_dropped_messages(made(*messages[:2]), messages, "system")
    assert one.reason == "it writes other system messages, and not this one"


def test_a_message_whose_words_are_in_another_one_is_missed_all_the_same() -> None:
    messages = message("user", "Yes."), message("assistant", "Yes. Surely.")
    (one,) = find_dropped_messages(made(messages[1]), messages, None)
    assert one.number == 0


@pytest.mark.parametrize(
    "served",
    [
        pytest.param("{% for m in messages %}{{ m.content | trim }}\n{% endfor %}A:", id="trimmed"),
        pytest.param("{% for m in messages %}{{ m.content | tojson }}\n{% endfor %}A:", id="escaped"),
        pytest.param(
            "{% set s = messages[0].content %}{% for m in messages[1:] %}"
            "{% if loop.first %}{{ s + '\\n\\n' + m.content }}{% else %}{{ m.content }}{% endif %}\n{% endfor %}A:",
            id="folded",
        ),
        pytest.param("{% for m in messages %}{{ m.content | upper }}\n{% endfor %}A:", id="upper case"),
        pytest.param("{{ messages | map(attribute='content') | join('\\n') }}A:", id="joined"),
    ],
)
def test_what_is_changed_on_the_way_is_there(write: Write, served: str) -> None:
    folder = write(study(served, history=[{"role": "user", "content": "  Good <day>.  "}, HISTORY[1]]))
    assert found(folder, "srv-message-dropped", "srv-system-dropped") == []


@pytest.mark.parametrize(
    ("template", "roles"),
    [
        ("{{ .System }}{{ .Prompt }}{{ .Response }}", []),
        ("{{ range .Messages }}<{{ .Role }}>{{ .Content }}{{ end }}A:", []),
        ('{{ range .Messages }}{{ if eq .Role "user" }}{{ .Content }}{{ end }}{{ end }}{{ .System }}A:', ["assistant"]),
    ],
)
def test_a_modelfile_that_leaves_out_earlier_answers_is_named(write: Write, template: str, roles: list[str]) -> None:
    files = study(f'FROM x\nTEMPLATE """{template}"""\nPARAMETER num_ctx 4096\n', name="Modelfile")
    assert [one.values["role"] for one in found(write(files))] == roles


def test_a_branch_with_tools_that_leaves_out_the_system_text_is_named(write: Write) -> None:
    template = "{% if messages | length > 2 %}" + TURNS + "{% else %}{{ messages[0].content }}" + TURNS + "{% endif %}"
    codes = {one.code for one in found(write(study(template)), "srv-system-dropped", "srv-message-dropped")}
    assert codes == {"srv-system-dropped"}


def test_more_than_ollama_reads_by_default_is_named_once(write: Write) -> None:
    template = 'FROM x\nTEMPLATE """{{ .System }}{{ .Prompt }}{{ .Response }}"""\n'
    files = study(template, name="Modelfile", question="Who tolls the bell? " * 1_200)
    (one,) = found(write(files), "oll-default-context")
    assert (one.severity, one.values["records"], one.values["default"]) == ("warning", 3, 4096)
    assert "drops up to 2 earlier messages" in one.message
    for line in ("PARAMETER num_ctx 32768\n",):
        assert found(write({**files, "Modelfile": template + line}), "oll-default-context") == []


def message(role: str, text: str) -> Message:
    return Message(role, (Segment(text, "variable", f"{role} {text}"),))


def made(*messages: Message) -> ModelInput:
    parts = (part for one in messages for part in (Segment(f"<{one.role}>", "serving"), *one.segments))
    return ModelInput("t", tuple(parts), kind="chat template")


def test_a_row_without_a_named_training_template_is_not_looked_at(write: Write) -> None:
    row = {"messages": [{"role": "developer", "content": "Be brief."}, *HISTORY]}
    modelfile = 'FROM x\nTEMPLATE """<|im_start|>user\n{{ .Prompt }}<|im_end|>\n"""\n'
    files = {
        "readback.yml": "models: {m: {training: {messages: t.jsonl}, serving: {modelfile: Modelfile}}}\n",
        "Modelfile": modelfile,
        "t.jsonl": json.dumps(row) + "\n",
    }
    assert found(write(files), "trn-message-dropped") == []
