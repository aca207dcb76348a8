"""Why a condition has no mean: on Results beside the other criteria, and on Overview below the ranking."""

from __future__ import annotations

import re

import looking
import pytest
from score_files import TIDY, Write

from readback.ui.results import means

CELL = re.compile(r'<td class="rb-criteria-none">([^<]+)</td>')


def test_a_condition_without_a_mean_says_what_became_of_its_scores(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = []
    for item in range(6):
        rows += [f"q{item},{name},first,{item % 3},j,\n" for name in ("good", "lost", "absent")]
        rows += [f"q{item},good,second,{item % 2},j,\n", f"q{item},lost,second,,j,\n"]
    monkeypatch.setenv("READBACK_WORKSPACE", str(write({"s.csv": TIDY + "".join(rows)})))
    results = looking.said(looking.scores())
    assert sorted(CELL.findall(results)) == ["not scored: no value for 6", "not scored: not in the score files"]


@pytest.mark.parametrize("name", ["“lost” has no mean: no value for 6."])
def test_overview_names_the_condition_that_is_not_in_its_ranking(
    write: Write, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    rows = [f"q{item},{side},first,{item % 3},j,\n" for item in range(6) for side in ("good", "other")]
    rows += [f"q{item},lost,first,,j,\n" for item in range(6)]
    monkeypatch.setenv("READBACK_WORKSPACE", str(write({"s.csv": TIDY + "".join(rows)})))
    assert name in looking.words(looking.page("overview"))


def test_no_row_is_not_in_the_score_files() -> None:
    assert means.explain_unscored(None) == "not in the score files"


@pytest.mark.parametrize(
    ("more", "order", "names"),
    [
        ("", "The better mean of first_score comes first.", ["high", "low", "mid"]),
        ("criteria: {first_score: {direction: none}}\n", "Conditions are in the order of the files", None),
    ],
)
def test_the_order_of_conditions_is_stated_and_is_by_mean_only_where_that_ranks(
    write: Write, monkeypatch: pytest.MonkeyPatch, more: str, order: str, names: list[str] | None
) -> None:
    gains = {"low": 1, "high": 4, "mid": 0}
    rows = "".join(f"q{item},{name},{item % 4 + gain}\n" for item in range(20) for name, gain in gains.items())
    files = {"readback.yml": f"scores: [s.csv]\n{more}", "s.csv": f"qid,condition,first_score\n{rows}"}
    monkeypatch.setenv("READBACK_WORKSPACE", str(write(files)))
    page = looking.scores()
    assert order in looking.words(page)
    table = looking.said(page).split('<table class="rb-criteria')[1].split("</table>")[0]
    assert re.findall(r'<bdi title="(\w+)">', table) == (names or list(gains))
