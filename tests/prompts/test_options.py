"""What the shared options of the commands do: -q, -v, -j, and diff with two conditions."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from counts import part

from readback import cli
from readback.prompts.children import MAX_RECORDS

Write = Callable[[Mapping[str, Any]], Path]
Output = pytest.CaptureFixture[str]
FILE = """\
dataset: data.jsonl
modes:
  - {mode: short, system: Be brief., template: "Q: {{ q }}"}
  - {mode: long, system: Be brief., template: "Be brief.\\nQuestion: {{ q }}"}
conditions: [{name: gateway, mode: short}, {name: direct, mode: long}]
"""
TOLD = "Be brief.\nQuestion: Why, 1?"
LEAK = "fmt-system-text-in-user"


@pytest.fixture
def folder(write: Write) -> Path:
    return write({"readback.yml": FILE, "data.jsonl": [{"id": f"r{n}", "q": f"Why, {n}?"} for n in range(3)]})


def run(output: Output, *words: Any) -> tuple[int, str, str]:
    code = cli.main([str(word) for word in words])
    said = output.readouterr()
    return code, said.out, said.err


def test_a_quiet_check_prints_the_findings_alone(folder: Path, capsys: Output) -> None:
    code, whole, _ = run(capsys, "check", folder)
    quiet_code, quiet, _ = run(capsys, "check", folder, "-q")
    findings = whole.partition("\n\n")[0]
    assert (quiet_code, quiet) == (code, f"{findings}\n")
    assert quiet.count(LEAK) == 3
    assert len(whole) > len(quiet)
    assert run(capsys, "check", folder, "--quiet", "--select", "oll")[1] == ""


def test_a_verbose_check_says_how_to_fix_each_finding_and_what_each_file_is(folder: Path, capsys: Output) -> None:
    _, whole, _ = run(capsys, "check", folder, "-v")
    fix = "    fix: remove the text from the user message; the system message already carries it\n"
    assert whole.count(fix) == 3
    assert "  data.jsonl: " in whole
    assert "    fix: " not in run(capsys, "check", folder)[1]


def test_quiet_and_verbose_are_not_both(folder: Path, capsys: Output) -> None:
    with pytest.raises(SystemExit) as left:
        cli.main(["check", str(folder), "-q", "-v"])
    assert left.value.code == 2
    assert "not allowed with" in capsys.readouterr().err


def test_two_conditions_are_compared_by_name(folder: Path, capsys: Output) -> None:
    short = run(capsys, "diff", folder, "gateway", "direct", "--record", "r1")
    long = run(capsys, "diff", folder, "--a", "condition=gateway,record=r1", "--b", "condition=direct")
    assert short == long
    assert (short[0], "record r1" in short[1]) == (1, True)
    assert run(capsys, "diff", folder, "gateway", "direct", "--index", "1") == short
    assert run(capsys, "diff", folder, "gateway", "direct")[1].startswith("A  condition gateway, record r0\n")
    assert "3 of 3 records differ" in run(capsys, "diff", folder, "gateway", "direct", "--records")[1]


def test_a_condition_may_be_called_anything(write: Write, capsys: Output) -> None:
    name = 'a, "b"=c\\\\'
    text = FILE.replace("name: gateway", f"name: '{name}'")
    folder = write({"readback.yml": text, "data.jsonl": [{"id": "1", "q": "x"}]})
    assert run(capsys, "diff", folder, name, name)[0] == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "give two conditions A and B, or --a and --b"),
        (("gateway",), "give two conditions A and B"),
        (("gateway", "direct", "--a", "mode=long"), "give two conditions A and B"),
        (("--a", "mode=long"), "give two conditions A and B"),
        (("gatway", "direct"), "no condition 'gatway'; did you mean 'gateway'?"),
        (("gateway", "direct", "--record", "x"), "no record 'x' among 3"),
        (("gateway", "direct", "--index", "-1"), "index counts records from 0, and '-1' is no such number"),
        (("--a", "mode=long", "--b", "mode=short", "--record", "r1"), "--a takes record=ID or index=N"),
        (("gateway", "direct", "-j", "2"), "--jobs needs --records"),
        (("gateway", "direct", "--records", "-j", "0"), "--jobs 0: give 1 or more"),
    ],
)
def test_a_comparison_that_is_not_clear_is_refused(folder: Path, capsys: Output, words: Any, said: str) -> None:
    code, out, err = run(capsys, "diff", folder, *words)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert said in err


def test_a_quiet_difference_is_its_sentence_and_a_verbose_one_is_not_folded(write: Write, capsys: Output) -> None:
    folder = write({"readback.yml": FILE, "data.jsonl": [{"id": "1", "q": "Who goes there? " * 30}]})
    words = ("diff", folder, "gateway", "direct")
    whole, quiet, verbose = (run(capsys, *words, *more)[1] for more in ((), ("-q",), ("-v",)))
    assert quiet == f"{whole.splitlines()[3]}\n"
    assert "equal characters …" in whole
    assert "equal characters …" not in verbose
    assert "Who goes there? " * 30 in verbose
    assert "\n=== system: equal, 9 characters\n  Be brief.\n" in verbose
    counted = run(capsys, "diff", folder, "gateway", "direct", "--records", "-q")[1]
    assert counted.startswith("1 of 1 record differs")


def test_a_quiet_search_counts(folder: Path, capsys: Output) -> None:
    _, out, _ = run(capsys, "search", folder, "why", "-q")
    assert out == "condition gateway: 3 of 3 records, 3 hits\ncondition direct: 3 of 3 records, 3 hits\n"


def test_a_quiet_rendering_is_its_messages_and_a_verbose_one_says_who_wrote_what(folder: Path, capsys: Output) -> None:
    words = ("render", folder, "--condition", "direct", "--record", "r1")
    assert run(capsys, *words, "-q")[1] == f"=== system\nBe brief.\n=== user\n{TOLD}\n"
    verbose = run(capsys, *words, "-v")[1]
    assert "    0-20: template (readback.yml:4)\n    20-27: variable q (readback.yml:5)\n" in verbose
    assert "    fix: " in verbose


SCORES = "item,condition,judge,criterion,score\n" + "1,a,j,relevance,5\n1,a,j,relevance,4\n2,a,j,relevance,1\n"


@pytest.mark.parametrize("command", ["scores", "agreement"])
def test_scores_and_agreement_say_their_findings_as_loudly_as_asked(write: Write, capsys: Output, command: str) -> None:
    folder = write({"s.csv": SCORES})
    whole, quiet, verbose = (run(capsys, command, folder, *more)[1] for more in ((), ("-q",), ("-v",)))
    assert " scr-" in whole
    assert " scr-" not in quiet
    assert whole.startswith(quiet)
    assert ("    fix: " in whole, "    fix: " in verbose) == (False, True)


def test_jobs_of_scores_go_with_findings(write: Write, capsys: Output) -> None:
    code, _, err = run(capsys, "scores", write({"s.csv": SCORES}), "-j", "2")
    assert (code, "--jobs needs --findings" in err) == (2, True)


@contextmanager
def most_at_once() -> Iterator[list[int]]:
    """The most threads of ours that drove children at one time, as the only item once the block has ended."""
    ended, most = threading.Event(), [0]

    def look() -> None:
        while not ended.is_set():
            names = [thread.name for thread in threading.enumerate()]
            driving = [name for name in names if name.startswith("readback-") and not name.startswith("readback-hash")]
            most[0] = max(most[0], len(driving))
            time.sleep(0.002)

    looking = threading.Thread(target=look, name="looking")
    looking.start()
    try:
        yield most
    finally:
        ended.set()
        looking.join()


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    part(
        [
            ("check", "W", "--select", "asm"),
            ("search", "W", "Why, 2999"),
            ("diff", "W", "gateway", "direct", "--records", "-q"),
        ],
        2,
    ),
)
def test_so_many_processes_work_as_are_asked_for(write: Write, capsys: Output, words: tuple[str, ...]) -> None:
    rows = [{"id": f"r{n}", "q": f"Why, {n}?"} for n in range(3 * MAX_RECORDS)]
    folder = write({"readback.yml": FILE, "data.jsonl": rows})
    said = {}
    for jobs in (1, 2):
        with most_at_once() as most:
            found = run(capsys, *(folder if word == "W" else word for word in words), "-j", jobs)
        said[jobs] = found
        # Checking needs no further thread where one process works.
        assert most[0] == (0 if jobs == 1 and words[0] == "check" else jobs)
    assert said[1] == said[2]
    assert len(said[1][1]) > 20
