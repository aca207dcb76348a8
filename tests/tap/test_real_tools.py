"""promptfoo, Inspect, lm-evaluation-harness, LangChain and the clients of the services pass through `readback tap`.

The tools are no packages of this project. Each test runs where the program is there: in the folder bin/ of the
environment that READBACK_TOOLS names (`pip install openai anthropic ollama langchain-openai inspect_ai lm_eval`), and
promptfoo where READBACK_PROMPTFOO names a folder with node@22 and promptfoo in its node_modules (`npm install`).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import read_log_files as logs

pytestmark = pytest.mark.slow
REPLY = "90 m"
SECONDS = 400
QUIET = {  # no tool asks anything of the network but the tap
    "PROMPTFOO_DISABLE_TELEMETRY": "1",
    "PROMPTFOO_DISABLE_UPDATE": "1",
    "PROMPTFOO_DISABLE_SHARING": "1",
    "PROMPTFOO_DISABLE_REMOTE_GENERATION": "1",
    "HF_HUB_OFFLINE": "1",
    "HF_DATASETS_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
}


def find_program(name: str) -> str:
    """Return the path of a program of READBACK_TOOLS; skip the test where there is none."""
    path = Path(os.environ.get("READBACK_TOOLS", "/nonexistent")) / "bin" / name
    if not path.exists():
        pytest.skip(f"no {name}: set READBACK_TOOLS to an environment that has it")
    return str(path)


def run_through_tap(folder: Path, command: Sequence[str]) -> list[Any]:
    """Return the messages that a program sent, in their order; it must end well."""
    words = [sys.executable, "-m", "readback.cli", "tap", "-o", "tap.jsonl", "--reply", REPLY, "--", *command]
    home = {"PROMPTFOO_CONFIG_DIR": str(folder / "home"), "HOME": str(folder)}
    environment = {**os.environ, **QUIET, **home}
    ended = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, timeout=SECONDS)
    assert ended.returncode == 0, ended.stdout[-2_000:] + ended.stderr[-2_000:]
    return [call.messages for call in logs.calls_of(logs.read_log(folder / "tap.jsonl"))]


ASK = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "How long? é {x}"}]
CLIENTS = f"""
from openai import OpenAI
openai = OpenAI()
messages = {ASK!r}
assert openai.chat.completions.create(model="m", messages=messages).choices[0].message.content == {REPLY!r}
parts = openai.chat.completions.create(model="m", messages=messages, stream=True)
assert "".join(part.choices[0].delta.content or "" for part in parts) == {REPLY!r}
assert openai.responses.create(model="m", input="How long?").output_text == {REPLY!r}
with openai.responses.stream(model="m", input="How long?") as stream:
    assert stream.get_final_response().output_text == {REPLY!r}
from anthropic import Anthropic
body = dict(model="m", max_tokens=9, messages=messages[1:])
assert Anthropic().messages.create(**body).content[0].text == {REPLY!r}
with Anthropic().messages.stream(**body) as stream:
    assert stream.get_final_text() == {REPLY!r}
import ollama
assert ollama.chat(model="m", messages=messages).message.content == {REPLY!r}
parts = ollama.chat(model="m", messages=messages, stream=True)
assert "".join(part.message.content for part in parts) == {REPLY!r}
"""


def test_the_clients_of_the_services_get_replies_whole_and_streamed(tmp_path: Path) -> None:
    sent = run_through_tap(tmp_path, [find_program("python"), "-c", CLIENTS])
    question = [{"role": "user", "content": "How long?"}]
    assert sent == [ASK, ASK, question, question, ASK[1:], ASK[1:], ASK, ASK]


CHAIN = """
from langchain_core.prompts import ChatPromptTemplate
from langchain_openai import ChatOpenAI
prompt = ChatPromptTemplate([("system", "Be {how}."), ("human", "{q}")])
print((prompt | ChatOpenAI(model="m")).invoke({"how": "brief", "q": "How long? é {x}"}).content)
"""


def test_a_chain_of_langchain_passes(tmp_path: Path) -> None:
    assert run_through_tap(tmp_path, [find_program("python"), "-c", CHAIN]) == [ASK]


TASK = """
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import includes
from inspect_ai.solver import generate, system_message

@task
def pier():
    sample = Sample(input="How long? é {x}", target="90", id="a")
    return Task(dataset=[sample], solver=[system_message("Be brief."), generate()], scorer=includes())
"""


def test_a_task_of_inspect_passes_and_equals_the_log_that_it_writes(tmp_path: Path) -> None:
    (tmp_path / "task.py").write_text(TASK, "utf-8")
    command = [find_program("inspect"), "eval", "task.py", "--model", "openai/gpt-4o", "--display", "plain"]
    assert run_through_tap(tmp_path, [*command, "--log-format", "json"]) == [ASK]
    (log,) = (tmp_path / "logs").glob("*.json")
    (call,) = logs.calls_of(logs.read_log(log))
    assert [(message["role"], message["content"]) for message in call.messages or ()] == [
        (message["role"], message["content"]) for message in ASK
    ]


HARNESS_TASK = """
task: pier
dataset_path: json
dataset_kwargs: {data_files: {test: rows.jsonl}}
test_split: test
output_type: generate_until
doc_to_text: "Q: {{q}}"
doc_to_target: a
generation_kwargs: {until: ["\\n\\n"], max_gen_toks: 9}
metric_list: [{metric: exact_match}]
"""


def test_a_task_of_the_harness_passes_where_its_words_name_the_tap(tmp_path: Path) -> None:
    (tmp_path / "tasks").mkdir()
    (tmp_path / "tasks" / "pier.yaml").write_text(HARNESS_TASK, "utf-8")
    (tmp_path / "rows.jsonl").write_text(json.dumps({"q": "How long? é {x}", "a": REPLY}), "utf-8")
    model = "model=m,base_url={tap}/v1/chat/completions,num_concurrent=1,tokenized_requests=False"
    command = [find_program("lm_eval"), "--model", "local-chat-completions", "--model_args", model]
    sent = run_through_tap(tmp_path, [*command, "--tasks", "pier", "--include_path", "tasks", "--apply_chat_template"])
    assert sent == [[{"role": "user", "content": "Q: How long? é {x}"}]]


CONFIG = {
    "prompts": ["Q: {{q}}", "file://chat.json"],
    "providers": ["openai:chat:gpt-x", "ollama:chat:m"],
    "tests": [{"vars": {"q": "How long? é"}}],
}


def test_a_project_of_promptfoo_passes(tmp_path: Path) -> None:
    if "READBACK_PROMPTFOO" not in os.environ:
        pytest.skip("no promptfoo: set READBACK_PROMPTFOO to a folder with node@22 and promptfoo in its node_modules")
    modules = Path(os.environ["READBACK_PROMPTFOO"]) / "node_modules"
    words = [str(modules / ".bin/node"), str(modules / "promptfoo/dist/src/main.js")]
    chat = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "{{q}}"}]
    (tmp_path / "promptfooconfig.json").write_text(json.dumps(CONFIG), "utf-8")
    (tmp_path / "chat.json").write_text(json.dumps(chat), "utf-8")
    sent = run_through_tap(tmp_path, [*words, "eval", "-c", "promptfooconfig.json", "--no-cache", "-j", "1"])
    one_text = [{"role": "user", "content": "Q: How long? é"}]
    both = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "How long? é"}]
    assert sent == [one_text, both, one_text, both]
