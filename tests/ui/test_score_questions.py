"""On Scores a click says what a number is that may stand for no score, and the verdict follows it."""

from __future__ import annotations

import looking
import pytest
from score_files import Write

HEAD = "item,condition,criterion,score\n"
ROWS = "".join(f"q{n},a,grade,{n % 5 + 1}\nq{n},b,grade,{-1 if n % 3 == 0 else n % 5 + 1}\n" for n in range(30))


def test_a_click_says_that_minus_one_is_a_failure_and_another_takes_it_back(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("READBACK_WORKSPACE", str(write({"s.csv": HEAD + ROWS})))
    page = looking.scores()
    said = looking.words(page)
    assert "10 of 60 numbers under grade (−1) may stand for no score" in said
    assert "By “grade”: not known, because nobody has said whether −1 counts as a score." in said
    page.button(key="numbers_code_failed").click().run()
    said = looking.words(looking.drawn(page))
    assert "By “grade”: no difference on any shared question; 10 of 30 questions have no score under “b”." in said
    assert "write criteria: {grade: {failed: [-1]}} into readback.yml" in said
    page.button(key="not_numbers_grade").click().run()
    assert "may stand for no score" in looking.words(looking.drawn(page))
    page.button(key="numbers_code_scores").click().run()
    assert "For this session −1 is a score under grade." in looking.words(looking.drawn(page))


def test_means_over_different_questions_are_not_ranked(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = "".join(f"q{n},old,faithfulness,{n % 2}\nq{n},new,faithfulness,{1 if n % 2 else 'nan'}\n" for n in range(40))
    monkeypatch.setenv("READBACK_WORKSPACE", str(write({"s.csv": HEAD + rows})))
    said = looking.words(looking.scores())
    assert "the highest mean" not in said
    assert "(new: mean 1.00 of 20 of 40; old: mean 0.50 of 40 of 40)" in said
