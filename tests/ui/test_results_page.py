"""The scores page: numbers with their n, honest words, choices in the address, a way to what is behind a number."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import looking
import pytest
from score_files import TIDY, Write
from streamlit.testing.v1 import AppTest

from readback.project_files import EXAMPLES

Open = Callable[..., AppTest]
SIX = "".join(
    f"q{i},{c},{k},{(i + n) % 3},j{j},a note\n"
    for i in range(6)
    for n, c in enumerate(("closed", "open"))
    for k in ("relevance", "clarity")
    for j in (1, 2)
)


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> Open:
    """Open the scores page on a folder or file, with parameters in the address."""

    def run(path: Path, **params: str) -> AppTest:
        monkeypatch.setenv("READBACK_WORKSPACE", str(path))
        return looking.scores(**params)

    return run


def drawn(app: AppTest) -> str:
    """All markup of the page as text."""
    return html.unescape(re.sub(r"<[^>]+>", " ", markup(app)))


def markup(app: AppTest) -> str:
    return " ".join(element.proto.body for element in app.get("html") if "/*" not in element.proto.body)


def titles(app: AppTest) -> list[str]:
    return [title.value for title in app.title]


def test_without_scores_the_page_says_what_a_score_file_is_and_where_to_open_one(write: Write, page: Open) -> None:
    app = page(write({"prompt.jinja": "Answer {{ question }}."}))
    assert "columns item, condition, criterion, score" in drawn(app)
    assert 'href="/open' in markup(app)


def test_without_a_plan_the_first_sentence_gives_the_means_and_calls_the_rest_exploratory(
    write: Write, page: Open
) -> None:
    app = page(write({"s.csv": TIDY + SIX}))
    said = drawn(app)
    assert titles(app) == ["Which condition is better, and are we sure?"]
    assert "the means of all 2 conditions shown are 1.00" in said
    assert "No comparison was planned under this criterion, so these comparisons are exploratory" in said
    assert re.search(
        r"scored\s+12\s+judge failed\s+0\s+missing\s+0\s+not applicable\s+0\s+judge\s+all 2 judges together", said
    )
    assert len(app.get("plotly_chart")) == 1


def test_the_first_words_are_the_planned_comparisons_and_what_was_expected_stands_beside(
    write: Write, page: Open
) -> None:
    rows = "".join(f"{i},closed,{i % 2}\n{i},open,{i % 2 + (i % 5 > 0)}\n" for i in range(40))
    plan = "comparisons: [{a: closed, b: open, criterion: relevance_score, question: Does it help?, expected: b}]\n"
    root = write({"readback.yml": f"scores: [s.csv]\n{plan}", "s.csv": f"qid,condition,relevance_score\n{rows}"})
    said = drawn(page(root))
    assert "Does it help?" in said
    assert "On 40 shared questions “open” scores 0.80 higher than “closed” (95 % interval 0.67 to 0.93)" in said
    assert "better on 32, worse on 0, the same on 8" in said
    assert "Does it help? By “relevance_score”: “open” is better, and the difference is clear (" in said
    assert "expected: open is higher · p < 0.001 (the one planned comparison)" in said


def many_criteria(conditions: int, criteria: int, name: str = "c{}") -> str:
    """Scores of conditions under criteria, on eight questions."""
    names = [f"k{i}_score" for i in range(criteria)]
    rows = "".join(
        f"q{q},{name.format(c)},{','.join(str((q + c + k) % 3) for k in range(criteria))}\n"
        for q in range(8)
        for c in range(conditions)
    )
    return f"qid,condition,{','.join(names)}\n{rows}"


def test_all_criteria_stand_beside_each_other_and_a_click_chooses_one(write: Write, page: Open) -> None:
    app = page(write({"s.csv": many_criteria(14, 12)}), criterion="k3_score")
    said = markup(app)
    assert said.count('<th scope="col"') >= 12
    assert 'aria-current="true"' in said.split("rb-criteria-chosen")[1][:200]
    assert "2 more conditions" in drawn(app)  # twelve are in sight
    assert "criterion=k11_score" in said
    assert "First by its mean is “c" in drawn(app)  # nothing is concluded of fourteen; who is first is said


def test_more_criteria_than_fit_beside_each_other_are_rows_and_a_cell_needs_no_colour(write: Write, page: Open) -> None:
    app = page(write({"s.csv": many_criteria(2, 12)}))
    table = markup(app).split('class="rb-criteria rb-criteria-turned"')[1].split("</table>")[0]
    assert table.count('<th scope="row"') == 12
    assert table.count('<th scope="col"') == 3  # the corner and two conditions
    assert len(re.findall(r'<td style="background[^"]*" title="8 answers"><a [^>]*>[0-9.]+</a>', table)) == 24
    assert all(f"criterion=k{i}_score" in table for i in range(12))
    text = drawn(app)
    assert "Higher is better under each." in text
    assert "↑" not in text
    assert "Each mean is of 8 answers; a difference counts shared questions alone." in text


def test_where_criteria_have_several_better_ends_each_says_its_own(write: Write, page: Open) -> None:
    config = (
        "scores: [s.csv]\ncriteria:\n  k0_score: {scale: [0, 1, 2], direction: down}\n"
        "  k1_score: {scale: [0, 1, 2], direction: none}\n"
    )
    app = page(write({"readback.yml": config, "s.csv": many_criteria(2, 3)}))
    ends = ("lower is better", "neither end is better", "higher is better")
    table = drawn(app).split("All criteria at a glance", 1)[1].split("Answers, record by record")[0]
    assert [table.count(end) for end in ends] == [1, 1, 1]
    table = markup(app).split('class="rb-criteria"')[1].split("</table>")[0]
    assert table.count('<td style="background') == 4  # of the criterion without a better end no cell has a colour
    assert table.count('<td style=""') == 2


def test_where_nothing_is_planned_the_differences_from_the_baseline_are_drawn_and_called_so(
    write: Write, page: Open
) -> None:
    app = page(write({"s.csv": many_criteria(9, 1)}), baseline="condition=c2")
    said = drawn(app)
    assert "Difference from “c2”, k0_score (nothing was planned)" in said
    assert "2 more differences" in said
    assert markup(app).count("rb-forest-line") == 8
    assert markup(app).count("No file says which prompt each was sent.") == 8


@pytest.mark.parametrize("name", ["x" * 300 + " {}", "تجربة {}", "<b>{}</b>"])
def test_names_of_any_length_and_direction_are_shown_escaped(write: Write, page: Open, name: str) -> None:
    app = page(write({"s.csv": many_criteria(3, 2, name)}))
    assert not app.exception
    assert html.escape(name.format(1)) in markup(app)


def test_one_toolbar_has_every_chart_of_the_page(page: Open) -> None:
    app = page(EXAMPLES / "six-conditions")
    keys = [one.key for one in app.get("download_button")]
    assert {"csv_forest", "csv_distribution"} <= set(keys)
    words = drawn(app)
    assert words.count("How this was worked out") == 2
    assert words.index("Does reading the manual help?") < words.index("All criteria at a glance")


def test_differences_are_doors_to_the_pairs_and_one_side_of_them(page: Open) -> None:
    closed, opened = "condition=instruction-only, closed book", "condition=instruction-only, open book"
    app = page(EXAMPLES / "six-conditions-mistakes", of=opened, against=closed, kept="lower")
    said = drawn(app)
    assert "instruction-only, open book against instruction-only, closed book, question by question" in said
    assert "all 23" in said
    rows = re.findall(r"<tr>(.*?)</tr>", markup(app))
    assert sum("item=ellery" in row and "−" in row for row in rows) == 2


def test_one_value_and_one_state_can_be_listed(write: Write, page: Open) -> None:
    root = write({"s.csv": "qid,arm,relevance_score\n1,x,2\n1,y,1\n2,x,0\n"})
    assert re.search(r"2\s+–\s+missing\s+no row in the files", drawn(page(root, of="arm=y", state="missing")))
    app = page(EXAMPLES / "six-conditions-mistakes", of="condition=instruction-only, open book", value="-1")
    assert markup(app).count(">messages</a>") == 2


def test_a_record_shows_its_scores_everywhere_its_notes_its_answer_and_the_ways_on(page: Open) -> None:
    app = page(EXAMPLES / "six-conditions-mistakes", item="ellery-02", arm="base, closed book")
    said = drawn(app)
    assert "Record ellery-02" in said
    assert "drawn for an answer that is wrong" in said
    assert {"Open in Prompts", "Open the judge harbour-judge in Prompts"} <= set(
        re.findall(r">([^<>]+)</a>", markup(app))
    )
    assert "judge=harbour-judge" in html.unescape(markup(app))
    assert "RAG-trained, open book" in said
    assert app.subheader[0].value == "The answer of base, closed book", said


def test_a_record_without_a_prompt_says_which_file_would_add_it(write: Write, page: Open) -> None:
    app = page(write({"s.csv": TIDY + SIX}), item="q1", arm="open")
    assert "no dataset with the id q1 and no prompt for this condition are loaded" in drawn(app)
    assert "judges: in readback.yml" in drawn(app)
    gone = page(write({"s.csv": TIDY + SIX}), item="q99")
    assert "No score file has an item q99" in drawn(gone)


@pytest.mark.parametrize("view", ["means", "effects", "heat", "joint"])
def test_one_view_is_drawn_at_a_time(write: Write, page: Open, view: str) -> None:
    body = "".join(
        f"{q},{a},{b},{(q + a + b) % 4 - 1},{(q * a) % 3 - 1}\n"
        for q in range(9)
        for a in "12"
        for b in "12"
        for a, b in [(int(a), int(b))]
    )
    root = write({"s.csv": "qid,depth,reranker,relevance_score,faithfulness_score\n" + body})
    app = page(root, view=view)
    assert len(app.get("plotly_chart")) == 1
    assert app.query_params["view"] == view


def test_a_view_that_the_files_do_not_call_for_is_not_offered(write: Write, page: Open) -> None:
    app = page(write({"s.csv": "qid,relevance_score\n1,2\n2,-1\n"}) / "s.csv", view="heat")
    assert len(app.get("plotly_chart")) == 1
    assert [one.options for one in app.get("button_group") if one.key == "view"] == [["Distribution", "Means"]]


def test_a_stated_rate_that_no_count_gives_is_marked_where_it_stands(write: Write, page: Open) -> None:
    root = write({"means.csv": "condition,N,pass %,F,G\nopen,72,24.1,.43,.44\nclosed,72,25.0,.29,n/a\n"})
    said = drawn(page(root))
    assert "▲ 24.1" in said
    assert "▲ 25" not in said
    assert "not applicable" in said


def test_one_condition_asks_another_question(write: Write, page: Open) -> None:
    app = page(write({"s.csv": "qid,relevance_score\n1,2\n2,-1\n"}) / "s.csv")
    assert titles(app) == ["How do answers score?"]
    assert "2 answers scored, mean 0.50 on the scale −1, 0, 1, 2 (no interval can be given)" in drawn(app)


def test_criterion_and_judge_come_from_the_address_and_a_change_goes_there(write: Write, page: Open) -> None:
    root = write({"s.csv": TIDY + SIX})
    app = page(root, criterion="clarity", scored_by="j2")
    assert (app.selectbox("criterion").value, app.selectbox("scored_by").value) == ("clarity", "j2")
    assert "No scale is declared for clarity" in drawn(app)
    app.selectbox("criterion").set_value("relevance").run()
    assert "criterion" not in app.query_params  # the default is not written
    app.selectbox("scored_by").set_value("j1").run()
    app.selectbox("criterion").set_value("clarity").run()
    assert app.query_params["criterion"] == "clarity"
    wrong = page(root, criterion="charm", by="nothing")
    assert wrong.selectbox("criterion").value == "relevance"


def test_synthetic_scores_are_called_so(page: Open) -> None:
    app = page(EXAMPLES / "six-conditions-mistakes")
    assert "Scored by a script: decide nothing yet." in drawn(app)
    assert app.selectbox("criterion").value == "relevance"


def test_a_number_leads_to_the_scores_behind_it_and_these_to_their_messages(page: Open) -> None:
    app = page(EXAMPLES / "six-conditions-mistakes")
    drilldown = "condition=instruction-only, open book"
    assert "of=condition%3Dinstruction-only%2C+open+book" in markup(app)
    opened = page(EXAMPLES / "six-conditions-mistakes", of=drilldown)
    assert "Scores of instruction-only, open book" in drawn(opened)
    assert re.search(
        r'href="/prompts\?[^"]*record=ellery-01[^"]*condition=instruction-only', html.unescape(markup(opened))
    )
    opened.button("close_records").click().run()
    assert "of" not in opened.query_params


def test_a_bar_leads_to_the_scores_behind_it(write: Write, page: Open) -> None:
    app = page(write({"s.csv": "qid,arm,relevance_score\n1,x,2\n1,y,1\n2,x,0\n2,y,0\n"}), of="arm=y")
    rows: list[Any] = re.findall(r"<tr>(.*?)</tr>", markup(app))
    assert sum('<th scope="row" class="rb-left">' in row and ">scored<" in row for row in rows) == 2


def test_many_conditions_begin_with_one_factor_and_can_be_seen_one_by_one(write: Write, page: Open) -> None:
    body = "".join(
        f"{q},{a},{b},{(q + a + b) % 4 - 1}\n" for q in range(3) for a in range(4) for b in range(4) if q + a + b
    )
    root = write({"s.csv": "qid,depth,reranker,relevance_score\n" + body})
    app = page(root)
    assert "16 conditions are too many for one chart" in drawn(app)
    assert "each row combines all conditions with the same value of depth" in drawn(app)
    assert "by" not in app.query_params
    assert page(root, by="reranker").selectbox("by").value == "reranker"
    every = page(root, by="*")
    assert "too many for one chart" not in drawn(every)
    assert len(every.get("plotly_chart")) == 1


def test_scores_without_the_factors_of_others_are_not_taken_by_a_factor(write: Write, page: Open) -> None:
    body = "".join(f"{q},{a},{b},8,{(q + a + b) % 4 - 1}\n" for q in range(3) for a in range(4) for b in range(4))
    study = "qid,depth,reranker,n_queries,relevance_score\n" + body
    other = "qid,relevance_score,evaluator_name,note\n1,2,ada,Says it all.\n2,-1,ada,Says nothing.\n"
    root = write({"readback.yml": "scores: [s.csv, t.csv]\n", "s.csv": study, "t.csv": other})
    app = page(root, scored_by="ada", by="depth", value="-1", of="condition=t")
    assert [box.key for box in app.selectbox if box.key == "by"] == []
    assert "Scores of t: −1" in drawn(app)
    assert "Says nothing." in drawn(app)
    assert not {"effects", "heat", "Main effects"} & {
        name for one in app.get("button_group") if one.key == "view" for name in one.options
    }
    one = page(root, item="1", arm="depth=0 · reranker=0")
    assert "Under depth=0 · reranker=0" in drawn(one)
    assert "n_queries" not in drawn(one)
    assert "No answers are loaded for depth=0 · reranker=0" in drawn(one)


def test_what_only_holm_leaves_unseparated_is_said(write: Write, page: Open) -> None:
    body = "".join(f"{q},x,0\n{q},y,{1 + (q == 0)}\n{q},z,{q % 2}\n" for q in range(6))
    said = drawn(page(write({"s.csv": "qid,arm,relevance_score\n" + body}), baseline="arm=x"))
    assert "2 without a clear difference. For 1 of them the interval does not contain 0, but p, corrected" in said


def test_a_note_of_two_criteria_stands_once(write: Write, page: Open) -> None:
    scores = "1,x,2,1,Both are fine.\n1,y,2,1,\n2,x,1,1,\n"
    root = write({"s.csv": "qid,arm,relevance_score,faithfulness_score,note\n" + scores})
    said = drawn(page(root, item="1", arm="x"))
    assert "Judge's note relevance_score, faithfulness_score Both are fine." in " ".join(said.split())
    assert said.split("Its scores everywhere")[0].count("Both are fine.") == 1


def test_a_file_that_cannot_be_used_says_why(write: Write, page: Open) -> None:
    root = write({"readback.yml": "scores: [s.csv]\n", "s.csv": "name,colour\na,red\n"})
    assert "No scores are found in 's.csv'; its columns are: name, colour" in drawn(page(root))


@pytest.mark.realdata
def test_the_published_factor_study_shows_its_96_conditions(shared: Path, page: Open) -> None:
    app = page(shared / "data/liverag-judge/factor_analysis_query_level_scores.csv", by="rag_prompt_level")
    said = drawn(app)
    assert re.search(r"scored\s+9,589\s+judge failed\s+0\s+missing\s+11", said)
    assert "the highest mean is 1.59 (naive, 4,795 answers), the lowest 1.54 (advanced, 4,794 answers)" in said


@pytest.mark.realdata
def test_does_the_advanced_prompt_help_is_answered_with_the_trade_off(shared: Path, page: Open) -> None:
    file = shared / "data/liverag-judge/factor_analysis_query_level_scores.csv"
    said = drawn(page(file, by="rag_prompt_level", baseline="rag_prompt_level=naive"))
    assert "On 100 shared questions “naive” scores 0.05 higher than “advanced” (95 % interval 0.02 to 0.08)" in said
    assert "A trade-off: faithfulness_score goes up and relevance_score goes down." in said
    assert "faithfulness_score: advanced scores 0.05 higher (95 % interval 0.03 to 0.07) on 100 shared" in said
