"""The grid on Results: a row for each record, answers and scores beside each other, a record open beside it."""

from __future__ import annotations

import html
import json
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import looking
import pytest
from score_files import Write, load
from streamlit.testing.v1 import AppTest

from readback.cli import main
from readback.project_files import EXAMPLES
from readback.scores.charts.template import LIGHT, PATTERNS, choose_steps
from readback.types import Criterion
from readback.ui.common.draw import score_chip
from readback.ui.results.grid import sides, values

Open = Callable[..., AppTest]
Show = Callable[[Mapping[str, Any]], Path]
SIX = EXAMPLES / "six-conditions"


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> Open:
    """Open Results on a folder or file, with parameters in the address."""

    def run(path: Path, **params: str) -> AppTest:
        monkeypatch.setenv("READBACK_WORKSPACE", str(path))
        return looking.scores(**params)

    return run


def grid(app: AppTest) -> str:
    """The markup of the grid."""
    (markup,) = [part.proto.body for part in app.get("html") if 'class="rb-answers-bar"' in part.proto.body]
    return str(markup)


def words(markup: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", markup)).split())


def rows(app: AppTest) -> list[str]:
    """What each row says."""
    return [words(row) for row in re.findall(r"<tr.*?</tr>", grid(app), re.DOTALL)[1:]]


def test_a_row_has_the_question_the_reference_both_answers_their_scores_and_the_difference(page: Open) -> None:
    first = rows(page(SIX))[0]
    assert first == (
        "Where does a vessel longer than 60 metres take its pilot on board? ellery-01 Reference At the Gull buoy, two "
        "nautical miles west of the breakwater [1]. score −1 At the Gull buoy, two nautical miles west of the "
        "breakwater. score 2 At the Gull buoy, two nautical miles west of the breakwater [1]. +3"
    )


def test_the_first_columns_are_the_first_planned_pair_and_others_can_be_chosen_up_to_six(page: Open) -> None:
    app = page(SIX)
    heads = re.findall(r"<thead.*?</thead>", grid(app), re.DOTALL)[0]
    assert words(heads) == (
        "Question and reference instruction-only, closed book instruction-only, open book Difference"
    )
    chosen = "condition=base, open book|condition=RAG-trained, open book|condition=base, closed book"
    heads = re.findall(r"<thead.*?</thead>", grid(page(SIX, sides=chosen)), re.DOTALL)[0]
    assert words(heads) == (
        "Question and reference base, open book RAG-trained, open book base, closed book Widest difference"
    )


def test_pages_of_twenty_filters_and_orders_are_in_the_address(page: Open) -> None:
    app = page(SIX)
    assert len(rows(app)) == 20
    assert "Records 1 to 20 of 24; 24 have a row of scores here." in words(grid(app))
    later = page(SIX, at="20", sort="record")
    assert "ellery-24" in rows(later)[-1]
    assert len(rows(later)) == 4
    worst = page(SIX, only="worst", sort="score")
    assert all("score −1" in row for row in rows(worst))
    assert "or lower over the conditions here" in words(grid(worst))


def test_a_filter_that_cannot_be_had_says_why(page: Open) -> None:
    said = words(grid(page(SIX, only="disagree")))
    assert "judges disagree (needs two judges)" in said
    assert "changed since (nobody has signed off)" in said
    assert "24 have a row of scores here." in said


LONG = "a word " * 60  # 420 characters
QA = {
    "readback.yml": json.dumps(
        {
            "dataset": {"path": "d.jsonl", "id": "id", "private": ["mail"]},
            "modes": {"closed": "c.jinja", "open": "o.jinja"},
            "conditions": [
                {"name": "closed", "mode": "closed", "answers": "closed.jsonl"},
                {"name": "open", "mode": "open", "answers": "open.jsonl"},
            ],
            "comparisons": [{"a": "closed", "b": "open", "criterion": "relevance"}],
            "scores": ["s.csv"],
        }
    ),
    "c.jinja": "{{ question }}",
    "o.jinja": "{% for c in contexts[:2] %}{{ c }}\n{% endfor %}{{ question }}",
    "d.jsonl": [
        {
            "id": f"q{n}",
            "question": f"<b>Where</b> is {n}?",
            "reference": "In the <i>north</i> [1].",
            "contexts": ["The first context is here.", "The second one is here.", "The third is nowhere."],
            "mail": "ada@example.org",
        }
        for n in range(6)
    ],
    "closed.jsonl": [{"id": f"q{n}", "answer": f"closed {n}"} for n in range(6)],
    "open.jsonl": [{"id": f"q{n}", "answer": f"{LONG}north [2]. <script>x</script>"} for n in range(5)],
    "s.csv": "item,condition,criterion,score,judge,note\n"
    + "q0,closed,relevance,1,j1,far <b>off</b>\nq0,open,relevance,2,j1,good\nq0,open,relevance,0,j2,bad\n"
    + "q1,closed,relevance,,j1,\nq1,open,relevance,2,j1,\nq2,closed,relevance,banana,j1,\nq2,open,relevance,1,j1,\n"
    + "q3,open,relevance,-1,j1,\nq4,closed,relevance,2,j1,\nq4,open,relevance,2,j1,\nq4,open,relevance,2,j2,\n"
    + "q0,open,clarity,1,j1,clear\n",
}


def test_what_failed_and_what_is_missing_is_said_and_no_score_is_made_of_it(serving: Show) -> None:
    serving(QA)
    by_item = {re.search(r"q\d", row)[0]: row for row in rows(looking.scores(scored_by="j1"))}  # type: ignore[index]
    assert by_item["q0"].endswith("+1")
    assert "missing closed 1 score 2" in by_item["q1"]
    assert by_item["q1"].endswith("–")
    assert "judge failed closed 2 score 1" in by_item["q2"]
    assert "missing closed 3 score −1" in by_item["q3"]
    assert by_item["q4"].endswith(" 0")
    assert next(iter(by_item)) == "q0", "the largest difference is first, and what has none is last"


def test_a_long_answer_is_cut_with_a_mark_and_whole_in_the_open_record(serving: Show) -> None:
    serving(QA)
    closed_app, opened = looking.scores(scored_by="j1"), looking.scores(scored_by="j1", item="q0")
    assert "… 149 more characters" in rows(closed_app)[0]
    assert "<script>" not in grid(opened)
    panel = words(re.findall(r"<aside.*?</aside>", grid(opened), re.DOTALL)[0])
    assert f"{LONG}north [2]. <script>x</script>" in panel
    for part in (
        "Record q0",
        "Question <b>Where</b> is 0?",
        "Reference In the <i>north</i> [1].",
        "relevance j1 1 far <b>off</b>",
        "relevance j2 0 bad",
        "Other criteria clarity j1 1 clear",
    ):
        assert part in panel, part


def test_contexts_are_cards_that_say_where_they_were_sent_and_which_answer_cites_them(serving: Show) -> None:
    serving(QA)
    markup = grid(looking.scores(scored_by="j1", item="q0"))
    cards = [words(card) for card in re.findall(r'<li class="rb-card">.*?</li>', markup, re.DOTALL)]
    assert cards == [
        "1 ✗ not sent to closed ✓ sent to open The first context is here.",
        "2 ✗ not sent to closed ✓ sent to open [2] cited by open The second one is here.",
        "3 ✗ not sent to closed ? not word for word in what open was sent The third is nowhere.",
    ]


def test_the_open_record_leads_to_the_prompt_of_each_condition_and_to_all_its_scores(serving: Show) -> None:
    serving(QA)
    app = looking.scores(scored_by="j1", item="q0", only="worst", sort="score")
    prompts = [asked for asked in looking.links(app, "prompts") if asked.get("record") == "q0"]
    assert {asked["condition"] for asked in prompts} == {"closed", "open"}
    assert {"item": "q0", "arm": "closed"}.items() <= looking.links(app, "results")[-1].items() or any(
        asked.get("arm") for asked in looking.links(app, "results")
    )
    kept = [asked for asked in looking.links(app, "results") if asked.get("item") and "arm" not in asked]
    assert kept
    assert all((asked["only"], asked["sort"]) == ("worst", "score") for asked in kept)


def test_private_fields_stay_masked_in_the_grid_and_in_the_open_record(serving: Show) -> None:
    serving(QA)
    app = looking.scores(scored_by="j1", item="q0")
    assert "ada@example.org" not in looking.said(app)
    assert "masked" in words(re.findall(r"<aside.*?</aside>", grid(app), re.DOTALL)[0])


def test_records_on_which_judges_disagree_can_be_listed(serving: Show) -> None:
    serving(QA)
    app = looking.scores(only="disagree")
    assert [re.search(r"q\d", row)[0] for row in rows(app)] == ["q0"]  # type: ignore[index]
    assert "judges disagree 1" in words(grid(app))


def test_findings_are_dots_that_lead_to_the_place_once_the_prompts_are_checked(page: Open) -> None:
    before = page(EXAMPLES / "six-conditions-mistakes", only="findings")
    looking.turned(before, "overview")
    after = page(EXAMPLES / "six-conditions-mistakes", only="findings")
    dots = re.findall(r'<span class="rb-dot.*?</a>', grid(after), re.DOTALL)
    assert dots
    assert all("finding=" in dot and "record=" in dot for dot in dots)
    assert all(re.search(r"\d+ findings?$", words(dot)) for dot in dots)


def test_records_changed_since_the_newest_sign_off_can_be_listed(
    serving: Show, capsys: pytest.CaptureFixture[str]
) -> None:
    root = serving(QA)
    assert main(["review", "sign", str(root), "--subject", "study", "--key", "signoff-1", "--as", "Ada"]) == 0
    lines = (root / "d.jsonl").read_text("utf-8").splitlines()
    changed = json.loads(lines[3])
    lines[3] = json.dumps({**changed, "question": "Where else?"})
    (root / "d.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    app = looking.scores(only="changed")
    assert "1 record of the dataset changed, or its messages, since Ada signed on" in words(grid(app))
    assert [re.search(r"q\d", row)[0] for row in rows(app)] == ["q3"]  # type: ignore[index]


def test_scores_alone_a_single_condition_and_names_of_any_length_are_drawn(serving: Show) -> None:
    name = "מנוע " * 60
    serving({"s.csv": "item,condition,criterion,score\n" + "".join(f"q{n},{name},fine,{n % 2}\n" for n in range(30))})
    app = looking.scores()
    assert len(rows(app)) == 20
    assert "No dataset is loaded, so a record is named by its id alone." in words(grid(app))
    assert "largest difference (needs two conditions)" in words(grid(app))
    assert "No score file has an item q99" in words(grid(looking.scores(item="q99")))


def test_of_96_conditions_two_are_shown_and_six_can_be(serving: Show) -> None:
    body = "".join(f"q{n},c{c:02},fine,{(n + c) % 4}\n" for n in range(3) for c in range(96))
    serving({"s.csv": "item,condition,criterion,score\n" + body})
    assert grid(looking.scores()).count('<th scope="col"') == 1 + 2 + 1
    eight = "|".join(f"condition=c{c:02}" for c in range(8))
    assert grid(looking.scores(sides=eight)).count('<th scope="col"') == 1 + 6 + 1


def test_names_in_the_address_are_read_as_they_were_written() -> None:
    names = ["a|b", "50 %7C", "mode=x · y=100%"]
    assert sides.read_names(sides.write_names(names)) == names


def test_a_scale_where_lower_is_better_turns_the_worst_and_the_order_round(write: Write) -> None:
    root = write({"s.csv": "item,condition,criterion,score\n" + "".join(f"q{n},c,errors,{n}\n" for n in range(20))})
    table = load(root)
    criterion = replace(table.criteria["errors"], direction="down")
    grid_values = values.collect_values(table, table.columns.conditions, "errors", table.columns.judges[0])
    worst = [
        name
        for name, is_worst in zip(grid_values.items, values.mark_worst(grid_values, criterion), strict=True)
        if is_worst
    ]
    assert worst == ["q18", "q19"]
    assert [grid_values.items[at] for at in values.sort_items(grid_values, [True] * 20, "score", criterion)][:2] == [
        "q19",
        "q18",
    ]
    up = replace(criterion, direction="up")
    assert [grid_values.items[at] for at in values.sort_items(grid_values, [True] * 20, "score", up)][:2] == [
        "q0",
        "q1",
    ]


def test_a_hundred_thousand_records_are_sorted_without_a_look_at_answers(write: Write) -> None:
    many = 20_000
    body = "".join(f"q{n},{c},fine,{(n * k) % 7}\n" for n in range(many) for k, c in enumerate("ab", 1))
    table = load(write({"s.csv": "item,condition,criterion,score\n" + body}))
    began = time.perf_counter()
    grid_values = values.collect_values(table, table.columns.conditions, "fine", table.columns.judges[0])
    order = values.sort_items(grid_values, [True] * many, "difference", table.criteria["fine"])
    assert time.perf_counter() - began < 2
    assert len(order) == many
    assert abs(values.compute_differences(grid_values)[order[0]]) == 3


def test_a_chip_has_the_shade_and_the_pattern_that_charts_give_to_its_value() -> None:
    criterion = Criterion("relevance", "ordinal", (-1.0, 0.0, 1.0, 2.0), -1.0, 2.0)
    steps = choose_steps(("-1", "0", "1", "2"), criterion)
    for place, value in enumerate(criterion.values):
        step = score_chip.find_step(value, criterion)
        assert step is not None
        assert LIGHT[step] == steps[place].shade
        assert PATTERNS[score_chip.find_pattern(value, step, criterion)] == steps[place].pattern
    assert score_chip.find_step(2.0, replace(criterion, direction="down")) == 0
    assert score_chip.find_step(2.0, replace(criterion, direction="none")) is None
