"""The scores page where several scored the same answers, where a condition is the reference, and of many factors."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import product
from pathlib import Path

import looking
import pytest
from score_files import Write
from streamlit.testing.v1 import AppTest

HEAD = "item,condition,criterion,score,judge\n"
RATED = "".join(
    f"q{i},{c},quality,{1 + (i + j) % 3 + (c == 'open')},human:{j}\n"
    for i in range(8) for c in ("closed", "open", "reference") for j in (1, 2, 3) if (i + j) % 4
)  # fmt: skip
METRIC = "".join(
    f"q{i},{c},RougeL,{1.0 if c == 'reference' else i / 10},system\n"
    for i in range(8) for c in ("closed", "open", "reference")
)  # fmt: skip
FACTORS = {"model": ("small", "large"), "k": ("5", "10", "20"), "level": ("naive", "advanced")}
Open = Callable[..., AppTest]


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> Open:
    def run(path: Path, **params: str) -> AppTest:
        monkeypatch.setenv("READBACK_WORKSPACE", str(path))
        return looking.scores(**params)

    return run


def test_the_first_view_is_of_all_raters_and_says_how_many_they_are_and_how_far_they_agree(
    write: Write, page: Open
) -> None:
    app = page(write({"s.csv": HEAD + METRIC + RATED}))
    said = looking.words(app)
    assert app.selectbox(key="criterion").options == ["quality", "RougeL"]
    assert app.selectbox(key="scored_by").value == "*people"
    assert app.selectbox(key="scored_by").options == ["all 3 people together", "human:1", "human:2", "human:3"]
    assert "Scored by 3 people, 2 to 3 for each answer" in said
    assert "with the mean of the scores it got. They agree with a Krippendorff's" in said
    # each judge gives open one point more, whoever of them scored an item
    assert "On 8 shared questions “open” scores 1.00 higher than “closed”" in said
    alone = looking.words(page(write({"s.csv": HEAD + METRIC + RATED}), scored_by="human:1"))
    assert "the mean of the scores it got" not in alone
    assert "On 6 shared questions “open” scores 1.00 higher" in alone


def test_a_reference_answer_has_a_line_of_its_own_and_is_ranked_with_nothing(write: Write, page: Open) -> None:
    app = page(write({"s.csv": HEAD + METRIC + RATED}))
    said = looking.words(app)
    assert "reference is set apart as the reference answer: its RougeL is 1.00 on all 8 items. Mean 1.81" in said
    assert app.selectbox(key="baseline").options == ["closed", "open"]
    cells = re.findall(r'<th scope="row" class="[^"]*">(.*?)</th>', looking.said(app))
    assert {"open", "closed"} <= set(cells)
    assert "reference" not in cells
    assert any(one.get("of") == "condition=reference" for one in looking.links(app, "results"))


def test_what_each_judge_gave_is_beside_a_mean_in_the_list_of_answers(write: Write, page: Open) -> None:
    app = page(write({"s.csv": HEAD + RATED}), of="condition=open", state="scored")
    assert "human:2: 4 · human:3: 2" in looking.words(app)


def test_conditions_of_several_factors_are_chosen_by_a_small_picker_for_each(write: Write, page: Open) -> None:
    there = [dict(zip(FACTORS, values, strict=True)) for values in product(*FACTORS.values())]
    there.remove({"model": "large", "k": "20", "level": "naive"})
    rows = "".join(
        f"q{i},{one['model']},{one['k']},{one['level']},{(i + len(one['model'])) % 3}\n"
        for i in range(6)
        for one in there
    )
    app = page(write({"s.csv": f"qid,model,k,level,relevance_score\n{rows}"}), by="*")
    assert [app.selectbox(key=f"baseline_{at}").label for at in range(3)] == list(FACTORS)
    assert app.selectbox(key="baseline_1").options == ["5", "10", "20"]
    app = looking.drawn(app.selectbox(key="baseline_1").set_value("20").run())
    assert app.query_params["baseline"] == "model=small · k=20 · level=naive"
    assert "the nearest one" not in " ".join(one.value for one in app.caption)
    app = looking.drawn(app.selectbox(key="baseline_0").set_value("large").run())
    assert app.query_params["baseline"] == "model=large · k=5 · level=naive"  # the first that shares most
    assert "the nearest one is chosen" in " ".join(one.value for one in app.caption)
    headings = looking.said(app)
    assert all(f">{name}</th>" in headings for name in FACTORS)


BRIEF = "You answer in one short sentence and never guess."


def by_mode(repeated: tuple[str, ...], named: tuple[str, ...] = ("small", "large")) -> dict[str, object]:
    """Two modes under several models, the scores by factors; those `repeated` say the system message twice."""
    scores = "".join(
        f"{q},{mode},{model},{1 + (mode == 'long')}\n"
        for q in range(20) for mode in ("long", "short") for model in ("small", "large")
    )  # fmt: skip
    return {
        "data.jsonl": [{"id": str(q), "q": f"Why {q}?"} for q in range(20)],
        "s.csv": "id,mode,model,relevance\n" + scores,
        "readback.yml": {
            "dataset": "data.jsonl",
            "scores": ["s.csv"],
            "criteria": {"relevance": {"scale": [0, 1, 2]}},
            "modes": [
                {"mode": mode, "system": BRIEF, "template": f"{BRIEF if mode in repeated else mode} {{{{ q }}}}"}
                for mode in ("long", "short")
            ],
            "models": {model: {"training": {"system": BRIEF}, "context": 4096} for model in named},
            "conditions": [
                {"name": f"{mode} {model}", "mode": mode, "model": model}
                for mode in ("long", "short")
                for model in named
            ],
        },
    }


@pytest.mark.parametrize(
    ("repeated", "named", "answer", "why"),
    [
        ((), ("small", "large"), "“long” is better, and the difference is clear (1.00 of 2 points)", "Fair."),
        (("long",), ("small", "large"), "not known, because the comparison is not fair",
         "“long” and “short” are compared over 2 pairs of conditions that differ in mode alone. Among them, 2 are not"),
        ((), ("small",), "not known, because it cannot be told whether the comparison is fair",
         "Among them, for 1 it cannot be told whether it is fair; the first:"),
    ],
)  # fmt: skip
def test_a_value_of_a_factor_is_better_only_where_its_conditions_may_be_compared(
    write: Write, page: Open, repeated: tuple[str, ...], named: tuple[str, ...], answer: str, why: str
) -> None:
    root = write(by_mode(repeated, named))
    app = page(root, by="mode")
    looking.turned(app, "overview")  # which waits for the check that began
    said = looking.words(looking.turned(app, "results", by="mode"))
    assert f"By “relevance”: {answer}." in said
    assert why in said
    assert ("is better" in said.split("By “relevance”: ")[1][:60]) is (not repeated and len(named) == 2)


def test_conditions_that_are_not_compared_are_counted_once_and_explained_where_they_are_read(
    write: Write, page: Open
) -> None:
    other = "item,condition,criterion,score,judge\nq1,elsewhere,quality,2,a_model\n"
    root = write({"s.csv": HEAD + METRIC + RATED, "t.csv": other})
    left = ("Of 4 conditions 2 are compared: reference is the reference answer and 1 was not scored under quality by "
            "the same judge.")  # fmt: skip
    scores, overview = looking.words(page(root)), looking.words(looking.page())
    assert overview.count(left) == scores.count(left) == 1
    assert "4 conditions under 2 criteria. Of 4" in overview
    assert "differences" not in overview[: overview.index(left)].lower()
    assert "Each record" not in scores[: scores.index(left)]
