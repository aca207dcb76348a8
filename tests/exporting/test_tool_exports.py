"""What is exported for promptfoo, Inspect and Ollama is sent by them as it is assembled, text for text.

The two last tests ask the tools themselves, where READBACK_PROMPTFOO names a folder with node@22 and promptfoo in its
node_modules, and READBACK_TOOLS an environment that has inspect_ai.
"""

from __future__ import annotations

import http.server
import json
import os
import re
import subprocess
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from readback.cli import main
from readback.exporting.tool_lines import find_target, format_tool_line, make_ollama_options
from readback.types import Assembly, Message, Record, Segment, Selection

Write = Callable[[Mapping[str, Any]], Path]
Output = pytest.CaptureFixture[str]
YML = """dataset: {path: d.jsonl, id: id}
modes:
  - {mode: ask, system: "Be {{ brief }}", template: "{{ question }}"}
  - {mode: other, template: "Q {{ question }} {% raw %}{{ env.HOME }}{% endraw %}"}
models:
  m: {settings: {model: small, temperature: 0.5, max_tokens: 7, top_k: 3, reasoning_effort: low}}
  n: {settings: {model: big}}
conditions:
  - {name: base, mode: ask, model: m}
  - {name: "other: é", mode: other, model: n}
"""
TEXTS = (
    "plain", "{{ question }}", "{{env.HOME}} {{ env.PATH }}", "{% if x %}y{% endif %}", "{# c #}", "ends\n", "ends\n\n",
    "{% raw %}{{a}}{% endraw %}", "\r\nx\r\n", ' "quotes" \\ back', "{{ 1 + 1 }}", "{{ readback_text_1 }}",
    "{{vars.x}}",
    "file://x.txt", "package:x", "[1, 2]", '{"a": 1}', "é水🤷\u2028\u0085\x7f\t", "{{{x}}}", "{{'a' | upper}}", "",
    "  ",
    "yes", "1.0", "null", "$ref: '#/x'", "a: b", "- x", "|", "{{_conversation}}", "x{", "{", "{{",
    "data:image/png;base64,AA",
)  # fmt: skip
ROWS = [
    {"id": f"r{at}", "question": text, "brief": "x", "target": ["a", "b"] if at else "T"}
    for at, text in enumerate(TEXTS)
]


@pytest.fixture
def folder(write: Write) -> Path:
    return write({"readback.yml": YML, "d.jsonl": ROWS})


def read_lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text("utf-8").split("\n") if line]


def export_messages(folder: Path, out: Path) -> list[Any]:
    assert main(["export", str(folder), "--as", "messages-jsonl", "-q", "-o", str(out)]) == 0
    return [line["messages"] for line in read_lines(out)]


def render(template: Any, variables: Mapping[str, list[str]]) -> Any:
    """Return a member of a prompt as promptfoo renders it: nothing but the texts of its variables."""
    if isinstance(template, dict):
        return {name: render(value, variables) for name, value in template.items()}
    if isinstance(template, list):
        return [render(value, variables) for value in template]
    if not isinstance(template, str) or "{" not in template:
        return template
    match = re.fullmatch(r"\{\{ (\w+) \| join \}\}", template)
    assert match
    return "".join(variables[match[1]])


def test_promptfoo_gets_each_text_as_it_is(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "promptfooconfig.yaml"
    assert main(["export", str(folder), "--as", "promptfoo", "-q", "-o", str(out)]) == 0
    config = yaml.safe_load(out.read_text("utf-8"))
    assert config["providers"] == ["echo"]
    assert config["defaultTest"] == {"options": {"disableVarExpansion": True}}
    prompts = {prompt["label"]: json.loads(prompt["raw"]) for prompt in config["prompts"]}
    assert list(prompts) == ["base", "other: é"]
    rendered = []
    for test in config["tests"]:
        assert not any("{{" in item for items in test["vars"].values() for item in items)
        [label] = test["prompts"]
        rendered.append(render(prompts[label], test["vars"]))
    assert rendered == export_messages(folder, tmp_path / "m.jsonl")
    assert [test["description"] for test in config["tests"][:3]] == ["r0", "r0", "r1"]


def test_another_order_of_roles_is_another_prompt(write: Write, tmp_path: Path) -> None:
    chat = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}, {"role": "user", "content": "c"}]
    rows = [{"messages": chat[:1]}, {"messages": chat}, {"messages": chat[:1]}]
    out = tmp_path / "c.yaml"
    assert main(["export", str(write({"d.jsonl": rows})), "--as", "promptfoo", "-q", "-o", str(out)]) in (0, 2)
    if out.exists():
        config = yaml.safe_load(out.read_text("utf-8"))
        assert len({prompt["label"] for prompt in config["prompts"]}) == len(config["prompts"])


def test_inspect_gets_samples(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    assert main(["export", str(folder), "--as", "inspect-dataset", "-q", "-o", str(out)]) == 0
    samples = read_lines(out)
    assert [sample["input"] for sample in samples] == export_messages(folder, tmp_path / "m.jsonl")
    assert len({sample["id"] for sample in samples}) == len(samples)
    assert [sample["target"] for sample in samples[:3]] == ["T", "T", ["a", "b"]]
    assert samples[1]["metadata"]["condition"] == "other: é"
    assert samples[1]["metadata"]["record"] == "r0"


def test_ollama_gets_bodies_with_its_own_options(folder: Path, tmp_path: Path, capsys: Output) -> None:
    out = tmp_path / "o.jsonl"
    assert main(["export", str(folder), "--as", "ollama-chat", "-o", str(out)]) == 0
    bodies = read_lines(out)
    assert [body["messages"] for body in bodies] == export_messages(folder, tmp_path / "m.jsonl")
    assert bodies[0]["options"] == {"temperature": 0.5, "num_predict": 7, "top_k": 3}
    assert "options" not in bodies[1]
    assert (bodies[0]["model"], bodies[0]["stream"]) == ("small", False)
    assert "because Ollama has no name for it: reasoning_effort" in capsys.readouterr().err


def make_assembly(*messages: dict[str, Any]) -> Assembly:
    made_of = tuple(
        Message(
            message["role"],
            (Segment(message["content"], "template"),) if isinstance(message["content"], str) else (),
            message if set(message) != {"role", "content"} or not isinstance(message["content"], str) else None,
        )
        for message in messages
    )
    return Assembly(Selection(condition="c"), "r", 0, made_of, "f")


PARTS = {
    "role": "user",
    "content": [{"type": "text", "text": "a{{b}}"}, {"type": "image_url", "image_url": {"url": "x"}}],
}
CALLS = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "1", "function": {"name": "f", "arguments": "{}"}}],
}


@pytest.mark.parametrize(
    ("form", "message", "is_sendable"),
    [
        ("ollama-chat", PARTS, False),
        ("ollama-chat", CALLS, False),
        ("ollama-chat", {"role": "prompt", "content": "x"}, False),
        ("inspect-dataset", PARTS, False),
        ("inspect-dataset", CALLS, False),
        ("inspect-dataset", {"role": "critic", "content": "x"}, False),
        ("inspect-dataset", {"role": "prompt", "content": "x"}, True),
        ("promptfoo", PARTS, True),
        ("promptfoo", CALLS, True),
        ("promptfoo", {"role": "prompt", "content": "x"}, False),
        ("promptfoo", {"role": "us{{er}}", "content": "x"}, True),
        ("promptfoo", {"role": "user", "content": "x", "{{a}}": 1}, False),
    ],
)
def test_what_a_tool_would_change_is_not_written(form: Any, message: dict[str, Any], is_sendable: bool) -> None:
    line = format_tool_line(form, make_assembly(message), Record("r", {}), 0, "m", {})
    value = json.loads(line.text)
    assert line.failed is not is_sendable
    if not is_sendable:
        assert value["error"]["code"] == "not-for-this-tool"
    elif form == "promptfoo":
        assert render(json.loads(value["template"]), value["vars"]) == [message]


@given(st.text())
def test_any_text_arrives(text: str) -> None:
    line = format_tool_line("promptfoo", make_assembly({"role": "user", "content": text}), Record("r", {}), 0, "", {})
    value = json.loads(line.text)
    assert render(json.loads(value["template"]), value["vars"]) == [{"role": "user", "content": text}]
    assert not any("{{" in item for item in value["vars"]["readback_text_1"])


def test_targets_are_texts() -> None:
    assert find_target({"answer": "a", "target": ""}) == "a"
    assert find_target({"target": 1, "ideal": ["a", 2]}) == ""


def test_of_two_spellings_of_an_option_the_first_counts() -> None:
    settings = {"max_tokens": 1, "num_predict": 2, "response_format": {}}
    assert make_ollama_options(settings) == ({"num_predict": 2}, ("response_format",))


@pytest.mark.skipif("READBACK_PROMPTFOO" not in os.environ, reason="promptfoo is not installed here")
def test_promptfoo_itself_sends_the_texts(folder: Path, tmp_path: Path) -> None:
    modules = Path(os.environ["READBACK_PROMPTFOO"]) / "node_modules"
    bodies: list[Any] = []

    class Model(http.server.BaseHTTPRequestHandler):
        """Keeps what it is asked."""

        def do_POST(self) -> None:
            bodies.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            reply = {"choices": [{"index": 0, "message": {"role": "assistant", "content": "ok"}}], "usage": {}}
            raw = json.dumps(reply).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, *_: Any) -> None:
            pass

    out = tmp_path / "promptfooconfig.yaml"
    assert main(["export", str(folder), "--as", "promptfoo", "--model", "openai:chat:m", "-q", "-o", str(out)]) == 0
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        switches = ("TELEMETRY", "UPDATE", "SHARING", "REMOTE_GENERATION")
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(tmp_path),
            "PROMPTFOO_CONFIG_DIR": str(tmp_path / "pf"),
            "OPENAI_API_KEY": "none",
            "OPENAI_BASE_URL": f"http://127.0.0.1:{server.server_port}/v1",
            **{f"PROMPTFOO_DISABLE_{name}": "1" for name in switches},
        }
        program = [modules / ".bin/node", modules / "promptfoo/dist/src/main.js"]
        command = [*program, "eval", "-c", out, "--no-cache", "-j", "1", "--no-table", "--no-progress-bar"]
        done = subprocess.run(command, env=environment, cwd=tmp_path, timeout=200, capture_output=True, text=True)
        server.shutdown()
    assert [body["messages"] for body in bodies] == export_messages(folder, tmp_path / "m.jsonl"), done.stdout[-2000:]


OPEN_SAMPLES = """
import json, sys
from inspect_ai.dataset import json_dataset
for sample in json_dataset(sys.argv[1]):
    value = [{"role": m.role, "content": m.content} for m in sample.input]
    print(json.dumps({"input": value, "id": sample.id, "target": sample.target, "metadata": sample.metadata}))
"""


@pytest.mark.skipif("READBACK_TOOLS" not in os.environ, reason="inspect_ai is not installed here")
def test_inspect_itself_reads_the_samples(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    assert main(["export", str(folder), "--as", "inspect-dataset", "-q", "-o", str(out)]) == 0
    command = [str(Path(os.environ["READBACK_TOOLS"], "bin", "python")), "-c", OPEN_SAMPLES, str(out)]
    done = subprocess.run(
        command, cwd=tmp_path, timeout=200, capture_output=True, text=True, env={"HOME": str(tmp_path)}
    )
    assert [json.loads(line) for line in done.stdout.split("\n") if line] == read_lines(out), done.stderr[-2000:]
