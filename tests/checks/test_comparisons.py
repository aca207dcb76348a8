"""What breaks a comparison comes first: one-sided faults, then two-sided ones, each severity by itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from readback import workspace
from readback.checks.comparisons import Pair, faults, planned, weighed
from readback.checks.groups import groups
from readback.checks.summary import Audit, Row
from readback.records.dataset import Counts
from readback.types import Finding, Location, Selection, Severity

Write = Callable[[Mapping[str, Any]], Path]
ROWS = tuple(Row(name, Selection(condition=name)) for name in "ABC")
PAIRS = (Pair("A", "B"),)


def finding(code: str, severity: Severity, condition: str | None, index: int = 0) -> Finding:
    return Finding(code, severity, {}, code, "", Location(index=index, record=f"r{index}", condition=condition), code)


def audit(*found: Finding) -> Audit:
    counts = {one.code: sum(each.code == one.code for each in found) for one in found}
    records = {code: len({one.place.index for one in found if one.code == code}) for code in counts}
    return Audit("w", Counts(9, 0, 0, 9), conditions=ROWS, findings=found, counts=counts, records_by_code=records)


def order(*found: Finding, pairs: tuple[Pair, ...] = PAIRS) -> list[str]:
    made = audit(*found)
    return [one.group.code for one in weighed(made, groups(made), pairs)]


def test_within_a_severity_one_side_comes_before_both_and_both_before_neither() -> None:
    many = [finding("fmt-markers", "error", "C", n) for n in range(9)]
    both = [finding("fmt-context-empty", "error", name, n) for n in range(5) for name in "AB"]
    one = finding("fmt-context-order", "error", "A")
    slight = finding("dat-nan", "warning", "A")
    found = (*many, *both, one, slight)
    assert order(*found) == ["fmt-context-order", "fmt-context-empty", "fmt-markers", "dat-nan"]


def test_without_a_plan_the_order_is_that_of_the_findings_page() -> None:
    found = [finding(code, "error", name) for code, name in (("dat-crlf", "A"), ("dat-nan", "A"), ("dat-nan", "B"))]
    made = audit(*found)
    assert order(*found, pairs=()) == [group.code for group in groups(made)] == ["dat-nan", "dat-crlf"]


def test_only_findings_of_the_gravest_severity_take_a_side() -> None:
    made = audit(finding("dat-nan", "error", "A"), finding("dat-nan", "info", "B"))
    (one,) = weighed(made, groups(made), PAIRS)
    assert (one.conditions, one.one_sided, one.both_sided) == (("A",), PAIRS, ())


def test_what_is_about_no_condition_takes_no_side() -> None:
    made = audit(finding("dat-nan", "error", None))
    (one,) = weighed(made, groups(made), PAIRS)
    assert one.with_finding == ()


def test_a_pair_of_one_condition_with_itself_breaks_nothing() -> None:
    made = audit(finding("dat-nan", "error", "A"))
    (one,) = weighed(made, groups(made), (Pair("A", "A"),))
    assert one.with_finding == ()


def test_the_faults_of_a_pair_are_counted_by_side_and_severity() -> None:
    made = audit(
        finding("dat-nan", "error", "A"),
        finding("dat-crlf", "error", "A"),
        finding("dat-crlf", "error", "B"),
        finding("fmt-markers", "warning", "B"),
    )
    found = weighed(made, groups(made), PAIRS)
    assert faults(found, PAIRS[0]) == (1, 1)
    assert faults(found, PAIRS[0], "warning") == (1, 0)


def test_planned_pairs_are_named_by_condition_and_come_once(write: Write) -> None:
    config = {
        "modes": [{"mode": "m", "template": "x"}],
        "conditions": [{"name": "first", "mode": "m"}, {"name": "second", "mode": "m"}],
        "comparisons": [
            {"a": "first", "b": "second", "criterion": "x"},
            {"a": "first", "b": "second", "criterion": "y"},
            {"a": "first", "b": "unknown"},
        ],
    }
    opened = workspace.open(write({"readback.yml": config}))
    assert planned(opened) == (Pair("first", "second"), Pair("first", "unknown"))
