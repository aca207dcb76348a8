"""Results where no score differs: no picture of zeros, but what that means, what to look at instead, and the pairs."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import looking
import pytest
from markupsafe import Markup
from score_files import Write

from readback.checks.groups import Group
from readback.project_files import EXAMPLES
from readback.scores.comparing.comparison import Comparison
from readback.scores.drawn_pairs import is_level
from readback.ui.results import level
from readback.ui.results.forest import ForestLine
from readback.ui.results.lead import Fairness

Draw = Callable[..., str]
HEAD = "item,condition,criterion,score\n"
PLANNED = """\
dataset: d.jsonl
modes: [{mode: x, template: "Say why {{ q }}"}, {mode: y, template: "Tell why {{ q }}"}]
conditions: [{name: a, mode: x}, {name: b, mode: y}, {name: c, mode: y}]
scores: [s.csv]
comparisons: [{question: Does telling help?, a: a, b: b}]
"""


@pytest.fixture
def draw(monkeypatch: pytest.MonkeyPatch) -> Draw:
    """Return the markup of Results on a folder, with parameters in the address."""

    def run(root: Path, **params: str) -> str:
        monkeypatch.setenv("READBACK_WORKSPACE", str(root))
        looking.page("overview")  # which waits for the check of the prompts
        page = looking.scores(**params)
        assert not page.exception
        return " ".join(element.proto.body for element in page.get("html") if "/*" not in element.proto.body)

    return run


def _read(markup: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", markup)).split())


def _write_rows(criterion: str, scores: Mapping[str, str]) -> str:
    return "".join(
        f"q{at},{name},{criterion},{value}\n" for name, values in scores.items() for at, value in enumerate(values)
    )


def _compare(ties: int, wins: int = 0, **more: Any) -> Comparison:
    a, b = (("condition", "a"),), (("condition", "b"),)
    return Comparison(a, b, "k", "", ties + wins, 0, 0, "constant", wins=wins, ties=ties, **more)


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([], False),
        ([_compare(0)], False),
        ([_compare(1)], True),
        ([_compare(7), _compare(0), _compare(9)], True),
        ([_compare(7), _compare(8, 1)], False),
        ([_compare(7, questions=("a number",))], False),
    ],
)
def test_lines_are_level_where_every_shared_question_is_a_tie(lines: list[Comparison], expected: bool) -> None:
    assert is_level(lines) is expected


def test_a_score_that_is_the_same_everywhere_has_no_axis_but_a_next_step(draw: Draw) -> None:
    markup = draw(EXAMPLES / "copied-prompts")
    text = _read(markup)
    assert "rb-forest-axis" not in markup
    assert "rb-criteria" not in markup
    assert "all 11 conditions have the mean 1.00, so this score cannot tell them apart." in text
    assert "the best that the scale has" not in text  # no score of a copied prompt is good
    assert "2 of 10 pairs are not fair, whatever their scores." in text
    assert "The other criterion, “pass”, has equal means too." in text
    assert re.search(
        r'href="[^"]*code=fmt-answer-repeats-prompt[^"]*"[^>]*>An answer repeats its prompt, in 11', markup
    )
    pairs = re.findall(r'<th scope="row"><bdi>(.*?)</bdi></th>', markup)
    assert len(pairs) == 10
    assert pairs[:2] == ["refusing | house", "polite | house"]  # which may not be compared
    assert "“short | house” and 7 more the same on all 24 ≈ same fault on both sides" in text
    assert "An answer repeats its prompt . An equal score says nothing while both sides have this fault." in text
    assert "Each of these 8 pairs" in text
    assert text.count("the same on all 24") == 11
    assert (
        "All 264 answers repeat their prompts and add nothing, so no score tells how a model answers. 48 of 264" in text
    )
    assert "do not compare “refusing | house” and “polite | house” with the other 9. By “overall”" in text
    assert text.count("✕ only the prompt, repeated") == 2
    assert "so these comparisons are exploratory" not in text


def test_a_planned_pair_without_a_difference_names_what_tells_more(write: Write, draw: Draw) -> None:
    rows = _write_rows("tone", {"a": "0120120", "b": "0120120", "c": "2222222"})
    rows += _write_rows("facts", {"a": "0120120", "b": "1120121", "c": "0120120"})
    files = {
        "readback.yml": PLANNED,
        "s.csv": HEAD + rows,
        "d.jsonl": [{"id": f"q{n}", "q": f"number {n} is so?"} for n in range(7)],
    }
    markup = draw(write(files), criterion="tone")
    text = _read(markup)
    assert "Does telling help? By “tone”: no difference on any shared question. Fair comparison." in text
    assert "On every shared question both sides have the same score." in text
    assert re.search(
        r'href="[^"]*criterion=facts[^"]*"[^>]*>“facts” has different means, 0.86 to 1.14', html.unescape(markup)
    )
    assert re.search(r'href="[^"]*baseline=[^"]*"[^>]*>“c” has another mean, 2.00', html.unescape(markup))
    assert "The planned pair" in text
    assert "rb-forest-axis" not in markup
    assert "rb-criteria" in markup
    assert "rb-forest-axis" in draw(write(files), criterion="facts")


def test_a_pair_without_a_difference_has_no_axis_on_review_either(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write(
        {
            "readback.yml": PLANNED,
            "s.csv": HEAD + _write_rows("tone", {"a": "0120120", "b": "0120120"}),
            "d.jsonl": [{"id": f"q{n}", "q": f"number {n} is so?"} for n in range(7)],
        }
    )
    monkeypatch.setenv("READBACK_WORKSPACE", str(root))
    page = looking.page("review")
    text = looking.words(page)
    assert "tone: no score differs." in text
    assert "b versus a the same on all 7" in text
    assert "rb-forest-axis" not in looking.said(page)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ("1111111", "All 14 scores are 1."),
        ("0101010", "On every shared question both sides have the same score."),
    ],
)
def test_one_pair_alone_says_whether_all_scores_are_one_value(
    write: Write, draw: Draw, values: str, expected: str
) -> None:
    text = _read(draw(write({"s.csv": HEAD + _write_rows("tone", {"a": values, "b": values})})))
    assert expected in text
    assert "There is no other criterion. Score again by one that can differ." in text
    assert "the same on all 7" in text


def test_a_row_of_alike_pairs_names_their_own_fault_and_not_that_of_another_pair() -> None:
    def build_pair(name: str, kind: str, *codes: str) -> tuple[ForestLine, Fairness]:
        texts = dict.fromkeys(("warning", "look", "outcome", "difference", "interval", "n", "shared"), "")
        line = ForestLine(
            question="", a="a", b=name, sign="≈", kind=kind, is_quiet=True, verdict="same", reason="",
            working=Markup(""), moved="the same on all 3", **texts,
        )  # fmt: skip
        groups = tuple(Group(code, "error", f"Fault {code}", 1, 1, (), ()) for code in codes)
        return line, Fairness(kind, "", Markup(""), groups)

    pairs = [
        build_pair("other", "same", "x"), build_pair("b", "same", "y"), build_pair("c", "same", "y"),
        build_pair("unfair", "unfair", "y"), build_pair("d", "same", "y"),
    ]  # fmt: skip
    rest, alike = level._part_alike(*zip(*pairs, strict=True))
    assert ([line.b for line in rest], [line.b for line, _ in alike]) == (["other", "unfair"], ["b", "c", "d"])
    row = level._sum_up_alike(alike)
    assert row.name == "“b” and 2 more"
    assert _read(row.reason).startswith("Fault y .")
    assert level._part_alike(*zip(*pairs[:3], strict=True))[1] == []  # two pairs are no pattern
