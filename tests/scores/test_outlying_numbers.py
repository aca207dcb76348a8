"""A few numbers that lie apart from all others do not widen an inferred scale without being named."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import looking
import pytest
from hypothesis import given
from hypothesis import strategies as st
from score_files import Write, codes, load
from streamlit.testing.v1 import AppTest

from readback import cli
from readback.scores.values.outlying_numbers import APART, FEWEST, SHARE, find_outlying
from readback.types import Criterion

Counts = Mapping[float, int]


@pytest.mark.parametrize(
    ("counts", "values", "ends"),
    [
        ({0: 1900, 1: 300, 2: 200, 3: 99, 5: 1}, [5], (0, 3)),
        ({0: 100, 1: 99, 4: 1}, [4], (0, 1)),
        ({-7: 1, 1: 200, 2: 200, 3: 200}, [-7], (1, 3)),
        ({-7: 1, 1: 300, 2: 300, 3: 300, 11: 1}, [-7, 11], (1, 3)),
        ({0.1: 200, 0.2: 200, 0.3: 200, 0.8: 2}, [0.8], (0.1, 0.3)),
        ({0: 400, 1: 400, 40: 1, 50: 1}, [40, 50], (0, 1)),
    ],
)
def test_few_numbers_far_from_all_others_are_found(
    counts: Counts, values: list[float], ends: tuple[float, float]
) -> None:
    found = find_outlying("clear", counts)
    assert found is not None
    assert [value for value, _ in found.values] == values
    assert (found.low, found.high) == ends
    assert found.count == sum(counts[value] for value in values)
    assert found.all == sum(counts.values())


@pytest.mark.parametrize(
    "counts",
    [
        {0: 40, 1: 30, 2: 28, 5: 1},  # 99 numbers
        {0: 100, 1: 100, 2: 100, 3: 1},  # the next step
        {0: 200, 1: 200, 2: 1},
        {0: 100, 1: 90, 2: 90, 5: 2},  # more than 1 in 200
        {1: 199, 0: 1},  # all others are one number
        {0: 1000, 1: 1000},
        {1: 500, 2: 500, 3: 500, 4: 500, 5: 500, 6: 1},
    ],
)
def test_a_part_of_the_scale_is_no_outlier(counts: Counts) -> None:
    assert find_outlying("clear", counts) is None


@given(st.dictionaries(st.integers(-50, 50).map(float), st.integers(1, 500), max_size=12))
def test_what_is_found_is_few_and_apart(counts: dict[float, int]) -> None:
    found = find_outlying("clear", counts)
    if found is None:
        return
    apart = {value for value, _ in found.values}
    others = [value for value in counts if value not in apart]
    assert found.all == sum(counts.values()) >= FEWEST
    assert found.count <= SHARE * found.all
    assert (found.low, found.high) == (min(others), max(others))
    assert not any(found.low <= value <= found.high for value in apart)
    for value in apart:
        assert min(abs(value - other) for other in others) > APART * (found.high - found.low)


def scores(highest: int) -> str:
    return "item,condition,criterion,score,judge\n" + "".join(
        f"q{n},a,clear,{highest if n == 7 else n % 4},j\n" for n in range(400)
    )


def test_a_declared_scale_has_none(write: Write) -> None:
    root = write({"s.csv": scores(9)})
    assert "scr-outlying-number" in codes(load(root))
    table = load(root, criteria={"clear": Criterion("clear", "numeric", (), 0.0, 9.0)})
    assert not table.outlying
    assert "scr-outlying-number" not in codes(table)


def test_the_command_and_the_finding_name_it(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    root = write({"s.csv": scores(9)})
    cli.main(["scores", str(root)])
    said = capsys.readouterr().out
    assert "(scale 0, 1, 2, 3, 9, inferred from the values; 1 of 400 scores is 9; all others are from 0 to 3)" in said
    assert "s.csv:9: info scr-outlying-number: 1 of 400 scores for clear is 9, while all others are from 0 to 3" in said
    cli.main(["scores", str(root), "--format", "json"])
    found = json.loads(capsys.readouterr().out)["criteria"]["clear"]["outlying"]
    assert (found["numbers"], found["count"], found["all"], found["low"], found["high"]) == ([9], 1, 400, 0, 3)


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> Callable[..., AppTest]:
    def run(path: Path, **params: str) -> AppTest:
        monkeypatch.setenv("READBACK_WORKSPACE", str(path))
        return looking.scores(**params)

    return run


@pytest.mark.parametrize(("highest", "named"), [(9, True), (3, False)])
def test_the_page_says_that_the_scale_is_inferred_and_what_widens_it(
    highest: int, named: bool, write: Write, page: Callable[..., AppTest]
) -> None:
    said = looking.words(page(write({"s.csv": scores(highest)})))
    assert ", inferred from the scores (95 % interval" in said
    assert ("1 of 400 scores is 9; all others are from 0 to 3." in said) is named
