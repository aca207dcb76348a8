"""`readback scores` and `readback agreement`: the plan first, wrong use told what there is."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from counts import part
from score_files import TIDY, Write

from readback import cli, workspace
from readback.scores import loading
from readback.scores.comparing import compare
from readback.scores.comparing.compare import list_planned
from readback.scores.sentences import report

PLAN = """scores: [s.csv]
criteria: {clear: {scale: [0, 1, 2, 3]}, errors: {scale: {min: 0, max: 9}, direction: down}}
comparisons:
  - {a: shut, b: open, criterion: clear, question: Does an open book help?, expected: b}
  - {a: shut, b: half, criterion: clear, question: Is half enough?, margin: 0.5, expected: no difference}
  - {a: shut, b: open, criterion: errors, question: Are there fewer errors?}
  - {a: shut, b: gone, criterion: clear, question: Was it worth it?}
"""
PUBLISHED = "condition,n,clarity,clarity sd\na,25,3.0,1.0\nb,10,3.5,\n"
PLACES = {"file", "line", "decimals", "min", "max", "method", "judges", "n", "p_method", "first_interval", "first_p"}
PLACES |= {"mean_a", "mean_b", "method_clustered", "clusters", "design_effect", "decisive", "share_of_one"}
DOCS = Path(__file__).parents[2] / "docs"
SIDES = (("m", "win_a"), ("m", "win_a"), ("m", "tie"), ("n", "win_b"))


def cells(count: int = 30) -> str:
    """`open` is one clearer on two of three items, `half` is the same but for one, and errors go down."""
    lines = []
    for i in range(count):
        lines += [f"q{i},shut,clear,{i % 2},j,", f"q{i},open,clear,{i % 2 + (i % 3 > 0)},j,"]
        lines += [f"q{i},half,clear,{i % 2 + (i == 1)},j,"]
        lines += [f"q{i},shut,errors,{i % 4 + 2},j,", f"q{i},open,errors,{i % 4},j,"]
    return TIDY + "\n".join(lines) + "\n"


def run(capsys: Any, *words: object) -> tuple[int, str]:
    code = cli.main([str(word) for word in words])
    return code, capsys.readouterr().out


@pytest.fixture
def study(write: Write) -> Path:
    return write({"readback.yml": PLAN, "s.csv": cells()})


def test_the_plan_is_answered_first_in_its_order_with_what_was_expected(study: Path, capsys: Any) -> None:
    said = run(capsys, "scores", study)[1]
    plan = said.split("\n\n")[1].splitlines()
    starts = [
        "Does an open book help? On 30 shared questions “open” scores 0.67 higher than “shut” (95 % interval 0.4",
        "  expected: open is higher; found: open is higher",
        "Is half enough? On 30 shared questions “half” and “shut” are equal within 0.5: they differ by 0.03 (95 %",
        "  expected: no difference; found: equal within the margin",
        "Are there fewer errors? On 30 shared questions “shut” scores 2.00 higher than “open” (",
        "Was it worth it? gone against shut was planned, but there are no scores of gone.",
        "(Each p is corrected for 3 planned comparisons (Holm).)",
    ]
    assert [line.startswith(start) for line, start in zip(plan, starts, strict=True)] == [True] * 7
    assert " Lower is better here. (errors, judge j; p " in plan[4]
    assert " (clear, judge j; p " in plan[0]
    assert ", corrected for 3 planned comparisons (" in plan[0]
    assert said.index("exploratory") > said.index("mean ")


def test_the_page_and_the_command_say_the_same_sentence(study: Path, capsys: Any) -> None:
    opened = workspace.open(study)
    table = loading.load(opened)
    said = run(capsys, "scores", study)[1]
    made = [one for one in compare.compare(table, list_planned(opened)).comparisons if one.planned]
    assert len(made) == 3
    for one in made:
        assert report.sentence(one, partial(report.short, table), table.criteria[one.criterion]) in said


def test_holms_family_is_the_whole_plan_whichever_criterion_is_asked_for(study: Path, capsys: Any) -> None:
    found = json.loads(run(capsys, "scores", study, "--criterion", "clear", "--format", "json")[1])
    assert {one["family"] for one in found["comparisons"] if one["planned"]} == {3}
    assert [one["plan"] for one in found["comparisons"] if one["planned"]] == [1, 2]
    assert [(one["without"], one["plan"]) for one in found["planned_without_scores"]] == [("gone", 4)]


def test_the_scale_and_its_direction_stand_over_the_means(study: Path, capsys: Any) -> None:
    said = run(capsys, "scores", study)[1]
    assert "\nclear, judge j (scale 0, 1, 2, 3)\n" in said
    assert "\nerrors, judge j (scale 0 to 9; lower is better)\n" in said


def test_better_by_one_criterion_and_worse_by_another_is_a_trade_off(write: Write, capsys: Any) -> None:
    rows = "".join(
        f"q{i},{c},{k},{(i + (c == wins)) % 3 if i else 0},j,\n"
        for i in range(0, 60, 3) for k, wins in (("clear", "b"), ("brief", "a")) for c in "ab"
    )  # fmt: skip
    said = run(capsys, "scores", write({"s.csv": TIDY + rows}))[1]
    assert "\n  a trade-off: b is better than a in clear, worse in brief\n" in said


def test_no_minus_stands_before_nothing(write: Write, capsys: Any) -> None:
    rows = "".join(f"q{i},{c},clear,1,j,\n" for i in range(9) for c in "ab") + "q9,a,clear,1,j,\nq9,b,clear,0,j,\n"
    assert "-0.0000" not in run(capsys, "scores", write({"s.csv": TIDY + rows}))[1]


def test_each_file_is_told_with_what_became_of_its_rows(write: Write, capsys: Any) -> None:
    body = "item,condition,criterion,score,latency_ms\nq1,a,clear,1,5\nq1,a,clear,1\nq1,a,clear,2,6\n"
    root = write({"s.csv": body, "p.csv": PUBLISHED})
    text = run(capsys, "scores", root, "--fail-on", "never")[1]
    assert "\nfiles\n  p.csv: means, 2 rows, 0 scores\n" in text
    assert "  s.csv: tidy, 2 rows, 2 scores; 1 row refused; " in text
    assert "columns not used: latency_ms" in text
    sources = json.loads(run(capsys, "scores", root, "--format", "json", "--fail-on", "never")[1])["sources"]
    assert [(one["path"], one["what"], one["refused"]) for one in sources] == [
        ("p.csv", "means", 0),
        ("s.csv", "tidy", 1),
    ]


def test_stated_means_are_held_against_the_rows_beside_them(write: Write, capsys: Any) -> None:
    rows = "".join(f"q{i},{c},clear,{(i + n) % 2},j,\n" for i in range(6) for n, c in enumerate("ab"))
    root = write({"s.csv": TIDY + rows, "m.csv": "condition,n,clear\na,6,0.5\nb,6,0.9\n"})
    said = run(capsys, "scores", root, "--fail-on", "never")[1]
    assert "\nreported means that agree with the rows beside them: 1 of 2\n" in said
    assert "scr-summary-differs" in said


def test_means_without_rows_are_told_with_what_cannot_be_computed(write: Write, capsys: Any) -> None:
    root = write({"p.csv": PUBLISHED})
    said = run(capsys, "scores", root)[1]
    assert said.startswith("there are no scores by item: the files only report means")
    assert "  clarity\n    a: 3.0, n 25, 95 % interval 2.5872 to 3.4128 (t)\n" in said
    assert "b: 3.5, n 10; not in the file: the spread, an interval" in said
    one, other = json.loads(run(capsys, "scores", root, "--format", "json")[1])["aggregates"]
    assert (one["condition"], one["mean"], one["n"], one["cannot"]) == ({"condition": "a"}, 3.0, 25, [])
    assert (other["interval"], other["cannot"], other["file"], other["line"]) == (
        None, ["spread", "interval"], "p.csv", 3,
    )  # fmt: skip
    assert "b: 3.5" in run(capsys, "scores", root, "--criterion", "clarity")[1]


def test_outcomes_side_by_side_are_counted_and_three_are_ranked(write: Write, capsys: Any) -> None:
    rows = [
        {"model_a": a, "model_b": b, "outcome": outcome, "task_id": f"t{n}", "annotator": "me"}
        for a, b in (("x", "y"), ("y", "z"))
        for n, (_, outcome) in enumerate(SIDES * 3)
    ]
    root = write({"p.jsonl": rows})
    said = run(capsys, "scores", root, "--judge", "me")[1]
    assert "x 6, y 3, ties 3 of 12, judge me; x won 66.7 % of 9 decisive" in said
    ranked = said[said.index("ranking, the strongest first") :].splitlines()
    assert [line.split(":")[0].strip() for line in ranked[1:4]] == ["x", "y", "z"]
    found = json.loads(run(capsys, "scores", root, "--format", "json")[1])["ranking"]
    assert [one["condition"]["condition"] for one in found["contestants"]] == ["x", "y", "z"]
    assert (found["connected"], found["seed"]) == (True, 20260101)


def test_a_slice_is_exploratory_and_adjusted(write: Write, capsys: Any) -> None:
    records = "".join(json.dumps({"id": f"q{i}", "topic": "tides" if i % 2 else "locks"}) + "\n" for i in range(30))
    plan = "dataset: {path: d.jsonl, id: id}\nscores: [s.csv]\n"
    root = write({"readback.yml": plan, "d.jsonl": records, "s.csv": cells()})
    words = ("scores", root, "--slice", "topic", "--baseline", "shut", "--criterion", "clear")
    said = run(capsys, *words)[1]
    assert "by topic, exploratory: p is corrected by Benjamini and Hochberg over the values" in said
    assert "  open against shut, clear, judge j\n    locks: +" in said
    found = json.loads(run(capsys, *words, "--format", "json")[1])["slices"]
    assert [(one["field"], one["b"], one["n"], one["without"]) for one in found] == [
        ("topic", {"condition": "open"}, 30, 0), ("topic", {"condition": "half"}, 30, 0),
    ]  # fmt: skip
    assert all(part["p_adjusted"] >= part["p"] for one in found for part in one["values"])
    alone = json.loads(run(capsys, "scores", root, "--slice", "topic", "--format", "json")[1])["slices"]
    assert {one["b"] is None for one in alone} == {True}


def test_every_key_of_the_answer_is_explained(write: Write, capsys: Any) -> None:
    rows = [{"model_a": "x", "model_b": "y", "outcome": "win_a", "task_id": "t", "annotator": "me"}]
    records = "".join(json.dumps({"id": f"q{i}", "topic": "ab"[i % 2]}) + "\n" for i in range(30))
    plan = PLAN.replace("[s.csv]", "[s.csv, p.jsonl, p.csv]") + "dataset: {path: d.jsonl, id: id}\n"
    root = write({"readback.yml": plan, "s.csv": cells(), "p.jsonl": rows, "p.csv": PUBLISHED, "d.jsonl": records})
    words = ("--slice", "topic", "--findings", "--fail-on", "never", "--format", "json")
    found = json.loads(run(capsys, "scores", root, *words)[1])
    known = (DOCS / "scoring.md").read_text()
    everywhere = {"condition", "criterion", "judge", "a", "b", "planned", "question", "expected", "p_adjusted"}
    for name in ("rows", "comparisons", "omnibus", "aggregates", "duels"):
        told = next(line for line in known.splitlines() if line.startswith(f"| `{name}`"))
        gone = {key for key in found[name][0] if f"`{key}`" not in told} - everywhere - PLACES
        assert gone == set(), name
    assert {key for key in found if f"`{key}`" not in known} - {"comparisons_skipped"} == set()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--criterion", "nope"), "no criterion is called 'nope'; there are: clear, errors"),
        (("--judge", "nope"), "no judge is called 'nope'; there are: j"),
        (("--by", "nope"), "no factor is called 'nope'; there are: condition"),
        (("--baseline", "nope"), "no condition is called 'nope'; there are: shut; open; half"),
        (("--by", "condition", "--baseline", "nope"), "no value of condition is called 'nope'; there are: shut; open"),
        (("--slice", "topic"), "--slice topic: there are no records"),
    ],
)
def test_wrong_use_is_told_what_there_is(study: Path, words: tuple[str, ...], told: str, capsys: Any) -> None:
    assert cli.main(["scores", str(study), *words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert told in err


def test_a_field_that_is_none_is_told_which_there_are(write: Write, capsys: Any) -> None:
    records = "".join(json.dumps({"id": f"q{i}", "topic": "ab"[i % 2]}) + "\n" for i in range(30))
    plan = "dataset: {path: d.jsonl, id: id}\nscores: [s.csv]\n"
    root = write({"readback.yml": plan, "d.jsonl": records, "s.csv": cells()})
    assert cli.main(["scores", str(root), "--slice", "nope"]) == 2
    assert "2 to 30 kinds; there are: topic" in capsys.readouterr().err


def test_a_reader_who_leaves_early_meets_no_traceback(study: Path) -> None:
    for words in part((("scores", "--format", "json"), ("scores", "--format", "csv"), ("agreement",)), 1):
        command = [sys.executable, "-m", "readback.cli", words[0], str(study), *words[1:]]
        reading, writing = os.pipe()
        os.close(reading)
        with os.fdopen(writing, "wb") as gone:
            done = subprocess.run(command, stdout=gone, stderr=subprocess.PIPE, check=False)
        assert (done.returncode, done.stderr) == (141, b"")


def test_agreement_as_one_long_table_that_no_spreadsheet_computes(write: Write, capsys: Any) -> None:
    rows = "".join(
        f"q{i},-a,pass,{(i + n) % 2 if i % 3 else 1},{j},\n" for i in range(12) for n, j in enumerate(JUDGES)
    )
    text = run(capsys, "agreement", write({"s.csv": TIDY + rows}), "--format", "csv")[1]
    lines = list(csv.DictReader(io.StringIO(text)))
    assert text.splitlines()[0] == "criterion,condition,measure,judge,other,value,low,high,n"
    assert {line["judge"] for line in lines} == {"", "'=cmd()", "human:1"}
    by = {line["measure"]: line for line in lines}
    assert (by["same value"]["value"], by["same value"]["n"]) == ("0.3333333333333333", "12")
    assert {"alpha nominal", "kappa", "pass rate", "corrected rate", "gave 1 and 0"} <= set(by)


JUDGES = ("=cmd()", "human:1")


def test_a_name_with_a_line_feed_in_it_cannot_look_like_another_line(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [
        {"item": f"q{n}", "condition": name, "criterion": "clear\nb", "score": n % 3, "judge": judge}
        for n in range(6)
        for name in ("a", "x\nb: mean 9.0000")
        for judge in ("j", "k\nl")
    ]
    root = write({"s\n.jsonl": rows})
    for command in ("scores", "agreement"):
        assert cli.main([command, str(root)]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert not [line for line in lines if line.startswith(("b", "l", ".jsonl"))]
    assert cli.main(["scores", str(root)]) == 0
    assert "x\\nb: mean 9.0000: mean 1.0000, n 6" in capsys.readouterr().out
