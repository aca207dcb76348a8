"""The further views of the scores page: each says its numbers, has its table, and its marks lead to records."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from pathlib import Path

import looking
import pytest
from score_files import TIDY, Write
from streamlit.testing.v1 import AppTest

from readback import cli
from readback.project_files import EXAMPLES

Open = Callable[..., AppTest]
CLOSED = "condition=instruction-only, closed book"


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> Open:
    """Open the scores page on a folder or file, with parameters in the address."""

    def run(path: Path, **params: str) -> AppTest:
        monkeypatch.setenv("READBACK_WORKSPACE", str(path))
        return looking.scores(**params)

    return run


def drawn(app: AppTest) -> str:
    """All words of the page."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", markup(app))).split())


def markup(app: AppTest) -> str:
    return " ".join(element.proto.body for element in app.get("html") if "/*" not in element.proto.body)


def test_scores_stand_against_length_with_a_rank_correlation_and_what_is_left_out(page: Open) -> None:
    said = drawn(page(EXAMPLES / "six-conditions-mistakes", view="lengths", size="answer-characters", a=CLOSED))
    assert "the data show no link between relevance and length (answer, in characters)" in said
    assert "on 24 records the rank correlation is −0.11 (95 % interval −0.49 to 0.31)" in said
    assert "24 records are used; left out: none." in said


def test_a_range_of_lengths_opens_its_records(page: Open) -> None:
    drilldown = {"view": "lengths", "size": "answer-characters", "a": CLOSED, "of": CLOSED, "under": "more"}
    said = drawn(page(EXAMPLES / "six-conditions-mistakes", **drilldown, long="45-71"))
    assert "Scores of instruction-only, closed book, length 45 – 71" in said
    app = page(EXAMPLES / "six-conditions-mistakes", **drilldown, long="45-71", value="-1")
    assert markup(app).count(">messages</a>") == 4


def test_lengths_that_nobody_can_measure_say_why(write: Write, page: Open) -> None:
    plan = "dataset: {path: d.jsonl, id: id}\nscores: [s.csv]\nconditions: [{name: a}]\n"
    data = "".join(json.dumps({"id": f"q{i}", "question": "x"}) + "\n" for i in range(6))
    rows = "item,condition,criterion,score\n" + "".join(f"q{i},a,clear,{i % 2}\n" for i in range(6))
    said = drawn(page(write({"readback.yml": plan, "d.jsonl": data, "s.csv": rows}), view="lengths"))
    assert "6 whose prompt cannot be built, 6 without an answer in the files" in said


JUDGED = "item,condition,criterion,score,judge,run\n"


def good(i: int, condition: int) -> bool:
    return (i + condition) % 3 > 0


def judged() -> str:
    """Two judges twice each on 24 answers of two conditions, and a person on half of them."""
    rows = []
    for i in range(24):
        for condition in (0, 1):
            fine = good(i, condition)
            rows += [f"q{i},arm {condition},passes,{int(fine)},human:ada,"] if i < 12 else []
            rows += [f"q{i},arm {condition},passes,{int(fine or i % 5 == 0)},lenient,{run}" for run in (1, 2)]
            rows += [f"q{i},arm {condition},passes,{int(fine and (i + run) % 4 > 0)},strict,{run}" for run in (1, 2)]
    return JUDGED + "\n".join(rows) + "\n"


def test_judges_are_set_beside_each_other_in_every_way_that_the_files_allow(write: Write, page: Open) -> None:
    app = page(write({"s.csv": judged()}), view="agreement", scored_by="lenient", criterion="passes")
    said = drawn(app)
    assert "Of 3 pairs of judges" in said
    assert re.search(r"The most lenient is lenient, \+0\.\d+ above the others", said)
    assert "They agree least under" in said
    assert re.search(
        r"lenient passes 7\d % of 48 answers; corrected by the 24 that human:ada labelled too, it is", said
    )
    assert "strict: of 48 answers that it scored more than once, 16 got another score" in said
    assert "gave the same value in" in said
    assert "of the variance of its scores" in said


def test_a_cell_of_two_judges_opens_the_answers_that_they_gave_these_values(write: Write, page: Open) -> None:
    drilldown = {"view": "agreement", "pair": "lenient × strict", "of": "*", "under": "more", "value": "1", "and": "0"}
    app = page(write({"s.csv": judged()}), **drilldown)
    assert app.selectbox("pair").value == "lenient × strict"
    assert "Answers to which lenient gave 1 and strict gave 0" in drawn(app)
    (cells,) = re.findall(r"<caption>Answers to which.*?</table>", markup(app), re.DOTALL)
    apart = [
        not (good(i, condition) and (i + 1) % 4 > 0)
        for i in range(24)
        for condition in (0, 1)
        if good(i, condition) or i % 5 == 0
    ]
    assert cells.count("<tr><th") - 1 == sum(apart)
    none = page(write({"s.csv": judged()}), **{**drilldown, "value": "7"})
    assert "gave 7" in drawn(none)


PAIR = {"model_a": "A", "model_b": "B", "annotator": "me", "response_a": "x", "response_b": "y", "timestamp": "now"}


def outcomes(*told: str, **more: str) -> list[dict[str, str]]:
    return [{**PAIR, "task_id": f"t{n}", "outcome": outcome, **more} for n, outcome in enumerate(told)]


def test_side_by_side_outcomes_are_shown_where_there_is_nothing_else(write: Write, page: Open) -> None:
    told = outcomes(*["win_a"] * 62, *["win_b"] * 51, *["tie"] * 41)
    said = drawn(page(write({"p.jsonl": told})))
    assert "Side by side there is no clear difference between A and B: 62 wins to 51, 41 tied, on 154 answers" in said
    assert "54.9 % of the 113 that are not ties (95 % interval 45.7 to 63.7 %, p = 0.35)" in said
    assert "The files do not say which answer was shown first" in said


def test_a_ranking_and_the_place_are_told_where_the_files_allow(write: Write, page: Open) -> None:
    pairs = [("A", "B", 14), ("B", "C", 13), ("A", "C", 18)]
    told = [
        {**row, "model_a": a, "model_b": b, "presented_as_A": a, "presented_as_B": b}
        for a, b, wins in pairs
        for row in outcomes(*["win_a"] * wins, *["win_b"] * (20 - wins))
    ]
    turned = [{**row, "presented_as_A": row["model_b"], "presented_as_B": row["model_a"]} for row in told[:10]]
    app = page(write({"p.jsonl": told + turned}))
    said = drawn(app)
    assert "3 pairs were judged side by side" in said
    assert "A is strongest: against B, the next, it would win 79 % of the time" in said
    assert "The answer shown first wins more often: 45 of 70 outcomes that are not ties (64.3 %, 95 %" in said
    assert "Of 10 items shown in both orders, in 0 the same position won" in said
    assert len(app.get("plotly_chart")) == 2


def test_outcomes_are_listed_by_who_won(write: Write, page: Open) -> None:
    told = outcomes("win_a", "tie", "win_b", "win_a")
    opened = page(write({"p.jsonl": told}), of="condition=A", against="condition=B", kept="first", under="more")
    said = drawn(opened)
    assert "A against B, answer by answer" in said
    assert "all 4 won 2 tied 1 lost 1" in said
    assert sum("t0" in row or "t3" in row for row in re.findall(r"<tr>(.*?)</tr>", markup(opened))) == 2


def factors(extra: str = "") -> str:
    body = "".join(
        f"q{q},{a},{b},{(q + a + b) % 4 - 1},{(q * a) % 3 - 1}\n" for q in range(9) for a in (1, 2) for b in (1, 2)
    )
    return f"qid,depth,reranker,relevance_score,faithfulness_score\n{body}{extra}"


def test_a_cell_of_two_criteria_opens_its_scores(write: Write, page: Open) -> None:
    drilldown = {"view": "joint", "of": "*", "value": "0", "and": "1", "under": "more"}
    app = page(write({"s.csv": factors()}), **drilldown)
    assert "Scores of relevance_score: 0, where faithfulness_score is 1" in drawn(app)
    expected = sum((q + a + b) % 4 == 1 and (q * a) % 3 == 2 for q in range(9) for a in (1, 2) for b in (1, 2))
    assert markup(app).count(">scored</td>") == expected > 0


def test_two_factors_say_when_their_cells_are_made_of_other_questions(write: Write, page: Open) -> None:
    whole = drawn(page(write({"s.csv": factors()}), view="heat"))
    assert "the colours cover only the range from the lowest to the highest mean" in whole
    assert "Not every cell" not in whole
    part = drawn(page(write({"s.csv": factors("q9,1,1,2,1\n")}), view="heat"))
    assert "Not every cell has the same questions under the same other settings (9 to 10)" in part


def test_each_record_has_doors_to_those_that_went_up_or_down(write: Write, page: Open) -> None:
    rows = "".join(f"q{i},a,{i % 3 - 1}\nq{i},b,{(i + 1) % 3 - 1}\n" for i in range(9))
    app = page(write({"s.csv": f"qid,arm,relevance_score\n{rows}"}), baseline="arm=a", view="each")
    assert "List the records: higher 6 · same 0 · lower 3" in drawn(app)
    assert "kept=lower" in html.unescape(markup(app))


def test_several_conditions_are_also_tested_together(page: Open) -> None:
    said = drawn(page(EXAMPLES / "six-conditions-mistakes", view="differences"))
    assert "together there is a difference (Friedman's test on 23 questions scored under all of them, p <" in said


def test_an_interval_that_knows_the_scale_stands_beside_the_usual_one_where_one_value_holds_most(page: Open) -> None:
    said = drawn(page(EXAMPLES / "six-conditions-mistakes"))
    assert "On the whole scale" in said
    assert "for instruction-only, closed book it is −0.85 to −0.18 instead of −0.99 to −0.26" in said


def sliced(extra: str = "") -> dict[str, str]:
    """Two topics of twelve records; open is higher by one on the first alone."""
    data = "".join(json.dumps({"id": f"q{i}", "topic": ["tides", "locks"][i % 2]}) + "\n" for i in range(24))
    rows = "".join(f"q{i},closed,{i % 3}\nq{i},open,{i % 3 + (i % 2 == 0)}\n" for i in range(24))
    plan = "dataset: {path: d.jsonl, id: id}\nscores: [s.csv]\n"
    return {"readback.yml": plan + extra, "d.jsonl": data, "s.csv": f"qid,arm,clear_score\n{rows}"}


def test_each_value_of_a_field_has_its_difference_and_opens_its_pairs(write: Write, page: Open) -> None:
    drilldown = {"view": "slices", "field": "topic", "baseline": "arm=closed"}
    root = write(sliced())
    said = drawn(page(root, **drilldown))
    assert "Of 2 values of topic, open differs from closed under 1 after the adjustment" in said
    assert "the differences lie between 0.00 (locks) and +1.00 (tides)" in said
    app = page(root, **drilldown, of="arm=open", against="arm=closed", under="more", **{"and": "1"})
    assert "topic: tides. open against closed, question by question" in drawn(app)
    assert "all 12 higher 12 lower 0 same 0" in drawn(app)


@pytest.mark.parametrize("view", ["each", "slices"])
def test_what_may_not_be_compared_is_drawn_in_no_view(write: Write, page: Open, view: str) -> None:
    plan = "conditions: [{name: closed, mode: instruction}, {name: open, mode: rag}]\n"
    files = sliced(plan)
    files["s.csv"] = files["s.csv"].replace("clear_score", "grounding_score").replace("arm", "condition")
    app = page(write(files), view=view, baseline="condition=closed")
    assert "Not compared." in drawn(app)
    assert len(app.get("plotly_chart")) == 0


def test_outcomes_that_cannot_be_read_are_named_below_those_that_can(write: Write, page: Open) -> None:
    said = drawn(page(write({"p.jsonl": outcomes("win_a", "won", "tie")})))
    assert "1 wins to 0, 1 tied, on 2 answers" in said
    assert "scr-bad-outcome" in said


def test_a_finding_beside_scores_opens_the_scores_of_its_records(page: Open) -> None:
    base = "condition=base, open book"
    app = page(EXAMPLES / "six-conditions-mistakes", view="costs")
    assert "and=fmt-context-not-sent&under=more" in html.unescape(markup(app))
    opened = page(
        EXAMPLES / "six-conditions-mistakes", view="costs", of=base, under="more", **{"and": "fmt-context-not-sent"}
    )
    assert "Scores of the records with fmt-context-not-sent: base, open book" in drawn(opened)
    assert len(re.findall(r">−1</td>\s*<td[^>]*>scored</td>", markup(opened))) == 2


def test_too_little_to_test_is_said_in_words_and_no_judge_is_the_most_lenient_of_equals(
    write: Write, page: Open
) -> None:
    body = "".join(
        f"{q},x,relevance,{q},{j},\n{q},y,relevance,ERROR: no reply,{j},\n" for q in range(3) for j in ("ada", "bob")
    )
    said = drawn(page(write({"s.csv": TIDY + body}), view="agreement"))
    assert "Neither an interval nor a test can be computed for them. Pairs of scores used: 0." in said
    assert "None of the judges is above the others" in said
    assert "Test: –" not in said
    same = "".join(f"{q},x,relevance,1,{j},\n" for q in range(3) for j in ("ada", "bob"))
    said = drawn(page(write({"s.csv": TIDY + same}), view="agreement"))
    assert "is not defined: on the answers with two scores or more (3) all 6 scores are the same" in said
    assert "seed –" not in said


def test_where_nothing_may_be_compared_nobody_is_told_to_choose_a_baseline(write: Write, page: Open) -> None:
    body = "".join(f"{q},{'xy'[q > 2]},relevance,{q % 3},ada,\n" for q in range(6))
    said = drawn(page(write({"s.csv": TIDY + body})))
    assert "None of them may be compared; the reason is below." in said
    assert "choose a baseline" not in said


def test_what_a_log_states_of_its_scores_stands_beside_them(write: Write, page: Open) -> None:
    samples = [
        {"id": name, "epoch": 1, "input": "x", "messages": [], "scores": {"right": {"value": value}}, "events": []}
        for name, value in (("a", "C"), ("b", "I"))
    ]
    metrics = {name: {"name": name, "value": 0.5} for name in ("accuracy", "stderr")}
    log = {
        "version": 2,
        "status": "success",
        "eval": {"task": "t", "model": "m", "dataset": {}, "config": {}},
        "plan": {},
        "results": {"scores": [{"name": "right", "scorer": "right", "scored_samples": 2, "metrics": metrics}]},
        "samples": samples,
    }
    said = drawn(page(write({"log.json": json.dumps(log)})))
    assert "The mean that a file states was computed again from its rows, and agrees." in said
    assert "One other number of the log (stderr) cannot be computed again from its rows." in said


@pytest.mark.parametrize(("scale", "is_narrow"), [((0, 1), False), ((0, 1, 2), True)])
def test_the_page_warns_of_narrow_intervals_where_the_command_does(
    scale: tuple[int, ...], is_narrow: bool, write: Write, page: Open, capsys: pytest.CaptureFixture[str]
) -> None:
    """A rate has an interval of its own, which is not too narrow where most scores are equal; a mean's is."""
    body = "".join(f"q{q},{side},good,{scale[q % 5 == 0]},ada,\n" for q in range(40) for side in "xy")
    config = {"scores": ["s.csv"], "criteria": {"good": {"scale": list(scale)}}}
    root = write({"s.csv": TIDY + body, "readback.yml": config})
    warning = "most scores are equal (70 % or more), so the intervals of their means are too narrow"
    assert (warning in drawn(page(root))) is is_narrow
    assert cli.main(["scores", str(root)]) == 0
    assert (warning in capsys.readouterr().out) is is_narrow
