"""The pages for a file of training rows: what it is, its rows as they stand, what is wrong in them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from looking import clicked, page, said, words

Write = Callable[[Mapping[str, Any]], Path]
USER, GOOD = {"role": "user", "content": "Why?"}, {"role": "assistant", "content": "It is so."}
PAIRS = [
    {"id": "a", "prompt": "Why?\n", "chosen": "It is so, and it was.", "rejected": "It is so, and it was not."},
    {"id": "b", "prompt": "How?\n", "chosen": "It is so.", "rejected": "It is so."},
]


@pytest.fixture
def showing(
    serving: Callable[[Mapping[str, Any]], Path], monkeypatch: pytest.MonkeyPatch
) -> Callable[[list[Any]], None]:
    """showing(rows) has the pages show a file of these rows."""

    def show(rows: list[Any]) -> None:
        folder = serving({"train.jsonl": rows})
        monkeypatch.setenv("READBACK_WORKSPACE", str(folder / "train.jsonl"))

    return show


def test_the_overview_says_what_the_rows_are(showing: Callable[[list[Any]], None]) -> None:
    showing([*PAIRS, {"text": "x"}])
    test = words(page("overview"))
    assert "2 preference pairs: prompt, chosen, rejected and 1 row of an unknown format." in test
    assert "no prompt and no scores" not in test
    assert "The chosen and the rejected answer are the same" in test


def test_open_says_what_the_file_was_taken_for(showing: Callable[[list[Any]], None]) -> None:
    showing(PAIRS)
    assert "preference pairs: prompt, chosen, rejected" in words(page("open"))


def test_a_pair_is_shown_with_its_answers_side_by_side_and_what_differs_marked(
    showing: Callable[[list[Any]], None],
) -> None:
    showing(PAIRS)
    test = page("prompts", record="a")
    assert "Training text: a preference pair, line 1 of train.jsonl." in words(test)
    heads = [part.split("</h2>")[0] for part in said(test).split('<div class="rb-head"><h2>')[1:]]
    assert heads == ["Prompt", "Chosen answer", "Rejected answer"]
    assert "1 difference between the two answers" in words(test)
    assert 'class="rb-find rb-apart" title="only the rejected answer has this"' in said(test)


def test_findings_stand_at_the_row_and_in_its_text(showing: Callable[[list[Any]], None]) -> None:
    showing(PAIRS)
    test = page("prompts", record="b")
    assert "the chosen and the rejected answer are the same text" in words(test)
    assert 'class="rb-find rb-error"' in said(test)
    assert "Both answers are the same, byte for byte." in words(test)


def test_next_finding_goes_to_the_next_row_with_one(showing: Callable[[list[Any]], None]) -> None:
    showing(PAIRS)
    test = page("prompts", record="a")
    clicked(test, "next_finding")
    assert test.query_params["record"] == "b"


def test_a_conversation_is_shown_by_its_roles(showing: Callable[[list[Any]], None]) -> None:
    showing([{"messages": [{"role": "system", "content": "Be."}, USER, {"role": "odd*", "content": "x"}, GOOD]}])
    test = page("prompts")
    for title in ("System message", "User message", "The answer to learn"):
        assert f"<h2>{title}</h2>" in said(test)
    assert "has the role 'odd*'" in words(test)


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        ({"text": "x"}, "The format of this row is unknown."),
        ({"messages": [USER]}, "This row has no answer to learn."),
        ({"prompt": "Why?", "chosen": "So."}, "This row has no rejected answer."),
        ({"chosen_messages": [USER, GOOD], "rejected_messages": [{**USER, "content": "How?"}, GOOD]}, "another prompt"),
        ({"prompt": "Why?", "chosen": "Aye aye.", "rejected": "Nothing else"}, "little in common"),
    ],
)
def test_what_a_row_lacks_is_said(showing: Callable[[list[Any]], None], row: dict[str, Any], sentence: str) -> None:
    showing([row, *PAIRS, *PAIRS])
    assert sentence in words(page("prompts"))


def test_a_finding_in_another_file_leads_to_no_record_of_this_one(serving: Callable[[Mapping[str, Any]], Path]) -> None:
    serving(
        {
            "readback.yml": "training: {train: a.jsonl, test: b.jsonl}\n",
            "a.jsonl": PAIRS[:1],
            "b.jsonl": json.dumps({**PAIRS[1], "id": "t"}) + "\n",
        }
    )
    test = page("findings", code="trn-chosen-equals-rejected")
    assert "1 of 2 records" in words(test)
    assert "b.jsonl line 1" in words(test)
    assert "record=t" not in said(test)
    assert "Part of test: 1 preference pair" in words(page("overview"))


def test_the_overview_shows_the_first_rows_and_leads_to_each(showing: Callable[[list[Any]], None]) -> None:
    showing([{"messages": [USER, {"role": "assistant", "content": f"It is {number}."}]} for number in range(7)])
    text = words(page("overview"))
    assert "Rows to train a model on: nothing here is sent to a model." in text
    assert "The first 5 rows Row Asked Answer to learn 1 Why? It is 0. 2 Why? It is 1." in text
    assert "It is 5." not in text
