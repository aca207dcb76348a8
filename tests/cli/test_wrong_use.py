"""What somebody types who does not know the commands: a sentence first, what was probably meant, then where to look."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from readback import cli
from readback.cli.common import terminal
from readback.project_files import EXAMPLES

Output = pytest.CaptureFixture[str]
SIX = EXAMPLES / "six-conditions-mistakes"


def refuse(capsys: Output, *words: str) -> list[str]:
    """Run a command that is used wrongly; return the lines of standard error."""
    try:
        code = cli.main(words)
    except SystemExit as left:
        code = int(left.code or 0)
    output = capsys.readouterr()
    assert (code, output.out) == (2, "")
    return output.err.splitlines()


@pytest.mark.parametrize(
    ("word", "near"),
    [
        ("chek", "check, cache"),
        ("difff", "diff"),
        ("score", "scores"),
        ("mod", "model-input, modelfile"),
        ("lint", "check"),
        ("start", "serve"),
        ("explian", "rule"),
    ],
)
def test_an_unknown_command_names_the_near_ones_and_no_others(word: str, near: str, capsys: Output) -> None:
    assert refuse(capsys, word) == [f"readback: there is no command '{word}'; did you mean {near}?"]
    assert refuse(capsys, "help", word) == refuse(capsys, word)


def test_an_unknown_command_that_is_near_to_none_says_where_they_are_listed(capsys: Output) -> None:
    assert refuse(capsys, "xyzzy") == ["readback: there is no command 'xyzzy'; readback help lists the commands"]


def test_a_folder_in_the_place_of_a_command_is_told_what_to_do_with_it(capsys: Output) -> None:
    (line,) = refuse(capsys, str(SIX))
    assert f"readback check {SIX}" in line
    assert f"readback serve {SIX}" in line


def test_without_a_command_the_commands_are_listed(capsys: Output) -> None:
    text = "\n".join(refuse(capsys))
    assert [name for name in cli.COMMANDS if f"\n  {name}" not in text] == []


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("check W --form jsn", "--format: 'jsn' is not possible; did you mean json?"),
        ("check W --fail-on bad", "--fail-on: 'bad' is not possible; possible are error, warning, info, never"),
        ("check W --fail-onn error", "there is no option --fail-onn; did you mean --fail-on?"),
        ("check W --nope", "there is no option --nope"),
        ("check W --jobs x", "argument -j/--jobs: 'x' is no whole number"),
        ("check W more and more", "too many arguments: more and more"),
        ("check", "the following arguments are required: WORKSPACE"),
        ("review lst W", "STEP: 'lst' is not possible; did you mean list?"),
        ("review note W --txt T", "the following arguments are required: --text"),
        ("completion tcsh", "SHELL: 'tcsh' is not possible; possible are bash, zsh, fish"),
        ("export W", "the following arguments are required: --as"),
    ],
)
def test_a_wrong_option_is_a_sentence_then_one_line_of_usage(words: str, sentence: str, capsys: Output) -> None:
    first, usage, where = refuse(capsys, *words.split())
    assert first.startswith(f"readback: {sentence}")
    assert usage.startswith(f"usage: readback {words.split()[0]}")
    assert len(usage) < 120
    assert where.endswith(" --help lists the options")


def test_an_unknown_rule_does_not_list_all_rules(capsys: Output) -> None:
    assert refuse(capsys, "rule", "nope") == ["readback: no rule 'nope'; readback rule lists the rules"]


@pytest.mark.parametrize("command", ["check", "scores", "render", "lock", "agenda", "adapters", "init"])
def test_a_path_that_is_not_there_is_named_once(command: str, capsys: Output) -> None:
    assert refuse(capsys, command, "/nope/way") == ["readback: /nope/way: there is no such file or folder"]


def test_a_folder_is_named_as_it_was_typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output) -> None:
    monkeypatch.chdir(tmp_path)
    (line,) = refuse(capsys, "check", ".")
    assert line.startswith("readback: .: nothing in this folder")


@pytest.mark.skipif(os.geteuid() == 0 and not shutil.which("setpriv"), reason="root may read everything")
def test_a_folder_that_may_not_be_read_is_no_empty_one(tmp_path: Path) -> None:
    folder = tmp_path / "closed"
    folder.mkdir()
    folder.chmod(0)
    words = [sys.executable, "-m", "readback.cli", "check", str(folder)]
    if os.geteuid() == 0:  # without the rights that let root read everything
        words = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-all", *words]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    folder.chmod(0o700)
    assert (done.returncode, done.stderr) == (2, f"readback: {folder}: permission denied\n")


def test_version_has_a_short_option(capsys: Output) -> None:
    with pytest.raises(SystemExit) as left:
        cli.main(["-V"])
    assert (left.value.code, capsys.readouterr().out) == (0, f"readback {cli.__version__}\n")


@pytest.mark.parametrize("words", [["check"], ["review", "note"], ["rules"]])
def test_help_with_a_command_is_its_help(words: list[str], capsys: Output) -> None:
    for asked in (["help", *words], [*words, "--help"]):
        with pytest.raises(SystemExit) as left:
            cli.main(asked)
        assert left.value.code == 0
    text = capsys.readouterr().out
    assert text[: len(text) // 2] == text[len(text) // 2 :]


def test_help_lists_each_command_once_below_what_it_is_for(capsys: Output) -> None:
    assert cli.main(["help"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert sorted(name for names in cli.SECTIONS.values() for name in names) == sorted(cli.COMMANDS)
    listed = [line.split()[0] for line in lines if line.startswith("  ") and line[2].isalpha()]
    assert listed == [name for names in cli.SECTIONS.values() for name in names]


# The server.


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--port", "99999"], "--port 99999: a port is a number from 1 to 65535 (0: any that is free)"),
        (["--port=-1"], "--port -1: a port is a number from 1 to 65535 (0: any that is free)"),
    ],
)
def test_a_port_that_there_is_none_of_is_refused_before_the_server_starts(
    words: list[str], sentence: str, capsys: Output
) -> None:
    assert refuse(capsys, "serve", *words) == [f"readback: {sentence}"]


def test_port_0_is_one_that_is_free_and_a_host_of_somebody_else_is_refused(capsys: Output) -> None:
    from readback.ui.common import server

    port = server.free_port("127.0.0.1", 0)
    assert port > 0
    with socket.socket() as held:
        held.bind(("127.0.0.1", port))
    with pytest.raises(SystemExit) as left:
        server.free_port("192.0.2.1", 8501)
    assert left.value.code == 2
    assert capsys.readouterr().err.startswith("readback: --host 192.0.2.1: no server can listen there (")


# Colour.

FAULTY = '{"id": "1", "question": "Why?"}\ntorn\n'  # an error in two lines


@pytest.fixture
def faulty(tmp_path: Path) -> str:
    """A folder with an error."""
    (tmp_path / "faulty").mkdir()
    (tmp_path / "faulty" / "rows.jsonl").write_text(FAULTY, "utf-8")
    return str(tmp_path / "faulty")


@pytest.mark.parametrize(
    ("environment", "words", "painted"),
    [
        ({}, [], False),
        ({}, ["--color", "always"], True),
        ({}, ["--color=always"], True),
        ({"FORCE_COLOR": "1"}, [], True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, [], False),
        ({"FORCE_COLOR": "1"}, ["--color", "never"], False),
        ({"NO_COLOR": "1"}, ["--color", "always"], True),
        ({"NO_COLOR": ""}, [], False),
    ],
)
def test_colour_is_for_terminals_and_whoever_asks_for_it(
    environment: dict[str, str],
    words: list[str],
    painted: bool,
    faulty: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Output,
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    for asked in (["check", faulty, *words], [*words, "check", faulty]):
        cli.main(asked)
        out = capsys.readouterr().out
        assert ("\x1b[1;31merror\x1b[0m" in out, "\x1b" in out) == (painted, painted)
    assert cli.main([*words, "chek"]) == 2
    assert ("\x1b" in capsys.readouterr().err) == painted


@pytest.mark.parametrize("form", ["json", "jsonl", "sarif", "junit", "github"])
def test_what_programs_read_is_never_painted(form: str, faulty: str, capsys: Output) -> None:
    assert cli.main(["check", faulty, "--format", form, "--color", "always"]) == 1
    out = capsys.readouterr().out
    assert ("dat-bad-line" in out, "\x1b" in out) == (True, False)


def test_a_painted_answer_is_a_baseline_and_the_same_text(faulty: str, tmp_path: Path, capsys: Output) -> None:
    cli.main(["check", faulty, "--all"])
    plain = capsys.readouterr().out
    cli.main(["check", faulty, "--all", "--color", "always"])
    painted = capsys.readouterr().out
    assert terminal.remove_paint(painted) == plain
    assert painted != plain
    (tmp_path / "before").write_text(painted, "utf-8")
    assert cli.main(["check", faulty, "--baseline", str(tmp_path / "before")]) == 0


def test_what_a_file_holds_cannot_paint(tmp_path: Path, capsys: Output) -> None:
    (tmp_path / "readback.yml").write_text('dataset: rows.jsonl\nmodes: [{mode: "\\e[31mred", template: "{{ q }}"}]\n')
    (tmp_path / "rows.jsonl").write_text('{"id": "1", "q": "Why?"}\n')
    cli.main(["check", str(tmp_path), "--color", "always", "-v"])
    assert "\x1b[31mred" not in capsys.readouterr().out


# How far it is.


@pytest.mark.parametrize(
    ("done", "total", "seconds", "line"),
    [
        (1, 3, 0.5, "1 of 3 records, 33 %"),
        (0, 4, 9.0, "0 of 4 records, 0 %"),
        (1_000, 4_000, 10.0, "1,000 of 4,000 records, 25 %, about 30 seconds left"),
        (10, 1_000, 10.0, "10 of 1,000 records, 1 %, about 16 minutes left"),
        (999, 1_000, 10.0, "999 of 1,000 records, 99 %, about 1 second left"),
        (5, 5, 10.0, "5 of 5 records, 100 %"),
        (1, 1, 0.0, "1 of 1 record, 100 %"),
    ],
)
def test_how_far_it_is_has_a_share_and_the_time_that_is_left(done: int, total: int, seconds: float, line: str) -> None:
    assert terminal.describe_progress(done, total, seconds) == line


def test_how_far_a_log_is_read_is_written_in_sizes_beside_the_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    asked = [{"role": "user", "content": "word " * 60_000}]
    rows = [{"custom_id": str(n), "url": "/v1/chat/completions", "body": {"messages": asked}} for n in range(9)]
    log = tmp_path / "batch.jsonl"
    log.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    monkeypatch.setattr(terminal, "FIRST_SECONDS", 0.0)
    assert cli.main(["render", str(log), "--format", "json"]) == 0
    answer, beside = capsys.readouterr()
    json.loads(answer)
    assert re.search(r"^readback: reading the log: \d\.\d MB of 2\.7 MB, \d+ %", beside, re.MULTILINE)


class Clock:
    """A clock that goes on only when it is told to."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_where_standard_error_is_a_file_a_line_comes_now_and_then(
    monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    clock = Clock()
    monkeypatch.setattr(terminal, "monotonic", clock)
    progress = terminal.Progress(quiet=False)
    silent = terminal.Progress(quiet=True)
    for second in range(300):
        clock.now = float(second)
        progress(second, 300)
        silent(second, 300)
    progress.end()
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "readback: 10 of 300 records, 3 %, about 5 minutes left"
    assert [int(line.split()[1]) for line in lines] == [10, 30, 70, 130, 190, 250]


def test_on_a_terminal_one_line_changes_and_is_cleared(monkeypatch: pytest.MonkeyPatch, capsys: Output) -> None:
    clock = Clock()
    monkeypatch.setattr(terminal, "monotonic", clock)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    progress = terminal.Progress(quiet=False)
    for step in range(30):
        clock.now = step / 100
        progress(step, 30)
    progress.end()
    progress.end()
    states = capsys.readouterr().err.split("\r\x1b[K")
    assert states[0] == ""
    assert states[-1] == ""
    assert states[1:-1] == ["10 of 30 records, 33 %", "20 of 30 records, 66 %"]


# Completion.


def complete(shell: str, words: list[str], folder: Path) -> list[str]:
    """Return what the shell offers behind these words, the last of which is begun."""
    script = folder / f"readback.{shell}"
    with pytest.MonkeyPatch.context() as patch:
        out = script.open("w", encoding="utf-8")
        patch.setattr(sys, "stdout", out)
        assert cli.main(["completion", shell]) == 0
        out.close()
    if shell == "bash":
        line = f'source {script}; COMP_WORDS=(readback "$@"); COMP_CWORD=$#; _readback 2>/dev/null; '
        command = ["bash", "-c", line + 'printf "%s\\n" "${COMPREPLY[@]}"', "bash", *words]
    else:
        command = ["fish", "-c", f"source {script}; complete -C 'readback {' '.join(words)}'"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, cwd=folder)
    return [line.partition("\t")[0] for line in done.stdout.splitlines()]


@pytest.mark.parametrize("shell", ["bash", "fish"])
@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["chec"], ["check"]),
        (["check", "--fail"], ["--fail-on"]),
        (["check", "--format", "js"], ["json", "jsonl"]),
        (["check", "x", "--fail-on", "w"], ["warning"]),
        (["review", "wi"], ["withdraw"]),
        (["review", "note", "x", "--kind", "f"], ["finding"]),
        (["rule", "fmt-marke"], ["fmt-markers"]),
        (["help", "comp"], ["completion"]),
        (["completion", "z"], ["zsh"]),
    ],
)
def test_a_shell_offers_what_the_parser_knows(shell: str, words: list[str], offered: list[str], tmp_path: Path) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"no {shell} here")
    assert sorted(complete(shell, words, tmp_path)) == offered


def test_a_shell_offers_folders_where_one_is_meant(tmp_path: Path) -> None:
    (tmp_path / "study").mkdir()
    assert complete("bash", ["check", "stu"], tmp_path) == ["study"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_script_is_one_that_the_shell_can_read(shell: str, tmp_path: Path, capsys: Output) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"no {shell} here")
    assert cli.main(["completion", shell]) == 0
    script = tmp_path / "script"
    script.write_text(capsys.readouterr().out, "utf-8")
    done = subprocess.run([shell, "-n", str(script)], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")


# Options that name something of the workspace.


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("--plan nope.yaml", "--plan nope.yaml: there is no such file in W"),
        ("--prompts nope", "--prompts nope: there is no such file in W"),
        ("--dataset nope", "--dataset nope: there is no such file in W"),
        ("--template nope", "--template nope: there is no such file in W"),
        ("--judges panel.csv", "--judges panel.csv: write FILE=COLUMN,COLUMN"),
        ("--judges panel.csv=", "--judges panel.csv=: write FILE=COLUMN,COLUMN"),
        ("--judges nope=a", "--judges nope: there is no such file in W"),
        ("--judges panel.csv=judge_1,judge_9", "no column 'judge_9'; did you mean 'judge_2'?"),
        ("--scores panel.csv=xyz", "no column 'xyz'; there are: item, judge_1, judge_2"),
        ("--judges notes.txt=a", "--judges notes.txt=a: this file was not read as scores; it is no table here, or"),
        ("--id quest", "no field 'quest'; did you mean 'question'?"),
    ],
)
def test_an_option_that_names_what_is_not_there_is_wrong_use(
    words: str, sentence: str, tmp_path: Path, capsys: Output
) -> None:
    panel = "item,judge_1,judge_2\n" + "".join(f"q{n},{n % 3},{n % 2}\n" for n in range(9))
    for name, text in {
        "panel.csv": panel,
        "rows.jsonl": '{"key": "1", "question": "Why?"}\n',
        "user.txt": "{question}",
        "notes.txt": "a",
    }.items():
        (tmp_path / name).write_text(text, "utf-8")
    (line,) = refuse(capsys, "check", str(tmp_path), *words.split())
    assert line.replace(str(tmp_path), "W").startswith(f"readback: {sentence}")


def test_names_with_commas_are_told_apart(capsys: Output) -> None:
    (line,) = refuse(capsys, "check", str(EXAMPLES / "six-conditions"), "--condition", "nope")
    assert "there are: 'base, closed book', 'base, open book'" in line


# What the first screen of check says.


def test_check_names_the_files_that_were_read_as_scores(tmp_path: Path, capsys: Output) -> None:
    for name in "abcd":
        rows = "".join(f"q{n},{name},{n % 2}\n" for n in range(5))
        (tmp_path / f"{name}.csv").write_text(f"item,condition,score\n{rows}", "utf-8")
    cli.main(["check", str(tmp_path)])
    assert "\n  scores: a.csv, b.csv, c.csv and 1 more file; readback scores prints what" in capsys.readouterr().out
    for name in "bcd":
        (tmp_path / f"{name}.csv").unlink()
    cli.main(["check", str(tmp_path)])
    assert "\n  scores: a.csv; readback scores prints what they support\n" in capsys.readouterr().out
    cli.main(["check", str(tmp_path), "-q"])
    assert "  scores: " not in capsys.readouterr().out


def test_advice_is_for_people_at_a_terminal(faulty: str, monkeypatch: pytest.MonkeyPatch, capsys: Output) -> None:
    advice = f"readback check {faulty} -v also says how to fix each finding, readback rule asm-nothing-to-send explains"
    cli.main(["check", faulty])
    assert "also says how to fix" not in capsys.readouterr().out
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    cli.main(["check", faulty])
    assert advice in capsys.readouterr().out
    cli.main(["check", faulty, "-v"])
    assert "also says how to fix" not in capsys.readouterr().out


@pytest.mark.parametrize(("command", "more"), [("scores", ()), ("search", ("deep",))])
def test_a_command_that_has_nothing_to_work_on_is_not_green(
    command: str, more: tuple[str, ...], tmp_path: Path, capsys: Output
) -> None:
    (tmp_path / "rows.jsonl").write_text('{"id": "1", "question": "How deep?"}\n', "utf-8")
    assert cli.main([command, str(tmp_path), *more]) == 2
    output = capsys.readouterr()
    assert "there are no scores" in output.out or "there is nothing to search" in output.err
