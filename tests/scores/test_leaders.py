"""Which two conditions have the best means where the plan compares others, and how Results compares them."""

from __future__ import annotations

import re
from pathlib import Path

import looking
import pytest
from score_files import TIDY, Write

from readback import workspace
from readback.scores import loading
from readback.scores.leaders import find_unplanned_leaders

MEANS = {"a": 0, "b": 3, "c": 4, "d": 1}


def study(plan: str, more: str = "", names: str = "abcd") -> dict[str, str]:
    """The files of four conditions, of which c and b have the best means, under this plan."""
    rows = (f"q{at},{name},k_score,{at % 5 + MEANS[name]},j,\n" for at in range(30) for name in names)
    return {"readback.yml": f"scores: [s.csv]\ncomparisons: [{plan}]\n{more}", "s.csv": TIDY + "".join(rows)}


def leading(root: Path, judge: str = "j") -> list[str]:
    """The names of the two that lead and are not planned."""
    opened = workspace.open(root)
    table = loading.load(opened)
    first_two = find_unplanned_leaders(table, opened, "k_score", judge)
    return [table.label(row.condition) for row in first_two or ()]


@pytest.mark.parametrize(
    ("plan", "names", "leaders"),
    [
        ("{a: a, b: c}, {a: a, b: b}", "abcd", ["c", "b"]),
        ("{a: b, b: c}", "abcd", []),
        ("{a: c, b: b}, {a: a, b: d}", "abcd", []),
        ("", "abcd", []),
        ("{a: a, b: c}", "ac", []),
    ],
)
def test_leaders_are_the_best_two_that_no_planned_comparison_is_between(
    write: Write, plan: str, names: str, leaders: list[str]
) -> None:
    assert leading(write(study(plan, names=names))) == leaders


@pytest.mark.parametrize(("direction", "leaders"), [("down", ["a", "d"]), ("none", [])])
def test_the_better_end_decides_who_leads(write: Write, direction: str, leaders: list[str]) -> None:
    more = f"criteria: {{k_score: {{direction: {direction}}}}}\n"
    assert leading(write(study("{a: a, b: c}", more))) == leaders


def read_pairs(page: object) -> list[str]:
    """The pairs of the picture of differences, in its order, with the heading of what was not planned."""
    markup = looking.said(page)  # type: ignore[arg-type]
    rows = re.findall(r'<tr class="rb-forest-(?:line|part)[^"]*">.*?</tr>', markup, re.DOTALL)
    return [re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", row)).strip() for row in rows]


def test_the_way_to_compare_them_adds_what_was_not_planned_below_what_was(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("READBACK_WORKSPACE", str(write(study("{a: a, b: c, question: Does c help?}"))))
    page = looking.scores()
    assert page.selectbox(key="baseline").value == "planned"
    assert [row.partition(" +")[0] for row in read_pairs(page)] == ["Does c help? c versus a"]
    assert "No plan compares the two best means, “c” (6.00) and “b” (5.00)" in looking.words(page)
    (way,) = (asked for asked in looking.links(page, "results") if asked.get("baseline"))
    page = looking.scores(**{key: value for key, value in way.items() if key != "workspace"})
    pairs = read_pairs(page)
    assert "each with “b”" in pairs[1]
    assert [re.sub(r" [+−].*", "", pair) for pair in pairs[2:]] == ["c versus b", "d versus b", "a versus b"]
    page.selectbox(key="baseline").set_value("planned").run()
    assert "baseline" not in page.query_params
    assert len(read_pairs(page)) == 1
