"""The scores page: numbers with their n, honest words, choices in the address, a way to what is behind a number."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from score_files import TIDY, Write
from streamlit.testing.v1 import AppTest

from readback.house import EXAMPLES, HOUSE

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
        app = AppTest.from_file(str(HOUSE / "app.py"), default_timeout=30)
        for key, value in params.items():
            app.query_params[key] = value
        app.run()
        app.switch_page("pages/scores_page.py").run()
        assert not app.exception, app.exception[0].message
        return app

    return run


def drawn(app: AppTest) -> str:
    """All markup of the page as text."""
    return html.unescape(re.sub(r"<[^>]+>", " ", markup(app)))


def markup(app: AppTest) -> str:
    return " ".join(element.proto.body for element in app.get("html") if "/*" not in element.proto.body)


def titles(app: AppTest) -> list[str]:
    return [title.value for title in app.title]


def test_without_scores_the_page_says_what_a_score_file_is_and_where_to_open_one(write: Write, page: Open) -> None:
    app = page(write({"data.jsonl": [{"id": "1", "question": "x"}]}))
    assert "columns item, condition, criterion, score" in drawn(app)
    assert 'href="/open' in markup(app)


def test_several_conditions_are_compared_in_words_without_a_verdict(write: Write, page: Open) -> None:
    app = page(write({"s.csv": TIDY + SIX}))
    said = drawn(app)
    assert titles(app) == ["Which condition is better, and are we sure?"]
    assert "the means of all 2 conditions shown are 1.00" in said
    assert "a difference may be chance" in said
    assert re.search(r"scored\s+12\s+judge failed\s+0\s+missing\s+0\s+not applicable\s+0\s+judge\s+j1", said)
    assert len(app.get("plotly_chart")) == 2


def test_one_condition_asks_another_question(write: Write, page: Open) -> None:
    app = page(write({"s.csv": "qid,relevance_score\n1,2\n2,-1\n"}) / "s.csv")
    assert titles(app) == ["How do answers score?"]
    assert "2 answers scored, mean 0.50 on the scale −1, 0, 1, 2" in drawn(app)


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
    app = page(EXAMPLES / "six-conditions")
    assert "These scores are synthetic" in drawn(app)
    assert app.selectbox("criterion").value == "relevance"


def test_a_number_leads_to_the_scores_behind_it_and_these_to_their_messages(page: Open) -> None:
    app = page(EXAMPLES / "six-conditions")
    door = "condition=instruction-only, open book"
    assert "of=condition%3Dinstruction-only%2C+open+book" in markup(app)
    opened = page(EXAMPLES / "six-conditions", of=door)
    assert "Scores of instruction\\-only, open book" in [header.value for header in opened.header]
    assert re.search(
        r'href="/messages\?[^"]*record=ellery-01[^"]*condition=instruction-only', html.unescape(markup(opened))
    )
    opened.button("close_records").click().run()
    assert "of" not in opened.query_params


def test_a_bar_leads_to_the_scores_behind_it(write: Write, page: Open) -> None:
    app = page(write({"s.csv": "qid,arm,relevance_score\n1,x,2\n1,y,1\n2,x,0\n2,y,0\n"}), of="arm=y")
    rows: list[Any] = re.findall(r"<tr>(.*?)</tr>", markup(app))
    assert sum('<th scope="row" class="rb-left">' in row and "scored" in row for row in rows) == 2


def test_many_conditions_start_with_the_table_and_chart_one_factor(write: Write, page: Open) -> None:
    body = "".join(
        f"{q},{a},{b},{(q + a + b) % 4 - 1}\n" for q in range(3) for a in range(4) for b in range(4) if q + a + b
    )
    root = write({"s.csv": "qid,depth,reranker,relevance_score\n" + body})
    app = page(root)
    said = drawn(app)
    assert "16 conditions are too many bars to read" in said
    assert "one factor, depth" in said
    assert said.index("too many bars") < said.index("Every condition in numbers")
    assert page(root, by="reranker").selectbox("by").value == "reranker"


def test_many_single_conditions_chart_both_ends(write: Write, page: Open) -> None:
    body = "".join(f"q{i},c{n},relevance,{(i * n) % 4 - 1},j,\n" for i in range(3) for n in range(20))
    app = page(write({"s.csv": TIDY + body}))
    assert "the 6 at the top and the 6 at the bottom" in drawn(app)


def test_a_file_that_cannot_be_used_says_why(write: Write, page: Open) -> None:
    root = write({"readback.yml": "scores: [s.csv]\n", "s.csv": "name,colour\na,red\n"})
    assert "no scores are seen in 's.csv'; its columns are: name, colour" in drawn(page(root))


@pytest.mark.realdata
def test_the_published_factor_study_shows_its_96_conditions(shared: Path, page: Open) -> None:
    app = page(shared / "data/liverag-judge/factor_analysis_query_level_scores.csv", by="rag_prompt_level")
    said = drawn(app)
    assert re.search(r"scored\s+9,589\s+judge failed\s+0\s+missing\s+11", said)
    assert "the highest mean is 1.59 (naive, n 4,795), the lowest 1.54 (advanced, n 4,794)" in said
