"""Charts and tables of Scores draw the pairs that the words above them are about."""

from __future__ import annotations

import json
import re
from pathlib import Path

import looking
import numpy as np
import pytest
from score_files import Write
from streamlit.testing.v1 import AppTest

from readback import cli, project_files, workspace
from readback.scores import chart_sentences, counts, drawn_pairs, in_view, loading
from readback.scores.comparing.comparison import Compared
from readback.scores.conclusion import conclude_criterion
from readback.types import Criterion

LINE = re.compile(r'<tr class="rb-forest-line[^"]*">.*?</tr>', re.S)
NUMBER = re.compile(
    r'<td class="rb-forest-by(?: rb-forest-soft)?"><strong>([^<]+)</strong><span class="rb-small">([^<]*)</span>'
)
MARK = re.compile(r'<i class="rb-forest-mark" style="left:([\d.]+)%">')
TICK = re.compile(r'<span style="left:([\d.]+)%">([^<]+)</span>')
NAMES = ("a", "b", "c", "d")


def rows(names: tuple[str, ...] = NAMES) -> str:
    """Return scores of which c has the best mean, by far."""
    gain = {"a": 0, "b": 1, "c": 4, "d": 2}
    lines = [f"q{n},{name},grade,{n % 5 + gain[name]},j\n" for n in range(40) for name in names]
    return "item,condition,criterion,score,judge\n" + "".join(lines)


def drawn_lines(page: AppTest) -> list[tuple[float, str, str]]:
    """Return each line of the picture of differences: its number, its outcome in words, how its mark looks; the mark
    is where the axis has that number.
    """
    body = next(html.proto.body for html in page.main.get("html") if "rb-forest-line" in html.proto.body)
    ticks = [(float(place), _read(text)) for place, text in TICK.findall(body)]
    (left, low), (right, high) = ticks[0], ticks[-1]
    lines = []
    for row in LINE.findall(body):
        text, outcome = NUMBER.findall(row)[0]
        (place,) = MARK.findall(row)
        drawn = low + (float(place) - left) * (high - low) / (right - left)
        assert drawn == pytest.approx(_read(text), abs=0.006 + (high - low) / 1000)
        lines.append((_read(text), outcome, re.findall(r"rb-forest-plot rb-mark-(\w+)", row)[0]))
    return lines


def _read(text: str) -> float:
    return float(text.replace("\u2212", "-"))


def drawn_differences(page: AppTest) -> list[float]:
    """Return the number of every line in the picture of differences, sorted."""
    return sorted(number for number, _, _ in drawn_lines(page))


def concluded_differences(folder: Path) -> list[float]:
    """Return the differences of the pairs that the first words under the first criterion are about, sorted."""
    opened = workspace.open(folder)
    table = loading.load(opened)
    criterion, judge = in_view.first(table, opened) or ("", "")
    shown = in_view.get_judge_table(table, judge)
    pairs = drawn_pairs.list_pairs(conclude_criterion(shown, opened, criterion, judge, lambda one: ""))
    return sorted(round(one.difference, 2) for one in pairs if getattr(one, "difference", None) is not None)


def test_without_a_plan_the_others_are_drawn_against_the_condition_that_is_called_best(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write({"s.csv": rows()})
    monkeypatch.setenv("READBACK_WORKSPACE", str(root))
    page = looking.scores()
    assert "“c” is better than each of the 3 others" in looking.words(page)
    assert drawn_differences(page) == concluded_differences(root) == [-4.0, -3.0, -2.0]
    assert "Of 3 compared with “c” on the same questions: 0 higher, 3 lower" in looking.words(page)
    assert "is chosen above" not in looking.words(page)


def test_another_baseline_is_named_beside_the_condition_that_the_answer_is_about(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("READBACK_WORKSPACE", str(write({"s.csv": rows()})))
    page = looking.scores(baseline="condition=a")
    assert drawn_differences(page) == [1.0, 2.0, 4.0]
    assert "This chart compares with “a”, which is chosen above" in looking.words(page)
    assert "The answer at the top is about “c”." in looking.words(page)


@pytest.mark.parametrize("name", ["six-conditions", "six-conditions-mistakes"])
def test_every_planned_pair_of_the_demo_has_a_mark(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = project_files.demos()[name]
    monkeypatch.setenv("READBACK_WORKSPACE", str(folder))
    expected = concluded_differences(folder)
    assert len(expected) == 2
    assert set(expected) <= set(drawn_differences(looking.scores()))


def test_a_planned_pair_without_the_baseline_is_drawn_and_in_the_caption_and_the_table(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = "scores: [s.csv]\ncomparisons:\n- {a: a, b: b, criterion: grade}\n- {a: d, b: c, criterion: grade}\n"
    root = write({"s.csv": rows(), "readback.yml": plan})
    monkeypatch.setenv("READBACK_WORKSPACE", str(root))
    page = looking.scores()
    text = looking.words(page)
    assert drawn_differences(page) == concluded_differences(root) == [1.0, 2.0]
    for high, number, low in (("b", "1.00", "a"), ("c", "2.00", "d")):
        assert f"On 40 shared questions “{high}” scores {number} higher than “{low}”" in text
    numbers = text[text.index("Every difference in numbers") :]
    for pair in (r"a\s+c\s+\+4", r"a\s+d\s+\+2", r"a\s+b\s+\+1", r"d\s+c\s+\+2"):
        assert re.search(rf"\b{pair}\.00", numbers)


@pytest.mark.parametrize(
    ("differing", "caption"), [(30, "0 higher, 2 lower, 0"), (7, "0 higher, 2 lower (2 of them not")]
)
def test_what_the_words_call_not_certain_is_so_in_the_chart_and_its_caption(
    write: Write, monkeypatch: pytest.MonkeyPatch, differing: int, caption: str
) -> None:
    lines = [f"q{n},{name},grade,{n % 3 + (name == 'b' and n < differing)},j\n" for n in range(40) for name in "abc"]
    monkeypatch.setenv(
        "READBACK_WORKSPACE", str(write({"s.csv": "item,condition,criterion,score,judge\n" + "".join(lines)}))
    )
    page = looking.scores()
    text = looking.words(page)
    lines = drawn_lines(page)
    assert caption in text
    assert ("is clearly better" in text or "is better than each" in text) == (differing == 30)
    assert {(outcome.partition(":")[0], look) for _, outcome, look in lines} == {
        ("clear difference", "worse") if differing == 30 else ("a difference, but not certain", "open")
    }
    assert all(("chance gives one as large in 1 of" in outcome) == (differing != 30) for _, outcome, _ in lines)


def test_a_caption_does_not_call_better_what_the_words_above_call_unfair(write: Write) -> None:
    opened = workspace.open(write({"s.csv": rows(("a", "c"))}))
    table = loading.load(opened)
    made = conclude_criterion(table, opened, "grade", "j", lambda one: "unfair")
    assert isinstance(made, tuple)
    compared = Compared(comparisons=tuple(one.line for one in made))  # type: ignore[misc]
    caption = chart_sentences.differences(table, compared, table.criteria["grade"], drawn_pairs.list_fairness(made))
    assert "higher on 40, lower on 0" in caption
    assert "better" not in caption


def test_of_two_conditions_the_first_of_the_files_stays_the_baseline(write: Write) -> None:
    opened = workspace.open(write({"s.csv": rows(("c", "a"))}))
    table = loading.load(opened)
    base = drawn_pairs.find_baseline(table, opened, "grade", "j")
    assert base is not None
    assert table.label(base) == "c"


def test_moves_between_ranges_are_counted_as_they_are_drawn() -> None:
    scale = Criterion("x", "numeric", (), 0, 10)
    a = np.arange(0, 10, 0.5)
    b = a + np.where(np.arange(20) % 4 == 0, 0.4, np.where(np.arange(20) % 4 == 1, 2.0, 0.0)).clip(max=10 - a)
    moved = counts.transitions(a, b, scale)
    drawn = sum(moved.counts[at][at] for at in range(len(moved.rows)))
    sentence = chart_sentences.drawn_moves(moved, in_steps=False)
    assert f"and {drawn} stayed in a range" in sentence
    assert drawn > int((a == b).sum())
    up = sum(n for i, row in enumerate(moved.counts) for j, n in enumerate(row) if j > i)
    assert f"{up} questions moved to a higher range, 0 to a lower one" in sentence


def test_scores_that_are_drawn_one_by_one_need_no_such_sentence() -> None:
    values = np.array([0.0, 1.0, 1.0])
    moved = counts.transitions(values, values, Criterion("x", "numeric", (), 0, 10))
    assert chart_sentences.drawn_moves(moved, in_steps=False) == ""


def test_the_pairs_of_the_command_are_those_of_the_page(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    root = write({"s.csv": rows()})
    cli.main(["scores", str(root), "--format", "json"])
    (answer,) = json.loads(capsys.readouterr().out)["conclusions"]
    assert answer["better"] == "c"
    assert len(concluded_differences(root)) == answer["conditions"] - 1


def test_values_stand_in_order_and_who_lost_scores_is_named(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first row has the high values only; b alone lost scores, and has neither the highest nor the lowest mean."""
    gain = {"a": 0, "b": 1, "c": 3}
    lines = [
        f"q{n},{name},grade,{'' if name == 'b' and n % 9 == 0 else n % 5 + gain[name]},j\n"
        for n in range(40)
        for name in gain
    ]
    declared = "scores: [s.csv]\ncriteria: {grade: {scale: {min: 0, max: 9}}}\n"
    files = {"s.csv": "item,condition,criterion,score,judge\n" + "".join(lines), "readback.yml": declared}
    monkeypatch.setenv("READBACK_WORKSPACE", str(write(files)))
    text = looking.words(looking.scores())
    assert "c: mean 5.00 of 40 of 40; a: mean 2.00 of 40 of 40; b: mean 3.00 of 35 of 40" in text
    assert "missing 0 1 2 3 4 5 6 7 c 5.00" in text
