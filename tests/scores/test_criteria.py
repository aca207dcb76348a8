"""Scales are declared, known by name, or worked out and said to be; a value off the scale fails."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from score_files import TIDY, Write, codes, load, states

from readback.checks.rules import build_finding
from readback.scores.values.criteria import fits, from_entry, holds, inferred, load_shipped_criteria, look_up


def test_a_value_off_the_scale_fails_alone_and_zero_is_a_grade(write: Write) -> None:
    root = write({"s.csv": "qid,relevance_score\n1,2\n2,0\n3,7\n4,1.5\n5,1.0\n"})
    assert states(load(root)) == ["scored", "scored", "failed", "failed", "scored"]
    assert codes(load(root)) == ["jdg-out-of-range"] * 2


def test_a_known_name_on_another_scale_gets_the_scale_of_its_values_and_it_is_said(write: Write) -> None:
    root = write({"s.csv": TIDY + "".join(f"q{i},a,faithfulness,{i % 4 + 1},j,\n" for i in range(40))})
    found = load(root)
    assert set(states(found)) == {"scored"}
    assert found.criteria["faithfulness"].values == (1.0, 2.0, 3.0, 4.0)
    assert [(n.code, n.severity) for n in found.diagnostics] == [("scr-scale-unknown", "info")]


@pytest.mark.parametrize(
    ("values", "scale", "of"),
    [
        ((0, 1), "binary", (0.0, 1.0)),
        ((1, 4, 2), "ordinal", (1.0, 2.0, 4.0)),
        ((0, 50, 100), "ordinal", (0.0, 50.0, 100.0)),
        ((0.2, 0.9), "numeric", (0.0, 1.0)),
        ((-0.3, 1.0000002), "numeric", (-0.3, 1.0000002)),
        (range(13), "numeric", (0.0, 12.0)),
        ((), "unknown", ()),
    ],
)
def test_a_scale_is_worked_out_from_values(values: Any, scale: str, of: tuple[float, ...]) -> None:
    found = inferred("x", Counter(float(v) for v in values))
    assert (found.scale, found.values or tuple(v for v in (found.low, found.high) if v is not None)) == (scale, of)


def test_a_list_of_0_and_1_is_a_rate_as_where_nothing_is_declared() -> None:
    assert from_entry("x", [1, 0]) == from_entry("x", "binary")


def test_a_declared_scale_is_held_however_many_values_are_off_it(write: Write) -> None:
    root = write({"s.csv": "qid,relevance_score\n1,3\n2,3\n"})
    declared = {"relevance": from_entry("relevance", [0, 1])}
    assert states(load(root, "s.csv", criteria=declared)) == ["failed", "failed"]


@pytest.mark.parametrize(
    ("counts", "fitting"),
    [
        ({2.0: 50, 7.0: 1}, True),
        ({2.0: 500, 7.0: 4, 9.0: 5}, True),
        ({2.0: 2, 3.0: 3}, False),
        ({0.0: 900, 3.0: 30}, False),
        ({0.0: 80, 0.5: 6, 0.7: 6}, False),
    ],
)
def test_slips_are_told_from_another_scale(counts: dict[float, int], fitting: bool) -> None:
    assert fits(load_shipped_criteria()["relevance"], counts) is fitting


def test_truth_values_are_scores_of_a_binary_criterion_only(write: Write) -> None:
    rows = [{"id": 1, "pass": True, "relevance_score": True}, {"id": 2, "pass": False, "relevance_score": 2}]
    found = load(write({"s.jsonl": rows}))
    assert [(s.criterion, s.state) for s in found.scores] == [
        ("pass", "scored"), ("relevance_score", "failed"), ("pass", "scored"), ("relevance_score", "scored"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "entry",
    [{"scale": "five stars"}, {"scale": []}, {"scale": {"min": 1, "max": 1}}, {"direction": "left"}, {"scale": [True]}],
)
def test_an_unusable_criterion_says_why(entry: Any) -> None:
    assert isinstance(from_entry("x", entry), str)


def test_every_known_criterion_is_found_with_its_ending_and_has_words_for_its_scale() -> None:
    for name, criterion in load_shipped_criteria().items():
        assert replace(criterion, name=f"{name}_score") == look_up(f"{name}_score", load_shipped_criteria())
        assert criterion.meanings
        assert all(holds(criterion, float(value)) for value in criterion.meanings)


def test_a_usual_scale_is_named_only_where_the_name_has_one(write: Write) -> None:
    messages = {}
    for name in ("clarity", "faithfulness"):
        root = write({"s.csv": TIDY + "".join(f"q{i},a,{name},{i % 4 + 1},j,\n" for i in range(40))})
        (note,) = load(root).diagnostics
        messages[name] = build_finding(note).message
    assert messages["clarity"] == "the scale of clarity is worked out from its values: 1, 2, 3, 4"
    assert messages["faithfulness"].endswith("1, 2, 3, 4 (the usual scale of this name: −1, 0, 1)")
