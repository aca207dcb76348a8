"""The records on which two conditions differ most, and the one of them that Results draws."""

from __future__ import annotations

import html
import re

import looking
import pytest
from score_files import TIDY, Write, load

from readback.project_files import EXAMPLES
from readback.scores.comparing.compare import compare
from readback.scores.comparing.comparison import Comparison
from readback.scores.comparing.widest_items import find_widest, measure_shared_words
from readback.scores.table import ScoreTable

SECTION = re.compile(r'<section class="rb-widest".*?</section>', re.DOTALL)


def scored(a: str, b: str) -> str:
    """A score file of two conditions with these scores, a digit a record."""
    rows = (f"q{at},{name},k,{value},j,\n" for name, values in (("a", a), ("b", b)) for at, value in enumerate(values))
    return TIDY + "".join(rows)


def only_pair(table: ScoreTable) -> Comparison:
    (line,) = compare(table).comparisons
    return line


@pytest.mark.parametrize(
    ("a", "b", "items", "difference"),
    [
        ("00005", "31525", ("q2",), 5),
        ("00305", "33035", ("q0", "q1", "q3"), 3),  # of as large ones those that go the way of the whole
        ("0330", "3003", ("q0", "q1", "q2", "q3"), 3),  # on the whole none: every one
        ("121", "121", ("q0", "q1", "q2"), 0),
    ],
)
def test_the_largest_difference_goes_the_way_of_the_whole(
    write: Write, a: str, b: str, items: tuple[str, ...], difference: int
) -> None:
    table = load(write({"s.csv": scored(a, b)}))
    widest = find_widest(table, only_pair(table))
    assert widest is not None
    assert (widest.items, widest.count, widest.difference) == (items, len(items), difference)
    at = int(items[0][1:])
    assert widest.scores[items[0]] == (float(a[at]), float(b[at]))


@pytest.mark.parametrize(
    ("a", "b", "share"), [("The east quay.", "the EAST quay [1]", 3 / 4), ("no", "yes", 0.0), ("", "…", 1.0)]
)
def test_shared_words_are_counted_without_case_and_marks(a: str, b: str, share: float) -> None:
    assert measure_shared_words(a, b) == share


def drawn(monkeypatch: pytest.MonkeyPatch, root: object, **params: str) -> str:
    """The markup of the record below the first picture."""
    monkeypatch.setenv("READBACK_WORKSPACE", str(root))
    page = looking.scores(**params)
    assert not page.exception
    sections = SECTION.findall(" ".join(element.proto.body for element in page.get("html")))
    return html.unescape("".join(sections))


def test_a_record_with_question_answers_and_scores_stands_below_the_first_picture(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    record = drawn(monkeypatch, EXAMPLES / "six-conditions")
    assert "Where the two differ most" in record
    assert "(Does reading the manual help?)" in record
    assert "How fast may an ordinary vessel go inside the breakwater?" in record
    first, second = record.split('<div class="rb-widest-side">')[1:]
    assert all(
        part in first
        for part in ("instruction-only, open book", "At most 5 knots [2].", "</span>2</span>", ">best score<")
    )
    assert all(
        part in second
        for part in ("instruction-only, closed book", "the mail boat.", "</span>−1</span>", ">worst score<")
    )
    assert "item=ellery-02" in record
    assert "sides=condition" in record
    assert re.search(r'href="[^"]*kept=higher[^"]*"[^>]*>one of 12 that differ by 3<', record)


def test_scores_alone_name_the_record_and_scores_that_are_all_the_same_show_no_record(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = drawn(monkeypatch, write({"s.csv": scored("00005", "31525")}))
    assert "Record q2" in record
    assert "no other differs by 5" in record
    assert drawn(monkeypatch, write({"s.csv": scored("0101", "0101")})) == ""


def test_where_no_score_differs_the_answers_that_differ_most_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    record = drawn(monkeypatch, EXAMPLES / "copied-prompts")
    assert "All 24 scores are the same; here the answers differ most" in record
    # Whether the check is there that calls them repeated depends on what was looked at before.
    assert len(re.findall(r'<div class="rb-widest-side(?: rb-widest-void)?">', record)) == 2
