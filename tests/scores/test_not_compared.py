"""What is said first where nothing can be compared: several scales, or one condition with several judges."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import looking
import pytest
from score_files import Write, load
from streamlit.testing.v1 import AppTest

from readback import cli
from readback.scores.sentences import not_compared

HEAD = "item,condition,criterion,score,judge\n"
DISAGREE = (
    "there is one condition, so no two are compared; 3 judges agree too little about it "
    "for a conclusion (Krippendorff's alpha "
)
AGREE = "there is one condition, so no two are compared; 3 judges agree about it: Krippendorff's alpha (ordinal) is "

Give = Callable[[int, int], int]  # the score of an item by a judge


def rated(give: Give, conditions: str = "a") -> str:
    """Return a table of 30 items, each scored by three judges."""
    return HEAD + "".join(
        f"q{item},{condition},clear,{give(item, judge)},judge-{judge}\n"
        for condition in conditions
        for item in range(30)
        for judge in range(3)
    )


def disagree(item: int, judge: int) -> int:
    return (item * (judge + 2) + judge) % 5


def agree(item: int, judge: int) -> int:
    return item % 5


def same(item: int, judge: int) -> int:
    return 3


@pytest.mark.parametrize(
    ("give", "begin", "end"),
    [
        (disagree, DISAGREE, " on 30 answers; 0.667 or more is asked)"),
        (agree, AGREE, "1.00 on 30 answers"),
        (
            same,
            "there is one condition, so no two are compared; the agreement of 3 judges cannot be computed",
            "30 answers",
        ),
    ],
)
def test_one_condition_says_how_far_its_judges_agree(give: Give, begin: str, end: str, write: Write) -> None:
    found = not_compared.find_alone(load(write({"s.csv": rated(give)})), "clear")
    assert found is not None
    assert found.answer.startswith(begin)
    assert found.answer.endswith(end)
    assert (found.verdict, found.conditions) == ("one condition", 1)


def test_two_conditions_and_one_judge_are_not_described_so(write: Write) -> None:
    assert not_compared.find_alone(load(write({"s.csv": rated(disagree, "ab")})), "clear") is None
    alone = HEAD + "".join(f"q{n},a,clear,{n % 3},j\n" for n in range(20))
    assert not_compared.find_alone(load(write({"s.csv": alone})), "clear") is None


def test_the_command_begins_with_it(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    root = write({"s.csv": rated(disagree)})
    cli.main(["scores", str(root)])
    said = capsys.readouterr().out
    assert said.startswith(f"By “clear”: {DISAGREE}")
    assert "Fairness was not checked" not in said
    cli.main(["scores", str(root), "--format", "json"])
    (one,) = json.loads(capsys.readouterr().out)["conclusions"]
    assert (one["verdict"], one["better"], one["a"]) == ("one condition", None, None)


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> Callable[..., AppTest]:
    def run(path: Path, **params: str) -> AppTest:
        monkeypatch.setenv("READBACK_WORKSPACE", str(path))
        return looking.scores(**params)

    return run


def test_the_page_begins_with_it(write: Write, page: Callable[..., AppTest]) -> None:
    said = looking.words(page(write({"s.csv": rated(disagree)})))
    assert DISAGREE in said
    assert "nothing to compare" not in said


def test_the_page_says_that_two_scales_are_not_compared(write: Write, page: Callable[..., AppTest]) -> None:
    texts: Mapping[str, str] = {"a": "8/10", "b": "4/5"}
    rows = [
        {"item": f"q{n}", "condition": name, "judge": "j", "reply": text}
        for name, text in texts.items()
        for n in range(20)
    ]
    said = looking.words(page(write({"r.jsonl": rows})))
    assert "By “score”: not compared, because its scores are on different scales: 0 to 10 under “a”" in said
    assert "nothing to compare" not in said
    assert "is compared:" not in said
