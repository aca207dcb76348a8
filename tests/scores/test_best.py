"""Which of several conditions is best where nothing was planned: held against each other, with every pair counted."""

from __future__ import annotations

from collections.abc import Callable

import looking
import numpy as np
import pytest
from counts import some
from score_files import Write, load

from readback.scores.comparing import compare
from readback.scores.comparing.winner import Best, find_best
from readback.types import Criterion

Say = Callable[..., str]
HEAD = "item,condition,criterion,score\n"
UP, DOWN, NEITHER = (Criterion("quality", "numeric", (), 0.0, 9.0, direction=one) for one in ("up", "down", "none"))


def rows(means: dict[str, float], items: int = 60, seed: int = 1) -> str:
    """Scores of so many items under each condition, whole numbers around its mean."""
    rng = np.random.default_rng(seed)
    noise = rng.normal(0, 1, (items, len(means)))
    lines = [
        f"q{item},{name},quality,{round(min(9, max(0, mean + noise[item, at])))}\n"
        for item in range(items)
        for at, (name, mean) in enumerate(means.items())
    ]
    return HEAD + "".join(lines)


def found(write: Write, text: str, first: str, criterion: Criterion = UP) -> Best | None:
    table = load(write({"s.csv": text}))
    made = compare.compare(table, baseline=first, criterion="quality").comparisons
    return find_best(made, criterion)


@pytest.mark.parametrize(("criterion", "top"), [(UP, "high"), (DOWN, "low")])
def test_a_condition_is_better_than_each_by_the_direction_of_the_scale(
    write: Write, criterion: Criterion, top: str
) -> None:
    made = found(write, rows({"low": 2, "middle": 4, "high": 6}), top, criterion)
    assert made is not None
    assert (made.condition, len(made.clear), made.open) == ((("condition", top),), 2, ())


def test_where_neither_way_of_a_scale_is_better_none_is_best(write: Write) -> None:
    assert found(write, rows({"low": 2, "middle": 4, "high": 6}), "high", NEITHER) is None


def test_p_is_corrected_for_every_pair_there_is(write: Write) -> None:
    text = rows({"a": 5, "b": 4.5, "c": 4.5, "d": 4.5})
    made = found(write, text, "a")
    assert made is not None
    for one in (*made.clear, *made.open):
        assert one.family == 6
        assert (one.p or 0) < (one.p_adjusted or 0) <= min(1.0, (one.p or 0) * 6)


def test_without_an_effect_one_is_seldom_called_better(write: Write) -> None:
    """Of the best and the worst of six equal conditions one difference alone would be clear far more often."""
    called, tries = 0, some(100)
    for seed in range(tries):
        text = rows(dict.fromkeys("abcdef", 4.5), 40, seed)
        values = [line.split(",") for line in text.splitlines()[1:]]
        top = max("abcdef", key=lambda name: sum(int(one[3]) for one in values if one[1] == name))
        made = found(write, text, top)
        called += bool(made and made.clear)
    assert called <= max(2, tries // 10)


@pytest.fixture
def page(write: Write, monkeypatch: pytest.MonkeyPatch) -> Say:
    """page(text) is what Scores says of a file."""

    def said(text: str) -> str:
        monkeypatch.setenv("READBACK_WORKSPACE", str(write({"s.csv": text})))
        return looking.words(looking.scores())

    return said


@pytest.mark.parametrize(
    ("means", "answer"),
    [
        ({"a": 5}, "There is one condition, so there is nothing to compare."),
        ({"a": 2, "b": 7}, "By “quality”: “b” is better, and the difference is clear ("),
        (
            {"a": 2, "b": 2, "c": 7},
            "By “quality”: “c” is better than each of the 2 others, and every difference is clear.",
        ),
        ({"a": 2, "b": 7, "c": 7}, "has the best mean; it is clearly better than “a”, one of the 2 others."),
        ({"a": 5, "b": 5, "c": 5}, "By “quality”: no clear difference; “"),
        ({f"c{n}": 5 for n in range(13)}, "By “quality”: not known, because 13 conditions have too many pairs"),
    ],
)
def test_scores_begins_with_the_answer(page: Say, means: dict[str, float], answer: str) -> None:
    assert answer in page(rows(means))


def test_what_cannot_be_compared_fairly_is_not_called_better(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three conditions of a workspace, of which the best also has another model than the others."""
    conditions = [{"name": name, "mode": mode, "model": model} for name, mode, model in
                  (("a", "m", "one"), ("b", "m", "one"), ("c", "n", "two"))]  # fmt: skip
    config = {
        "dataset": "d.jsonl", "scores": ["s.csv"], "conditions": conditions,
        "modes": [{"mode": "m", "template": "{{ q }}"}, {"mode": "n", "template": "Q: {{ q }}"}],
    }  # fmt: skip
    data = [{"id": f"q{n}", "q": "Why?"} for n in range(60)]
    files = {"s.csv": rows({"a": 2, "b": 2, "c": 7}), "readback.yml": config, "d.jsonl": data}
    monkeypatch.setenv("READBACK_WORKSPACE", str(write(files)))
    app = looking.scores()
    if "provided the comparisons are fair" in looking.words(app):  # else somebody has checked them before
        assert any(True for _ in looking.links(app, ""))
    said = looking.words(looking.turned(looking.page(), "results"))
    denied = "That does not show that “c” is better."
    assert said.count(denied) == 2
    assert "“c” is better" not in said.replace(denied, "")
    assert "fairness not checked" not in said
    assert said.count("✕ not fair") == 2
    assert "not known, because no comparison in which “c” scores clearly higher is known to be fair." in said
    assert "2 comparisons with it are not fair" in said
