"""Agreement on score tables: shared answers only, people known by name, repeats, corrected rates, the command."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import looking
import pytest
from score_files import Write, load

from readback import cli
from readback.scores.agreement.measures import list_measurable, measure_agreement

TIDY = "item,condition,criterion,score,judge,run\n"
JUDGES = ["h2oloo-fewself", "willia-umbrela1", "RMITIR-GPT4o", "RMITIR-llama70B", "TREMA-4prompts"]


def lines(*rows: str) -> str:
    return TIDY + "".join(f"{row}\n" for row in rows)


def made(write: Write, *rows: str) -> Any:
    return load(write({"s.csv": lines(*rows)}))


def test_only_answers_that_two_judges_scored_count(write: Write) -> None:
    table = made(write, "1,a,relevance,2,x,", "1,a,relevance,1,y,", "2,a,relevance,2,x,", "1,b,relevance,-1,y,")
    found = measure_agreement(table, "relevance")
    assert (found.units, found.ratings, found.single, found.disagreed) == (1, 2, 2, 1)
    assert [(pair.a, pair.b, pair.n, pair.exact) for pair in found.pairs] == [("x", "y", 1, 0.0)]
    assert found.disputed[0].values == (("x", 2.0), ("y", 1.0))
    assert [(one.judge, one.deviation) for one in found.leniency] == [("x", 1.0), ("y", -1.0)]


def test_a_failure_is_no_rating(write: Write) -> None:
    found = measure_agreement(made(write, "1,a,relevance,7,x,", "1,a,relevance,1,y,"), "relevance")
    assert (found.why, found.judges[0].failed) == ("one judge", 1)


def test_judges_who_share_nothing_say_so(write: Write) -> None:
    found = measure_agreement(made(write, "1,a,relevance,2,x,", "2,a,relevance,1,y,"), "relevance")
    assert (found.why, found.units, found.single) == ("nothing shared", 0, 2)


def test_runs_pair_where_they_are_shared_and_else_the_first_counts(write: Write) -> None:
    same = [f"1,a,relevance,{n},{judge},{run}" for run, n in (("r1", 2), ("r2", 1)) for judge in "xy"]
    assert measure_agreement(made(write, *same), "relevance").units == 2
    other = measure_agreement(made(write, *same[:3], "1,a,relevance,0,x,r3", "2,a,relevance,1,z,"), "relevance")
    assert other.units == 1


def test_repeats_of_one_judge_flip(write: Write) -> None:
    rows = ["1,a,relevance,2,x,r1", "1,a,relevance,2,x,r2", "2,a,relevance,0,x,r1", "2,a,relevance,2,x,r2"]
    table = made(write, *rows)
    (found,) = measure_agreement(table, "relevance").flips
    assert (found.answers, found.flipped, found.rate, found.judge_variance) == (2, 1, 0.5, 1.0)
    assert list_measurable(table) == ("relevance",)


def test_a_judge_is_corrected_by_a_person(write: Write) -> None:
    rows = [f"{i},a,ok,{int(i % 2 == 0)},human:1," for i in range(40)]
    rows += [f"{i},a,ok,{int(i % 2 == 0 or i % 5 == 0)},j," for i in range(100)]
    found = measure_agreement(made(write, *rows), "ok")
    (one,) = found.corrected
    assert (one.judge, one.person, one.n, one.positives, one.negatives) == ("j", "human:1", 100, 20, 20)
    assert (one.sensitivity, one.specificity, one.rate) == (1.0, 0.8, pytest.approx((0.6 + 0.8 - 1) / 0.8))
    assert found.confusion
    assert (found.confusion.a, found.confusion.table) == ("human:1", ((16, 4), (0, 20)))
    assert [judge.person for judge in found.judges] == [True, False]


def test_a_name_that_is_not_there_is_refused(write: Write) -> None:
    table = made(write, "1,a,relevance,2,x,", "1,a,relevance,1,y,")
    for call in (lambda: measure_agreement(table, "z"), lambda: measure_agreement(table, "relevance", pair=("x", "q"))):
        with pytest.raises(LookupError, match="there are"):
            call()


def test_one_judge_is_told_what_is_needed(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write({"s.csv": lines("1,a,relevance,2,x,")})
    assert cli.main(["agreement", str(folder)]) == 0
    assert "needs a second judge" in capsys.readouterr().out
    assert cli.main(["agreement", str(folder), "--criterion", "nope"]) == 2


@pytest.mark.realdata
def test_five_judges_agree_on_what_they_share(shared: Path, tmp_path: Path, capsys: Any) -> None:
    shutil.copy(shared / "data/llmjudge/five_judges_500items.csv", tmp_path)
    (tmp_path / "readback.yml").write_text(
        "version: 1\nscores:\n  - path: five_judges_500items.csv\n    item: [query, passage]\n"
        f"    judges: [{', '.join(JUDGES)}]\n    criterion: relevance\n"
        "criteria:\n  relevance: {scale: [0, 1, 2, 3]}\n"
    )
    assert cli.main(["agreement", str(tmp_path), "--format", "json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["criteria"]
    assert (found["units"], found["ratings"], len(found["pairs"]), found["headline"]) == (500, 2499, 10, "ordinal")
    assert [judge["failed"] for judge in found["judges"]] == [0, 0, 0, 1, 0]
    assert found["alpha"]["ordinal"] == pytest.approx(0.323, abs=1e-3)


@pytest.mark.realdata
def test_seven_people_agree_less_than_they_seem_to(shared: Path, capsys: Any) -> None:
    assert cli.main(["agreement", str(shared / "data/mtrag"), "--format", "json", "--fail-on", "never"]) == 0
    answer = json.loads(capsys.readouterr().out)
    found = {one["criterion"]: one for one in answer["criteria"]}
    assert len(found["naturalness"]["judges"]) == 7
    assert sum(judge["missing"] for judge in found["naturalness"]["judges"]) > 0
    assert "RougeL" in answer["skipped"]


def test_b17_every_pair_is_in_json_and_csv_and_the_text_says_what_it_shows(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [f"{item},a,relevance,{(item + judge) % 3},r{judge:02},"
            for judge in range(15) for item in range(6 if judge < 13 else 3)]  # fmt: skip
    folder = write({"s.csv": lines(*rows), "readback.yml": "scores: [s.csv]\n"})
    cli.main(["agreement", str(folder), "--format", "json"])
    (found,) = json.loads(capsys.readouterr().out)["criteria"]
    assert (found["raters"], len(found["shown"]), len(found["pairs"])) == (15, 12, 105)
    first = next(pair for pair in found["pairs"] if (pair["a"], pair["b"]) == ("r13", "r14"))
    assert (first["n"], first["exact"]) == (3, 0.0)
    cli.main(["agreement", str(folder), "--format", "csv"])
    assert sum(",same value," in line for line in capsys.readouterr().out.splitlines()) == 105
    cli.main(["agreement", str(folder)])
    said = capsys.readouterr().out
    assert said.count("same value") == 66
    assert "the pairs of 12 of 15 raters are shown; --format json or csv has all 105 pairs" in said


def test_b17_the_page_says_what_it_shows_and_offers_all(serving: Any) -> None:
    rows = [f"{item},a,relevance,{(item + judge) % 3},r{judge:02}," for judge in range(14) for item in range(5)]
    serving({"s.csv": lines(*rows), "readback.yml": "scores: [s.csv]\n"})
    page = looking.scores(criterion="relevance", view="agreement")
    assert "12 of 14 pairs of judges are shown, with the most scores. The download has all" in looking.words(page)
    assert page.get("download_button")
