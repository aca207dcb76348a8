"""What is found in Modelfiles and in what their templates make: on real files, on Ollama's own, and case by case."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import gguf_files
import pytest

from readback import workspace
from readback.checks import rules
from readback.checks.model_findings import find_server_findings
from readback.checks.run import engine
from readback.prompts.self_tests import run_self_tests
from readback.serving.modelfile.read_file import parse
from readback.types import Finding

Write = Callable[[Mapping[str, Any]], Path]

TURN = "<|im_start|>{{ .Role }}\n{{ .Content }}<|im_end|>"
ASKED = "<|im_start|>assistant\n"
SYSTEM = "You are a careful assistant."
UNKNOWN = "oll-engine-unknown"


def found(root: Path, *codes: str) -> list[Finding]:
    """The findings about Ollama of a workspace, of some codes where they are given; else without UNKNOWN, which every
    Modelfile by itself has.
    """
    every = engine.check(workspace.open(root), engine.CheckOptions(select=("oll",))).findings
    return [one for one in every if (one.code in codes if codes else one.code != UNKNOWN)]


def in_template(write: Write, template: str, before: str = 'PARAMETER stop "<|im_end|>"\n') -> list[Finding]:
    text = f'FROM ./x.gguf\n{before}SYSTEM "{SYSTEM}"\nTEMPLATE """{template}"""\n'
    return found(write({"Modelfile": text}) / "Modelfile")


def codes(many: list[Finding]) -> list[str]:
    return sorted(one.code for one in many)


@pytest.mark.realdata
def test_the_real_study_prints_its_system_message_twice_and_loses_a_newline(shared: Path) -> None:
    root = shared / "data/prompt-formats"
    twice, lost = found(root, "oll-system-twice"), found(root, "oll-chatml-newline")
    lines = {
        "ollama/Modelfile.instruction_only": 24,
        "ollama/Modelfile.rag_trained": 21,
        "ollama/Modelfile.rag_trained_f16": 16,
    }  # of TEMPLATE
    assert {one.place.file: one.place.line for one in twice} == {file: line + 5 for file, line in lines.items()}
    assert {one.place.file: one.place.line for one in lost} == {file: line + 4 for file, line in lines.items()}
    for one in twice:
        text = (root / str(one.place.file)).read_text("utf-8").splitlines()[(one.place.line or 0) - 1]
        assert text[(one.place.column or 0) - 1 :].startswith(".Content }}<|im_end|>")
        first, second = one.values["blocks"]
        assert first == second
        assert first.startswith("<|im_start|>system\nYou are a ")
        assert first.endswith(".<|im_end|>")
        assert [end - start for start, end in one.values["spans"]] == [len(first) - 29] * 2
    for one in lost:
        text = (root / str(one.place.file)).read_text("utf-8").splitlines()[(one.place.line or 0) - 1]
        assert text.startswith("{{- end }}")
        assert one.values["served"].startswith("'<|im_end|><|im_start|>system")
        assert one.values["trained"].startswith("'<|im_end|>\\n<|im_start|>system")
    assert {one.code for one in found(root)} == {"oll-system-twice", "oll-chatml-newline"}


@pytest.mark.realdata
def test_ten_real_modelfiles_show_what_is_read_or_are_refused_with_the_line(shared: Path) -> None:
    opened = workspace.open(shared / "data/modelfiles")
    made = run_self_tests(opened)
    assert len(made) == 10
    for name, self_test in made.items():
        for model_input in (self_test.first, self_test.later):
            assert model_input.diagnostics == (), name
            assert (
                model_input.text.count(self_test.system) == 1
                if model_input is self_test.first
                else self_test.system in model_input.text
            ), name
            assert self_test.user in model_input.text, name
    every = engine.check(opened, engine.CheckOptions(select=("oll",))).findings
    by_code = sorted(every, key=lambda one: one.code)
    assert [(one.code, one.place.file, one.place.line) for one in by_code] == [
        ("oll-answer-not-closed", "Mistral-OpenOrca.modelfile", 12),  # the template ends with the assistant's header
        ("oll-answer-not-closed", "Orca2.modelfile", 13),
        (UNKNOWN, "CodeLLaMA-Python.modelfile", 6),  # of all ten, once
        ("oll-stop-escape", "NexusRaven.modelfile", 40),  # PARAMETER stop "\\nReflection:"
        ("oll-syntax", "CodeLLaMA-Python.modelfile", 16),  # a parameter that Ollama no longer knows
    ]
    assert "rope_frequency_base" in by_code[-1].message


@pytest.mark.realdata
@pytest.mark.parametrize("name", ["CodeLLaMA-Python", "Orca2", "Zephyr-Beta"])
def test_one_real_modelfile_is_a_workspace(shared: Path, name: str) -> None:
    opened = workspace.open(shared / f"data/modelfiles/{name}.modelfile")
    assert run_self_tests(opened)[name].first.segments


@pytest.mark.realdata
def test_ollamas_own_templates_have_no_fault_but_stop_texts_that_are_not_given(shared: Path, write: Write) -> None:
    lines = (shared / "vectors/ollama_templates.jsonl").read_text("utf-8").splitlines()
    texts = dict.fromkeys(json.loads(line)["go_template"] for line in lines)
    made = {
        f"t{n}.modelfile": f'FROM ./x.gguf\nSYSTEM {SYSTEM}\nTEMPLATE """{text}"""\n' for n, text in enumerate(texts)
    }
    every = found(write(made))
    assert Counter(one.code for one in every) == {"oll-stop-missing": 8}
    ends = {one.values["token"]: one.severity for one in every}
    assert ends == {
        "<end_message>": "warning",
        "<|im_end|>": "info",
        "<step>": "warning",
        "<end_of_turn>": "info",
        "<|end_of_turn|>": "warning",
        "</s>": "info",
    }


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("{{ range .Messages }}" + TURN + "\n{{ end }}" + ASKED, []),
        ("{{ range .Messages }}" + TURN + "\n{{- end }}" + ASKED, ["oll-chatml-newline"]),
        ("{{- if .System }}S:{{ .System }}\n{{ end }}{{ .Prompt }}", []),
        ("{{ .Prompt }}", ["oll-system-missing"]),
        ("{{ .System }}", ["oll-user-missing"]),
        ("{{ if .System }}has one {{ end }}{{ .Prompt }}", ["oll-system-missing"]),
        ("{{ range .Messages }}{{ .Content }} {{ end }}{{ .Prompt }}", ["oll-no-value"]),
        ("{{ .System }} {{ .Prompt }} {{ .Nothing }}", ["oll-no-value"]),
        ("{{ range .Messages }}{{ .Content }} {{ end }}{{ if .Prompt }}{{ .Prompt }}{{ end }}", []),
        ("{{ $s := .System }}{{ $s }}{{ range .Messages }}{{ .Content }}{{ end }}", ["oll-system-twice"]),
        ("{{ printf \"%s|\" .System }}{{ range .Messages }}{{ .Content }}{{ end }}", ["oll-system-twice"]),
        ('{{ .System }}{{ range .Messages }}{{ if ne .Role "system" }}{{ .Content }}{{ end }}{{ end }}', []),
        ('{{ range .Messages }}{{ json .Content }}{{ end }}', []),
        ("{{ .Prompt }}{{ if .System }}{{ .System }}{{ .Response }}{{ else }}y{{ end }}", ["oll-response-in-branch"]),
        ("{{ .System }}{{ .Prompt }}{{ if .Response }}{{ .Response }}{{ end }}", []),
        ("{{ .System }}{{ .Prompt", ["oll-template-error"]),
        ("{{ .System }}{{ .Prompt.Text }}", ["oll-template-error"]),
        ("{{ currentDate }}{{ range .Messages }}{{ .Content }}{{ end }}", ["oll-date-dependent"]),
        # The copy that Ollama cuts off for the last turn knows none of its own functions.
        ("{{ currentDate }}{{ .System }}{{ .Prompt }}", ["oll-date-dependent", "oll-template-error"]),
        ("{{ .System }}{{ .Prompt }}<|eot_id|>{{ .Response }}<|eot_id|>", ["oll-stop-missing"]),
        ("{{ .System }} [INST] {{ .Prompt }} [/INST] {{ .Response }}", []),
        ("{{ .System }}<|user|>{{ .Prompt }}<|assistant|>", []),
    ],
)  # fmt: skip
def test_a_template_has_the_faults_it_has_and_no_other(write: Write, template: str, expected: list[str]) -> None:
    assert codes(in_template(write, template)) == expected


@pytest.mark.parametrize(
    ("template", "line", "column", "how"),
    [
        ("{{ range .Messages }}" + TURN + "\n{{- end }}" + ASKED, 6, 1, "{{- on line 6"),
        ("{{ range .Messages }}" + TURN + "\n\n  {{- end }}" + ASKED, 7, 3, "{{- on line 7"),
        ("{{ range .Messages -}}\n" + TURN + "{{ end }}" + ASKED, 4, 32, "-}} on line 4"),
        ("{{ range .Messages }}" + TURN + "{{ end }}" + ASKED, 5, 25, "the template has none"),
    ],
)
def test_a_lost_newline_is_shown_where_it_is_lost(
    write: Write, template: str, line: int, column: int, how: str
) -> None:
    (one,) = [one for one in in_template(write, template) if one.code == "oll-chatml-newline"]
    assert (one.place.line, one.place.column, one.severity) == (line, column, "error")
    assert one.values["how"].startswith(how)
    assert ("minus" in one.fix) == how.endswith(f"on line {line}") == bool(one.values["marker"])


def test_a_newline_that_only_longer_conversations_lose_is_a_warning(write: Write) -> None:
    template = "{{ .System }}<|im_start|>user\n{{ .Prompt }}<|im_end|>\n" + ASKED + "{{ .Response }}<|im_end|>"
    (one,) = in_template(write, template)
    assert (one.code, one.severity) == ("oll-chatml-newline", "warning")


def test_stop_texts_of_another_model_may_be_taken_over(write: Write) -> None:
    text = 'FROM llama3\nTEMPLATE """{{ .System }}{{ .Prompt }}<|eot_id|>"""\n'
    (one,) = found(write({"Modelfile": text}), "oll-stop-missing")
    assert one.severity == "info"


@pytest.mark.parametrize(
    ("turn", "fix"),
    [
        ("<|eot_id|>", 'add PARAMETER stop "<|eot_id|>"'),
        ("<im_end>", 'write <|im_end|> in the template if that is meant, or add PARAMETER stop "<im_end>"'),
        ("</s>", 'add PARAMETER stop "</s>"'),
        ("<s>", None),
        ("<bos>", None),
        ("<|begin_of_text|>", None),
    ],
)
def test_a_token_behind_a_turn_that_no_stop_text_has_is_a_fault_unless_it_begins_texts(
    write: Write, turn: str, fix: str | None
) -> None:
    every = in_template(write, f"<s>{{{{ .System }}}}{{{{ .Prompt }}}}{turn}\n{{{{ .Response }}}}")
    assert [one.fix for one in every if one.code == "oll-stop-missing"] == ([fix] if fix else [])


def test_where_no_stop_text_is_given_none_are_listed(write: Write) -> None:
    every = in_template(write, "{{ .System }}{{ .Prompt }}<|eot_id|>", "")
    (one,) = (one for one in every if one.code == "oll-stop-missing")
    assert one.message == "turns end with <|eot_id|> in the template, but no stop parameter contains it"


@pytest.mark.parametrize(
    ("base", "severity"),
    [("./m.gguf", "info"), ("mymodel", "info"), ("llama3.1:8b", "warning"), ("hf.co/a/Llama-3-x:Q4", "warning"),
     ("deepseek-r1:8b", "info"), ("ollama/qwen3:4b", "info"), ("./qwen3.gguf", "info")],
)  # fmt: skip
def test_the_beginning_of_another_family_is_no_second_one(write: Write, base: str, severity: str) -> None:
    text = f'FROM {base}\nTEMPLATE """<|begin_of_text|>{{{{ .System }}}}{{{{ .Prompt }}}}"""\n'
    every = engine.check(
        workspace.open(write({"Modelfile": text})), engine.CheckOptions(select=("srv-double-bos",))
    ).findings
    assert [(one.severity, f"unless {base} begins" in one.message) for one in every] == [(severity, severity == "info")]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("PARAMETER num_ctx 4096", None),
        ("PARAMETER num_ctx 4096.5", "a whole number"),
        ("PARAMETER temperature .7", None),
        ("PARAMETER temperature 1e-1", None),
        ("PARAMETER temperature warm", "a number"),
        ("PARAMETER use_mmap T", None),
        ("PARAMETER use_mmap yes", "true or false"),
        ("PARAMETER stop 1", None),
        ("PARAMETER num_ctxt 1", "did you mean 'num_ctx'?"),
        ("PARAMETER rope_frequency_base 1e+06", "older versions"),
        ("PARAMETER Temperature 1", "unknown parameter 'Temperature'"),
        ("REQUIRES 0.14.0", None),
        ("REQUIRES v1", None),
        ("REQUIRES 1.2.3-rc.1+build", None),
        ("REQUIRES 1.2-rc", "a version"),
        ("REQUIRES 01.2.3", "a version"),
        ("REQUIRES latest", "a version"),
    ],
)
def test_what_ollama_refuses_when_the_model_is_built_is_said(line: str, reason: str | None) -> None:
    diagnostics = parse(f"FROM x\n{line}\n").diagnostics
    assert [diagnostic.code for diagnostic in diagnostics] == (["oll-syntax"] if reason else [])
    for diagnostic in diagnostics:
        assert reason
        assert reason in diagnostic.values["reason"]
        assert diagnostic.place.line == 2


def test_an_escape_in_a_stop_text_is_told_where_it_stands_and_the_line_break_of_the_fix_is_one() -> None:
    parsed = parse('FROM x\nPARAMETER top_k 1\nPARAMETER stop "\\nA:\\n"\n', "M")
    (one,) = [rules.build_finding(diagnostic) for diagnostic in parsed.diagnostics]
    assert (one.code, one.severity, one.place.line, one.place.column) == ("oll-stop-escape", "warning", 3, 17)
    assert one.message.startswith("the stop text \\nA:\\n contains a backslash")
    assert one.values["escape"] == ["\\n"]
    mended = parse('FROM x\nPARAMETER stop """\nA:\n"""\nPARAMETER stop """\n"""\n')
    assert mended.commands[1:] == (("stop", "\nA:\n", 2), ("stop", "\n", 5))
    assert mended.diagnostics == ()


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        ("SYSTEM a\n", None, "there is no FROM line, so Ollama"),
        ("\nFROM \nSYSTEM a\n", 2, "there is no FROM line with a name: line 2 has no text after FROM, so Ollama"),
        ("FROM x\nFROM ", 2, "there is no FROM line with a name: line 2 has no text after FROM, so Ollama"),
    ],
)
def test_a_from_with_nothing_behind_it_is_told_from_one_that_is_not_there(
    text: str, line: int | None, why: str
) -> None:
    (one,) = [rules.build_finding(each) for each in parse(text, "M").diagnostics if each.code == "oll-no-from"]
    assert (one.severity, one.place.line) == ("error", line)
    assert one.message.startswith(why)


@pytest.mark.parametrize("name", ["mirostat", "low_vram", "penalize_newline", "vocab_only"])
def test_a_deprecated_parameter_is_left_out_and_refuses_nothing(name: str) -> None:
    (diagnostic,) = parse(f"FROM x\nPARAMETER {name} 1\n").diagnostics
    assert (diagnostic.code, diagnostic.values["name"]) == ("oll-deprecated-parameter", name)


SERVED = {
    "readback.yml": "dataset: data.jsonl\nmodes: [{mode: m, system: S, template: '{{ q }}'}]\n"
    "models: {one: {serving: {modelfile: Modelfile}}}\nconditions: [{name: c, mode: m, model: one}]\n",
    "data.jsonl": [{"id": "1", "q": "a"}, {"id": "2", "q": "b"}],
}


def test_a_template_that_breaks_is_told_of_each_record_that_is_sent_and_of_no_made_up_one(write: Write) -> None:
    broken = 'FROM x\nTEMPLATE """{{ .System }}{{ .Prompt.Text }}"""\n'
    told = found(write({**SERVED, "Modelfile": broken}), "oll-template-error")
    assert [(one.place.record, one.place.file, one.place.line) for one in told] == [
        ("1", "Modelfile", 2),
        ("2", "Modelfile", 2),
    ]


def test_a_template_that_cannot_be_read_is_told_once(write: Write) -> None:
    told = found(write({**SERVED, "Modelfile": 'FROM x\nTEMPLATE "{{ .System "\n'}), "oll-template-error")
    assert [one.place.record for one in told] == [None]


def test_a_modelfile_of_several_models_is_told_of_once(write: Write) -> None:
    models = "models: {one: {serving: {modelfile: Modelfile}}, two: {serving: {modelfile: Modelfile}}}\n"
    text = 'FROM x\nTEMPLATE """{{ .System }}{{ range .Messages }}{{ .Content }}{{ end }}"""\n'
    assert codes(found(write({"readback.yml": models, "Modelfile": text}))) == ["oll-system-twice"]


def test_what_is_said_of_a_models_server_has_the_keys_of_the_audit(write: Write) -> None:
    template = "{{ currentDate }}{{ .System }}{{ range .Messages }}{{ .Content }}{{ end }}"
    text = f'FROM x\nPARAMETER mirostat 1\nTEMPLATE """{template}"""\n'
    opened = workspace.open(write({**SERVED, "Modelfile": text}))
    audit = engine.check(opened, engine.CheckOptions(select=("oll", "srv")))
    about = [one for one in find_server_findings(opened, opened.models["one"]) if isinstance(one, Finding)]
    assert {one.key for one in about} == {one.key for one in audit.findings if one.place.record is None}
    assert codes(about) == ["oll-date-dependent", "oll-deprecated-parameter", UNKNOWN, "oll-system-twice"]


def test_a_modelfile_that_serves_no_run_of_a_plan_is_checked_by_itself(write: Write) -> None:
    root = write(
        {
            "plan.yaml": "runs: [{label: a, model_config: m.yaml, prompt_mode: rag}]\n",
            "m.yaml": "provider: x\nmodel: m\nmodel_type: rag_trained\n",
            "Modelfile.rag_trained": f'FROM x\nSYSTEM "{SYSTEM}"\nTEMPLATE """{{{{ .System }}}}{{{{ .Prompt }}}}"""\n',
            "Modelfile.spare": f'FROM x\nSYSTEM "{SYSTEM}"\nTEMPLATE """{{{{ .Prompt }}}}"""\n',
        }
    )
    opened = workspace.open(root)
    assert list(opened.models) == ["m", "spare"]
    assert [(one.code, one.place.file) for one in found(root)] == [("oll-system-missing", "Modelfile.spare")]


CHAT = "{% for m in messages if m.role != 'system' %}[{{ m.role }}]{{ m.content }}{% endfor %}{{ tools }}[assistant]"
STATED = (
    "dataset: d.jsonl\nserving: {ollama: {version: '0.31.1'}}\n"
    "modes: [{mode: m, system: Be brief., template: '{{ q }}'}]\n"
    "models: {one: {serving: {modelfile: Modelfile}}}\nconditions: [{name: c, mode: m, model: one}]\n"
)


def test_the_rules_look_at_the_chat_template_that_is_sent(write: Write) -> None:
    file = 'FROM ./w.gguf\nTEMPLATE """{{ .System }}{{ range .Messages }}{{ .Content }}{{ end }}"""\n'
    rows = [{"id": "1", "q": "Why?"}]
    folder = write({"readback.yml": STATED, "d.jsonl": rows, "Modelfile": file, "w.gguf": gguf_files.model(CHAT)})
    opened = workspace.open(folder)
    audit = engine.check(opened, engine.CheckOptions(select=("oll", "srv")))
    assert codes(list(audit.findings)) == ["oll-chat-template-sent", "srv-system-dropped"]
    about = [one for one in find_server_findings(opened, opened.models["one"]) if isinstance(one, Finding)]
    assert "oll-chat-template-sent" in codes(about)


def test_weights_whose_chat_template_fails_are_said_once_and_in_these_words(write: Write) -> None:
    file = 'FROM ./w.gguf\nTEMPLATE """{{ .System }} {{ .Prompt }}"""\n'
    weights = gguf_files.model("{% if tools %}{{ messages")
    folder = write(
        {"readback.yml": STATED, "d.jsonl": [{"id": "1", "q": "Why?"}], "Modelfile": file, "w.gguf": weights}
    )
    audit = engine.check(workspace.open(folder), engine.CheckOptions(select=("oll", "srv")))
    assert codes(list(audit.findings)) == ["oll-chat-template-sent", "srv-template-error"]
    sent = next(one for one in audit.findings if one.code == "oll-chat-template-sent")
    assert sent.message.endswith("one of the two makes no text of a made-up conversation")


@pytest.mark.parametrize(
    ("template", "line", "column"),
    [
        ("<|im_start|>user\n{{ .Prompt }}<|im_end|>\n<|im_start|>assistant\n", 5, 22),
        ("<|im_start|>user\n{{ .Prompt }}<|im_end|>\n<|im_start|>assistant\nSo {{ .Response }}\n", 6, 7),
    ],
    ids=["Ollama puts the answer at the end", "the template writes it"],
)
def test_an_answer_that_is_not_closed_is_marked_where_the_answer_is(
    template: str, line: int, column: int, tmp_path: Path
) -> None:
    (tmp_path / "Modelfile").write_text(f'FROM ./x.gguf\nPARAMETER stop "<|im_end|>"\nTEMPLATE """{template}"""\n')
    (found,) = [one for one in engine.check(workspace.open(tmp_path)).findings if one.code == "oll-answer-not-closed"]
    assert (found.place.file, found.place.line, found.place.column) == ("Modelfile", line, column)
