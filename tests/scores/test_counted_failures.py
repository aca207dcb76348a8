"""A mean of another tool's log in which failed rows count as 0 is named, with the mean without them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from readback import cli, workspace
from readback.scores import summary, warnings
from readback.scores.files.cells import describe_stored, read_stored
from readback.scores.loading import load
from readback.scores.reported.counted_failures import find_counted_failures

Write = Callable[[Mapping[str, Any]], Path]
COUNTS, DIFFERS, ZERO = "scr-summary-counts-failures", "scr-summary-differs", "scr-zero-is-failure"
NAN = float("nan")
NO_GRADE = "Could not extract JSON from llm-rubric response"


def make_promptfoo(rows: Sequence[tuple[str, float, float]], stated: Mapping[str, Any]) -> str:
    """Return results of one prompt: each row is (how it ended, stored score, stored metric), and what is stated."""
    results = []
    for number, (end, score, metric) in enumerate(rows):
        reason = NO_GRADE if end == "no grade" else "graded"
        component = {
            "pass": score == 1, "score": metric, "reason": reason,
            "assertion": {"type": "llm-rubric", "metric": "faithful"},
        }  # fmt: skip
        failed = end == "error"
        results.append(
            {
                "promptIdx": 0,
                "testIdx": number,
                "prompt": {"raw": "Why?", "label": "plain"},
                "provider": {"id": "m"},
                "vars": {"q": f"Why {number}?"},
                "success": score == 1,
                "score": score,
                "namedScores": {} if failed else {"faithful": metric},
                "failureReason": 2 if failed else int(score != 1),
                **({"error": "429 Too Many Requests\nslow down"} if failed else {"response": {"output": "So."}}),
                "gradingResult": None if failed else {
                    "pass": score == 1, "score": score, "reason": reason, "componentResults": [component],
                    "namedScores": {"faithful": metric},
                },
            }
        )  # fmt: skip
    prompts = [{"label": "plain", "provider": "m", "metrics": stated}]
    return json.dumps({"evalId": "e", "results": {"version": 3, "results": results, "prompts": prompts}})


def make_inspect(grades: Mapping[str, Any], metrics: Mapping[str, float], *, epochs: int = 1, n: int = 4) -> str:
    """Return a log whose samples have these grades by id: a value, a list of them by epoch, or an error."""
    samples = []
    for name, grade in grades.items():
        for epoch, value in enumerate(grade if isinstance(grade, list) else [grade], 1):
            sample: dict[str, Any] = {
                "id": name, "epoch": epoch, "input": "Why?", "target": "a",
                "messages": [{"role": "user", "content": "Why?"}], "events": [],
            }  # fmt: skip
            if value == "error":
                sample |= {"error": {"message": "the sandbox is gone"}, "scores": {}}
            else:
                sample["scores"] = {"right": {"value": value}}
            samples.append(sample)
    block = {"name": "right", "scorer": "right", "reducer": "mean" if epochs > 1 else None, "scored_samples": n,
             "metrics": {name: {"name": name, "value": value} for name, value in metrics.items()}}  # fmt: skip
    log = {"version": 2, "status": "success", "eval": {"task": "t", "model": "m", "dataset": {}, "config": {}},
           "plan": {}, "results": {"total_samples": len(samples), "scores": [block]}, "samples": samples}  # fmt: skip
    return json.dumps(log)


def make_lm_eval(values: Sequence[float | None], stated: float) -> dict[str, Any]:
    """Return samples of a task, and the results beside them."""
    samples = "".join(
        json.dumps({"doc_id": number, "doc": {"q": f"Why {number}?"}, "target": "a", "arguments": [["Why?", "a"]],
                    "resps": [["b"]], "filtered_resps": ["b"], "metrics": ["acc"], "acc": value}) + "\n"
        for number, value in enumerate(values)
    )  # fmt: skip
    results = {"results": {"t": {"acc,none": stated}}, "configs": {"t": {}}, "versions": {"t": 1}, "n-shot": {"t": 0},
               "n-samples": {"t": {"original": len(values), "effective": len(values)}}}  # fmt: skip
    return {"samples_t.jsonl": samples, "results.json": json.dumps(results)}


OK, BAD, ERROR, NOTHING = ("ok", 1, 1.0), ("bad", 0, 0.2), ("error", 0, 0), ("no grade", 0, 0)
PROMPTFOO = {"score": 2, "testPassCount": 2, "testFailCount": 1, "testErrorCount": 1}

# By name: files, and of each finding the criterion, the stated mean, the failed rows, the mean without them, its n.
COUNTED: dict[str, tuple[Mapping[str, Any], list[tuple[str, str, int, str, int]]]] = {
    "promptfoo, an error": (
        {"r.json": make_promptfoo([OK, OK, BAD, ERROR], PROMPTFOO)},
        [("overall", "0.5", 1, "0.666667", 3), ("pass", "0.5", 1, "0.666667", 3)],
    ),
    "promptfoo, an error and a judge without a grade": (
        {
            "r.json": make_promptfoo(
                [OK, OK, ERROR, NOTHING],
                {**PROMPTFOO, "namedScores": {"faithful": 2}, "namedScoresCount": {"faithful": 3}},
            )
        },
        [("overall", "0.5", 2, "1", 2), ("pass", "0.5", 2, "1", 2), ("faithful", "0.666667", 1, "1", 2)],
    ),
    "promptfoo, a failed grade that is half of a score": (
        {"r.json": make_promptfoo([OK, ("no grade", 0.5, 0)], {**PROMPTFOO, "score": 1.5, "testErrorCount": 0,
                                                              "testPassCount": 1})},
        [("overall", "0.75", 1, "1", 1), ("pass", "0.5", 1, "1", 1)],
    ),
    "Inspect, no number": (
        {"log.json": make_inspect({"a": "C", "b": "C", "c": "I", "d": NAN}, {"accuracy": 0.5})},
        [("right", "0.5", 1, "0.666667", 3)],
    ),
    "Inspect, a word that is no grade": (
        {"log.json": make_inspect({"a": "C", "b": "C", "c": "I", "d": "unclear"}, {"accuracy": 0.5})},
        [("right", "0.5", 1, "0.666667", 3)],
    ),
    "Inspect, a sample that failed": (
        {"log.json": make_inspect({"a": 1, "b": 1, "c": 0, "d": "error"}, {"mean": 0.5, "std": 0.5})},
        [("right", "0.5", 1, "0.666667", 3)],
    ),
    "Inspect, the failed sample is left out and the missing grade is 0": (
        {"log.json": make_inspect({"a": 1, "b": 1, "c": NAN, "d": "error"}, {"mean": 2 / 3}, n=3)},
        [("right", "0.666667", 1, "1", 2)],
    ),
    "Inspect, one of two epochs": (
        {"log.json": make_inspect({"a": ["C", "C"], "b": ["C", NAN]}, {"accuracy": 0.75}, epochs=2)},
        [("right", "0.75", 1, "1", 3)],
    ),
    "lm-eval, no number": (make_lm_eval([1, 1, 0, NAN], 0.5), [("acc", "0.5", 1, "0.666667", 3)]),
    "a table of means beside rows": (
        {
            "rows.csv": "id,model,status,score\n1,a,ok,4\n2,a,ok,2\n3,a,timeout,\n4,a,judge failed,\n",
            "means.csv": "model,avg_score\na,1.5\n",
        },
        [("score", "1.5", 2, "3", 2)],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", COUNTED)
def test_a_mean_that_counts_failures_as_zero_is_named(name: str, write: Write) -> None:
    files, expected = COUNTED[name]
    found = list(warnings.find_warnings(load(workspace.open(write(files)))))
    named = [
        (one.values["criterion"], one.values["stated"], one.values["failed"], one.values["without"], one.values["n"])
        for one in found
        if one.code == COUNTS
    ]
    assert named == expected
    assert DIFFERS not in {one.code for one in found}


HEALTHY: dict[str, Mapping[str, Any]] = {
    "nothing failed": {"log.json": make_inspect({"a": "C", "b": "I"}, {"accuracy": 0.5})},
    "failures are left out": {"log.json": make_inspect({"a": 1, "b": 0, "c": NAN}, {"mean": 0.5}, n=2)},
    "all that is scored is 0": {"log.json": make_inspect({"a": 0, "b": 0, "c": NAN}, {"mean": 0}, n=2)},
    "a mean of the means of records": {
        "log.json": make_inspect({"a": ["C", "C"], "b": ["I", NAN]}, {"accuracy": 0.5}, epochs=2)
    },
    "a spread that happens to be the mean with zeros": {
        "log.json": make_inspect({"a": 1, "b": 1, "c": 0, "d": NAN}, {"mean": 2 / 3, "std": 0.5}, n=3)
    },
    "lm-eval leaves it out": make_lm_eval([1, 1, 0, NAN], 2 / 3),
}


@pytest.mark.parametrize("name", HEALTHY)
def test_a_mean_without_failures_or_of_them_alone_is_not_named(name: str, write: Write) -> None:
    table = load(workspace.open(write(HEALTHY[name])))
    assert list(find_counted_failures(table, summary.rows(table))) == []


def test_another_mean_is_a_difference_as_before(write: Write) -> None:
    table = load(workspace.open(write({"log.json": make_inspect({"a": 1, "b": 0, "c": NAN}, {"mean": 0.9})})))
    assert {one.code for one in warnings.find_warnings(table)} & {COUNTS, DIFFERS} == {DIFFERS}


def test_zeros_beside_an_error_are_said_to_be_failures(write: Write) -> None:
    table = load(workspace.open(write({"r.jsonl": "\n".join(
        json.dumps(row) for row in json.loads(make_promptfoo([OK, BAD, ERROR, NOTHING], {}))["results"]["results"]
    )})))  # fmt: skip
    (one,) = [one for one in table.diagnostics if one.code == ZERO]
    assert (one.values["rows"], one.values["items"]) == (2, ["2", "3"])
    assert sorted(one.values["criteria"]) == ["faithful", "overall", "pass"]
    assert one.values["reason"] == "429 Too Many Requests …"  # the first line, and a mark that it goes on
    (overall,) = [row for row in summary.rows(table) if row.criterion == "overall"]
    assert (overall.n, overall.failed, overall.missing, overall.mean) == (2, 1, 1, 0.5)


def test_a_zero_that_is_a_grade_is_no_failure(write: Write) -> None:
    table = load(workspace.open(write({"r.json": make_promptfoo([OK, BAD], {})})))
    assert ZERO not in {one.code for one in table.diagnostics}


@pytest.mark.parametrize("value", [0.0, 0.5, -1.0, 1e300])
def test_the_stored_number_stands_in_the_reason(value: float) -> None:
    assert read_stored(describe_stored(value, "status: judge failed")) == value
    assert read_stored(describe_stored(value, "")) == value
    assert read_stored("status: judge failed") is None


def test_commands_and_reports_say_it_in_the_same_words(
    write: Write, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = write({"r.json": make_promptfoo([OK, OK, ERROR, NOTHING], PROMPTFOO)})
    said = "it counts 2 rows without a score (records 2, 3) as 0; the mean without them is 1 (n 2)"
    assert cli.main(["scores", str(root)]) == 0
    assert f"r.json states 0.5 for overall under plain | m: {said}." in capsys.readouterr().out
    cli.main(["scores", str(root), "--format", "json"])
    first = json.loads(capsys.readouterr().out)["stated_beside_rows"]["count_failures"][0]
    assert (first["stated"], first["failed"], first["counted_as"], first["without_failures"]) == (0.5, 2, [0, 0], 1)
    assert cli.main(["report", str(root), "-o", str(tmp_path / "report.md")]) == 0
    assert said in (tmp_path / "report.md").read_text("utf-8")
    capsys.readouterr()
    cli.main(["check", str(root)])
    assert said in capsys.readouterr().out


@pytest.mark.realdata
def test_results_of_promptfoo_count_failures_as_zero(shared: Path, tmp_path: Path) -> None:
    results = shared / "vectors/ecosystem/promptfoo/pf-results-rubric/results.json"
    (tmp_path / "results.json").write_bytes(results.read_bytes())
    found = list(warnings.find_warnings(load(workspace.open(tmp_path))))
    assert sum(one.code == COUNTS for one in found) == 12  # faithful, overall and pass, of four conditions
    assert DIFFERS not in {one.code for one in found}
