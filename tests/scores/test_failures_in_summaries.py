"""Rows that failed without a score are failed, and a summary that leaves them out is named beside its rows."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from readback import cli, workspace
from readback.scores import summary, warnings
from readback.scores.files import cells
from readback.scores.loading import load
from readback.scores.table import FAILED, MISSING, SCORED

Write = Callable[[dict[str, Any]], Path]

HEAD = "problem,model,status,score\n"


def rows_of(passes: int, wrong: int, failed: int, status: str = "compile_error", model: str = "m") -> str:
    """Return rows of a table with the columns of HEAD."""
    states = [("success", "1")] * passes + [("success", "0")] * wrong + [(status, "")] * failed
    return "".join(f"p{at},{model},{state},{score}\n" for at, (state, score) in enumerate(states))


def found_in(root: Path) -> dict[str, list[Any]]:
    """Return the diagnostics of the scores of a folder by code."""
    table = load(workspace.open(root))
    found: dict[str, list[Any]] = {}
    for one in warnings.find_warnings(table):
        found.setdefault(one.code, []).append(one)
    return found


@pytest.mark.parametrize(
    ("status", "state"),
    [
        ("compile_error", FAILED),
        ("timeout", FAILED),
        ("Timed out", FAILED),
        ("RuntimeError: x", FAILED),
        ("429", FAILED),
        ("exception", FAILED),
        ("success", MISSING),
        ("ok (no errors)", MISSING),
        ("0 failures", MISSING),
        ("pending", MISSING),
        ("", MISSING),
        ("skipped", MISSING),
    ],
)
def test_a_row_without_a_score_failed_where_its_status_says_so(status: str, state: int) -> None:
    assert cells.apply_status(cells.cell(""), status)[1] == state


@pytest.mark.parametrize("status", ["compile_error", "timeout", "RuntimeError", "429"])
def test_a_score_beside_a_word_for_a_failure_stands(status: str) -> None:
    assert cells.apply_status(cells.cell("0"), status) == (0.0, SCORED, "")


# Each: rows, summary, (stated n, n, sentence). The stated mean is that of the scored rows, over all of them.
LEFT_OUT: dict[str, tuple[dict[str, Any], tuple[int, int, str]]] = {
    "csv and a table of averages": (
        {
            "results.csv": HEAD + rows_of(30, 10, 10),
            "by_model.csv": "model,total,successful,failed,pass_at_1,avg_score\nm,50,40,10,0.75,0.75\n",
        },
        (50, 40, "30 of 50 = 0.600 if failures count as 0; the stated mean leaves the 10 failed out"),
    ),
    "json lines with truth values": (
        {
            "run.jsonl": [
                {
                    "task_id": f"HumanEval/{at}",
                    "agent": agent,
                    "outcome": "timeout" if agent == "fern" and at >= 40 else "ran",
                    "passed": None if agent == "fern" and at >= 40 else at < 30,
                    "seconds": 1.5,
                }
                for agent in ("fern", "moss")
                for at in range(50)
            ],
            "summary.csv": "agent,n_problems,pass_rate\nfern,50,0.75\nmoss,50,0.6\n",
        },
        (50, 40, "30 of 50 = 0.600 if failures count as 0; the stated rate leaves the 10 failed out"),
    ),
    "grades with a column of errors": (
        {
            "marks.csv": "exercise,system,error,grade\n"
            + "".join(f"e{n},a,{'' if n % 4 else 'ParserError'},{n % 6 if n % 4 else ''}\n" for n in range(40))
            + "".join(f"e{n},b,,{n % 6}\n" for n in range(40)),
            "overall.json": [
                {"system": "a", "total": 40, "avg_grade": 2.6},
                {"system": "b", "total": 40, "avg_grade": 2.4},
            ],
        },
        (40, 30, "the mean of all 40 is 1.950 if failures count as 0; the stated mean leaves the 10 failed out"),
    ),
    "a summary that is one object": (
        {
            "results.csv": HEAD + rows_of(30, 10, 10, "runtime error"),
            "summary.json": json.dumps({"model": "m", "total": 50, "failed": 10, "pass_rate": 0.75}),
        },
        (50, 40, "30 of 50 = 0.600 if failures count as 0; the stated rate leaves the 10 failed out"),
    ),
    "objects by the name of each model": (
        {
            "results.csv": HEAD + rows_of(30, 10, 10, "error: no reply"),
            "summary.json": json.dumps({"m": {"total": 50, "failed": 10, "accuracy": 0.75}}, indent=1),
        },
        (50, 40, "30 of 50 = 0.600 if failures count as 0; the stated rate leaves the 10 failed out"),
    ),
    "a summary that names no model": (
        {"results.csv": HEAD + rows_of(30, 10, 10), "summary.csv": "total,failed,mean_score\n50,10,0.75\n"},
        (50, 40, "30 of 50 = 0.600 if failures count as 0; the stated mean leaves the 10 failed out"),
    ),
    "percent": (
        {"results.csv": HEAD + rows_of(30, 10, 10), "summary.csv": "model,n,accuracy\nm,50,75.0%\n"},
        (50, 40, "30 of 50 = 60.0 % if failures count as 0; the stated rate leaves the 10 failed out"),
    ),
    "a scale without 0": (
        {
            "results.csv": "problem,model,status,rating\n"
            + "".join(f"p{n},m,{'done' if n < 40 else 'failed'},{n % 5 + 1 if n < 40 else ''}\n" for n in range(50)),
            "by_model.csv": "model,total,avg_rating\nm,50,3.0\n",
        },
        (50, 40, "the stated mean is that of 40 of 50; it leaves the 10 failed out"),
    ),
}


@pytest.mark.parametrize("name", LEFT_OUT)
def test_a_stated_mean_that_leaves_failures_out_is_named(name: str, write: Write) -> None:
    files, (stated_n, n, sentence) = LEFT_OUT[name]
    found = found_in(write(files))
    (one,) = found["scr-summary-leaves-failures"]
    assert (one.values["stated_n"], one.values["n"], one.values["sentence"]) == (stated_n, n, sentence)
    assert one.place.file in files
    assert not {"scr-summary-differs", "scr-rate-unreachable"} & found.keys()


def test_the_rows_count_as_failed_and_never_as_0(write: Write) -> None:
    (row,) = summary.rows(load(workspace.open(write({"results.csv": HEAD + rows_of(30, 10, 10)}))))
    assert (row.n, row.failed, row.missing, row.mean) == (40, 10, 0, 0.75)
    assert row.condition == (("model", "m"),)


HEALTHY: dict[str, dict[str, Any]] = {
    "nothing failed": {
        "results.csv": HEAD + rows_of(30, 10, 0),
        "by_model.csv": "model,total,failed,avg_score\nm,40,0,0.75\n",
    },
    "the summary says how many are scored": {
        "results.csv": HEAD + rows_of(30, 10, 10),
        "by_model.csv": "model,total,scored,avg_score\nm,50,40,0.75\n",
    },
    "the summary says n beside the total": {
        "results.csv": HEAD + rows_of(30, 10, 10),
        "summary.json": json.dumps({"model": "m", "total": 50, "n": 40, "pass_rate": 0.75}),
    },
    "the summary says no n": {
        "results.csv": HEAD + rows_of(30, 10, 10),
        "by_model.csv": "model,avg_score\nm,0.75\n",
    },
    "a rate of something else": {
        "results.csv": HEAD + rows_of(30, 10, 10),
        "summary.json": json.dumps({"model": "m", "total": 50, "accuracy": 0.42}),
    },
}


@pytest.mark.parametrize("name", HEALTHY)
def test_a_summary_that_says_what_it_is_of_is_not_warned_about(name: str, write: Write) -> None:
    assert not {"scr-summary-leaves-failures", "scr-summary-differs"} & found_in(write(HEALTHY[name])).keys()


def test_failures_counted_as_0_are_said_to_be_counted_so(write: Write) -> None:
    files = {
        "results.csv": HEAD + rows_of(30, 10, 10),
        "summary.json": json.dumps({"model": "m", "total": 50, "failed": 10, "pass_rate": 0.6}),
    }
    (one,) = found_in(write(files))["scr-summary-counts-failures"]
    assert (one.values["stated"], one.values["without"], one.values["n"]) == ("0.6", "0.75", 40)
    assert "10 rows without a score" in one.values["sentence"]


def test_every_place_says_it_in_the_same_words(
    write: Write, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = write(LEFT_OUT["csv and a table of averages"][0])
    sentence = "by_model.csv states 0.75 for score under m: 30 of 50 = 0.600 if failures count as 0; the stated mean"
    assert cli.main(["scores", str(root)]) == 0
    assert sentence in capsys.readouterr().out
    assert cli.main(["scores", str(root), "--format", "json"]) == 0
    (said,) = json.loads(capsys.readouterr().out)["stated_beside_rows"]["leave_out"]
    assert said["sentence"].startswith(sentence)
    assert (said["stated"], said["stated_n"], said["n"], said["all"], said["left_out"]) == (0.75, 50, 40, 50, 10)
    assert said["with_failures_as_0"] == pytest.approx(0.6)
    for ending in ("md", "html", "json"):
        assert cli.main(["report", str(root), "-o", str(tmp_path / f"report.{ending}")]) == 0
        assert "30 of 50 = 0.600 if failures count as 0" in (tmp_path / f"report.{ending}").read_text("utf-8")
    capsys.readouterr()
    cli.main(["check", str(root)])
    assert "30 of 50 = 0.600 if failures count as 0" in capsys.readouterr().out


def items_of(root: Path) -> Sequence[str]:
    table = load(workspace.open(root))
    return sorted({name for source in table.sources for name in source.columns.get("item", ())})


@pytest.mark.parametrize(
    ("columns", "line", "item"),
    [
        ("problem,model,score", "p{n},{m},{v}", "problem"),
        ("task,model,score", "t{n},{m},{v}", "task"),
        ("puzzle,model,score", "The {w} one,{m},{v}", "puzzle"),
        ("pebble,model,score", "{w},{m},{v}", "pebble"),
        ("case,system,seconds,error,grade", "c-{n},{m},2,,{v}", "case"),
    ],
)
def test_what_identifies_the_rows_is_the_item(columns: str, line: str, item: str, write: Write) -> None:
    words = ("oak", "elm", "ash", "fir", "yew", "box", "bay", "fig")
    text = "".join(
        f"{line.format(n=n, w=words[n], m=model, v=(n + at) % 2)}\n" for at, model in enumerate("xy") for n in range(8)
    )
    assert items_of(write({"results.csv": f"{columns}\n{text}"})) == [item]


@pytest.mark.parametrize(
    "text",
    [
        # means by benchmark
        "task,model,score\n"
        + "".join(f"{t},{m},0.5\n" for m in "xy" for t in ("mmlu", "arc", "boolq", "piqa", "siqa")),
        "dataset,model,score\n" + "".join(f"d{n},{m},0.5\n" for m in "xy" for n in ("a", "b", "c", "d", "e")),
        # the same problem twice under one model
        "problem,model,score\n" + "p1,x,1\np1,x,0\np2,x,1\np3,x,1\n",
        # what was asked is there: records
        "problem,model,answer,score\n" + "".join(f"p{n},x,It is a long answer {n}.,1\n" for n in range(8)),
    ],
)
def test_what_is_no_table_of_scores_is_not_read_as_one(text: str, write: Write) -> None:
    assert not workspace.open(write({"results.csv": text})).scores


def test_a_state_that_says_nothing_of_failures_tells_conditions_apart(write: Write) -> None:
    text = "id,state,relevance_score\n" + "".join(f"q{n},{s},1\n" for s in ("warm", "cold") for n in range(6))
    table = load(workspace.open(write({"s.csv": text})))
    assert table.columns.conditions == ((("state", "warm"),), (("state", "cold"),))


@pytest.mark.parametrize("large", [False, True])
def test_where_a_status_says_passed_a_failed_item_is_a_wrong_answer(
    large: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [
        f"p{number},{model},{status},{passed}"
        for model in ("m", "n")
        for number, (status, passed) in enumerate(
            [("passed", "true")] * 5 + [("failed", "false")] * 2 + [("timeout", "false"), ("error", "")]
        )
    ]
    notes = ["x" * (2 << 20) if large else "x", *([""] * (len(rows) - 1))]  # a large file is read column by column
    lines = ["problem,model,status,passed,note", *(f"{row},{note}" for row, note in zip(rows, notes, strict=True))]
    (tmp_path / "results.csv").write_text("\n".join(lines) + "\n")
    assert cli.main(["scores", str(tmp_path), "--format", "json"]) == 0
    counts = {
        (row["condition"]["model"], row["n"], row["failed"], row["mean"])
        for row in json.loads(capsys.readouterr().out)["rows"]
    }
    assert counts == {("m", 8, 1, 0.625), ("n", 8, 1, 0.625)}
