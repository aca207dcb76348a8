"""Which template Ollama takes: the rule of the server, held against what is stated and what lies in the folder."""

from __future__ import annotations

import pytest

from readback.serving import gotemplate
from readback.serving.modelfile.read_file import parse
from readback.serving.ollama import engine
from readback.types import ChatTemplate, Engine, OllamaServer, Weights

GO = "{{ range .Messages }}{{ .Role }}: {{ .Content }}\n{{ end }}"
GO_TOOLS = GO + "{{ if .Tools }}{{ .Tools }}{{ end }}"
GO_TRIP = GO_TOOLS + '{{ range .Messages }}{{ if eq .Role "tool" }}{{ .Content }}{{ end }}{{ .ToolCalls }}{{ end }}'
GO_THINKS = "{{ range .Messages }}{{ if .Thinking }}<think>{{ .Thinking }}</think>{{ end }}{{ .Content }}{{ end }}"
PLAIN = "{% for m in messages %}{{ m.content }}{% endfor %}"
TOOLS = PLAIN + "{{ tools }}"
TRIP = TOOLS + "{{ m.tool_calls }}{% if message.role == 'tool' %}{% endif %}"
THINKS = TOOLS + "<think></think>"

OLD, BETWEEN, NEW = (OllamaServer(version) for version in ("0.29.4", "0.30.11", "v0.31.1-rc2"))
ON, OFF, UNSET = OllamaServer("0.34.0", "true"), OllamaServer("0.34.0", "false"), OllamaServer("0.34.0", "unset")


def _weights(template: str | None, architecture: str = "llama") -> Weights:
    return Weights("w.gguf", architecture, ChatTemplate("w.gguf", template) if template else None)


@pytest.mark.parametrize(
    ("own", "chat", "more"),
    [
        (GO, PLAIN, None),
        (GO, TOOLS, ("tools",)),
        (GO, THINKS, ("tools", "thinking")),
        (GO_TOOLS, TOOLS, None),
        (GO_TOOLS, TRIP, ("results of tools",)),
        (GO_TRIP, TRIP, None),
        (GO_TRIP, THINKS, None),
        (GO_TRIP, TRIP + "<think></think>", ("thinking",)),
        (GO_THINKS, PLAIN + "<think></think>", None),
        (GO_THINKS, TOOLS, None),
        (GO + "{{ .Suffix }}", TOOLS, None),
        ("{{ if }}", TOOLS, ("tools",)),
        (GO, PLAIN + "{{ content.split('</think>')[-1] }}", ("thinking",)),
        (GO, PLAIN + "{{ content.split('</think>')[-1] }}{{ reasoning_content }}", None),
    ],
)
def test_a_chat_template_is_preferred_for_what_it_can_do_besides(
    own: str, chat: str, more: tuple[str, ...] | None
) -> None:
    assert engine.find_advantages(own, chat) == more


@pytest.mark.parametrize(
    ("template", "tags"),
    [
        (GO_THINKS, ("<think>", "</think>")),
        ("{{ range $i, $_ := .Messages }}{{ if .Thinking }}{{ .Thinking }}{{ end }}{{ end }}", ("", "")),
        ("{{ range .Tools }}<t>{{ .Thinking }}</t>{{ end }}", ("", "")),
        ("<t>{{ .Thinking }}</t>", ("", "")),
        ("{{ range .Messages }}{{ range .ToolCalls }}<a>{{ .Thinking }}</a>{{ end }}{{ end }}", ("", "")),
        ('{{ range .Messages }}a {{ printf "%s" .Thinking }} b{{ end }}', ("a", "b")),
        ("{{ range .Messages }}{{ with .Thinking }}<a>{{ . }}</a>{{ end }}{{ end }}", ("", "")),
        ("{{ range .Messages }}{{ else }}<a>{{ .Thinking }}</a>{{ end }}", ("<a>", "</a>")),
    ],
)
def test_the_tags_around_thoughts_are_guessed_as_the_server_does(template: str, tags: tuple[str, str]) -> None:
    assert engine.find_thinking_tags(gotemplate.parse(template)) == tags


T = 'FROM x\nTEMPLATE """{{ .Prompt }}"""\n'


@pytest.mark.parametrize(
    ("modelfile", "server", "weights", "decided"),
    [
        (T, OLD, None, Engine("template", "old")),
        (T, OLD, _weights(TOOLS), Engine("template", "old")),
        (T, BETWEEN, _weights(TOOLS), Engine("unknown", "between")),
        (T, BETWEEN, None, Engine("unknown", "weights unknown")),
        (T, NEW, _weights(TOOLS), Engine("chat template", "more", more=("tools",))),
        (T, UNSET, _weights(TOOLS), Engine("chat template", "more", more=("tools",))),
        (T, NEW, _weights(PLAIN), Engine("template", "not more")),
        (T, NEW, _weights(None), Engine("template", "none in the weights")),
        (T, NEW, None, Engine("unknown", "weights unknown")),
        (T, None, None, Engine("unknown", "weights unknown")),
        (T, None, _weights(TOOLS), Engine("unknown", "server unknown", "chat template", ("tools",))),
        (T, None, _weights(PLAIN), Engine("template", "not more")),
        (T, ON, _weights(TOOLS), Engine("template", "on")),
        (T, OFF, _weights(PLAIN), Engine("chat template", "off")),
        (T, OFF, None, Engine("unknown", "off unknown", "chat template")),
        (T + "PARSER qwen3\n", UNSET, _weights(TOOLS), Engine("template", "parser")),
        (T + "RENDERER qwen3.5\n", OLD, _weights(TOOLS), Engine("renderer", "renderer", renderer="qwen3.5")),
        (
            T + "RENDERER qwen3-coder\n",
            None,
            _weights(TOOLS),
            Engine("chat template", "as the makers", renderer="qwen3-coder"),
        ),
        (T + "RENDERER qwen3-coder\n", None, None, Engine("renderer", "renderer", renderer="qwen3-coder")),
        (T, None, _weights(TOOLS, "gemma4"), Engine("renderer", "renderer", renderer="gemma4")),
        (T, UNSET, _weights(TOOLS, "laguna"), Engine("chat template", "as the makers", renderer="laguna")),
        (
            'FROM x\nTEMPLATE "<|start|>{{ .Prompt }}<|end|>"\n',
            UNSET,
            _weights(TOOLS, "gptoss"),
            Engine("template", "harmony"),
        ),
        ("FROM x\n", UNSET, None, Engine("unknown", "no template")),
        ("FROM x\n", UNSET, _weights(TOOLS), Engine("unknown", "no template", "chat template")),
        ("FROM x\n", OFF, _weights(TOOLS), Engine("chat template", "off")),
        ("FROM x\nPARSER qwen3\n", OFF, _weights(TOOLS), Engine("unknown", "no template", "chat template")),
        (
            'FROM qwen3.5:9b\nTEMPLATE "{{ .Prompt }}"\n',
            UNSET,
            None,
            Engine("unknown", "family", "renderer", renderer="qwen3.5"),
        ),
        ('FROM me/qwen3.5:9b\nTEMPLATE "{{ .Prompt }}"\n', ON, None, Engine("template", "on")),
    ],
)
def test_the_rule_that_decides(
    modelfile: str, server: OllamaServer | None, weights: Weights | None, decided: Engine
) -> None:
    assert engine.decide(parse(modelfile), server, weights) == decided


def test_what_the_model_in_from_passes_on_leaves_no_renderer_to_guess() -> None:
    file = parse('FROM qwen3.5:9b\nTEMPLATE "{{ .Prompt }}"\n')
    assert engine.decide(file, ON, None, based=True) == Engine("template", "on")
