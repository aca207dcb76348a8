"""The page Overview: the sentence of facts, the table of conditions, what to look at first, counts that add up."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from looking import drawn, links, page, said, words
from streamlit.testing.v1 import AppTest

from readback import workspace
from readback.checks.summary import Audit, Row
from readback.project_files import EXAMPLES
from readback.records.dataset import Counts
from readback.scores.values.criteria import MINUS
from readback.types import Selection
from readback.ui.common.draw import table
from readback.ui.common.draw.table import Column
from readback.ui.overview import conditions_table, score_warnings

BRIEF = "You answer in one short sentence and never guess."


def overview(**params: str) -> AppTest:
    return page(**params)


def row(test: AppTest, name: str) -> str:
    """The cells of a row of a table, by what its first cell says."""
    rows = [part for part in said(test).split("<tr>") if f">{name}</a></th>" in part]
    assert len(rows) == 1
    return " | ".join(" ".join(re.sub(r"<[^>]+>", " ", cell).split()) for cell in rows[0].split("</td>"))


FACTS = "3 records , 2 conditions ."
FAULT = "The user message contains system text"


def study(**more: Any) -> dict[str, Any]:
    """Two conditions, one of which repeats its system message."""
    return {
        "data.jsonl": [{"id": str(n), "q": f"Why {n}?"} for n in range(3)],
        "readback.yml": {
            "name": "Study",
            "dataset": "data.jsonl",
            "modes": [
                {"mode": "good", "system": BRIEF, "template": "{{ q }}"},
                {"mode": "bad", "system": BRIEF, "template": BRIEF + " {{ q }}"},
            ],
            "models": {"m": {"training": {"system": BRIEF}, "context": 4096}},
            "conditions": [
                {"name": "right", "mode": "good", "model": "m"},
                {"name": "wrong", "mode": "bad", "model": "m"},
            ],
            **more,
        },
    }


def pair_row(test: AppTest, name: str) -> str:
    """The row of a planned comparison whose names begin with this one."""
    rows = [part for part in said(test).split('<li class="rb-pair ')[1:] if f"“{name}”<br>" in part]
    assert len(rows) == 1
    return " ".join(re.sub(r"<[^>]+>", " ", rows[0].split("</li>")[0].partition(">")[2]).split())


def strip(test: AppTest) -> list[str]:
    """The parts of the strip that says where the study stands."""
    inner = said(test).split('<ul class="rb-status"')[1].split("</ul>")[0]
    return [" ".join(re.sub(r"<[^>]+>", " ", part).split()) for part in re.findall(r"<li[^>]*>(.*?)</li>", inner, re.S)]


def test_the_first_lines_say_how_much_there_is_and_where_the_study_stands(serving: Any) -> None:
    serving(study())
    test = overview()
    assert f"{FACTS} No comparison is planned, and there are no scores." in words(test)
    assert strip(test) == ["Sign off? Not yet:", "✕ 1 kind of error in 3 places", "1 item to decide"]


def test_one_planned_comparison_is_named(serving: Any) -> None:
    serving(study(comparisons=[{"a": "right", "b": "wrong"}]))
    text = words(overview())
    assert f"{FACTS} The comparison of “wrong” versus “right” is not fair. {FAULT}: 3 places in wrong ." in text


def test_several_planned_comparisons_are_counted(serving: Any) -> None:
    pairs = [{"a": "right", "b": "wrong"}, {"a": "right", "b": "other"}, {"a": "other", "b": "wrong"}]
    files = study(comparisons=pairs)
    files["readback.yml"]["conditions"].append({"name": "other", "mode": "good"})
    serving(files)
    first = "2 of 3 planned comparisons are not fair; the first is “wrong” versus “right” ."
    assert f"{first} {FAULT}: 3 places in wrong ." in words(overview())


def test_errors_outside_the_planned_comparisons_are_counted_apart(serving: Any) -> None:
    files = study(comparisons=[{"a": "right", "b": "wrong"}])
    text = "".join(f'{{"id": "{n}", "q": "Why?"}}\n' for n in range(3)) + "not json\n"
    serving(files | {"data.jsonl": text})
    assert "places in wrong . 1 other error does not affect a planned comparison." in words(overview())


def test_a_planned_comparison_without_errors_is_said_to_have_none(serving: Any) -> None:
    files = study(comparisons=[{"a": "right", "b": "other"}])
    files["readback.yml"]["conditions"].append({"name": "other", "mode": "good"})
    serving(files)
    test = overview()
    assert "3 conditions . The planned comparison is fair." in words(test)
    assert strip(test)[1] == "✕ 1 kind of error in 3 places"


FIRST_SENTENCES = [
    (
        False,
        "high",
        "“right” is better than “other” by 1.00 of 2 points in “good”, fair comparison.",
        f"{MINUS}1 {MINUS}0.5 0 good: other minus right is {MINUS}1.00 (no interval can be given). "
        f"✓ fair {MINUS}1.00 40 questions Clear difference.",
    ),
    (
        False,
        "failed",
        "“other” versus “right”: not known, because too many scores failed or are missing (10 shared questions). "
        "For 30 of 40 questions there is no score under “other”.",
        f"✓ fair {MINUS}1.00 10 questions Not known, because too many scores failed or are missing.",
    ),
    (
        False,
        "near",
        "Not certain that “right” is better than “other”: 0.20 of 2 points in “good”, "
        "fair comparison. "
        "Even without any true difference, about one study in 25 would show one as large by chance.",
        f"✓ fair {MINUS}0.20 40 questions A difference, but not certain.",
    ),
    (
        True,
        "high",
        "The comparison of “wrong” versus “right” is not fair.",
        f"✕ not fair {MINUS}1.00 40 questions The user message",
    ),
    (
        True,
        "failed",
        "The comparison of “wrong” versus “right” is not fair.",
        f"✕ not fair {MINUS}1.00 10 questions The user message",
    ),
]


@pytest.mark.parametrize(("wrong", "other", "first", "shown"), FIRST_SENTENCES)
def test_the_planned_comparison_says_which_is_better_and_why_that_may_not_be_known(
    serving: Any, wrong: bool, other: str, first: str, shown: str
) -> None:
    side = "wrong" if wrong else "other"
    files = study(comparisons=[{"a": "right", "b": side}], scores=["s.csv"], criteria={"good": {"scale": [0, 1, 2]}})
    files["readback.yml"]["conditions"].append({"name": "other", "mode": "good"})
    rows = [f"q{at},right,good,{1 + at % 2},scored\n" for at in range(40)]
    lower = {at: 1 if at < 10 else -1 if at in (10, 12) else 0 for at in range(40)} if other == "near" else {}
    rows += [
        f"q{at},{side},good,,failed\n"
        if other == "failed" and at < 30
        else f"q{at},{side},good,{1 + at % 2 - lower.get(at, 1)},scored\n"
        for at in range(40)
    ]
    serving(files | {"s.csv": f"item,condition,criterion,score,status\n{''.join(rows)}"})
    test = overview()
    assert first in words(test)
    assert shown in pair_row(test, side)
    if wrong:
        assert "better" not in words(test).split("Conditions")[0]


def test_each_planned_comparison_is_a_row_that_leads_to_compare(serving: Any) -> None:
    serving(study(comparisons=[{"a": "right", "b": "wrong"}]))
    test = overview()
    assert f"✕ not fair {FAULT}: 3 places in wrong" in pair_row(test, "wrong")
    assert {(one["condition"], one["b_condition"]) for one in links(test, "prompts") if "b_condition" in one} == {
        ("right", "wrong")
    }


def test_what_to_look_at_first_says_which_comparison_it_breaks_and_why_it_is_there(serving: Any) -> None:
    files = study(comparisons=[{"a": "wrong", "b": "other"}])
    files["readback.yml"]["conditions"].append({"name": "other", "mode": "bad", "model": "m"})
    serving(files)
    text = words(overview())
    why = "Number 1 in the list: error, on both sides of a planned comparison, 2 conditions, 3 records, "
    assert f"{why}fmt-system-text-in-user." in text


def test_what_the_first_sentence_states_is_followed_by_what_to_do_about_it(serving: Any) -> None:
    serving(study(comparisons=[{"a": "right", "b": "wrong"}]))
    test = overview()
    first = said(test).split("<ol class='rb-first'>")[1].split("</ol>")[0].split("<li>")[1]
    text = " ".join(re.sub(r'<span class="rb-aloud">.*?</span>|<[^>]+>', " ", first).split())
    how = "Remove the text from the template or the stored prompt, and let the system message carry it."
    assert text == f"✕ {how} The user message contains system text"
    assert "code=fmt-system-text-in-user" in first


def test_what_is_wrong_on_one_side_of_several_planned_comparisons_counts_the_others(serving: Any) -> None:
    pairs = [{"a": "right", "b": "wrong"}, {"a": "wrong", "b": "third"}]
    third = {"name": "third", "mode": "good", "model": "m"}
    serving(study(comparisons=pairs, conditions=[*study()["readback.yml"]["conditions"], third]))
    assert "; one side only of a planned pair (“wrong” versus “right”) and of 1 more" in words(overview())


def test_a_condition_shows_its_system_message_its_limit_and_links_its_errors(serving: Any) -> None:
    serving(study())
    test = overview()
    cells = row(test, "wrong")
    assert "same as trained" not in row(test, "right")  # true of every row, so it is said once
    assert "System message, in every row: same as trained: typed, not verified." in words(test)
    assert "of 4,096 tokens (estimated)" in cells
    assert 'severity=error&amp;arm=wrong">3</a>' in said(test)
    assert BRIEF in said(test)  # opens on hover and on focus


def test_a_system_message_other_than_the_trained_one_is_marked(serving: Any) -> None:
    files = study()
    files["readback.yml"]["models"]["m"]["training"]["system"] = "You are somebody else."
    serving(files)
    test = overview()
    assert "differs another system message, typed, not verified" in row(test, "right")
    assert "rb-warn" in said(test)


def test_the_system_message_and_the_text_around_have_a_column_each_with_a_state_and_its_reason() -> None:
    test = overview(workspace="six-conditions")
    assert "System message Text around the messages" in words(test)
    base, trained = row(test, "base, closed book"), row(test, "RAG-trained, open book")
    assert "| not known | no training known |" in base
    assert "System message, “not known”: no Modelfile of base is among the files." in words(test)
    assert "“no training known”: no training of base is among the files." in words(test)
    assert "same as trained “You are a scientific research assistant who answ…” modelfile" in trained
    assert "“same as trained”: assumed: chatml-plain." in words(test)


def test_a_model_trained_without_a_system_message_that_gets_none_is_the_same_as_trained(serving: Any) -> None:
    files = study()
    files["readback.yml"]["modes"][0].pop("system")
    files["readback.yml"]["modes"][0]["template"] = "{{ q }}"
    files["readback.yml"]["models"]["m"]["training"]["system"] = ""
    serving(files)
    assert "same as trained typed, not verified" in row(overview(), "right")


def test_where_nothing_is_sent_as_a_system_message_it_is_said(serving: Any) -> None:
    files = study()
    files["readback.yml"]["modes"][0].pop("system")
    files["readback.yml"]["modes"][0]["template"] = "{{ q }}"
    files["readback.yml"]["models"]["m"].pop("training")
    serving(files)
    assert " none " in row(overview(), "right")


def test_what_is_in_no_row_is_counted_below_the_table(serving: Any) -> None:
    files = study()
    text = "".join(f'{{"id": "{n}", "q": "Why?"}}\n' for n in range(3)) + "not json\n"
    serving(files | {"data.jsonl": text})
    test = overview()
    assert "1 error is about scores, files, models, records or judges" in words(test)
    assert "data.jsonl: 3 records read. 1 of 4 lines could not be read." in words(test)


def test_a_planned_comparison_that_cannot_be_judged_is_named_in_the_first_line() -> None:
    text = words(overview(workspace="six-conditions"))
    assert "“Does training with snippets help?” cannot be answered." in text
    why = "May be no difference. System message of “base, open book” unknown. Error on both sides"
    assert f"? cannot tell if fair +0.46 24 questions {why}" in text


def test_a_clear_answer_says_what_it_is_to_be_read_with() -> None:
    test = overview(workspace="six-conditions")
    assert "by 1.78 of 3 points in “relevance”, fair comparison. “Does training" in words(test)
    assert "Compare the first two" in ranked(test)
    assert re.search(r"−0.62 −0.62 \([^)]*\); interval too narrow: mostly −1", ranked(test))
    assert "Only the prompt differs. Warning on one side" in pair_row(test, "instruction-only, open book")
    results = words(page("results", workspace="six-conditions"))
    assert "the difference is clear (1.78 of 3 points). Fair comparison." in results
    change = "In record 1 the first side adds the context and 3 sentences after the question in the user message."
    assert f"Only the prompt differs. {change} Warning on one side." in re.sub(r" \.", ".", results)
    assert "How, and what was not checked" in results
    assert "of “instruction-only, closed book” is too narrow; the difference does not rest on it." in results


def test_where_no_other_planned_comparison_is_clear_none_is_said_to_be(serving: Any) -> None:
    names = ("right", "second", "third", "fourth")
    pairs = [{"a": "right", "b": name} for name in names[1:]]
    files = study(comparisons=pairs, scores=["s.csv"], criteria={"good": {"scale": [0, 1, 2]}})
    files["readback.yml"]["conditions"] += [{"name": name, "mode": "good", "model": "m"} for name in names[1:]]
    rows = [f"q{q},{name},good,{(q + at) % 3}\n" for q in range(21) for at, name in enumerate(names)]
    serving(files | {"s.csv": f"item,condition,criterion,score\n{''.join(rows)}"})
    assert "None of the 2 other planned comparisons shows a clear difference." in words(overview())


def test_a_fair_comparison_without_a_clear_difference_has_no_green_sign(serving: Any) -> None:
    files = study(comparisons=[{"a": "right", "b": "other"}], scores=["s.csv"], criteria={"good": {"scale": [0, 1, 2]}})
    files["readback.yml"]["conditions"].append({"name": "other", "mode": "good", "model": "m"})
    rows = [f"q{q},{name},good,{value}\n" for q in range(20) for name, value in (("right", 1), ("other", q % 3))]
    serving(files | {"s.csv": f"item,condition,criterion,score\n{''.join(rows)}"})
    assert "rb-pair-fair rb-pair-open" in said(overview())
    assert "rb-fairness-fair rb-fairness-quiet" in said(page("results"))


def marks(test: AppTest) -> list[tuple[str, str, str]]:
    """The look and the place of each difference that is drawn, and the numbers of its axis."""
    axis = "|".join(dict.fromkeys(re.findall(r'<span style="left:[\d.]+%">[^<]+</span>', said(test))))
    marks = re.findall(r'rb-mark-(\w+)">.*?rb-forest-mark" style="left:([\d.]+)%', said(test), re.S)
    return [(look, at, axis) for look, at in marks]


def test_a_difference_is_drawn_in_one_way_on_overview_results_and_review() -> None:
    first = marks(overview(workspace="six-conditions"))
    assert [look for look, _, _ in first] == ["better", "open"]
    assert marks(page("results", workspace="six-conditions")) == first
    assert marks(page("review", workspace="six-conditions")) == first[:1]
    unknown = "comparison:base, open book|RAG-trained, open book"
    assert marks(page("review", workspace="six-conditions", item=unknown)) == first[1:]


def test_a_mode_is_left_out_where_the_names_say_it_and_not_where_a_name_is_that_of_a_task() -> None:
    def shown(*rows: Row) -> set[str]:
        audit = Audit("w", Counts(9, 0, 0, 9), conditions=rows, findings=(), counts={}, records_by_code={})
        opened = workspace.open(EXAMPLES / "six-conditions")
        states = conditions_table.states(opened, audit)
        columns, _ = conditions_table.conditions(opened, audit, None, states, score_warnings.Counted())
        return {column.key for column in columns} & {"mode", "task"}

    assert shown(Row("rag", Selection(mode="rag"), "rag"), Row("hybrid", Selection(mode="hybrid"), "hybrid")) == set()
    parsing = Row("parsing", Selection(condition="parsing"), "rag", None, None, "parsing")
    grading = Row("grading", Selection(condition="grading"), "hybrid", None, None, "grading")
    assert shown(parsing, grading) == {"mode"}


def test_at_most_three_things_to_look_at_each_with_a_link() -> None:
    test = overview(workspace="six-conditions-mistakes")
    items = said(test).split("<ol class='rb-first'>")[1].split("</ol>")[0].split("<li>")[1:]
    assert len(items) == 3
    assert "Have a judge score the answers." in items[0]  # a program made the scores
    assert "/results" in items[0]
    assert all("/findings?" in item and "code=" in item for item in items[1:])


def test_scores_are_a_picture_with_words_and_a_mean_with_its_interval(serving: Any) -> None:
    scores = "id,condition,relevance\n0,right,1\n1,right,2\n2,right,2\n0,wrong,0\n1,wrong,0\n"
    files = study(scores=["scores.csv"], criteria={"relevance": {"scale": [-1, 0, 1, 2]}})
    serving(files | {"scores.csv": scores})
    test = overview()
    assert "relevance: −1: 0, 0: 0, 1: 1, 2: 2; scored 3, without a value 0" in said(test)
    assert "| 1.67 |" in row(test, "right")  # too few for an interval
    assert "| 1.17 (0.69 to 1.66) |" in row(overview(workspace="six-conditions"), "instruction-only, open book")
    assert "without a value 1" in said(test)
    assert "| 0.00 1 of 3 without a score |" in row(test, "wrong")
    assert "A mean is of all answers that were scored under its condition" in words(test)


def test_more_values_than_can_be_told_apart_are_counted_in_ranges_and_every_row_by_the_same(serving: Any) -> None:
    given = {"right": (1.2, 1.4, 1.8, 2, 2.6, 3.2, 4), "wrong": (1, 3, 3.4, 3.6, 4.2, 4.4, 5)}
    rows = "".join(f"{n},{name},{value}\n" for name, values in given.items() for n, value in enumerate(values))
    files = study(scores=["scores.csv"], criteria={"quality": {"scale": {"min": 1, "max": 5}}})
    serving(files | {"scores.csv": f"id,condition,quality\n{rows}"})
    test = overview()
    shown = re.findall(r'rb-step (rb-step-\d rb-mark-\d)" style="flex:(\d) 1 0" title="([^:]*):', said(test))
    right, wrong = shown[:4], shown[4:]
    assert [(n, name) for _, n, name in right] == [
        ("3", "1 to below 2"),
        ("2", "2 to below 3"),
        ("1", "3 to below 4"),
        ("1", "4 to 5"),
    ]
    assert [(n, name) for _, n, name in wrong] == [("1", "1 to below 2"), ("3", "3 to below 4"), ("3", "4 to 5")]
    assert "quality, by value: 1 to below 2 2 to below 3 3 to below 4 4 to 5" in words(test)
    assert len({(step, name) for step, _, name in shown}) == 4  # a range has one shade
    assert "quality: 1: 1, 3: 1, 3.4: 1, 3.6: 1" in said(test)  # whoever cannot see it hears each value


def test_a_value_that_only_one_condition_was_given_is_in_the_legend_and_has_one_shade(serving: Any) -> None:
    rows = "".join(f"{n},right,{value}\n{n},wrong,{value + 1}\n" for n, value in enumerate((1, 2, 2, 3)))
    files = study(scores=["scores.csv"], criteria={"quality": {"scale": {"min": 1, "max": 5}}})
    serving(files | {"scores.csv": f"id,condition,quality\n{rows}"})
    test = overview()
    assert "quality, by value: 1 2 3 4" in words(test)
    shown = re.findall(r'rb-step (rb-step-\d rb-mark-\d)" style="flex:\d 1 0" title="([^:]*):', said(test))
    assert len(set(shown)) == len(dict(shown)) == 4


def test_a_warning_about_the_scores_of_several_conditions_is_counted_in_the_row_of_each(serving: Any) -> None:
    rows = "".join(f"{n},{name},{n % 2}\n" for n in range(3) for name in ("right", "wrong"))
    serving(study(scores=["scores.csv"]) | {"scores.csv": f"id,condition,relevance\n{rows}"})
    test = overview()
    assert "about scores: 1" in row(test, "right")
    assert "about scores: 1" in row(test, "wrong")
    found = page("findings", severity="warning", area="scores and comparability")
    assert re.search(r"area=scores\+and\+comparability[^>]*>about scores: 1", said(test))
    assert "scr-small-n" in said(found)
    assert "1 place" in words(found)


def test_synthetic_scores_are_called_so() -> None:
    assert "Scored by a script: decide nothing yet." in words(overview(workspace="six-conditions-mistakes"))


def test_a_folder_with_only_scores_shows_its_conditions_and_its_counts(serving: Any) -> None:
    serving({"scores.csv": "id,condition,relevance\n1,A,1\n2,A,0\n1,B,1\n"})
    test = overview()
    assert "3 scores of 2 conditions under 1 criterion." in words(test)
    assert "No dataset" not in words(test)
    assert "scores.csv: 3 rows with 3 cells." in words(test)
    assert "1 more score is absent" in words(test)
    assert "/results?" in said(test)


FACTORS = "".join(
    f"q{q},{size},{depth},{ranker},{q % 2 + (size == 'large' and q % 3 > 0)}\n"
    for q in range(30)
    for size in ("small", "large")
    for depth in ("flat", "deep")
    for ranker in "abcd"
)


def ranked(test: AppTest) -> str:
    """The words of the picture of means."""
    inner = said(test).split('<section class="rb-ranked')[1].split("</section>")[0].partition(">")[2]
    return " ".join(re.sub(r"<[^>]+>", " ", inner).split())


def test_many_conditions_are_compared_by_their_settings(serving: Any) -> None:
    """The first setting of the file is answered first, whatever the scores, and in the same words as on Results."""
    serving({"scores.csv": f"qid,size,depth,ranker,relevance_score\n{FACTORS}"})
    test = overview()
    assert "Which size is best? relevance_score: “large” is better than “small” by 0.67 of 3 points" in words(test)
    picture = ranked(test)
    assert picture.startswith("relevance_score by setting: mean, 95 % interval Each row takes all conditions")
    assert re.search(r"size large .* 1\.17 .* small .* 0\.50 .* depth \w+ .* ranker \w .* d ", picture)
    assert "by=depth" in said(test)
    assert "of=ranker%3Dd" in said(test)
    assert "“large” is better" in words(page("results"))


def test_a_single_condition_is_shown_by_its_judges_who_are_looked_at_first_where_they_disagree(serving: Any) -> None:
    rows = [f"q{q},A,quality,{judge},{1 + (q * step) % 5}\n" for q in range(20) for judge, step in (("x", 1), ("y", 3))]
    serving({"scores.csv": f"item,condition,criterion,judge,score\n{''.join(rows)}"})
    test = overview()
    assert ranked(test).startswith(
        "quality by judge: mean, 95 % interval One condition was scored; a higher mean is a more lenient judge."
    )
    assert re.search(r"x .*3\.00.* y .*3\.00", ranked(test))
    assert "2 judges agree too little for a conclusion Krippendorff's alpha" in words(test)
    assert "view=agreement" in said(test)
    assert "How lenient is each judge?" in [head.value for head in page("results").header]


def test_of_a_comparison_without_an_answer_no_number_catches_the_eye(serving: Any) -> None:
    """Where nothing is concluded the numbers stay, in plain letters, and the means do not say who is ahead."""
    files = study(comparisons=[{"a": "right", "b": "wrong"}], scores=["s.csv"], criteria={"good": {"scale": [0, 1, 2]}})
    rows = [f"q{q},{name},good,{value}\n" for q in range(20) for name, value in (("right", 2), ("wrong", q % 2))]
    serving(files | {"s.csv": f"item,condition,criterion,score\n{''.join(rows)}"})
    test = overview()
    assert "rb-pair-unfair rb-pair-open" in said(test)
    assert "rb-ranked-open" in said(test)
    assert "No planned comparison has an answer, so these means do not rank the conditions." in ranked(test)


def test_a_table_that_looks_like_scores_is_named_first(serving: Any) -> None:
    rows = "".join(f"q{q},{q % 4},{(q + 1) % 4},{q % 3}\n" for q in range(40))
    serving({"prompt.txt": "Judge {query}.", "panel.csv": f"query_id,judge_1,judge_2,judge_3\n{rows}"})
    assert "panel.csv looks like the scores of 3 judges, and is not read yet." in words(overview())


def test_nothing_readable_keeps_a_heading_and_says_what_to_do(serving: Any) -> None:
    serving({"photo.png": b"\x89PNG\r\n\x1a\n" + bytes(50)})
    test = overview()
    assert test.title
    assert "This folder cannot be opened." in words(test)
    assert "/open" in said(test)


def test_nothing_to_look_at_first_offers_the_messages(serving: Any) -> None:
    serving(
        {
            "data.jsonl": [{"id": "1", "q": "Why?"}],
            "readback.yml": "dataset: data.jsonl\nmodes: [{mode: m, template: '{{ q }}'}]\n",
        }
    )
    test = overview()
    assert strip(test)[1] == "No errors and no warnings were found"
    assert "No fault was found in the files. See the messages" in words(test)


def test_all_messages_and_what_was_loaded_are_one_click_away(serving: Any) -> None:
    serving(study())
    test, opened = overview(), overview(loaded="1")
    assert "every" in [link.get("view") for link in links(test, "prompts")]
    assert "1" in [link.get("loaded") for link in links(test, "")]
    for shown, is_open in ((test, False), (opened, True)):
        assert [one.proto.expanded for one in shown.expander if one.label == "What was loaded"] == [is_open]
        assert ('data-rb-arrive="loaded"' in said(shown)) == is_open


def test_where_there_is_nothing_to_send_no_link_leads_to_the_messages(serving: Any) -> None:
    serving({"scores.csv": "id,condition,relevance\n1,A,1\n2,A,0\n1,B,1\n"})
    assert "every" not in [link.get("view") for link in links(overview(), "prompts")]


def test_the_files_are_listed_with_what_they_were_taken_for() -> None:
    assert "data/harbour.jsonl dataset yes" in words(overview(workspace="six-conditions-mistakes"))


@pytest.mark.realdata
def test_a_real_plan_names_its_comparisons_and_its_missing_dataset(
    shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("READBACK_WORKSPACE", str(shared / "data" / "prompt-formats"))
    text = words(overview())
    assert "16 records , 6 conditions ." in text
    assert "of 10 planned comparisons are not fair;" in text
    assert "used, since it is the only dataset in the folder" in text


@pytest.mark.realdata
def test_ninety_six_conditions_of_nothing_but_scores(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = shared / "data" / "liverag-judge" / "factor_analysis_query_level_scores.csv"
    monkeypatch.setenv("READBACK_WORKSPACE", str(file))
    text = words(overview())
    assert "19,178 scores of 96 conditions under 2 criteria." in text
    assert "9,589 rows with 19,178 cells." in text
    assert "22 more scores are absent" in text


@pytest.mark.realdata
def test_a_real_configuration_without_data_shows_its_modes(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("READBACK_WORKSPACE", str(shared / "data" / "albert"))
    test = overview()
    text = words(test)
    assert "No dataset, 2 modes. No comparison is planned, and there are no scores. Sign off? Not yet:" in text
    assert "▲ No errors;" in text
    assert row(test, "rag")


COPIED = (
    "48 of 264 logged requests differ from your files, "
    "so do not compare “refusing | house” and “polite | house” with the other 9."
)
REPEATED = "All 264 answers repeat their prompts and add nothing, so no score tells how a model answers."
ALONE = "264 requests as the log has them; nothing here to hold them against."


def test_requests_that_differ_from_the_files_are_the_first_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("READBACK_WORKSPACE", str(EXAMPLES / "copied-prompts"))
    text = words(overview())
    assert f"{REPEATED} {COPIED} By “overall”: all 11" in text
    assert {"code": "fmt-answer-repeats-prompt"} in links(overview(), "findings")
    assert "Have the answers alone returned, and score again. An answer repeats its prompt" in text
    assert "Answers that only repeat the prompt" in text
    picture = ranked(overview())
    assert re.search(r"refusing \W house 24 of 24 differ text that the request lacks\s+Do not guess.", picture)
    assert re.search(r"polite \W house 24 of 24 differ .* Stay polite even if the answer is no.", picture)
    equal = "9 more conditions: all their requests equal your files, byte for byte."
    assert f"{equal} Their prompts may be compared with each other." in picture
    assert "Longest prompt, in characters" not in picture  # what was sent is the question, not how long it is
    assert "System message, in every row: none." in text
    assert "none" not in row(overview(), "plain | house")
    assert "0.75" not in text
    assert "all 11 conditions have the mean 1.00, so this score cannot tell them apart" in text
    assert "logged requests are equal, byte for byte" not in text  # said once, and drawn once


def test_a_column_with_nothing_to_tell_apart_is_a_line_below_and_in_the_download(serving: Any) -> None:
    rows = "".join(f"{n},{name},2\n" for n in range(3) for name in ("right", "wrong"))
    files = study(scores=["scores.csv"], criteria={"relevance": {"scale": [0, 1, 2]}})
    serving(files | {"scores.csv": f"id,condition,relevance\n{rows}"})
    test = overview()
    assert "2.00" not in row(test, "right")
    assert "relevance, mean (95 % interval), in every row: 2.00." in words(test)
    columns = (Column("name", "Name"), Column("mean", "Mean", in_view=False))
    assert table.as_csv(columns, [{"name": "right", "mean": 2.0}]).decode().splitlines() == ["Name,Mean", "right,2.0"]


def test_a_log_alone_says_that_nothing_is_here_to_hold_it_against(serving: Any) -> None:
    results = (EXAMPLES / "copied-prompts/promptfoo/results.json").read_text("utf-8")
    serving({"results.json": results})
    text = words(overview())
    assert ALONE in text
    assert COPIED not in text


def test_which_prompt_a_log_belongs_to_can_be_seen_and_changed(serving: Any) -> None:
    row = {
        "promptIdx": 0, "testIdx": 0, "provider": {"id": "echo", "label": ""},
        "prompt": {"raw": "Say it briefly: 7", "label": "A"}, "vars": {"question": "7"},
        "response": {"output": "x"}, "success": True, "score": 1.0, "namedScores": {}, "failureReason": 0,
    }  # fmt: skip
    results = {"evalId": "e", "results": {"version": 3, "results": [row], "prompts": [], "stats": {}}, "config": {}}
    files = {"records.csv": "id,question\nq1,7\nq2,8\n", "short.jinja": "Say it briefly: {{ question }}"}
    serving({**files, "long.jinja": "Tell at length what you know: {{ question }}", "log/results.json": results})
    test = page("overview")
    said = words(test)
    assert "log/results.json A | echo short the most similar text 1 1 record, by the values of question" in said
    choice = test.selectbox(key="log_log/results.json_A | echo")
    assert (choice.value, choice.options) == ("short", ["nothing here", "long", "short"])
    drawn(choice.set_value("long").run())
    assert "A | echo long it is stated" in words(drawn(test.run()))


def test_scores_of_conditions_that_are_called_like_prompts_say_how_to_state_what_was_sent(serving: Any) -> None:
    scores = "id,condition,good\n" + "".join(f"{n},{name},{n % 2}\n" for n in (1, 2, 3) for name in ("short", "long"))
    rows = [{"id": str(n), "q": "Why?"} for n in (1, 2, 3)]
    files = {"d.jsonl": rows, "s.csv": scores, "short.jinja": "{{ q }}"}
    modes = {"short": {"template": "{{ q }}"}, "long": {"template": "Well: {{ q }}"}}
    workspace: dict[str, Any] = {"dataset": "d.jsonl", "modes": modes}
    workspace["scores"] = [{"path": "s.csv", "item": "id", "condition": "condition", "criteria": ["good"]}]
    serving({**files, "readback.yml": workspace})
    sentence = "The scores name “short” and “long”, and prompts here are called so."
    assert sentence in words(overview())
    stated = [{"name": name, "mode": name} for name in modes]
    serving({**files, "readback.yml": {**workspace, "conditions": stated}})
    assert sentence not in words(overview())


def test_a_table_that_looks_like_scores_and_is_all_there_is_comes_first(serving: Any) -> None:
    rows = [f"q{n},{name},j,{1 + (n + len(name)) % 5}\n" for n in range(30) for name in ("a", "bb")]
    serving({"s.csv": "id,condition,judge,helpful\n" + "".join(rows)})
    test = overview()
    assert "s.csv looks like scores under 1 criterion, and is not read yet." in words(test)
    assert "Only the rows were checked" not in words(test)
