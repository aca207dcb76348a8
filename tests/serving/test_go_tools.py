"""Tools, calls of tools and what they are made of print as in Ollama, under every verb and comparison.

`go_tool_cases.jsonl` was printed by Go 1.19.8 (`apt-get install golang-go; go version`): a program with the types of
`api/types.go` and `template/template.go` of ollama/ollama (commit b68b112b, with `templateTool.String` of pull request
16031), read from JSON with `json.NewDecoder`, handed to a template as `convertToolsForTemplate` and
`convertMessagesForTemplate` do, and carried out with
`template.New("").Option("missingkey=zero").Funcs(funcs).Parse(text)` and `Execute`: `go build -o ref . && ./ref <
cases.json`. The first line holds the tools and messages, null means that Go refuses. Go prints another address for a
pointer inside a value at every run, so no case has one.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from readback.serving.gotemplate.printf import format_text
from readback.serving.ollama import model_input as ollama
from readback.serving.ollama.render import work

LINES = Path(__file__).with_name("go_tool_cases.jsonl").read_text("utf-8").split("\n")
GIVEN = json.loads(LINES[0])
CASES = [json.loads(line) for line in LINES[1:] if line]
NAMED = "{{ range .Messages }}{{ end }}"  # Ollama hands over messages and tools only where they are named
LLAMA = (
    "{{- if .Tools }}Given the functions:\n{{ range $.Tools }}\n{{- . }}\n{{ end }}{{ end }}"
    "{{- range .Messages }}{{ range .ToolCalls }}"
    '{"name": "{{ .Function.Name }}", "parameters": {{ .Function.Arguments }}}{{ end }}{{ end }}'
)
PARAMETERS = {"type": "object", "properties": {"q": {"type": "string", "description": "a<b"}}}
TOOL = {"type": "function", "function": {"name": "f", "parameters": PARAMETERS}}
AS_JSON = (
    '{"type":"function","function":{"name":"f","description":"","parameters":{"type":"object","properties":'
    '{"q":{"type":"string","description":"a\\u003cb"}}}}}'
)


def _printed(template: str) -> str | None:
    turns = [[one["role"], [[one["content"], None]], one] for one in GIVEN["messages"]]
    values = {"prompt": "", "suffix": "", "think": False, "level": "", "thinking": False, "tools": GIVEN["tools"]}
    found = work({"template": template + NAMED, "turns": turns, "values": values, "today": "2026-11-21"})
    return None if "failed" in found else "".join(text for text, _ in found["pieces"])


def test_a4_every_part_of_a_tool_prints_what_go_prints() -> None:
    wrong = [(one["template"], one["expected"]) for one in CASES if _printed(one["template"]) != one["expected"]]
    assert (len(CASES) > 500, wrong) == (True, [])


def test_a4_a_tool_printed_as_a_value_is_the_json_that_ollama_sends() -> None:
    call = {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"function": {"name": "f", "arguments": {"b": 1, "a": "x"}}}],
    }
    model_input = ollama.render_template(LLAMA, [call], "2026-11-21", {"tools": [TOOL, TOOL]})
    assert model_input.text == (
        f'Given the functions:\n{AS_JSON}\n{AS_JSON}\n{{"name": "f", "parameters": {{"a":"x","b":1}}}}'
    )
    assert model_input.diagnostics == ()


@pytest.mark.parametrize(
    ("value", "verb", "expected"),
    [
        (math.inf, "%v", "+Inf"), (-math.inf, "%v", "-Inf"), (math.nan, "%v", "NaN"), (math.inf, "%08f", "    +Inf"),
        (math.nan, "%+f", "+NaN"), (math.inf, "% f", " Inf"), (math.nan, "% f", " NaN"), (math.inf, "%x", "+Inf"),
        (math.inf, "%d", "%!d(float64=+Inf)"), (None, "%s", "%!s(<nil>)"), (None, "%v", "<nil>"),
        (None, "%d", "%!d(<nil>)"), (None, "%q", "%!q(<nil>)"),
    ],
)  # fmt: skip
def test_a4_numbers_that_are_none_and_nothing_at_all_print_as_in_go(value: Any, verb: str, expected: str) -> None:
    assert "".join(text for text, _ in format_text(verb, [value])) == expected
