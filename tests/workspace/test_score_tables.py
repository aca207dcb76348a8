"""Columns under names of their own that are probably scores, or the records' id: proposed, and taken when confirmed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from looking import page, words

from readback import workspace
from readback.cli import main
from readback.records.dataset import open_dataset
from readback.scores import loading

Write = Callable[[Mapping[str, Any]], Path]
RATED = (
    "case_no,question,answer,helpfulness,accuracy\nA-17,What?,A thing,4,5\nA-18,Who?,A person,2,3\nA-19,Why?,So,5,5\n"
)
BARE = "item,score,wave\n1,4,x\n2,3,x\n3,5,y\n4,2,y\n"
TIDY = "item,model,score\n1,A,4\n1,B,3\n2,A,5\n2,B,2\n"


@pytest.mark.parametrize(
    ("table", "columns"),
    [
        (RATED, "helpfulness,accuracy"),
        (BARE, "score"),
        ("Nr;Frage;Bewertung\n1;Was?;2\n2;Wer?;3\n3;Wo?;1\n", "Bewertung"),
        ("id,model,judge,tone\n1,A,j,4\n1,B,j,3\n2,A,j,5\n2,B,j,2\n", "tone"),  # who judged whom, so it is a score
        ("id,model,tone\n1,A,4\n1,B,3\n2,A,5\n2,B,2\n", ""),
        ("id,model,judge,turns,split\n1,A,j,xx,1\n1,B,j,yy,2\n2,A,j,zz,1\n", ""),  # what sorts items rates nothing
        ("qid,query,year,page\nq1,a,1,2\nq2,b,2,3\nq3,c,3,1\n", ""),  # numbers that rate nothing
        ("id,question,quality\na,x,high\nb,y,low\nc,z,low\n", ""),  # words, not numbers
        ("question,rating\nWhat is it?,1\nWho is it?,2\nWhy is it?,2\n", ""),  # nothing says which item is rated
        ("id,rating\n" + "".join(f"i{n},{n / 7}\n" for n in range(40)), ""),  # on no scale that people use
    ],
)
def test_columns_that_look_like_scores_are_proposed(write: Write, table: str, columns: str) -> None:
    opened = workspace.open(write({"t.csv": table}))
    assert opened.alternatives.get("scores", ()) == ((f"t.csv={columns}",) if columns else ())
    assert opened.scores == ()
    assert (opened.dataset is None) == (table == BARE or columns == "tone")


def test_confirmed_they_are_scores_and_what_was_asked_stays_a_record(write: Write) -> None:
    opened = workspace.open(write({"t.csv": RATED}), chosen={"scores": "t.csv=helpfulness,accuracy", "id": "case_no"})
    table = loading.load(opened)
    assert table.columns.criteria == ("helpfulness", "accuracy")
    assert table.columns.items == ("A-17", "A-18", "A-19")
    assert opened.dataset is not None
    assert [one.id for one in open_dataset(opened.root, opened.dataset).records(0, 3)] == ["A-17", "A-18", "A-19"]
    text = workspace.init_text(opened)
    assert "criteria: [helpfulness, accuracy]" in text
    assert "id: case_no" in text


def test_a_model_is_a_condition(write: Write) -> None:
    table = loading.load(workspace.open(write({"t.csv": TIDY}), chosen={"scores": "t.csv=score"}))
    assert [table.label(one) for one in table.columns.conditions] == ["A", "B"]


@pytest.mark.parametrize(
    ("table", "item", "condition", "score"),
    [
        (TIDY, "item", "model", "score"),
        ("id,model,rating\na,x,5\na,y,99\nb,x,4\nb,y,4\n", "id", "model", "rating"),
        ("QID;System;Grade\n1;s1;2\n1;s2;3\n2;s1;1\n", "QID", "System", "Grade"),
        ("id,variant,rater,quality\n1,a,R1,0.25\n1,b,R1,0.5\n2,a,R1,\n", "id", "variant", "quality"),
        ("task_id,run,points\n" + "".join(f"{n},r{n % 2},{n / 7}\n" for n in range(40)), "task_id", "run", "points"),
    ],
)
def test_a_table_of_item_condition_and_score_is_read(
    write: Write, table: str, item: str, condition: str, score: str
) -> None:
    folder = write({"t.csv": table})
    for opened in (workspace.open(folder), workspace.open(folder / "t.csv")):
        (assumed,) = [one for one in opened.diagnostics if one.code == "scr-columns-assumed"]
        assert assumed.values == {"file": "t.csv", "item": item, "condition": condition, "score": score}
        assert not opened.alternatives.get("scores")
        loaded = loading.load(opened)
        assert loaded.columns.criteria == (score,)
        assert len(loaded.columns) == len(table.splitlines()) - 1  # a cell without a score is counted as missing
        assert [one.used for one in opened.recognised] == [True]


@pytest.mark.parametrize(
    "table",
    [
        "id,model,rating,price\n1,a,4,10\n1,b,3,20\n2,a,5,30\n",  # a column with no part in a score
        "id,model,system,rating\n1,a,s,4\n1,b,s,3\n2,a,s,5\n",  # two that may be the condition
        "id,model,rating,grade\n1,a,4,1\n1,b,3,2\n2,a,5,3\n",  # two scores: which is meant is asked
        "id,model,rating\n1,a,good\n1,b,bad\n2,a,good\n",  # words
        "name,model,rating\n1,a,4\n1,b,3\n2,a,5\n",  # no item
        "id,model,rating\n1,a,4\n",  # too few rows to tell
    ],
)
def test_other_tables_are_not_read_as_scores_unasked(write: Write, table: str) -> None:
    opened = workspace.open(write({"t.csv": table}))
    assert opened.scores == ()
    assert "scr-columns-assumed" not in [one.code for one in opened.diagnostics]


def test_a_folder_with_nothing_but_a_proposed_table_is_not_checked(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", str(write({"t.csv": BARE}))]) == 2
    told = capsys.readouterr().out
    assert "error dat-nothing-read: nothing in this folder is read: 1 file is not used (t.csv)" in told
    assert "these columns look like scores: score" in told


@pytest.mark.parametrize(
    ("rows", "field"),
    [
        ("Nr;Frage\n1;a\n2;b\n", "Nr"),
        ("caseId,q\nx1,a\nx2,b\n", "caseId"),
        ("document,q\nA-17,a\nB-3,b\n", "document"),  # called like nothing, and numbered
        ("Nr,q\n1,a\n1,b\n", ""),  # twice the same
        ("q,a\nwhy,so\nwho,me\n", ""),
        ("id,Nr\na,1\nb,2\n", ""),  # there is one
        ("Nr,q\n,a\n2,b\n", ""),  # not in every row
    ],
)
def test_the_column_that_may_be_the_id_is_proposed(write: Write, rows: str, field: str) -> None:
    opened = workspace.open(write({"t.csv": rows, "p.txt": "Say {q}"}))
    assert opened.alternatives.get("id", ()) == ((field,) if field else ())
    assert opened.dataset is not None
    assert opened.dataset.id is None


def test_a_private_field_is_proposed_as_no_id(write: Write) -> None:
    config = "dataset: {path: t.csv, private: [Nr]}\n"
    assert "id" not in workspace.open(write({"t.csv": "Nr,q\n1,a\n2,b\n", "readback.yml": config})).alternatives


def test_the_command_line_says_how_and_does_it(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    folder = str(write({"t.csv": RATED}))
    assert main(["check", folder]) == 0
    told = capsys.readouterr().out
    assert "its columns look like scores: helpfulness, accuracy" in told
    assert "--id case_no" in told
    assert main(["scores", folder, "--scores", "t.csv=helpfulness,accuracy"]) == 0
    assert "accuracy" in capsys.readouterr().out
    assert main(["check", folder, "--id", "case_no"]) == 0
    assert "dat-missing-id" not in capsys.readouterr().out


def test_open_offers_both_with_a_click(serving: Callable[[Mapping[str, Any]], Path]) -> None:
    serving({"t.csv": RATED})
    test = page("open")
    assert "columns of t.csv look like scores: helpfulness, accuracy" in words(test)
    test.button(key="id_column").click().run()
    assert "case_no is different" not in words(test)
    test.button(key="scores_t.csv").click().run()
    assert dict(test.query_params)["id"] == "case_no"
    assert "look like scores: helpfulness" not in words(test)
