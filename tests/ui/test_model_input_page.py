"""What the model reads, on the pages: the text with its marks, what made it, and models that nothing is sent to."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import gguf_files
import pytest
from looking import links, page, said, words

from readback.cli import main

Serving = Callable[[Mapping[str, Any]], Path]
Write = Callable[[Mapping[str, Any]], Path]

TURN = "<|im_start|>{{ .Role }}\n{{ .Content }}<|im_end|>\n"
TWICE = (
    "{{ if .System }}<|im_start|>system\n{{ .System }}<|im_end|>\n{{- end }}"
    "{{ range .Messages }}" + TURN + "{{ end }}<|im_start|>assistant\n"
)
FILES: dict[str, Any] = {
    "readback.yml": "dataset: data.jsonl\nmodes: [{mode: m, system: Be brief., template: '{{ q }}'}]\n"
    "models: {one: {serving: {modelfile: Modelfile}}}\nconditions: [{name: c, mode: m, model: one}]\n",
    "data.jsonl": [{"id": "1", "q": "Why?"}],
}


def modelfile(template: str, more: str = "") -> str:
    return f'FROM ./x.gguf\nPARAMETER stop "<|im_end|>"\n{more}TEMPLATE """{template}"""\n'


def marked(html: str) -> list[tuple[str, str]]:
    """Number and words of each mark, in order."""
    return re.findall(r'<mark class="rb-find[^"]*" data-n="(\d+)" title="([^"]*)">', html)


def test_the_two_system_blocks_and_the_lost_newline_are_marked_in_place(serving: Serving) -> None:
    serving({**FILES, "Modelfile": modelfile(TWICE)})
    test = page("prompts", condition="c", layer="wire")
    assert marked(said(test)) == [
        ("3", "system message, first time"),
        ("1", "no newline follows here"),
        ("3", "system message, second time"),
    ]
    text = words(test)
    assert "Built with TEMPLATE of Modelfile line 3" in text
    assert (
        "Stop sequences, where the answer ends: &lt;|im_end|&gt;" in text
        or "Stop sequences, where the answer ends: <|im_end|>" in text
    )
    assert "Modelfile line 5 column 1 oll-chatml-newline" in text
    assert "oll-system-twice" in text


def test_the_messages_themselves_have_no_findings_about_the_server(serving: Serving) -> None:
    serving({**FILES, "Modelfile": modelfile(TWICE)})
    assert "oll-system-twice" not in said(page("prompts", condition="c"))


@pytest.mark.parametrize(
    ("file", "why"),
    [
        (modelfile("{{ if .System }}"), "oll-template-error"),
        (modelfile("{{ .System }}{{ .Prompt.Text }}"), "oll-template-error"),
        ("FROM x\nSYSTEM Be brief.\n", "oll-no-template"),
        (modelfile("{{ .Prompt }}", "RENDERER house\n"), "oll-renderer"),
    ],
)
def test_where_nothing_can_be_rendered_the_reason_is_shown_and_the_messages_are_a_click_away(
    serving: Serving, file: str, why: str
) -> None:
    serving({**FILES, "Modelfile": file})
    test = page("prompts", condition="c", layer="wire")
    assert "What the model reads cannot be shown" in words(test)
    assert why in said(test)
    assert {"condition": "c"} in [{k: v for k, v in one.items() if k != "workspace"} for one in links(test, "prompts")]


def test_a_file_that_ollama_would_refuse_is_shown_and_said_to_be_refused(serving: Serving) -> None:
    serving({**FILES, "Modelfile": modelfile("{{ .System }} {{ .Prompt }}", "PARAMETER num_ctxt 1\n")})
    test = page("prompts", condition="c", layer="wire")
    assert "Ollama would reject this file" in words(test)
    assert "Be brief." in said(test)


def test_a_folder_of_modelfiles_lists_what_each_model_reads(serving: Serving) -> None:
    serving({"A.modelfile": modelfile(TWICE), "B.modelfile": modelfile("{{ if"), "C.modelfile": "FROM x\nNO\n"})
    test = page()
    text = words(test)
    assert text.startswith("3 models.") or "3 models." in text
    assert [one["model"] for one in links(test, "prompts") if "model" in one] == ["A", "B", "C"]
    assert "the template does not work" in text
    assert "there is no TEMPLATE" in text


def test_a_modelfile_shows_the_text_of_a_made_up_conversation(serving: Serving) -> None:
    serving({"A.modelfile": modelfile(TWICE, 'SYSTEM "Be brief."\n'), "B.modelfile": modelfile(TURN)})
    test = page("prompts")
    assert [title for _, title in marked(said(test))].count("system message, second time") == 1
    test = page("prompts", model="A", turns="later")
    assert [title for _, title in marked(said(test))][-1] == "system message, second time"
    test.selectbox(key="model").set_value("B").run()
    assert test.query_params["model"] == "B"


def test_a_modelfile_that_no_run_uses_has_its_place_on_the_overview(serving: Serving) -> None:
    more = "models: {one: {serving: {modelfile: Modelfile}}, spare: {serving: {modelfile: Spare.modelfile}}}\n"
    setup = FILES["readback.yml"].replace("models: {one: {serving: {modelfile: Modelfile}}}\n", more)
    template = "{{ .System }} {{ .Prompt }}"
    serving({**FILES, "readback.yml": setup, "Modelfile": modelfile(template), "Spare.modelfile": modelfile(template)})
    doors = [one["model"] for one in links(page(), "prompts") if "model" in one]
    assert doors == ["spare"]
    assert "What the model reads (Spare.modelfile)" in said(page("prompts", model="spare"))


def test_render_shows_what_the_page_shows(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    root = write({**FILES, "Modelfile": modelfile(TWICE)})
    main(["render", str(root), "--condition", "c", "--wire", "--format", "json"])
    answer = json.loads(capsys.readouterr().out)
    model_input = answer["wire"]
    assert (model_input["format"], model_input["kind"], model_input["stops"]) == (
        "Modelfile",
        "modelfile",
        ["<|im_end|>"],
    )
    assert model_input["text"].count("Be brief.") == 2
    assert [one["code"] for one in answer["findings"]] == [
        "oll-chatml-newline",
        "oll-engine-unknown",
        "oll-system-twice",
    ]
    main(["check", str(root), "--select", "oll,fmt", "--format", "json"])
    checked = json.loads(capsys.readouterr().out)
    assert {one["key"] for one in checked["findings"]} == {one["key"] for one in answer["findings"]}


@pytest.mark.realdata
def test_the_real_study_shows_its_doubled_system_message(monkeypatch: pytest.MonkeyPatch, shared: Path) -> None:
    monkeypatch.setenv("READBACK_WORKSPACE", str(shared / "data/prompt-formats"))
    test = page("prompts", condition="lora_science_0p5b_ft_only", layer="wire")
    titles = [title for _, title in marked(said(test))]
    assert titles[:4] == [
        "system message, first time",
        "no newline follows here",
        "system message, second time",
        "no newline follows here",
    ]


CHAT = "{% for m in messages %}[{{ m.role }}]{{ m.content }}{% endfor %}{{ tools or '' }}[assistant]"


@pytest.mark.parametrize(
    ("server", "first", "rule"),
    [
        ("", "user: Why?", "It cannot be told which text is sent, because the server is not stated."),
        ("version: '0.31.1'", "[user]Why?", "Ollama 0.31.1 takes the chat template in x.gguf instead of TEMPLATE"),
        ("go_template: true", "user: Why?", "OLLAMA_GO_TEMPLATE is set for the server, so TEMPLATE makes the text."),
    ],
)
def test_both_texts_are_shown_with_the_rule_that_decides(serving: Serving, server: str, first: str, rule: str) -> None:
    stated = f"serving: {{ollama: {{{server}}}}}\n" if server else ""
    template = "{{ range .Messages }}{{ .Role }}: {{ .Content }}\n{{ end }}"
    files = {**FILES, "readback.yml": stated + FILES["readback.yml"], "x.gguf": gguf_files.model(CHAT)}
    serving({**files, "Modelfile": modelfile(template)})
    text = words(page("prompts", condition="c", layer="wire"))
    other = "[user]Why?" if first.startswith("user") else "user: Why?"
    assert rule in text
    assert 0 <= text.index(first) < text.index(other)
    assert "makes of the same messages" in text


def test_that_the_template_cannot_be_told_is_on_the_overview(serving: Serving) -> None:
    serving({**FILES, "Modelfile": modelfile("{{ .System }} {{ .Prompt }}")})
    assert "Which template Ollama sends for one cannot be told" in words(page("overview"))


@pytest.mark.usefixtures("hurried")
def test_weights_whose_chat_template_never_ends_stop_nothing(serving: Serving) -> None:
    endless = "{% for a in range(99999) %}{% for b in range(99999) %}{% for c in range(99999) %}x{% endfor %}"
    bomb = gguf_files.model(endless + "{% endfor %}{% endfor %}{{ tools }}")
    serving({**FILES, "x.gguf": bomb, "Modelfile": modelfile("{{ .System }} {{ .Prompt }}")})
    assert "Be brief. Why?" in words(page("prompts", condition="c", layer="wire"))
