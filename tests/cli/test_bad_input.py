"""What is wrong, too much or not there: said in a sentence, in time, and nothing else stops for it."""

from __future__ import annotations

import errno
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from counts import part
from in_time import spent
from looking import page, said, words
from streamlit.testing.v1 import AppTest

import readback
from readback import cli
from readback.checks import rules
from readback.checks.run import engine
from readback.project_files import EXAMPLES

SIX = EXAMPLES / "six-conditions-mistakes"
GUIDE = "You are a harbour guide who answers from the notes of the pilot station only."
MODES = [
    {"mode": "plain", "system": GUIDE, "template": "{{ q }}"},
    {"mode": "twice", "system": GUIDE, "template": GUIDE + " {{ q }} " + GUIDE},
    {"mode": "other", "system": GUIDE, "template": "Read: {{ q | replace('crane light', 'cranes lit') }} "},
]
ONE: dict[str, Any] = {
    "readback.yml": {"dataset": "d.jsonl", "modes": MODES},
    "d.jsonl": [{"id": "r1", "q": "How deep is berth 3?"}],
}
TOLD = 16  # seconds of processor time; the pages take 0.3 to 1.5 s on a quiet machine, an endless template up to 9
DRAWN = 1_500_000  # characters of markup


WIDE, NEAR = "fmt-system-varies", "fmt-citation-style"  # a rule about the workspace, and one about a message


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two rules that fail; in a bounded child, where the records are checked, rules are as they are."""

    def fails(case: Any) -> Any:
        raise ZeroDivisionError("<b>")

    for code in (WIDE, NEAR):
        monkeypatch.setattr(rules.RULES()[code].logic, "check", fails)


def codes(test: AppTest) -> str:
    """The details that are beside a problem."""
    return " ".join(code.value for code in test.code)


@pytest.mark.parametrize("name", ["", "findings"])
@pytest.mark.usefixtures("broken")
def test_a_rule_that_fails_is_named_on_the_page_and_the_others_run(serving: Any, name: str) -> None:
    serving(ONE)
    test = page(name)
    assert "1 of Readback's own rules failed; the others ran. Please report it." in words(test)
    assert f"{WIDE}: ZeroDivisionError: <b>" in codes(test)
    assert "The user message contains system text" in words(test)


@pytest.mark.usefixtures("broken")
def test_a_rule_that_fails_is_named_beside_the_message(serving: Any) -> None:
    serving(ONE)
    test = page("prompts", mode="twice")
    assert NEAR in words(test)
    assert "ZeroDivisionError: <b>" in codes(test)
    assert "fmt-system-text-in-user" in words(test)


@pytest.mark.usefixtures("broken")
def test_a_rule_that_fails_is_named_on_the_command_line(write: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["check", str(write(ONE))]) == 1
    out, err = capsys.readouterr()
    assert f"our mistake: rule {WIDE} failed" in err
    assert "fmt-system-text-in-user" in out


@pytest.mark.usefixtures("broken")
def test_a_rule_that_fails_is_named_in_a_notebook(write: Any) -> None:
    opened = readback.open(write(ONE))
    made = opened.assemble(mode="twice", record="r1")
    assert {fault.rule for fault in made.faults} == {NEAR}
    assert repr(made).count(NEAR) == 1
    assert f"our mistake: rule {NEAR} failed: ZeroDivisionError: <b>" in repr(made)
    assert "ZeroDivisionError: &lt;b&gt;" in made._repr_html_()
    assert WIDE in opened.findings().note
    assert {one["code"] for one in opened.findings()} == {"fmt-system-text-in-user"}


@pytest.mark.parametrize("name", ["nowhere", "d.jsonl/below", "made.bin"])
def test_a_notebook_is_told_why_nothing_opens(write: Any, name: str) -> None:
    folder = write({**ONE, "made.bin": b"\0\1"})
    with pytest.raises(ValueError, match=name.split("/")[-1]):
        readback.open(folder / name)


@pytest.mark.parametrize(
    ("sent", "content", "expected"),
    [
        ("log.jsonl", "hello\n{\n", "log.jsonl:1:1: error dat-bad-line"),
        ("log.jsonl", bytes(range(128, 256)) * 50, "log.jsonl:1:1: error dat-encoding"),
        ("log.jsonl", '{"record": "r1", "prompt": "' + "x" * 17_000_000 + '"}\n', "log.jsonl:1: error dat-too-large"),
        ("log.jsonl", '[1]\n"x"\n', "log.jsonl:1"),
        ("log.jsonl", "", "0 of "),
        ("gone.jsonl", "", "error dat-file-missing: the file 'gone.jsonl' cannot be read: no such file or directory"),
        (".", "", "error dat-"),
        ("../log.jsonl", "", "error dat-path-outside: the path '../log.jsonl' leads out of the workspace"),
        ("/etc/passwd", "", "error dat-path-outside"),
        ({"a": 1}, "", "error dat-wrong-value"),
        (7, "", "error dat-"),
    ],
)
def test_a_log_that_cannot_be_read_is_a_finding_and_the_rest_is_checked(
    write: Any, capsys: pytest.CaptureFixture[str], sent: Any, content: Any, expected: str
) -> None:
    folder = write({**ONE, "log.jsonl": content, "readback.yml": {**ONE["readback.yml"], "sent": sent}})
    assert cli.main(["check", str(folder)]) == 1
    out = capsys.readouterr().out
    assert expected in out or not content
    assert "fmt-system-text-in-user in 1 record" in out


BELOW = """\
d.jsonl:2:18: error dat-bad-line: this text cannot be read: not JSON (expecting value) (key K)
    {"id": "2", "q": nul}
                     ^
d.jsonl:3:35: error dat-bad-line: this text cannot be read: not JSON (expecting value) (key K)
    [10 characters] , "q": "aaaa\\x9b31m",\\t"x": tru, "y": "bbbbbbbbbbbbbb [87 characters]
                                                ^
"""


def test_a_line_that_cannot_be_read_is_below_its_finding(write: Any, capsys: pytest.CaptureFixture[str]) -> None:
    good, odd = '{"id": "1", "q": "Why?"}\n', '{"id": "3", "q": "aaaa\x9b31m",\t"x": tru, "y": "'
    folder = write({"d.jsonl": f'{good}{{"id": "2", "q": nul}}\n{odd}{"b" * 99}"}}\n'})
    cli.main(["check", str(folder / "d.jsonl"), "--select", "dat", "--quiet"])
    assert re.sub(r"key \w+", "key K", capsys.readouterr().out) == BELOW
    cli.main(["check", str(folder / "d.jsonl"), "--select", "dat", "--verbose"])
    assert "                     ^\n    fix: correct the text at this place in the file\n" in capsys.readouterr().out


@pytest.mark.parametrize("content", ["hello\n", b"\xff\xfe" * 99, ""])
def test_pages_say_that_nothing_was_observed_where_the_log_is_unreadable(serving: Any, content: Any) -> None:
    serving({**ONE, "log.jsonl": content, "readback.yml": {**ONE["readback.yml"], "sent": "log.jsonl"}})
    assert "no log proves it" in words(page("prompts", mode="plain"))
    assert "Every prompt is assembled from files, not observed in logged requests." in words(page())


def test_a_folder_of_a_side_that_does_not_match_says_what_it_has(
    write: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one = write(ONE)
    for other, expected in ((SIX, "no mode 'plain'"), (tmp_path / "nowhere", "there is no such file or folder")):
        left = cli.main(["diff", str(one), "--a", "mode=plain,record=r1", "--b", f"workspace={other}"])
        out, err = capsys.readouterr()
        assert (left, expected in err, out) == (2, True, "")


@pytest.mark.parametrize("link", [{"b_rev": "no-such-revision"}, {"b_rev": "--output=x"}, {"b_rev": "a" * 5000}])
def test_a_link_to_a_revision_that_is_not_there_says_so(serving: Any, link: dict[str, str]) -> None:
    serving(ONE)
    test = page("prompts", view="difference", mode="plain", differs="version", **link)
    assert "cannot be compared" in words(test)
    assert "revision" in codes(test)


def test_no_finding_at_all_says_so_and_where_to_go(serving: Any) -> None:
    serving({**ONE, "readback.yml": {"dataset": "d.jsonl", "modes": MODES[:1]}})
    test = page("findings")
    assert "No findings" in words(test)
    assert re.search(r'href="/prompts[^"]*">See the messages</a>', said(test))
    assert "No fault was found in the files." in words(page())


@pytest.fixture(scope="module")
def five_megabytes() -> dict[str, Any]:
    """One record whose message has five million characters."""
    line = "the crane light signals a pilot at berth 7. \n"
    return {**ONE, "d.jsonl": [{"id": "r1", "q": line * (5_000_000 // len(line))}]}


@pytest.mark.parametrize(
    ("name", "link", "held"),
    part(
        [
            ("messages", {"mode": "plain"}, "of 4,999,995 are shown. The download has all of them."),
            ("compare", {"mode": "plain", "b_mode": "other"}, "in the downloads only"),
            ("findings", {"code": "fmt-system-text-in-user"}, "characters]"),
            ("messages", {"mode": "twice", "whitespace": "1"}, "are shown. The download has all of them."),
            ("compare", {"mode": "plain", "b_mode": "twice"}, "the downloads have them"),
            ("compare", {"mode": "plain", "b_mode": "other", "whole": "1", "inline": "1"}, "in the downloads only"),
            ("compare", {"mode": "plain", "view": "grid"}, "5,000,072"),
        ],
        2,
    ),
)
def test_five_megabytes_are_shown_in_part_and_in_time(
    serving: Any, five_megabytes: dict[str, Any], name: str, link: dict[str, str], held: str
) -> None:
    serving(five_megabytes)
    began = spent()
    test = page(name, **link)
    assert spent() - began < TOLD
    late = "not built yet, because the others took more than two seconds"  # said on a busy machine
    assert held in words(test) or ("view" in link and (held in said(test) or late in words(test)))
    assert len(said(test)) < DRAWN


SERVED = (
    "dataset: d.jsonl\nmodes: [{mode: m, system: Be brief., template: '{{ q }}'}]\n"
    "models: {served: {serving: {%s}%s}}\nconditions: [{name: c, mode: m, model: served}]\n"
)
GO = 'FROM x\nTEMPLATE """{{ range .Messages }}{{ .Content }}{{ end }}\n%s"""\n'
EACH = "{%- for m in messages %}{{ m.content }}{% endfor %}\n"


@pytest.mark.parametrize(
    ("kind", "content", "finding"),
    [
        ("modelfile", GO % "{{ range 1000000000 }}{{ end }}", "oll-template-error: .*too many steps"),
        ("modelfile", GO % '{{ define "a" }}{{ template "a" . }}{{ end }}{{ template "a" . }}', "oll-template-error"),
        ("modelfile", GO % "{{ index .Messages 99 }}", r":3:\d+: .*oll-template-error: .*out of range: 99"),
        ("modelfile", GO % "{{ nothere .Messages }}", r":3:4: error oll-template-error: .*'nothere' not defined"),
        ("modelfile", (GO % "{{ nothere }}").encode("utf-16"), r":3:4: error oll-template-error"),
        ("modelfile", GO % "\0", r":\d+:\d+: error oll-char-dropped: .*U\+0000"),
        ("modelfile", GO % ("{" * 1_000_000), r":3:\d+: error oll-template-error"),
        ("chat_template", EACH + "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
         "dat-limit: time to render the chat template"),
        ("chat_template", EACH + "{% macro a() %}{{ a() }}{% endmacro %}{{ a() }}", "dat-limit: nesting"),
        ("chat_template", EACH + "{{ messages[99].content }}", ":2: .*srv-template-error: .*no element 99"),
        ("chat_template", EACH + "{{ nothere() }}", ":2: .*srv-template-error: .*'nothere' is undefined"),
        ("chat_template", EACH + "{{ raise_exception('No system') }}", ":2: .*srv-template-error: .*No system"),
        ("chat_template", EACH.encode("utf-16"), ":1: error dat-encoding"),
        (
            "chat_template",
            EACH + "\0",
            ":2: error dat-encoding: the text is not valid UTF-8 and looks like binary: "
            "1 wrong byte, the first is 0x00",
        ),
        ("chat_template", EACH + "{" * 1_000_000, "dat-limit: nesting"),
        ("tokenizer", '{"version": "1.0", "model": {"type": "BPE", "vocab": {"a": 0', "srv-tokenizer-unreadable"),
        ("tokenizer", '{"version": "1.0", "model": {"type": "Nope"}}', "srv-tokenizer-unreadable"),
    ],
)  # fmt: skip
def test_what_serves_a_model_may_be_anything_and_its_messages_are_still_shown(
    request: pytest.FixtureRequest,
    write: Any,
    capsys: pytest.CaptureFixture[str],
    kind: str,
    content: str | bytes,
    finding: str,
) -> None:
    own = "format: chatml" if kind == "tokenizer" else f"{kind}: served.txt"
    more = ", tokenizer: tokenizer.json" if kind == "tokenizer" else ""
    name = "tokenizer.json" if kind == "tokenizer" else "served.txt"
    folder = write({"readback.yml": SERVED % (own, more), name: content, "d.jsonl": [{"id": "r1", "q": "How deep?"}]})
    if "time to render" in finding:  # the next test waits for what never ends as long as people do
        request.getfixturevalue("hurried")
    began = spent()
    code = cli.main(["check", str(folder)])
    out = capsys.readouterr().out
    assert (code in (0, 1), re.search(finding, out) is not None) == (True, True), out[:2000]
    cli.main(["render", str(folder), "--condition", "c", "--wire"])
    assert "How deep?" in capsys.readouterr().out
    assert spent() - began < TOLD


def test_a_chat_template_that_never_ends_costs_its_time_once_and_not_for_each_record(
    write: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    endless = EACH + "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}{# once #}"
    rows = [{"id": f"r{i}", "q": "How deep is it?" * (i + 1)} for i in range(12)]
    folder = write({"readback.yml": SERVED % ("chat_template: t.jinja", ""), "t.jinja": endless, "d.jsonl": rows})
    began = spent()
    assert cli.main(["check", str(folder)]) == 1
    assert capsys.readouterr().out.count("dat-limit:") == 1
    assert spent() - began < TOLD


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")
@pytest.mark.parametrize("command", [["rule", "--all"], ["check"], ["export", "--as", "messages-jsonl"]])
def test_an_answer_that_finds_no_room_is_said_to_be_a_part(
    write: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    folder = [] if command[0] == "rule" else [str(write(ONE))]
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        monkeypatch.setattr("sys.stdout", full)
        assert cli.main([*command, *folder]) == 2
    said_ = "readback: not everything could be written: no space left on device; free some space, or write to another"
    assert said_ in capsys.readouterr().err


def test_a_process_that_may_open_no_more_files_says_so(
    write: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(engine, "stream", full)
    assert cli.main(["check", str(write(ONE))]) == 2
    assert capsys.readouterr().err.startswith(
        "readback: this process may not open as many files as it needs: too many open files; allow it more (ulimit -n"
    )


@pytest.mark.parametrize("closed", part(["2>&-", "0<&- 1>&- 2>&-", "1>&-"], 2))
def test_standard_streams_that_are_closed_are_taken_by_no_file(write: Any, closed: str, tmp_path: Path) -> None:
    """As where a service or `>&-` starts it: the socket of a child had the number of standard error."""
    folder, answer = write(ONE), tmp_path / "answer"
    words = (sys.executable, "-m", "readback.cli", "check", str(folder), "--format", "json", "--fail-on", "never")
    ended = subprocess.run(["/bin/sh", "-c", f'"$@" >"$0" {closed}', str(answer), *words], timeout=120, check=False)
    assert ended.returncode == 0
    said = answer.read_text("utf-8")
    assert said == "" if "1>&-" in closed else json.loads(said)["records"]["read"]
