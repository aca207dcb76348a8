"""Results of promptfoo become calls, records and scores, the same from each of its four files."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from log_events import check_frames, count_runs, iterate_lines, list_events, mutate, read_log

from readback.readers.logs.events import Aggregate, Call, LogRecord, LogScore, Run
from readback.readers.logs.formats import find_format
from readback.readers.logs.formats.promptfoo.rows import read_prompt
from readback.types import Diagnostic

CASES = ("pf-results", "pf-results-rubric")
WITH_PROMPTS = ("results.json", "results.jsonl", "results.yaml")
KEY = "promptfoo"


@pytest.fixture(scope="module")
def vectors(shared: Path) -> Path:
    """The folder of what promptfoo wrote and what is expected of it."""
    return shared / "vectors" / "ecosystem" / "promptfoo"


def make_row(test: int = 0, prompt: int = 0, **changes: Any) -> dict[str, Any]:
    """Return a row as promptfoo writes it."""
    row: dict[str, Any] = {
        "error": None,
        "failureReason": 0,
        "gradingResult": {
            "pass": True,
            "score": 0.5,
            "reason": "All assertions passed",
            "namedScores": {"clear": 0.5},
            "componentResults": [
                {"pass": True, "score": 0.5, "reason": "fine", "assertion": {"type": "llm-rubric", "metric": "clear"}}
            ],
        },
        "namedScores": {"clear": 0.5},
        "prompt": {"raw": f"Say {test}", "label": "plain"},
        "promptIdx": prompt,
        "provider": {"id": "openai:small", "label": "small"},
        "response": {"output": "yes"},
        "score": 0.5,
        "success": True,
        "testCase": {"vars": {"q": test}, "description": f"test {test}", "assert": []},
        "testIdx": test,
        "vars": {"q": test},
    }
    return row | changes


def make_results(rows: list[Any], **more: Any) -> dict[str, Any]:
    results = {"version": 3, "timestamp": "2026-11-22", "prompts": [], "results": rows, **more}
    return {"evalId": "eval-1", "results": results, "config": {}, "metadata": {"promptfooVersion": "0.123.1"}}


def read_rows(folder: Path, rows: list[Any], **more: Any) -> dict[type, list[Any]]:
    path = folder / "results.json"
    path.write_text(json.dumps(make_results(rows, **more), indent=2), "utf-8")
    return read_log(path, KEY)


def by_test(calls: list[Call]) -> dict[tuple[Any, Any], Call]:
    return {(call.index, call.condition): call for call in calls if call.role == "model"}


@pytest.mark.realdata
@pytest.mark.parametrize("name", WITH_PROMPTS)
@pytest.mark.parametrize("case", CASES)
def test_every_expected_line_is_read(vectors: Path, case: str, name: str) -> None:
    events = read_log(vectors / case / name, KEY)
    calls = by_test(events[Call])
    records = {record.id: record.fields for record in events[LogRecord]}
    lines = [line for line in iterate_lines(vectors / "expected.jsonl") if line["case"] == case]
    assert len(calls) == len(lines)
    for line in lines:
        call = calls[line["row"], line["condition"]]
        assert line["messages"] == call.messages
        assert (line["label"], line["provider"], line["output"]) == (call.prompt, call.provider, call.output)
        assert (line["failure_reason"] == "error") == (call.error is not None)
        assert line["error"] == call.error
        described = {} if line["description"] is None else {"description": line["description"]}
        assert line["vars"] | described == records[line["row"]]
        scores = {
            score.criterion: score
            for score in events[LogScore]
            if (score.record, score.condition) == (line["row"], line["condition"])
        }
        assert line["named_scores"] == {name: s.raw for name, s in scores.items() if name not in ("overall", "pass")}
        assert (line["score"], line["success"]) == (scores["overall"].raw, scores["pass"].raw)
        shown = [
            {k: part.get(k) for k in ("type", "metric", "pass", "score", "reason")}
            for part in call.details.get("components", [])
        ]
        assert line["assertions"] == shown
    assert not events[Diagnostic]


@pytest.mark.realdata
@pytest.mark.parametrize("case", CASES)
def test_a_failed_grader_and_a_failed_call_give_no_number(vectors: Path, case: str) -> None:
    lines = {
        (line["row"], line["condition"]): line
        for line in iterate_lines(vectors / "expected.jsonl")
        if line["case"] == case
    }
    for name in (*WITH_PROMPTS, "results.csv"):
        for score in read_log(vectors / case / name, KEY)[LogScore]:
            line = lines[score.record, score.condition]
            without_grade = {
                part["metric"] for part in line["assertions"] if part["reason"].startswith("Could not extract JSON")
            }
            if without_grade:
                without_grade |= {"overall", "pass"}
            if line["failure_reason"] == "error":
                assert (score.value, score.status) == (None, "missing")
            elif score.criterion in without_grade:
                assert (score.value, score.status) == (None, "failed")
                assert score.raw in (0, 0.5, False)
            else:
                assert score.status == "scored"
                assert score.value == float(score.raw)


@pytest.mark.realdata
@pytest.mark.parametrize("case", CASES)
def test_all_spellings_agree(vectors: Path, case: str) -> None:
    def compare(name: str) -> Any:
        events = read_log(vectors / case / name, KEY)
        calls = [
            (c.index, c.condition, c.output, c.epoch, c.error is None, c.record)
            for c in events[Call]
            if c.role == "model"
        ]
        scores = [
            (
                s.record,
                s.condition,
                s.criterion,
                s.value,
                s.status,
                s.raw,
                s.reason if s.criterion == "overall" and s.status != "missing" else None,
            )
            for s in events[LogScore]
        ]
        records = {r.id: {name: str(value) for name, value in r.fields.items()} for r in events[LogRecord]}
        return sorted(calls, key=str), sorted(scores, key=str), records

    expected = compare("results.json")
    for name in ("results.jsonl", "results.yaml", "results.csv"):
        assert compare(name) == expected


@pytest.mark.realdata
def test_means_of_the_tool_are_those_of_its_rows(vectors: Path) -> None:
    for name in ("results.json", "results.yaml"):
        events = read_log(vectors / "pf-results" / name, KEY)
        means = {(a.condition, a.criterion): a for a in events[Aggregate]}
        assert (means["plain | small", "overall"].value, means["plain | small", "overall"].n) == (1.75 / 3, 3)
        assert (means["plain | small", "correct"].value, means["plain | small", "correct"].name) == (
            3 / 4,
            "weighted mean",
        )
        assert means["plain | large", "answers"].value == 1
        for (condition, criterion), mean in means.items():
            values = [s.value for s in events[LogScore] if (s.condition, s.criterion) == (condition, criterion)]
            if mean.name == "mean":
                assert sum(values) / len(values) == pytest.approx(mean.value)
        [run] = events[Run]
        assert (run.version, run.rows, run.is_complete) == ("0.123.1", 12, True)


@pytest.mark.realdata
def test_what_the_judge_got_is_a_call_of_the_judge(vectors: Path) -> None:
    calls = [call for call in read_log(vectors / "pf-results-rubric/results.json", KEY)[Call] if call.role == "judge"]
    assert {call.judge for call in calls} == {"openai:chat:house-judge"}
    assert calls[0].messages is not None
    assert [message["role"] for message in calls[0].messages] == ["system", "user"]
    assert not any(call.is_answer for call in calls)


def test_prompts_become_messages() -> None:
    user = {"role": "user", "content": "hi"}
    assert read_prompt("hi", False)[0] == [user]
    assert read_prompt(' [{"role": "user", "content": "hi"}]\n', False)[0] == [user]
    assert read_prompt('- role: user\n  content: "hi"', False)[0] == [user]
    for text in ("1", "{", '{"a": 1}', "[1, 2]", "[]", "[{", '[{"a": NaN}]', "[note] x", "", "- role: [", '{"a": 1} b'):
        assert read_prompt(text, False)[0] == [{"role": "user", "content": text}]
    for text in ('[{"role": "user", "content": "say "x""}]', '- role: user\n  content: "a "b""'):
        messages, raw, warning = read_prompt(text, True)
        assert (messages, raw) == (None, text)
        assert warning is not None


def test_a_chat_with_a_text_that_is_json_says_that_it_is_respelled() -> None:
    for content, is_respelled in (('{"a":1}', True), ("[1,2]", True), ("[note] x", False), ("1.0", False)):
        messages, _, warning = read_prompt(json.dumps([{"role": "user", "content": content}]), False)
        assert messages == [{"role": "user", "content": content}]
        assert (warning is not None) is is_respelled


def test_repeats_of_a_test_are_replicates(tmp_path: Path) -> None:
    same = {"testCase": {"vars": {"q": 1}, "assert": []}, "vars": {"q": 1}}
    rows = [make_row(0, **same), make_row(1, **same), make_row(0, 1, provider="b", **same), make_row(2)]
    calls = read_rows(tmp_path, rows)[Call]
    assert [(call.record, call.epoch) for call in calls] == [(0, 1), (1, 2), (0, 1), (2, 1)]
    assert calls[1].details["repeat_of"] == 0


def test_rows_of_older_versions_are_numbered_by_their_variables(tmp_path: Path) -> None:
    rows = [make_row(test % 2, provider=name) for test in range(4) for name in ("a", "b")]
    for row in rows:
        del row["testIdx"], row["failureReason"]
    calls = read_rows(tmp_path, rows)[Call]
    assert [call.index for call in calls] == [0, 0, 1, 1, 0, 0, 1, 1]
    assert [call.epoch for call in calls] == [1, 1, 1, 1, 2, 2, 2, 2]
    assert not any(call.error for call in calls)


def test_the_reason_of_an_assertion_is_no_error(tmp_path: Path) -> None:
    [call] = read_rows(tmp_path, [make_row(error="Expected x", failureReason=1, success=False)])[Call]
    assert call.error is None
    [call] = read_rows(tmp_path, [make_row(error="API error", failureReason=2, gradingResult=None, response={})])[Call]
    assert (call.error, call.output) == ("API error", None)


def test_an_answer_that_is_json_stays_json(tmp_path: Path) -> None:
    [call] = read_rows(tmp_path, [make_row(response={"output": {"a": [1, None]}})])[Call]
    assert call.output == {"a": [1, None]}


def test_a_grade_inside_a_set_that_failed_is_no_grade(tmp_path: Path) -> None:
    inner = {"pass": False, "score": 0, "reason": "No output", "assertion": {"type": "g-eval", "metric": "clear"}}
    grading = {
        "pass": False,
        "score": 0.5,
        "reason": "x",
        "namedScores": {"clear": 0, "other": 1},
        "componentResults": [{"componentResults": [inner], "assertion": None}],
    }
    scores = {s.criterion: s for s in read_rows(tmp_path, [make_row(gradingResult=grading)])[LogScore]}
    assert {name: s.status for name, s in scores.items()} == {
        "clear": "failed",
        "other": "scored",
        "overall": "failed",
        "pass": "failed",
    }
    assert scores["clear"].judge == "g-eval"


def test_grades_that_are_no_numbers_are_not_counted(tmp_path: Path) -> None:
    grading = {"namedScores": {"a": None, "b": "x", "c": True, "overall": 1}, "componentResults": None}
    scores = {s.criterion: s for s in read_rows(tmp_path, [make_row(gradingResult=grading, score=10**30)])[LogScore]}
    assert {name: (s.value, s.status) for name, s in scores.items()} == {
        "a": (None, "failed"),
        "b": (None, "not applicable"),
        "c": (1.0, "scored"),
        "overall (metric)": (1.0, "scored"),
        "overall": (None, "not applicable"),
        "pass": (1.0, "scored"),
    }


def test_a_file_with_fewer_rows_than_it_counts_is_not_complete(tmp_path: Path) -> None:
    [run] = read_rows(tmp_path, [make_row()], stats={"successes": 2, "failures": 0, "errors": 0})[Run]
    assert not run.is_complete
    assert run.state_reason == "the file counts 2 rows and holds 1"


@pytest.mark.parametrize("bad", [None, 1, "x", [], {}, {"prompt": 1}])
def test_a_row_of_another_kind_is_counted(tmp_path: Path, bad: Any) -> None:
    events = read_rows(tmp_path, [make_row(0), bad, make_row(1)])
    assert [call.error is None for call in events[Call]] == [True, False, True]
    assert [diagnostic.code for diagnostic in events[Diagnostic]] == ["dat-log-row"]


@pytest.mark.parametrize("value", [None, 1, "x", [], {}, [None], {"a": {"b": []}}])
def test_members_of_other_kinds_raise_nothing(tmp_path: Path, value: Any) -> None:
    row = make_row()
    for key in row:
        read_rows(tmp_path, [row | {key: value}])
    for key in ("testCase", "gradingResult", "response", "prompt"):
        for inner in row[key]:
            read_rows(tmp_path, [row | {key: row[key] | {inner: value}}])
    read_rows(tmp_path, [row], prompts=value, stats=value)
    read_rows(tmp_path, [row], prompts=[{"label": value, "metrics": {"namedScores": value, "testPassCount": value}}])


def test_results_of_the_library_are_read(tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    path.write_text(json.dumps(make_results([make_row()])["results"]), "utf-8")
    assert len(read_log(path, KEY)[Call]) == 1


@pytest.mark.parametrize(
    "text",
    [
        '{"results": {"a": {"acc": 1}}, "versions": {}, "config": {}}',
        '{"results": []}',
        "prompts: [a]\ntests: []",
        '{"prompts": ["a"], "tests": []}',
        "a,Status,Score\n1,2,3",
        "<html>Named Scores</html>",
        "# evalId: x",
    ],
)
def test_other_files_are_no_results(tmp_path: Path, text: str) -> None:
    path = tmp_path / "results.json"
    path.write_text(text, "utf-8")
    log_format = find_format(path)
    assert log_format is None or log_format.key != KEY


def write_table(folder: Path, rows: list[list[str]]) -> Path:
    path = folder / "results.csv"
    out = io.StringIO()
    csv.writer(out).writerows(rows)
    path.write_text(out.getvalue(), "utf-8", newline="")
    return path


HEAD = ["[a] x", "Status", "Score", "Named Scores", "Metric: m", "Grader Reason", "Comment"]
OTHER = ["y", "Status", "Score", "Named Scores", "Grader Reason", "Comment"]


def test_blocks_of_a_table_may_differ_and_be_empty(tmp_path: Path) -> None:
    rows = [
        ["q", *HEAD, *OTHER],
        ["1", "yes", "PASS", "1.00", "", "0.50", "", "", "", "FAIL", "0.00", "", "No output", ""],
        ["2", "", "", "", "", "", "", "", "no", "PASS", "1.00", "", "", ""],
        ["2", "", "ERROR", "0.00", "", "", "", "", "no", "PASS", "1.00", "", "", ""],
        ["3", "short"],
    ]
    events = read_log(write_table(tmp_path, rows), KEY)
    calls = [(c.index, c.condition, c.output, c.epoch, c.error is None) for c in events[Call]]
    assert calls == [
        (0, "x | a", "yes", 1, True),
        (0, "y", "", 1, True),
        (1, "y", "no", 1, True),
        (2, "x | a", None, 2, False),
        (2, "y", "no", 2, True),
        (3, None, None, 1, False),
    ]
    assert all(call.messages is None for call in events[Call])
    scores = {(s.record, s.condition, s.criterion): (s.value, s.status) for s in events[LogScore]}
    assert scores[0, "x | a", "m"] == (0.5, "scored")
    assert scores[0, "y", "overall"] == (None, "failed")
    assert scores[2, "x | a", "pass"] == (None, "missing")
    assert (1, "y", "m") not in scores


def test_large_yaml_is_refused_with_the_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("readback.readers.logs.formats.promptfoo.LARGEST", 10)
    path = tmp_path / "results.yaml"
    path.write_text("evalId: a\nresults:\n  version: 3\n  results: []\n", "utf-8")
    events = read_log(path, KEY)
    assert [d.code for d in events[Diagnostic]] == ["dat-too-large"]
    assert not events[Run][0].is_complete


def test_yaml_that_repeats_itself_ends(tmp_path: Path) -> None:
    lines = ["evalId: a", "results:", "  version: 3", "  a: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"  a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    path = tmp_path / "results.yaml"
    path.write_text("\n".join([*lines, "  results: []"]), "utf-8")
    events = read_log(path, KEY)
    assert [d.code for d in events[Diagnostic]] == ["dat-log-row"]
    assert not events[Run][0].is_complete


def test_evil_rows_are_named_or_shown(tmp_path: Path) -> None:
    deep = '{"a":' * 3000 + "1" + "}" * 3000
    good = json.dumps(make_row())
    lone = json.dumps(make_row(vars={"q": "\ud800"}, response={"output": "\udc00"}))
    huge = json.dumps(make_row(vars={"q": "x" * (17 << 20)}))
    twice = good[:-1] + ', "score": 1, "score": 0.25}'
    path = tmp_path / "results.json"
    rows = [good, deep, lone, huge, twice, good.replace("0.5", "NaN"), '{"prompt":']
    path.write_text('{"evalId": "e", "results": {"results": [\n' + ",\n".join(rows), "utf-8")
    parts = check_frames(path, KEY)
    assert [call["error"] and True for call in parts["calls"]] == [None, True, None, True, None, None, True]
    lines = tmp_path / "results.jsonl"
    lines.write_text("\n".join(rows), "utf-8")
    parts = check_frames(lines, KEY)
    assert [call["error"] and True for call in parts["calls"]] == [None, True, None, True, None, None, True]


@pytest.fixture(scope="module")
def originals() -> dict[str, bytes]:
    rows = [make_row(test, prompt) for test in range(3) for prompt in range(2)]
    stats = {"successes": 6, "failures": 0, "errors": 0}
    table = io.StringIO()
    csv.writer(table).writerows(
        [
            ["q", *HEAD, *OTHER],
            *[[str(n), "a\nb", "PASS", "1.00", "", "1.00", "", "", "c", "FAIL", "0.00", "", "r", ""] for n in range(4)],
        ]
    )
    yaml = "evalId: e\nresults:\n  version: 3\n  results:\n" + "".join(f"    - {json.dumps(row)}\n" for row in rows)
    return {
        "a.json": json.dumps(make_results(rows, stats=stats), indent=2).encode(),
        "b.json": json.dumps(make_results(rows, stats=stats)).encode(),
        "c.jsonl": "\n".join(map(json.dumps, rows)).encode(),
        "d.yaml": yaml.encode(),
        "e.csv": table.getvalue().encode(),
    }


@pytest.mark.parametrize("name", ["a.json", "b.json", "c.jsonl", "d.yaml", "e.csv"])
def test_damaged_files_raise_nothing_and_lose_nothing(name: str, originals: dict[str, bytes], tmp_path: Path) -> None:
    path = tmp_path / name
    whole = originals[name]
    path.write_bytes(whole)
    rows = sum(isinstance(event, Call) for event in list_events(path, KEY))
    for seed in range(count_runs(400)):
        path.write_bytes(mutate(whole, seed))
        parts = check_frames(path, KEY)
        find_format(path)
        complaints = parts["diagnostics"] or any(not run["is_complete"] for run in parts["runs"])
        readable = [call for call in parts["calls"] if call["condition"] is not None]
        assert len(readable) >= rows or complaints or name in ("c.jsonl", "e.csv", "d.yaml"), seed
        assert len(parts["calls"]) == len(readable) or complaints, seed
