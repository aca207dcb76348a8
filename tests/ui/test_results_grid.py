"""The grid on Results: a row for each record, answers and scores beside each other, a record open beside it."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from pathlib import Path

import looking
import pytest
from streamlit.testing.v1 import AppTest

from readback.project_files import EXAMPLES

Open = Callable[..., AppTest]
SIX = EXAMPLES / "six-conditions"


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> Open:
    """Open Results on a folder or file, with parameters in the address."""

    def run(path: Path, **params: str) -> AppTest:
        monkeypatch.setenv("READBACK_WORKSPACE", str(path))
        return looking.scores(**params)

    return run


def grid(app: AppTest) -> str:
    """The markup of the grid."""
    (markup,) = [part.proto.body for part in app.get("html") if 'class="rb-answers-bar"' in part.proto.body]
    return str(markup)


def words(markup: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", markup)).split())


def rows(app: AppTest) -> list[str]:
    """What each row says."""
    return [words(row) for row in re.findall(r"<tr.*?</tr>", grid(app), re.DOTALL)[1:]]


def test_a_row_has_the_question_the_reference_both_answers_their_scores_and_the_difference(page: Open) -> None:
    first = rows(page(SIX))[0]
    assert first == (
        "Where does a vessel longer than 60 metres take its pilot on board? ellery-01 Reference At the Gull buoy, two "
        "nautical miles west of the breakwater [1]. score −1 At the Gull buoy, two nautical miles west of the "
        "breakwater. score 2 At the Gull buoy, two nautical miles west of the breakwater [1]. +3"
    )


def test_the_first_columns_are_the_first_planned_pair_and_others_can_be_chosen_up_to_six(page: Open) -> None:
    app = page(SIX)
    heads = re.findall(r"<thead>.*?</thead>", grid(app), re.DOTALL)[0]
    assert words(heads) == (
        "Question and reference instruction-only, closed book instruction-only, open book Difference"
    )
    chosen = "condition=base, open book|condition=RAG-trained, open book|condition=base, closed book"
    heads = re.findall(r"<thead>.*?</thead>", grid(page(SIX, sides=chosen)), re.DOTALL)[0]
    assert words(heads) == (
        "Question and reference base, open book RAG-trained, open book base, closed book Widest difference"
    )


def test_pages_of_twenty_filters_and_orders_are_in_the_address(page: Open) -> None:
    app = page(SIX)
    assert len(rows(app)) == 20
    assert "Records 1 to 20 of 24; 24 have a row of scores here." in words(grid(app))
    later = page(SIX, at="20", sort="record")
    assert "ellery-24" in rows(later)[-1]
    assert len(rows(later)) == 4
    worst = page(SIX, only="worst", sort="score")
    assert all("score −1" in row for row in rows(worst))
    assert "or lower over the conditions here" in words(grid(worst))


def test_a_filter_that_cannot_be_had_says_why(page: Open) -> None:
    said = words(grid(page(SIX, only="disagree")))
    assert "judges disagree (needs two judges)" in said
    assert "changed since (nobody has signed off)" in said
    assert "24 have a row of scores here." in said
