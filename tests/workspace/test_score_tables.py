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
BARE = "item,model,score\n1,A,4\n1,B,3\n2,A,5\n2,B,2\n"


@pytest.mark.parametrize(
    ("table", "columns"),
    [
        (RATED, "helpfulness,accuracy"),
        (BARE, "score"),
        ("Nr;Frage;Bewertung\n1;Was?;2\n2;Wer?;3\n3;Wo?;1\n", "Bewertung"),
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
    assert (opened.dataset is None) == (table == BARE)


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
    table = loading.load(workspace.open(write({"t.csv": BARE}), chosen={"scores": "t.csv=score"}))
    assert [table.label(one) for one in table.columns.conditions] == ["A", "B"]


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
