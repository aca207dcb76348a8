"""The variables on the pages: for one record under its messages, and over all records in the view of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from looking import links, page, said, words
from variable_study import PLAN, ROWS

Write = Callable[[Mapping[str, Any]], Path]


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch, write: Write) -> None:
    """A workspace with every state in it."""
    monkeypatch.setenv("READBACK_WORKSPACE", str(write({"readback.yml": PLAN, "d.jsonl": ROWS})))


@pytest.mark.usefixtures("shown")
def test_all_records_counts_each_variable_and_leads_to_the_first_such_record() -> None:
    test = page("prompts", view="records")
    assert "Variables over all records" in [head.value for head in test.header]
    assert "docs[*].year 1 of 4 2 of 4, optional" in words(test)
    assert "4 fields of the records are read by no template: note , sumary , documents , docs[*].url" in words(test)
    targets = [link for link in links(test, "prompts") if "finding" not in link]
    assert {"record": "d", "mode": "m"}.items() <= next(one for one in targets if one.get("record") == "d").items()


@pytest.mark.usefixtures("shown")
def test_the_table_over_all_records_sorts_and_downloads() -> None:
    test = page("prompts", view="records", variables_all_sort="missing", variables_all_down="1")
    body = said(test).split("Variables over all records</caption>")[1]
    assert sorted((">tone<", ">long<", ">docs[*].year<"), key=body.index) == [">long<", ">docs[*].year<", ">tone<"]
    assert "Download table" in {button.proto.label for button in test.get("download_button")}


@pytest.mark.usefixtures("shown")
def test_messages_says_in_words_what_became_of_each_name() -> None:
    test = page("prompts", record="c")
    (found,) = [one for one in test.expander if "variables read" in one.label]
    assert found.label == "8 variables read, 3 without a value"
    text = words(test)
    assert "no value in 1 of 2 (optional)" in text
    assert "▲ warning no value sumary" not in text
    assert "default used" in text


@pytest.mark.usefixtures("shown")
def test_a_record_without_the_list_is_offered_the_nearest_one() -> None:
    test = page("prompts", record="d")
    table = said(test).split("Variables of this record</caption>")[1]
    assert "documents" in table
    assert "null, printed as None" in table


def test_what_nothing_reads_is_not_drawn(monkeypatch: pytest.MonkeyPatch, write: Write) -> None:
    plan = {"dataset": "d.jsonl", "modes": [{"mode": "m", "template": "Be brief."}]}
    monkeypatch.setenv("READBACK_WORKSPACE", str(write({"readback.yml": plan, "d.jsonl": [{"id": "1", "q": "Q"}]})))
    assert [one.label for one in page("prompts").expander if "read" in one.label] == []
    assert "Variables over all records" not in [head.value for head in page("prompts", view="records").header]
