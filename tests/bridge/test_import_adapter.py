"""`readback import-adapter`: an author's own adapter texts as files, equal byte for byte, read by a child in walls."""

from __future__ import annotations

import ast
import importlib
import json
import os
import socket
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from bridge_builders import builder_files
from bridge_program import HEAD, files, program, small
from counts import part
from hypothesis import given
from hypothesis import strategies as st

from readback import cli, workspace
from readback.adapters import find_adapter, read_adapter
from readback.bridge import run as program_run
from readback.bridge import yaml_files
from readback.bridge.child import CONTEXT, make_marker
from readback.bridge.templates import NotWritten, build_template
from readback.project_files import PROJECT
from readback.prompts.adapter_texts import render_additions
from readback.prompts.base_texts import render_templates
from readback.prompts.render import Template
from readback.readers.yaml.yaml_file import parse_yaml
from readback.tasks import CURRENT

Output = pytest.CaptureFixture[str]
NASTY = " \n{{ x }} {% raw %} {0} %s é \U0001f600\n "
CONTEXTS: tuple[dict[str, Any], ...] = (
    {},
    {"json_schema": {"type": "object", "é": [1.5, None, {"b": "{{", "a": "%}"}]}},
    {key: {"x": {}} if key == "json_schema" else f"{key}{NASTY}" for key in CONTEXT},
    {key: {} if key == "json_schema" else "" for key in CONTEXT},
)


def run(folder: Path, out: Path, *more: str) -> int:
    return cli.main(["import-adapter", str(folder), "-o", str(out), "--yes", *more])


@pytest.fixture
def factories(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[tuple[str, str], list[Any]]]:
    """The factories of the made-up program, imported into this process, which is ours to run."""
    root = program(tmp_path / "program") / "src/karenina"
    folders = {"", "ports", *(str(Path(name).parent) for name in files() if "/" in name), "adapters"}
    folders |= {str(parent) for name in folders for parent in Path(name).parents if str(parent) != "."}
    for folder in folders:
        package = types.ModuleType(".".join(("karenina", *Path(folder).parts)))
        package.__path__ = [str(root / folder)]
        monkeypatch.setitem(sys.modules, package.__name__, package)
    modules = [name for name in files() if name.startswith("adapters") and not name.endswith("__init__.py")]
    for name in sorted(modules):
        importlib.import_module(".".join(("karenina", *Path(name).with_suffix("").parts)))
    registry: Any = importlib.import_module("karenina.ports.adapter_instruction")
    yield registry.AdapterInstructionRegistry._registry
    for name in [name for name in sys.modules if name.startswith("karenina")]:
        monkeypatch.delitem(sys.modules, name, raising=False)


def test_360_of_360_texts_equal_what_the_factories_give(
    factories: dict[tuple[str, str], list[Any]], tmp_path: Path, capsys: Output
) -> None:
    out = tmp_path / "out"
    assert run(tmp_path / "program", out, "--format", "json") == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["registrations"], answer["kept"]) == (90, 90)
    assert (len(answer["interfaces"]), len(answer["tasks"])) == (6, 15)
    assert answer["texts"] == answer["equal"] > 90 * 4
    assert answer["walls"]["network"] == "none"
    assert answer["left_out"] == [
        "benchmark/verification/prompts/trace/abstention.py: Builder, OTHER: no base text by itself, or built by code"
    ]
    opened = workspace.open(out)
    assert [one for one in opened.diagnostics if one.severity != "info"] == []
    texts = equal = 0
    for (interface, task), (factory,) in factories.items():
        adapter = find_adapter(interface, opened.adapters, CURRENT)
        assert adapter
        assert adapter.wording == "imported"
        for context in CONTEXTS:
            said = factory(**context)
            made = render_additions(opened, adapter, task, context)
            parts = made.parts or (((), ()),)
            ((system, user),) = [tuple("".join(one.text for one in role) for role in part) for part in parts]
            texts += 1
            equal += (system, user) == (said.system_addition, said.user_addition)
    assert (equal, texts) == (360, 360)


def test_what_was_written_is_opened_with_its_base_prompts(tmp_path: Path, capsys: Output) -> None:
    run(small(tmp_path / "program"), tmp_path / "out")
    (tmp_path / "out/d.jsonl").write_text('{"id": "1", "question": "Why?", "response": "So {it} is."}\n', "utf-8")
    (tmp_path / "out/readback.yml").write_text(
        (tmp_path / "out/readback.yml").read_text("utf-8") + "dataset: d.jsonl\n", "utf-8"
    )
    capsys.readouterr()
    words = ["render", str(tmp_path / "out"), "--task", "abstention_detection", "--adapter", "claude_tool"]
    assert cli.main([*words, "--format", "json"]) == 0
    system, user = (one["text"] for one in json.loads(capsys.readouterr().out)["messages"])
    assert system == "Decide {so}.\n\n\nJSON: reasoning, abstention_detection é \U0001f600."
    assert user == "\nQ: Why?\nA: So {it} is.\n"


BUILT = {
    "parsing", "agentic_parsing_decision", "rubric_llm_trait_batch", "rubric_llm_trait_single",
    "rubric_llm_trait_template", "rubric_literal_trait_batch", "rubric_literal_trait_single", "rubric_metric_trait",
    "rubric_dynamic_presence_check", "dj_rubric_excerpt_extraction", "dj_rubric_hallucination", "dj_rubric_reasoning",
    "dj_rubric_score_extraction", "dj_template_excerpt_extraction", "dj_template_hallucination",
    "dj_template_reasoning", "dj_template_reasoning_only",
}  # fmt: skip


def test_base_texts_that_code_builds_are_tasks_with_stand_ins(tmp_path: Path, capsys: Output) -> None:
    out = tmp_path / "out"
    assert run(small(tmp_path / "program", builder_files()), out) == 0
    told = capsys.readouterr().out
    assert "rubric_llm_trait_single" in told
    assert "trait is one trait; its kind is that of the task" in told
    assert "pydantic_of_nobody is not installed" in told
    assert {file.stem for file in (out / "tasks").glob("*.yml")} == {*BUILT, "abstention_detection"}
    row = {"id": "1", "question": "Why?", "response": "So {it} {{ is }}.", "trait_name": "Kind"}
    (out / "d.jsonl").write_text(json.dumps(row) + "\n", "utf-8")
    config = out / "readback.yml"
    config.write_text(config.read_text("utf-8") + "dataset: d.jsonl\n", "utf-8")
    texts = {}
    for task in sorted(BUILT):
        capsys.readouterr()
        assert cli.main(["render", str(out), "--task", task, "--adapter", "manual", "--format", "json"]) == 0, task
        texts[task] = [one["text"] for one in json.loads(capsys.readouterr().out)["messages"]]
    assert texts["parsing"] == [
        "Take out what the schema asks. {no} {{ braces }}",
        "Q:\nWhy?\n\nA:\nSo {it} {{ is }}.\n",
    ]
    assert texts["rubric_llm_trait_single"] == [
        "Is Kind so? ⟨trait description⟩",
        "Why?\nSo {it} {{ is }}.\nKind",
    ]
    assert texts["rubric_literal_trait_batch"][1].startswith("Kind: ⟨trait class⟩ = ⟨trait class description⟩")
    assert texts["rubric_metric_trait"][1] == "Kind\n1. ⟨trait tp instructions⟩\nWhy?\nSo {it} {{ is }}."
    assert texts["dj_template_hallucination"][1] == "1: 0 ⟨attribute⟩ ⟨excerpt text⟩ 1.000 ⟨search results⟩"
    assert texts["agentic_parsing_decision"] == ["Enough?", "Why? So {it} {{ is }}."]


def test_a_builder_that_changes_a_value_or_fails_is_left_out(tmp_path: Path, capsys: Output) -> None:
    base = "benchmark/verification/prompts"
    upper = "class MetricTraitPromptBuilder:\n    def build_system_prompt(self):\n        return 'x'\n"
    upper += "    def build_user_prompt(self, question, answer, trait):\n        return question.upper() + answer\n"
    odd = "class PresenceCheckPromptBuilder:\n    def build_system_prompt(self):\n        return 7\n"
    odd += "    def build_user_prompt(self, traits, response_text):\n        return traits[3]\n"
    further = {f"{base}/rubric/metric_trait.py": upper, f"{base}/rubric/presence_check.py": odd}
    out = tmp_path / "out"
    assert run(small(tmp_path / "program", further), out) == 0
    told = capsys.readouterr().out
    assert "rubric_metric_trait (MetricTraitPromptBuilder.build_system_prompt" in told
    assert "a template does not give its user text" in told
    assert "build_system_prompt gives no text" in told
    assert {file.stem for file in (out / "tasks").glob("*.yml")} == {"abstention_detection"}


@pytest.mark.parametrize("folder", part(["src", "", "src/karenina"], 1))
def test_the_program_is_found_from_each_of_its_folders(tmp_path: Path, folder: str, capsys: Output) -> None:
    program(tmp_path)
    assert run(tmp_path / folder, tmp_path / "out") == 0
    assert "90 registrations, 90 written, for 6 interfaces and 15 tasks" in capsys.readouterr().out
    text = (tmp_path / "out/adapters/claude_tool.yml").read_text("utf-8")
    assert 'origin: {program: karenina, version: "0.9.1", commit: null}' in text
    assert "origin: {file: adapters/claude_tool/prompts/all.py, line: " in text


SAYS = HEAD + "@dataclass\nclass Says:\n    system_addition: Any = ''\n    user_addition: Any = ''\n"
REGISTER = "AdapterInstructionRegistry.register('odd', 'parsing', {})\n"


LEFT_OUT = (  # code of a module, and why nothing of it is written
    ("import nothing_of_that_name\n", "ModuleNotFoundError"),
    ("raise SystemExit(3)\n", "SystemExit: 3"),
    (SAYS + REGISTER.format("lambda **k: Says(k['json_schema'])"), "KeyError"),
    (SAYS + REGISTER.format("lambda **k: Says(7)"), "its system_addition is no text"),
    (
        SAYS + REGISTER.format("lambda **k: Says((k.get('parsing_notes') or '').upper())"),
        "a template does not give its text with parsing_notes",
    ),
    (
        SAYS + REGISTER.format("lambda **k: Says((k.get('parsing_notes') or '').strip())"),
        "a template does not give its text with parsing_notes",
    ),
    (
        SAYS + REGISTER.format("lambda **k: Says(json.dumps(k.get('json_schema')))"),
        "it changes the value of json_schema before it puts it in",
    ),
    ("AdapterInstructionRegistry = 0\nopen('/etc/hostname').read()\n", "PermissionError"),
    ("open('/tmp/readback-written', 'w').write('x')\n", "Error"),
    ("import socket\nsocket.create_connection(('127.0.0.1', 9), 1)\n", "PermissionError"),
    ("import os\nassert not os.environ, os.environ\nraise ValueError('empty')\n", "ValueError: empty"),
)


def test_what_cannot_be_taken_over_is_left_out_with_its_reason(tmp_path: Path, capsys: Output) -> None:
    """All of them in one program: none keeps another, or the rest, from being read."""
    odd = {f"adapters/odd_{at}/prompts/odd.py": code.replace("'odd'", f"'odd_{at}'")
           for at, (code, _) in enumerate(LEFT_OUT)}  # fmt: skip
    small(tmp_path / "program", odd)
    run(tmp_path / "program", tmp_path / "out")
    told = capsys.readouterr().out
    for name, (_, reason) in zip(odd, LEFT_OUT, strict=True):
        (line,) = [one for one in told.splitlines() if name in one]
        assert reason in line
    assert "15 written" in told
    assert not list((tmp_path / "out/adapters").glob("odd*"))


def test_conditions_that_depend_on_each_other_are_a_table_of_cases_and_said(tmp_path: Path, capsys: Output) -> None:
    keys = "bool(k.get('example_json')), bool(k.get('parsing_notes'))"
    said = f"{{(1, 1): 'w', (1, 0): 'x', (0, 1): 'y', (0, 0): 'z'}}[{keys}]"
    code = SAYS + REGISTER.format(f"lambda **k: Says({said})")
    small(tmp_path / "program", {"adapters/odd/prompts/odd.py": code})
    assert run(tmp_path / "program", tmp_path / "out") == 0
    told = capsys.readouterr().out
    assert "16 registrations, 16 written" in told
    assert "odd, parsing (adapters/odd/prompts/odd.py:10): written as a table of cases" in told


def test_texts_that_nothing_registers_are_told(tmp_path: Path, capsys: Output) -> None:
    small(tmp_path / "program", {"adapters/claude_tool/prompts/feedback.py": "AGAIN = 'Try again.'\n_own = 'x'\n"})
    assert run(tmp_path / "program", tmp_path / "out") == 0
    assert "adapters/claude_tool/prompts/feedback.py: AGAIN: nothing is registered" in capsys.readouterr().out


def test_two_registrations_of_one_task_and_a_key_of_its_own(tmp_path: Path, capsys: Output) -> None:
    code = SAYS + REGISTER.format("lambda **k: Says('A')") + REGISTER.format("lambda *, tone='', **k: Says(tone)")
    small(tmp_path / "program", {"adapters/odd/prompts/odd.py": code})
    assert run(tmp_path / "program", tmp_path / "out") == 0
    adapter, diagnostics = read_adapter(tmp_path / "out/adapters/odd.yml", tmp_path / "out", CURRENT)
    assert diagnostics == ()
    assert [one.system for one in adapter.additions["parsing"]] == ["A", "{% if tone %}{{ tone }}{% endif %}"]


def test_code_that_does_not_end_or_takes_all_memory_is_stopped(tmp_path: Path, capsys: Output) -> None:
    small(tmp_path / "program", {"adapters/odd/prompts/odd.py": "import os\nos._exit(0)\n"})
    assert run(tmp_path / "program", tmp_path / "out") == 2
    assert "ended the process" in capsys.readouterr().err
    small(tmp_path / "program", {"adapters/odd/prompts/odd.py": "x = 'x' * (8 << 30)\n"})
    run(tmp_path / "program", tmp_path / "out")
    assert "MemoryError" in capsys.readouterr().out


def test_nothing_runs_unasked_and_nobodys_file_is_replaced(tmp_path: Path, capsys: Output) -> None:
    small(tmp_path / "program")
    out = tmp_path / "out"
    assert cli.main(["import-adapter", str(tmp_path / "program"), "-o", str(out)]) == 2
    told = capsys.readouterr().err
    assert "--yes runs the code without asking" in told
    assert "adapters/claude_tool/prompts/all.py" in told
    assert not out.exists()
    (out / "adapters").mkdir(parents=True)
    (out / "adapters/claude_tool.yml").write_text("mine", "utf-8")
    (out / "readback.yml").write_text("name: mine\n", "utf-8")
    assert run(tmp_path / "program", out) == 2
    assert "was not written by import-adapter" in capsys.readouterr().err
    assert sorted(one.name for one in out.rglob("*.yml")) == ["claude_tool.yml", "readback.yml"]
    (out / "adapters/claude_tool.yml").unlink()
    assert run(tmp_path / "program", out) == run(tmp_path / "program", out) == 0
    assert (out / "readback.yml").read_text("utf-8") == "name: mine\n"
    assert cli.main(["import-adapter", str(tmp_path / "nowhere"), "-o", str(out), "--yes"]) == 2


def test_no_page_imports_the_bridge() -> None:
    for folder in ("src/readback/ui", "pages"):
        for file in (PROJECT / folder).rglob("*.py"):
            names = [one for one in ast.walk(ast.parse(file.read_text("utf-8"))) if isinstance(one, ast.ImportFrom)]
            assert not [one.module for one in names if (one.module or "").startswith("readback.bridge")], file


PIECES = st.sampled_from(["a", "\n", " ", "{", "{{", "%}", "{%", "{#", "}", "\t", "é", "x\n", "  \n", "#", "\r"])
LITERAL = st.lists(PIECES, max_size=4).map("".join)


@st.composite
def tables(draw: st.DrawFn) -> list[dict[str, Any]]:
    """The cases of a made-up factory: texts before, behind and between parts that depend on keys."""
    keys = ["parsing_notes", "example_json"]
    parts = [(draw(st.sampled_from([*keys, ""])), draw(LITERAL), draw(st.booleans()), draw(LITERAL)) for _ in range(3)]
    end = draw(LITERAL)

    def text(context: dict[str, Any]) -> str:
        made = ""
        for key, literal, puts, other in parts:
            made += literal + (context[key] if puts and key else "") if not key or context.get(key) else other
        return made + end

    chosen = [{key: make_marker(key) for key in keys if key in some} for some in ("", *keys, " ".join(keys))]
    return [{"context": context, "system": text(context), "user": ""} for context in chosen]


@given(tables())
def test_any_cases_are_written_as_a_template_that_gives_them(cases: list[dict[str, Any]]) -> None:
    try:
        template = build_template(list(CONTEXT), cases, "system")
    except NotWritten:
        raise AssertionError(cases) from None
    for case in cases:
        values = {**dict.fromkeys(CONTEXT), **case["context"]}
        (part,) = render_templates((Template(template.text, "jinja", "adapter", blocks=True),), values, origins=False)
        assert (part.ok, part.text) == (True, case["system"])


@given(
    st.text(
        st.characters(exclude_categories=("Cs",)) | st.sampled_from("\n \t#:-|>'\"\\\0\r\x85\u2028\ufeff\U0001f600")
    )
)
def test_a_text_in_yaml_is_read_back_as_it_was(text: str) -> None:
    parsed = parse_yaml(f"a:\n    - user: {yaml_files.format_text(text, 8)}\n      b: 1\n", "t.yml")
    assert parsed.value == {"a": [{"user": text, "b": 1}]}


TRIES = """
import ctypes, os, signal, socket, subprocess
path = {path!r}
def connect():
    with socket.socket(socket.AF_UNIX) as one:
        one.connect({socket!r})
def pair():
    socket.socketpair()
def own():
    import fcntl
    fcntl.fcntl(0, fcntl.F_SETOWN, {pid})
tries = dict(
    connect=connect, pair=pair, own=own,
    kill=lambda: os.kill({pid}, 0), group=lambda: os.killpg({pid}, 0), fd=lambda: os.pidfd_open({pid}),
    chmod=lambda: os.chmod(path, 0o777), at=lambda: os.chmod("x", 0o777, dir_fd=os.open("/usr/lib", 0)),
    chown=lambda: os.chown(path, 1, 1), lchown=lambda: os.lchown(path, 1, 1),
    utime=lambda: os.utime(path, (1, 1)), setxattr=lambda: os.setxattr(path, "user.x", b"x"),
    run=lambda: subprocess.run(["/bin/true"], check=True), execv=lambda: os.execv("/bin/true", ["true"]),
    nice=lambda: os.setpriority(os.PRIO_PROCESS, {pid}, 19), read=lambda: open(path).read(),
    write=lambda: open(path, "a"), unlink=lambda: os.unlink(path), link=lambda: os.link(path, path + "2"),
    rename=lambda: os.rename(path, path + "3"), make=lambda: os.mkdir(path + "4"),
    truncate=lambda: os.truncate(path, 0),
)
done = []
for name, one in tries.items():
    try:
        one()
    except OSError:
        continue
    done.append(name)
raise RuntimeError("done: " + " ".join(done) + ".")
"""


def test_what_the_help_promises_of_the_code_that_is_run_is_so(tmp_path: Path) -> None:
    """No socket, no signal, no other program; no file outside opened, written, moved, or changed in any other way."""
    (victim := tmp_path / "victim.txt").write_text("mine")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "s"))
        listening.listen()
        folder = small(tmp_path / "program")
        root = next(folder.rglob("karenina"))
        tried = TRIES.format(path=str(victim), socket=str(tmp_path / "s"), pid=os.getpid())
        file = root / "adapters" / "evil" / "prompts" / "evil.py"
        file.parent.mkdir(parents=True)
        file.write_text(tried)
        before = victim.stat()
        answer = program_run.read_program(program_run.find_program(folder))
    (failed,) = [one for one in answer["failed"] if "evil" in one["file"]]
    if answer["walls"]["files"] != "its own" or answer["walls"]["calls"] == "all":
        pytest.skip("this system has no Landlock or no seccomp, which the command says")
    assert failed["reason"] == "RuntimeError: done: ."
    after = victim.stat()
    assert (after.st_mode, after.st_uid, after.st_mtime_ns, victim.read_text()) == (
        before.st_mode, before.st_uid, before.st_mtime_ns, "mine")  # fmt: skip
