"""The command line: every command and flag, its exit codes, and answers that programs can read."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from counts import part

from readback import __version__, as_json, cli
from readback.cli import check

Write = Callable[[Mapping[str, Any]], Path]
Output = pytest.CaptureFixture[str]
FILE = """\
dataset: data.jsonl
modes:
  - {mode: short, system: 'Be brief.', template: '{{ q }}{{ extra }}'}
  - {mode: long, template: 'Q: {{ q }}'}
tasks: {parsing: {system: Extract., user: '{{ q }}'}}
conditions: [{name: one, mode: short}, {name: two, mode: long, adapter: no_system}]
judges: {j: {prompts: judge.py}}
"""
ROWS = [{"id": "007", "q": "Why?"}, {"id": "008", "q": "Be brief. \ud800 \u2028 \x1b[31m"}]
JUDGE = 'SYSTEM_PROMPT = "You judge."\nUSER_PROMPT = "Question: {question}\\nAnswer: {answer}"\n'


@pytest.fixture
def folder(write: Write) -> Path:
    lines = "".join(json.dumps(row) + "\n" for row in ROWS)
    return write({"readback.yml": FILE, "data.jsonl": lines, "judge.py": JUDGE})


def parsers(one: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """A parser, and those of its commands and their steps."""
    yield one
    for action in one._actions:
        if isinstance(action, argparse._SubParsersAction):
            for sub in action.choices.values():
                yield from parsers(sub)


def test_to_say_the_version_no_command_is_loaded(capsys: Output) -> None:
    assert len([*parsers(cli.build_parser(["--version"]))]) == 1
    with pytest.raises(SystemExit) as left:
        cli.main(["--version"])
    assert (left.value.code, capsys.readouterr().out) == (0, f"readback {__version__}\n")


def test_every_help_can_be_printed_and_says_something_of_each_option() -> None:
    said = {one.prog: one for one in parsers(cli.build_parser())}
    assert len(said) > 30
    for name, one in said.items():
        text = one.format_help()
        assert max(map(len, text.splitlines())) <= 120, name
        steps = (argparse._SubParsersAction, argparse._HelpAction)
        assert [action.dest for action in one._actions if not (action.help or isinstance(action, steps))] == [], name


@pytest.mark.parametrize("command", cli.COMMANDS)
def test_what_makes_children_is_started_while_a_command_is_loaded_that_needs_one(
    monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    begun: list[tuple[str, ...]] = []
    monkeypatch.setattr(cli.sandbox, "start_zygote", lambda *modules: begun.append(modules))
    with pytest.raises(SystemExit):
        cli.main([command, "--no-such-option"])
    assert begun == ([] if command in cli.WITHOUT_CHILDREN else [cli.CHILD_MODULES.get(command, ())])
    assert set(cli.COMMANDS) > cli.WITHOUT_CHILDREN


def answer(output: Output, *words: Any) -> tuple[int, str]:
    code = cli.main([str(word) for word in words])
    return code, output.readouterr().out


@pytest.mark.parametrize(
    "words",
    [
        "check W --condition a --select fmt,dat --ignore fmt-markers --baseline b --jobs 2 --format jsonl",
        "check W --format json --fail-on warning",
        "check W --cluster tcp://host:8786 --sample 20",
        "render W --condition C --record 1 --set a=b --set c:=1 --wire --wire-form training --format json",
        "render W --mode M --task T --adapter A --index 3",
        "render W --judge J",
        "diff W --a condition=X,record=1 --b condition=Y",
        "export W --as messages-jsonl --condition C --condition D -o F --jobs 2 -q",
        "export W --as openai-batch --judge J --model NAME -o -",
        "export W --as parquet --mode M --output F --dataset D",
        "scores W --by F --baseline C --criterion K --judge J --format csv",
        "agreement W --criterion K --format json",
        "model-input --modelfile F --messages M --today 2026-01-31 --format json",
        "model-input --chat-template F --messages M",
        "model-input --wire-format chatml --messages M",
        "model-input --batch F",
        "modelfile A B --format json",
        "init F",
        "schema",
        "rule fmt-markers",
        "rule --all --format json",
        "rule --markdown",
        "adapters",
        "adapters W",
        "serve W --host 0.0.0.0 --port 9 --base-path /x",
        "serve",
        "cache",
        "doctor",
        "help check",
        "completion bash",
        "check W --color never",
        "import-adapter P -o F --yes --format json",
        "tap -o F --reply T --to U -q -- python -c x",
    ],
)
def test_every_command_and_flag_is_understood(words: str) -> None:
    assert callable(cli.build_parser([words.split()[0]]).parse_args(words.split()).run)


def test_no_help_speaks_of_what_is_not_built() -> None:
    every = cli.build_parser()
    commands = every._subparsers._group_actions[0].choices.values()  # type: ignore[union-attr]
    helps = [every.format_help(), *(one.format_help() for one in commands)]
    assert len(helps) > 10
    assert [text for text in helps if "built yet" in text] == []


@pytest.mark.parametrize(
    ("former", "now"),
    [
        ("rules --format json", "rule --all --format json"),
        ("rules --markdown", "rule --markdown"),
        ("explain fmt-markers", "rule fmt-markers"),
        ("wire --help", "model-input --help"),
    ],
)
def test_a_command_answers_to_the_name_it_had(former: str, now: str, capsys: Output) -> None:
    for words in (former, now):
        with contextlib.suppress(SystemExit):
            cli.main(words.split())
    said = capsys.readouterr().out
    assert said
    assert said[: len(said) // 2] == said[len(said) // 2 :]
    assert former.split()[0] not in cli.build_parser().format_help().split()


def test_a_rule_is_one_or_all(capsys: Output) -> None:
    assert cli.main(["rule", "fmt-markers", "--all"]) == 2
    assert cli.main(["rule"]) == 0
    listed = capsys.readouterr().out
    assert cli.main(["rule", "--all"]) == 0
    assert capsys.readouterr().out == listed


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("check nowhere", "there is no such file"),
        ("check {f} --condition onee", "no condition 'onee'; did you mean 'one'?"),
        ("check {f} --select fmt,fmt-marker", "did you mean 'fmt-markers'?"),
        ("check {f} --baseline {f}/none", "--baseline"),
        ("render {f}", "say what to render: --condition one | two; --mode short | long; --task parsing"),
        ("render {f} --mode shrt", "did you mean 'short'?"),
        ("render {f} --condition one --mode short", "either --condition or these"),
        ("render {f} --mode short --record 9", "no record '9' among 2"),
        ("render {f} --mode short --index 2", "no record 2: there are 2"),
        ("render {f} --mode short --index -1", "no record -1"),
        ("render {f} --mode short --set novalue", "write name=value"),
        ("render {f} --mode short --set q:=NaN", "not JSON"),
        ("explain fmt-marker", "did you mean 'fmt-markers'?"),
        ("modelfile {f}/none", "there is no such file"),
        ("modelfile {f}", "it is not a file"),
        ("init {f}", "is already there"),
        ("serve {f}/none", "there is no such file or folder"),
    ],
)
def test_wrong_use_leaves_with_2_and_says_what_would_be_right(
    words: str, said: str, folder: Path, capsys: Output
) -> None:
    assert cli.main(words.format(f=folder).split(" ")) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert said in output.err
    assert "Traceback" not in output.err


@pytest.mark.parametrize("words", [["check"], ["render", "x", "--format", "xml"]])
def test_what_argparse_refuses_leaves_with_2(words: list[str]) -> None:
    with pytest.raises(SystemExit) as left:
        cli.main(words)
    assert left.value.code == 2


def test_check_answers_json_of_the_promised_shape(folder: Path, capsys: Output) -> None:
    code, text = answer(capsys, "check", folder, "--format", "json")
    found = json.loads(text)
    assert code == 1
    assert found["records"] == {"read": 2, "bad": 0, "blank": 0, "lines": 2}
    assert [row["name"] for row in found["conditions"]] == ["one", "two"]
    assert found["truncated"] is False
    leaks = [one for one in found["findings"] if one["code"] == "fmt-system-text-in-user"]
    assert {"code", "severity", "message", "fix", "place", "key"} == set(leaks[0])
    place = leaks[0]["place"]
    assert (place["record"], place["index"], place["line"], place["file"]) == ("008", 1, 2, "data.jsonl")
    assert (place["condition"], place["mode"], place["start"], place["end"]) == ("one", "short", 0, 9)
    assert found["counts"]["fmt-system-text-in-user"] == len(leaks)


def test_check_answers_one_finding_a_line_and_text_with_the_same_keys(folder: Path, capsys: Output) -> None:
    whole = json.loads(answer(capsys, "check", folder, "--format", "json")[1])["findings"]
    lines = answer(capsys, "check", folder, "--format", "jsonl")[1].splitlines()
    assert [json.loads(line) for line in lines] == whole
    text = answer(capsys, "check", folder)[1]
    assert [one["key"] in text for one in whole] == [True] * len(whole)
    assert "\x1b" not in text


@pytest.mark.parametrize("form", ["json", "jsonl", "text"])
def test_any_earlier_answer_of_check_is_a_baseline(form: str, folder: Path, tmp_path: Path, capsys: Output) -> None:
    before = tmp_path / "before"
    before.write_text(answer(capsys, "check", folder, "--format", form)[1], "utf-8")
    code, text = answer(capsys, "check", folder, "--baseline", before, "--format", "json")
    assert (code, json.loads(text)["findings"]) == (0, [])


@pytest.mark.parametrize(("limit", "code"), [("error", 1), ("never", 0)])
def test_fail_on_decides_the_exit_code(limit: str, code: int, folder: Path, capsys: Output) -> None:
    assert answer(capsys, "check", folder, "--fail-on", limit)[0] == code


def test_text_lists_some_of_very_many_findings_of_a_rule_and_says_so(
    write: Write, tmp_path: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(check, "LISTED_FIRST", 6)
    monkeypatch.setattr(check, "LISTED_LATER", 3)
    keys = "".join(f"unknown_{n}: 1\n" for n in range(40))
    config = f"dataset: d.jsonl\nmodes: [{{mode: m, template: '{{{{ q }}}} {{{{ r }}}}'}}]\n{keys}"
    root = write({"d.jsonl": [{"id": "1", "q": "Why?"}], "readback.yml": config})
    _, every = answer(capsys, "check", root, "--all", "-q")
    _, some = answer(capsys, "check", root, "-q")
    lines = [line for line in every.splitlines() if " dat-unknown-key: " in line]
    listed = [line for line in some.splitlines() if " dat-unknown-key: " in line]
    assert (len(lines), len(listed), listed[:6]) == (40, 9, lines[:6])
    assert listed[6:] == [line for line in lines if line in set(listed[6:])]
    assert {*every.splitlines()} - {*lines} == {line for line in some.splitlines() if line in every} - {*lines}
    said = "not all are listed: 9 of 40 findings of dat-unknown-key are above, the first 6 and 3 drawn at "
    assert some.splitlines()[-1] == said + "random from the others (seed 20260101); --all lists every one"
    assert answer(capsys, "check", root, "-q")[1] == some
    (tmp_path / "some.txt").write_text(some, "utf-8")
    (tmp_path / "every.txt").write_text(every, "utf-8")
    assert answer(capsys, "check", root, "--baseline", tmp_path / "some.txt")[0] == 2
    assert "0 findings: " in answer(capsys, "check", root, "--baseline", tmp_path / "every.txt")[1]


def test_check_of_one_condition_looks_at_no_other(folder: Path, capsys: Output) -> None:
    found = json.loads(answer(capsys, "check", folder, "--condition", "two", "--format", "json")[1])
    assert [row["name"] for row in found["conditions"]] == ["two"]
    assert {one["place"]["condition"] for one in found["findings"]} <= {None, "two"}


def test_render_answers_segments_that_join_to_each_message(folder: Path, capsys: Output) -> None:
    code, text = answer(capsys, "render", folder, "--condition", "two", "--record", "008", "--format", "json")
    found = json.loads(text)
    assert (found["condition"], found["mode"], found["adapter"], found["task"], found["judge"]) == (
        ("two", "long", "no_system", None, None)
    )
    assert (found["record"], found["wire"]) == ("008", None)
    assert {name: found["tokens"][name] for name in ("exact", "of")} == {"exact": False, "of": "messages"}
    assert [message["text"] for message in found["messages"]] == ["Q: " + ROWS[1]["q"]]
    for message in found["messages"]:
        assert "".join(segment["text"] for segment in message["segments"]) == message["text"]
        assert {"text", "origin", "name", "place"} == set(message["segments"][0])
    severities = {one["code"]: one["severity"] for one in found["findings"]}
    assert severities["fmt-system-text-in-user"] == "warning"  # another mode has the text as its system message
    assert code == int("error" in severities.values())


def test_render_takes_values_as_text_and_as_json(folder: Path, capsys: Output) -> None:
    words = ("render", folder, "--mode", "short", "--set", "q=a=b", "--set", "extra:=[1]", "--format", "json")
    assert json.loads(answer(capsys, *words)[1])["messages"][1]["text"] == "a=b[1]"


def test_render_text_shows_each_message_under_its_heading(folder: Path, capsys: Output) -> None:
    code, text = answer(capsys, "render", folder, "--mode", "short")
    assert code == 0
    assert "=== system, 9 characters, 3 tokens (estimated)\nBe brief.\n" in text
    assert "=== user, 4 characters, 1 token (estimated)\nWhy?\n" in text


def test_render_of_a_task_and_of_a_judge(folder: Path, capsys: Output) -> None:
    task = json.loads(answer(capsys, "render", folder, "--task", "parsing", "--format", "json")[1])
    assert [message["text"] for message in task["messages"]] == ["Extract.", "Why?"]
    judge = json.loads(answer(capsys, "render", folder, "--judge", "j", "--condition", "one", "--format", "json")[1])
    assert (judge["judge"], judge["condition"], bool(judge["messages"])) == ("j", "one", True)


def test_render_wire_follows_the_configuration_in_both_forms(write: Write, capsys: Output) -> None:
    config = "prompt_format: chatml\nprompts: [{mode: m, system_prompt: S, template: t.jinja}]\n"
    row = {"id": "1", "query": "q", "expected_response": "a"}
    root = write({"prompt_config.yml": config, "t.jinja": "{{ query }}", "data.jsonl": [row]})
    start = "<|im_start|>system\nS<|im_end|>\n<|im_start|>user\nq<|im_end|>\n<|im_start|>assistant\n"
    for form, text in (("inference", start), ("training", start + "a<|im_end|>\n")):
        words = ("render", root, "--mode", "m", "--wire", "--wire-form", form, "--format", "json")
        model_input = json.loads(answer(capsys, *words)[1])["wire"]
        assert (model_input["format"], model_input["text"]) == ("chatml", text)
        assert "".join(segment["text"] for segment in model_input["segments"]) == text


def test_a_workspace_without_data_renders_from_defaults_and_values(write: Write, capsys: Output) -> None:
    root = write({"readback.yml": "modes: [{mode: m, template: 'Q: {{ q }}'}]\n"})
    found = json.loads(answer(capsys, "render", root, "--set", "q=Why?", "--format", "json")[1])
    assert (found["record"], found["messages"][0]["text"]) == (None, "Q: Why?")


def test_scores_answer_in_three_forms(write: Write, capsys: Output) -> None:
    rows = "item,condition,judge,criterion,value\n" + "".join(f"{n},=a,j,pass,{n % 2}\n" for n in range(6))
    root = write({"scores.csv": rows})
    found = json.loads(answer(capsys, "scores", root, "--format", "json")[1])
    assert [(row["condition"], row["n"], row["mean"]) for row in found["rows"]] == [({"condition": "=a"}, 6, 0.5)]
    assert answer(capsys, "scores", root, "--format", "csv")[1].splitlines()[1].startswith("'=a,pass,j,6,")
    assert "mean 0.5000, n 6" in answer(capsys, "scores", root)[1]


def test_modelfiles_answer_one_object_a_line_and_the_first_error_refuses(write: Write, capsys: Output) -> None:
    root = write({"a": 'FROM x\nSYSTEM "S"\n', "b": "NONSENSE\n"})
    code, text = answer(capsys, "modelfile", root / "a", root / "b", "--format", "json")
    good, bad = map(json.loads, text.splitlines())
    assert code == 1
    assert good == {"commands": [{"name": "model", "args": "x"}, {"name": "system", "args": "S"}]}
    assert set(bad) == {"error", "line"}


def test_init_writes_what_was_worked_out_and_never_over_a_file(write: Write, capsys: Output) -> None:
    root = write({"data.jsonl": ROWS[:1]})
    shown = answer(capsys, "init", root, "--print")
    assert answer(capsys, "init", root) == (0, f"{root / 'readback.yml'}\n")
    assert (root / "readback.yml").read_text("utf-8") == shown[1]
    assert cli.main(["init", str(root)]) == 2


@pytest.mark.parametrize("words", ["rule --all", "rule fmt-markers", "adapters", "doctor"])
def test_what_needs_no_workspace_answers_text_and_json(words: str, capsys: Output) -> None:
    assert answer(capsys, *words.split())[1].strip()
    assert json.loads(answer(capsys, *words.split(), "--format", "json")[1])


@pytest.mark.parametrize(
    "words", part([["check"], ["render", "--mode", "short", "--index", "1"], ["check", "--format", "json"]], 2)
)
def test_lone_surrogates_and_escapes_pass_through_a_pipe(words: list[str], folder: Path) -> None:
    done = run(words[0], str(folder), *words[1:], env={"PYTHONIOENCODING": "ascii"})
    assert done.stderr == b""
    assert done.returncode == 1
    assert "Be brief." in done.stdout.decode("utf-8")


def test_a_reader_that_leaves_early_is_no_error(folder: Path) -> None:
    command = f"{sys.executable} -m readback.cli check {folder} --format json | true"
    done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, check=False)
    assert done.stderr == b""


def test_json_in_pieces_is_the_same_text() -> None:
    value = {"torn \ud800": ["\udc00 é \u2028", 1.5, None, {}, []], "pair": "\U0001f600"}
    assert "".join(as_json.iterate_json(value, 1)) == as_json.dumps(value, 1)


def test_nothing_is_said_about_progress_where_nobody_looks(folder: Path) -> None:
    assert run("check", str(folder), "--format", "jsonl").stderr == b""


def run(*words: str, env: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "readback.cli", *words]
    return subprocess.run(command, capture_output=True, check=False, env={**os.environ, **(env or {})})


def test_a_variable_that_is_set_for_a_try_is_not_called_missing(write: Write, capsys: Output) -> None:
    folder = write({"readback.yml": "modes: [{mode: a, template: '{{ query }}'}]\n"})
    assert "alb-variable-no-data" in answer(capsys, "render", folder, "--mode", "a")[1]
    assert "alb-variable-no-data" not in answer(capsys, "render", folder, "--mode", "a", "--set", "query=Q?")[1]
