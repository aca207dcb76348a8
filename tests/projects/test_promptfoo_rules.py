"""Each rule of a promptfoo project: what promptfoo 0.123.1 sent for ours, what is no guess, and what is made to harm.

promptfoo_cases.json has files of ours and what promptfoo sent for them to an endpoint on the same machine; null where
the row failed or a server would refuse what was sent.
"""

from __future__ import annotations

import base64
import json
import random
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from counts import many
from hypothesis import given, settings
from hypothesis import strategies as st

from readback.projects import promptfoo
from readback.projects.child_answers import import_messages
from readback.projects.model import Project, RenderedMessages
from readback.projects.promptfoo.prompts import is_taken_for_path
from readback.projects.promptfoo.values import fill_placeholders, is_partial

CASES: dict[str, Any] = json.loads((Path(__file__).parent / "promptfoo_cases.json").read_text("utf-8"))
HEAD = "providers: [{id: echo, label: e}]\n"
CONFIG = "promptfooconfig.yaml"


def write_files(folder: Path, files: dict[str, Any]) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else base64.b64decode(content["base64"]))
    return folder / CONFIG


def read(folder: Path, config: str, **files: Any) -> Project:
    path = write_files(folder, {CONFIG: HEAD + config, **files})
    return promptfoo.read_project(path, folder, {})


def render_first(project: Project, mode: int = 0, row: int = 0) -> RenderedMessages:
    chosen = project.rows[row]
    return promptfoo.render_messages(project.modes[mode].settings, chosen.settings, chosen.fields)


def render_text(project: Project, mode: int = 0, row: int = 0) -> Any:
    answer = render_first(project, mode, row)
    return answer.error if answer.messages is None else answer.messages[0]["content"]


def list_codes(project: Project) -> list[str]:
    return [diagnostic.code for diagnostic in project.diagnostics]


@pytest.mark.parametrize("name", CASES)
def test_a_project_gives_what_promptfoo_sent(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    write_files(tmp_path, case["files"])
    project = promptfoo.read_project(next(tmp_path.glob("promptfooconfig.*")), tmp_path, {})
    assert (project.refused is not None) == case.get("refused", False)
    rendered: Counter[tuple[Any, ...]] = Counter()
    for row, mode, provider in promptfoo.list_combinations(project):
        answer = promptfoo.render_messages(mode.settings, row.settings, row.fields)
        if answer.applies:
            rendered[row.index, mode.settings["recorded"], provider, json.dumps(answer.messages, sort_keys=True)] += 1
    wanted = Counter(
        (index, label, provider, json.dumps(messages, sort_keys=True))
        for index, label, provider, messages in case.get("sent", [])
    )
    assert project.refused or rendered == wanted


def test_stretches_name_the_innermost_variable_and_the_affixes(tmp_path: Path) -> None:
    config = """
prompts: ["Say {{a}}!"]
defaultTest: {options: {prefix: "P {{b}} ", suffix: " S"}}
tests: [{vars: {a: "x {{b}} y", b: B}}]
"""
    answer = render_first(read(tmp_path, config))
    assert [(each.text, each.origin, each.variable) for each in answer.segments[0]] == [
        ("P ", "adapter", None), ("B", "variable", "b"), (" ", "adapter", None), ("Say ", "template", None),
        ("x ", "variable", "a"), ("B", "variable", "b"), (" y", "variable", "a"), ("!", "template", None),
        (" S", "adapter", None),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "is_path"),
    [
        ("a/b", True), ("either a/b {{x}}", True), ("a.txt", True), ("what is {{x}}", False),
        ("ends with dots...", True),
        ("two\nlines a/b", False), ("file://x", True), ("x.py:run", True), ("a * b", True), ("langfuse://x/y", False),
    ],
)  # fmt: skip
def test_a_text_of_one_line_with_a_slash_is_taken_for_a_path(text: str, is_path: bool) -> None:
    assert is_taken_for_path(text) is is_path


@pytest.mark.parametrize(
    ("text", "partial"),
    [
        ("{{ a }}", False), ("{{ a", True), ("{{ a\n}}", True), ("{% if a %}", False), ("{% if\na %}", True),
        ("{# x", True), ("{", False),
    ],
)  # fmt: skip
def test_a_tag_that_is_open_at_the_end_of_a_line_makes_the_text_plain(text: str, partial: bool) -> None:
    assert is_partial(text) is partial


def test_what_only_code_makes_is_named_and_the_rest_loads(tmp_path: Path) -> None:
    config = """
prompts: ["Ask {{q}}", file://p.py, "file://m.js:run", "exec:./x.sh", "langfuse://name:1"]
tests:
  - file://rows.py
  - {vars: {q: file://v.py}}
  - {vars: {q: plain}}
nunjucksFilters: {f: ./f.js}
"""
    project = read(tmp_path, config, **{"v.py": "raise SystemExit", "p.py": "raise SystemExit"})
    assert set(list_codes(project)) == {"dat-made-by-code"}
    assert [mode.name for mode in project.modes] == ["Ask {{q}}"]
    assert "made by code" in str(render_text(project, 0, 0))
    assert render_text(project, 0, 1) == "Ask plain"
    assert project.refused is None


@pytest.mark.parametrize(
    "reference", ["file:///etc/passwd", "file://../secret.txt", "file://~/x", "file://link.txt", "file://C:\\x.txt"]
)
def test_no_path_leaves_the_workspace(reference: str, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("SECRET", "utf-8")
    inside = tmp_path / "w"
    inside.mkdir()
    (inside / "link.txt").symlink_to(tmp_path / "secret.txt")
    config = f"prompts: ['{{{{a}}}}', '{reference}']\ntests: [{{vars: {{a: '{reference}'}}}}, '{reference}']\n"
    project = read(inside, config + f"defaultTest: '{reference}'\nscenarios: ['{reference}']\n")
    assert "SECRET" not in repr(project)
    assert "root:" not in repr(project)
    assert "dat-path-outside" in list_codes(project) or "dat-file-missing" in list_codes(project)
    assert render_first(project).error


def test_a_pattern_does_not_leave_the_workspace(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("SECRET", "utf-8")
    inside = tmp_path / "w"
    inside.mkdir()
    config = (
        "prompts: ['{{a}}', 'file://../*.txt', '/etc/pass*']\ntests: [{vars: {a: 'file://../*.txt'}}, '../*.yaml']\n"
    )
    assert "SECRET" not in repr(read(inside, config))


def test_lists_that_explode_are_cut_and_counted(tmp_path: Path) -> None:
    letters = "[" + ", ".join(f"x{i}" for i in range(40)) + "]"
    lists = ", ".join(f"{name}: {letters}" for name in "abcdef")
    project = read(tmp_path, f"prompts: ['{{{{a}}}}']\ntests: [{{vars: {{{lists}}}}}]\n")
    assert len(project.rows) == 50_000
    (limit,) = project.diagnostics
    assert limit.code == "dat-limit"
    assert f"{40**6 - 50_000} left out" in limit.values["what"]


@pytest.mark.parametrize(
    "config",
    [
        "prompts: &b0 [x]\n" + "".join(f"b{i}: &b{i} [{', '.join([f'*b{i - 1}'] * 9)}]\n" for i in range(1, 10)),
        "prompts: [x]\ny: {$ref: '#/y'}\n",
        "prompts: [x]\ny: {$ref: '#'}\n",
        "prompts: [x]\n" + "y: " + "[" * 500 + "]" * 500 + "\n",
        "prompts: [x]\ntests: [{vars: {a: {$ref: 'http://example.org/x.json#/a'}}}]\n",
        "prompts: [x]\ntests: 7\n",
        "prompts: {}\n", "prompts: 7\n", "prompts: [7, null, {}, [x]]\n", "[]", "", "a: [",
        "prompts: [x]\nscenarios: 9\n",
        "prompts: [x]\ntests: [{vars: [1, 2]}, {vars: 7}, {vars: {a: 1}, options: 5, prompts: 7, metadata: x}, null]\n",
        "prompts: [x]\ndefaultTest: [1]\nevaluateOptions: 7\nenv: [x]\n",
        "prompts: [x]\ntests: [{vars: {a: 1}, options: {repeat: 1.0e300}}]\n",
        "prompts: [x]\nscenarios: [{config: 7, tests: 9}, {config: [7], tests: [8]}, 4]\n",
        "prompts: ['{% for i in range(1000000000) %}x{% endfor %}']\ntests: [{vars: {a: 1}}]\n",
        "prompts: ['{{a}}']\ntests: [{vars: {a: '{{b}}{{b}}', b: '{{a}}{{a}}'}}]\n",
        "prompts: ['{{a}}']\ntests: [{vars: {a: '{% for i in range(99999999) %}{{ a }}{% endfor %}'}}]\n",
        "prompts: ['{% if " + "a " * 3000 + "']\ntests: [{vars: {a: '" + "{% if x " * 3000 + "'}}]\n",
    ],
)  # fmt: skip
def test_a_configuration_made_to_harm_ends_in_time_and_without_a_traceback(config: str, tmp_path: Path) -> None:
    began = time.process_time()
    project = read(tmp_path, config)
    for row, mode, _ in list(promptfoo.list_combinations(project))[:20]:
        promptfoo.render_messages(mode.settings, row.settings, row.fields)
    assert time.process_time() - began < 8
    assert project.modes or project.diagnostics or project.refused


def test_the_answer_of_the_child_is_the_same_and_a_stopped_row_costs_no_other(tmp_path: Path) -> None:
    config = "prompts: ['Hi {{a}}', '{% for i in range(9999) %}{% for j in range(9999) %}{% endfor %}{% endfor %}']\n"
    path = write_files(tmp_path, {CONFIG: HEAD + config + "tests: [{vars: {a: x}}, {vars: {a: y}}]\n"})
    project = promptfoo.open_project(path, tmp_path, {})
    assert replace(project, digest="") == promptfoo.read_project(path, tmp_path, {})
    answers = list(promptfoo.render([(mode, row) for row in project.rows for mode in project.modes]))
    assert [answer.messages and answer.messages[0]["content"] for answer in answers] == ["Hi x", None, "Hi y", None]
    assert "steps" in str(answers[1].error)
    mode, row = project.modes[0], project.rows[0]
    alone = import_messages(promptfoo.render_row([mode.settings, row.settings, row.fields]))
    assert alone == answers[0] == promptfoo.render_messages(mode.settings, row.settings, row.fields)


def test_the_environment_is_what_the_workspace_names_and_nothing_else(tmp_path: Path) -> None:
    config = "prompts: ['{{env.TOWN}} {{env.PATH}} {{env.A}}']\nenv: {A: stated}\n"
    path = write_files(tmp_path, {CONFIG: HEAD + config})
    project = promptfoo.read_project(path, tmp_path, {"TOWN": "Brest"})
    assert render_text(project) == "Brest  stated"
    assert [each.values["name"] for each in project.diagnostics if each.code == "dat-environment-unknown"] == ["PATH"]


def test_a_label_that_is_there_again_has_a_number(tmp_path: Path) -> None:
    config = "prompts: [{label: same, raw: a}, {label: same, raw: b}, {label: other, raw: c}]\n"
    assert [mode.name for mode in read(tmp_path, config).modes] == ["same", "same (2)", "other"]


def test_a_prompt_that_prints_earlier_answers_is_no_guess(tmp_path: Path) -> None:
    config = "prompts: ['{% for t in _conversation %}{{ t.output }}{% endfor %}{{q}}']\n"
    project = read(tmp_path, config + "tests: [{vars: {q: a}}, {vars: {q: b}}]\n")
    assert render_text(project, 0, 0) == "a"
    assert "answers to earlier rows" in str(render_text(project, 0, 1))


@pytest.mark.long
def test_mutated_files_give_a_project_and_never_a_traceback(tmp_path: Path) -> None:
    draw = random.Random(55)
    for number in range(many(2_000)):
        files = dict(draw.choice(list(CASES.values()))["files"])
        name = draw.choice([name for name, content in files.items() if isinstance(content, str)])
        files[name] = mutate(files[name], draw)
        folder = tmp_path / str(number)
        write_files(folder, files)
        project = promptfoo.read_project(next(folder.glob("promptfooconfig.*")), folder, {})
        assert project.refused or project.modes or project.diagnostics, files[name]
        for row, mode, _ in list(promptfoo.list_combinations(project))[:60]:
            answer = promptfoo.render_messages(mode.settings, row.settings, row.fields)
            assert not answer.applies or (answer.messages is None) == (answer.error is not None), files[name]


def mutate(text: str, draw: random.Random) -> str:
    for _ in range(draw.randint(1, 4)):
        at, length = draw.randint(0, len(text)), draw.randint(1, 8)
        chosen = draw.random()
        if chosen < 0.5:
            text = text[:at] + draw.choice(PIECES) + text[at:]
        elif chosen < 0.8:
            text = text[:at] + text[at + length :]
        else:
            text = text[:at] + text[draw.randint(0, len(text)) :][: 8 * length] + text[at:]
    return text


PIECES = (
    "{", "}", "[", "]", "{{", "}}", "{%", "%}", ": ", "\n", "- ", "&a ", "*a", "!!", "<<: ", '"', "'", "#", "null",
    "1e999", "\0", "\ufffd", "file://", "../", "$ref", "  ", "\t", "~", "vars", "|", "0", "🌶",
)  # fmt: skip
TEXTS = st.text(st.sampled_from(list("ab{}%# \n$&'\"|.-[]:,e")), max_size=30)


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(st.sampled_from("abe"), TEXTS, max_size=3), TEXTS)
def test_any_values_and_any_template_give_messages_or_a_reason(fields: dict[str, str], raw: str) -> None:
    answer = promptfoo.render_messages({"label": "x", "raw": raw}, {}, fields)
    assert (answer.messages is None) == (answer.error is not None)
    for message, segments in zip(answer.messages or (), answer.segments, strict=True):
        if isinstance(message.get("content"), str):
            assert "".join(segment.text for segment in segments) == message["content"]


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(st.sampled_from("abc"), st.text(st.sampled_from(list("{}abc x$&")), max_size=20), max_size=3))
def test_values_inside_values_end_and_keep_their_stretches(values: dict[str, str]) -> None:
    variables: dict[str, Any] = dict(values)
    traces = fill_placeholders(variables)
    assert {name: "".join(chunk.text for chunk in trace) for name, trace in traces.items()} == variables


@pytest.mark.parametrize(
    ("prompt", "variables", "noted"),
    [
        ("{{q}}", '{q: Monday, other: "x\\n"}', []),
        ("{{q}}", '{q: "a\\n"}', [("asm-value-line-feed", "q")]),
        ("{{q}}", "{q: 'say {{a}}', a: b}", [("asm-value-rendered", "q")]),
        ("{{q}}", "{q: 'say {{unknown}}'}", []),
        ("{{q}}", "{q: 'say {{ 1 + 1 }}'}", [("asm-value-rendered", "q")]),
        ("{{q}}", "{q: {a: 1}}", [("asm-value-type", "q")]),
        ("{{q.a}} {{q | dump}}", "{q: {a: 1}}", []),
        ("n {{q}}", "{q: 1.0, r: 1e21}", [("asm-value-type", "q")]),
        ("{{q}} {{r}}", "{q: 1e-7, r: 2020}", []),
        ("b {{q}}", "{q: true}", []),
        ('[{"role": "user", "content": "{{q}}"}]', "{q: 'say {{a}}', a: b}", [("asm-value-rendered", "q")]),
    ],
)
def test_what_is_changed_of_a_value_is_noticed(
    tmp_path: Path, prompt: str, variables: str, noted: list[tuple[str, str]]
) -> None:
    project = read(tmp_path, f"prompts: [{json.dumps(prompt)}]\ntests: [{{vars: {variables}}}]\n")
    answer = render_first(project)
    assert answer.error is None
    assert [(note["code"], note["values"]["field"]) for note in answer.notes] == noted
