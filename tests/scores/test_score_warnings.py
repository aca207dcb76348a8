"""What counting shows: few findings however many conditions, and none where nothing is wrong."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from score_files import Write

from readback import workspace
from readback.scores import loading, warnings
from readback.scores.table import ScoreTable
from readback.stats.fisher import fisher
from readback.types import Diagnostic

HEAD = "item,condition,criterion,score,judge\n"


def opened(root: Path) -> ScoreTable:
    return loading.load(workspace.open(root))


def diagnostics(root: Path, code: str) -> list[Diagnostic]:
    return [diagnostic for diagnostic in warnings.find_warnings(opened(root)) if diagnostic.code == code]


def test_a_fault_of_many_conditions_is_one_finding_that_names_three_and_counts_the_others(write: Write) -> None:
    rows = "".join(f"q{i},c{n:02},clear,{(i + n) % 3},j\n" for n in range(96) for i in range(12))
    (diagnostic,) = diagnostics(write({"s.csv": HEAD + rows}), "scr-small-n")
    assert diagnostic.values["where"] == "c00 (n 12), c01 (n 12), c02 (n 12), … (+93)"
    assert (diagnostic.values["conditions"], diagnostic.values["least"]) == (96, 12)


def test_a_judge_is_named_where_a_criterion_has_several(write: Write) -> None:
    rows = "".join(f"q{i},a,clear,{i % 3},j\nq{i},a,clear,2,k\n" for i in range(8))
    (diagnostic,) = diagnostics(write({"s.csv": HEAD + rows}), "scr-constant")
    assert diagnostic.values["where"] == "a | k (n 8: 2)"
    assert (diagnostic.place.condition, diagnostic.place.judge) == ("a", "k")


def test_a_rate_that_is_always_the_same_has_an_interval_all_the_same(write: Write) -> None:
    assert diagnostics(write({"s.csv": HEAD + "".join(f"q{i},a,pass,1,j\n" for i in range(30))}), "scr-constant") == []


@pytest.mark.parametrize(
    ("lost", "of", "expected"),
    [
        ((0, 0), 100, 0),
        ((2, 0), 100, 0),
        ((5, 0), 100, 0),
        ((6, 0), 100, 1),
        ((12, 6), 100, 0),
        ((20, 5), 100, 1),
        ((1, 0), 8, 0),
        ((3, 0), 7, 0),
        ((7, 4), 8, 0),
    ],
)
def test_an_uneven_loss_is_one_beyond_chance(write: Write, lost: tuple[int, int], of: int, expected: int) -> None:
    rows = "".join(
        f"q{i},{c},clear,{'' if i < gone else i % 3},j\n" for c, gone in zip("ab", lost, strict=True) for i in range(of)
    )
    assert len(diagnostics(write({"s.csv": HEAD + rows}), "scr-missing-uneven")) == expected


def test_raters_who_share_the_work_do_not_miss_what_others_saw(write: Write) -> None:
    rows = "".join(f"q{i},{c},clear,{i % 3},j{(i * (2 + (c == 'b'))) % 5 % 2}\n" for c in "ab" for i in range(40))
    assert diagnostics(write({"s.csv": HEAD + rows}), "scr-missing-uneven") == []


def panel(items: int, raters: int, seen_by: int, unscored: int = 0) -> str:
    """Rows of raters of whom `seen_by` see each item, turn by turn; nobody scores the last `unscored` under b."""
    return "".join(
        f"q{i},{c},clear,{i % 3},r{(i + n + (c == 'b')) % raters}\n"
        for c in "ab"
        for i in range(items - (unscored if c == "b" else 0))
        for n in range(seen_by)
    )


@pytest.mark.parametrize(("items", "raters", "seen_by"), [(60, 6, 3), (24, 5, 2), (40, 3, 1)])
def test_a_rater_of_a_panel_does_not_miss_what_was_for_others(
    write: Write, items: int, raters: int, seen_by: int
) -> None:
    root = write({"s.csv": HEAD + panel(items, raters, seen_by)})
    codes = {one.code for one in warnings.find_warnings(opened(root))}
    assert not codes & {"scr-missing-high", "scr-missing-uneven", "scr-small-n"}


def test_an_item_that_nobody_of_a_panel_scored_is_missing(write: Write) -> None:
    root = write({"s.csv": HEAD + panel(60, 6, 3, unscored=12)})
    (lost,) = diagnostics(root, "scr-missing-high")
    assert (lost.values["lost"], lost.values["all"], lost.values["condition"]) == (12, 60, "b")
    assert lost.values["judge"] == "all judges together 12 of 60"
    (uneven,) = diagnostics(root, "scr-missing-uneven")
    values = uneven.values
    assert [values[key] for key in ("more_lost", "more_all", "less_lost", "less_all")] == [12, 60, 0, 60]


def test_a_panel_of_few_items_counts_them_and_not_a_rater(write: Write) -> None:
    (few,) = diagnostics(write({"s.csv": HEAD + panel(12, 6, 3)}), "scr-small-n")
    assert few.values["where"] == "a (n 12), b (n 12)"


def test_a_judge_that_lost_rows_which_the_other_has_lost_them(write: Write) -> None:
    rows = "".join(f"q{i},{c},clear,{i % 3},j\n" for c in "ab" for i in range(30))
    rows += "".join(f"q{i},{c},clear,{i % 3},k\n" for c, n in (("a", 30), ("b", 20)) for i in range(n))
    (lost,) = diagnostics(write({"s.csv": HEAD + rows}), "scr-missing-high")
    assert (lost.values["lost"], lost.values["all"], lost.values["judge"]) == (10, 30, "k 10 of 30")


def test_the_count_of_what_is_lost_holds_complete_groups_of_the_named_ones(write: Write) -> None:
    gone = {("a", "j"): 9, ("b", "j"): 0, ("a", "k"): 0, ("b", "k"): 9}
    rows = "".join(f"q{i},{c},clear,{'' if i < n else i % 3},{j}\n" for (c, j), n in gone.items() for i in range(20))
    (lost,) = diagnostics(write({"s.csv": HEAD + rows}), "scr-missing-high")
    assert (lost.values["lost"], lost.values["all"]) == (18, 80)


@pytest.mark.parametrize(
    ("fingerprints", "expected"),
    [
        ("one for each item", 0),
        ("one for all", 0),
        ("two by turns", 1),
        ("two for one item", 1),
    ],
)
def test_prompts_of_one_condition_are_one_each_or_one_for_all(write: Write, fingerprints: str, expected: int) -> None:
    def sent(i: int, k: str) -> str:
        match fingerprints:
            case "one for each item":
                return f"p{i}"
            case "two by turns":
                return f"p{i % 2}"
            case "two for one item":
                return f"p{i}{k if i == 3 else ''}"
        return "p"

    rows = "".join(f"q{i},a,{k},{i % 3},{sent(i, k)}\n" for i in range(20) for k in ("clear", "short"))
    root = write({"s.csv": "item,condition,criterion,score,prompt_fingerprint\n" + rows})
    assert len(diagnostics(root, "scr-condition-merged")) == expected


def test_without_a_plan_what_may_not_be_compared_is_said_once_for_a_criterion(write: Write) -> None:
    rows = "".join(
        f"q{i},{mode}{n},{mode},{k},0.{(i + n) % 9}\n"
        for mode in ("instruction", "rag") for n in range(3) for k in ("factuality", "overall") for i in range(24)
    )  # fmt: skip
    root = write({"s.csv": "item,condition,mode,criterion,score\n" + rows})
    found = [
        diagnostic for diagnostic in warnings.find_warnings(opened(root)) if diagnostic.code != "scr-scale-unknown"
    ]
    assert [(diagnostic.code, diagnostic.severity, diagnostic.values["criterion"]) for diagnostic in found] == [
        ("scr-not-comparable", "info", "overall")
    ]


def test_a_plan_is_asked_only_for_what_it_names(write: Write) -> None:
    rows = "item,condition,factuality,grounding\n" + "".join(
        f"q{i},{c},0.{i % 7},0.{i % 5}\n" for i in range(24) for c in ("closed", "open")
    )
    plan = "conditions: [{name: closed, mode: instruction}, {name: open, mode: rag}]\nscores: [s.csv]\n"
    silent = write({"readback.yml": plan + "comparisons: [{a: closed, b: open}]\n", "s.csv": rows})
    assert diagnostics(silent, "scr-not-comparable") == []
    named = write({"readback.yml": plan + "comparisons: [{a: closed, b: open, criterion: grounding}]\n", "s.csv": rows})
    (diagnostic,) = diagnostics(named, "scr-not-comparable")
    assert (diagnostic.severity, diagnostic.values["part"]) == (None, ["factuality"])


@pytest.mark.realdata
@pytest.mark.parametrize(
    ("folder", "expected"),
    [
        ("liverag-judge", {}),
        ("mtrag", {"scr-constant": 2, "scr-rows-differ": 5}),
    ],
)
def test_published_scores_raise_no_false_alarm(shared: Path, folder: str, expected: dict[str, int]) -> None:
    found = Counter(diagnostic.code for diagnostic in warnings.find_warnings(opened(shared / "data" / folder)))
    del found["scr-scale-unknown"]
    assert {code: count for code, count in found.items() if code.startswith("scr-")} == expected


@pytest.mark.realdata
def test_five_judges_of_one_condition_raise_no_false_alarm(shared: Path, write: Write) -> None:
    """One value is off the scale; nothing is compared, and nobody scored too few."""
    text = (shared / "data" / "llmjudge" / "five_judges_500items.csv").read_text("utf-8")
    judges = text.partition("\n")[0].strip().split(",")[2:]
    said = f"scores: [{{path: s.csv, item: [query, passage], judges: {judges}, criterion: relevance}}]\n"
    root = write({"readback.yml": said + "criteria: {relevance: {scale: [0, 1, 2, 3]}}\n", "s.csv": text})
    assert Counter(diagnostic.code for diagnostic in warnings.find_warnings(opened(root))) == {"jdg-out-of-range": 1}


def test_fishers_exact_test_gives_the_p_of_the_tea_lady() -> None:
    assert fisher(3, 4, 1, 4) == pytest.approx(34 / 70)  # R. A. Fisher, The Design of Experiments, chapter 2
    assert (fisher(0, 5, 0, 9), fisher(0, 0, 1, 9)) == (1.0, 1.0)


@settings(deadline=None)  # the first call imports scipy.stats
@given(st.integers(0, 60), st.integers(0, 60), st.integers(1, 60), st.integers(1, 60))
def test_fishers_exact_test_is_that_of_scipy(k_a: int, k_b: int, n_a: int, n_b: int) -> None:
    from scipy.stats import fisher_exact  # type: ignore[import-untyped]

    k_a, k_b = min(k_a, n_a), min(k_b, n_b)
    expected = fisher_exact([[k_a, n_a - k_a], [k_b, n_b - k_b]])[1]
    assert fisher(k_a, n_a, k_b, n_b) == pytest.approx(expected, abs=1e-9)


def test_fishers_test_goes_over_into_the_normal_limit() -> None:
    exact, limit = fisher(2_450, 50_000, 2_549, 50_000), fisher(2_450, 50_000, 2_550, 50_000)
    assert limit == pytest.approx(exact, abs=0.01)
