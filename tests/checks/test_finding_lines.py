"""A finding as a line of JSON is read as the same finding, whatever it holds."""

import json
from math import isnan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readback.checks.store import finding_lines
from readback.checks.store.finding_lines import MANY, SHORT, format_line, read_line
from readback.types import Finding, Location

TEXTS = st.text(st.characters(), max_size=20)  # lone surrogates too
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=5,
)
PLACES = st.builds(
    Location,
    file=st.none() | TEXTS,
    line=st.none() | st.integers(1, 9),
    index=st.none() | st.integers(0, 9),
    condition=st.none() | TEXTS,
    record=st.none() | TEXTS,
    start=st.none() | st.integers(0, 9),
)
FINDINGS = st.builds(
    Finding, TEXTS, st.sampled_from(("error", "warning", "info")), st.dictionaries(TEXTS, VALUES, max_size=3),
    TEXTS, TEXTS, PLACES, TEXTS,
)  # fmt: skip


def found(message: str) -> Finding:
    return Finding("fmt-markers", "error", {}, message, "", Location(), "0")


@given(st.lists(FINDINGS, max_size=5))
def test_what_is_read_is_what_was_written(every: list[Finding]) -> None:
    lines = [*map(format_line, every)]
    assert not any("\n" in one for one in lines)
    "".join(lines).encode()  # also where a text holds a lone surrogate
    finding_lines._latest.clear()
    assert [*map(read_line, lines)] == every
    assert [*map(format_line, map(read_line, lines))] == lines


def test_a_number_that_is_none_is_read_as_that() -> None:
    (value,) = read_line(
        format_line(Finding("a", "info", {"n": float("nan")}, "", "", Location(), "0"))
    ).values.values()
    assert isnan(value)


def test_as_many_are_remembered_as_come_together_and_none_that_is_long() -> None:
    finding_lines._latest.clear()
    every = [found(str(number)) for number in range(MANY)]
    lines = [*map(format_line, every)]
    assert all(format_line(one) is said for one, said in zip(every, lines, strict=True))
    long = found("x" * SHORT)
    assert format_line(long) is not format_line(long)
    format_line(found("one more"))
    assert len(finding_lines._latest) == 1


@pytest.mark.parametrize("said", ["", "[]", "{}", "3", '{"code": "a"}', json.dumps({"code": 3, "place": 1})])
def test_what_is_no_finding_is_refused(said: str) -> None:
    with pytest.raises((ValueError, TypeError, LookupError)):
        read_line(said)
