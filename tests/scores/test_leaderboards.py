"""Leaderboards: rates are scores, lengths and counts are none, and a link is no part of a condition's name."""

from __future__ import annotations

import pytest
from score_files import Write, load


@pytest.mark.parametrize(
    ("header", "row", "criteria"),
    [
        ("name,win_rate,avg_length,link", "clerk {n},4{n},14{n},https://example.org/{n}", ["win_rate"]),
        ("model,lc_win_rate,avg_tokens,samples", "m{n},3{n},90{n},805", ["lc_win_rate"]),
        ("system,accuracy,mean_latency", "s{n},0.{n},1.{n}", ["accuracy"]),
        ("model,elo,avg_words,votes", "m{n},10{n},20{n},7{n}", ["elo"]),
    ],
)
def test_a_leaderboard_states_its_rates(write: Write, header: str, row: str, criteria: list[str]) -> None:
    text = "\n".join([header, *(row.format(n=n) for n in range(3))]) + "\n"
    found = load(write({"board.csv": text})).reported
    assert list(dict.fromkeys(one.criterion for one in found)) == criteria
    assert all(len(one.condition) == 1 for one in found)
    assert len(found) == 3
