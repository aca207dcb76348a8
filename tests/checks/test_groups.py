"""Findings by rule: the gravest first, each under the name of the row it counts in."""

from __future__ import annotations

from typing import Any

import pytest

from readback import workspace
from readback.checks import rules
from readback.checks.groups import also, area, because, groups, names, paragraphs, title
from readback.checks.run import engine
from readback.checks.summary import Audit, Row
from readback.project_files import EXAMPLES
from readback.records.dataset import Counts
from readback.types import Finding, Location, Selection, Severity

ROWS = (Row("A", Selection(condition="A")), Row("B", Selection(condition="B")))


def finding(code: str, severity: Severity, index: int | None = None, **place: Any) -> Finding:
    record = None if index is None else f"r{index}"
    return Finding(code, severity, {}, code, "", Location(index=index, record=record, **place), f"{code}{index}{place}")


def audit(*found: Finding, rows: tuple[Row, ...] = ROWS, **more: Any) -> Audit:
    counts = {code: sum(one.code == code for one in found) for code in {one.code for one in found}}
    records = {code: len({one.place.index for one in found if one.code == code} - {None}) for code in counts}
    known: dict[str, Any] = {"counts": counts, "records_by_code": records} | more
    return Audit("w", Counts(9, 0, 0, 9), conditions=rows, findings=found, **known)


def test_errors_come_first_then_conditions_touched_then_records_and_ties_by_code() -> None:
    made = audit(
        finding("fmt-markers", "info", 1, condition="A"),
        finding("fmt-no-contexts", "warning", 1, condition="A"),
        finding("fmt-context-order", "error", 1, condition="A"),
        finding("fmt-context-empty", "error", 1, condition="A"),
        finding("dat-nan", "error", 1, condition="A"),
        finding("dat-nan", "error", 2, condition="A"),
        finding("dat-crlf", "error", 1, condition="A"),
        finding("dat-crlf", "error", 1, condition="B"),
    )
    order = ["dat-crlf", "dat-nan", "fmt-context-empty", "fmt-context-order", "fmt-no-contexts", "fmt-markers"]
    assert [group.code for group in groups(made)] == order


def test_a_group_has_the_gravest_severity_and_shows_those_first() -> None:
    made = audit(finding("dat-nan", "info", 1), finding("dat-nan", "error", 2))
    (group,) = groups(made)
    assert group.severity == "error"
    assert [one.place.index for one in group.findings] == [2, 1]


def test_a_finding_of_another_severity_than_its_rule_says_why_and_its_group_that_there_are_such() -> None:
    made = audit(finding("fmt-system-mismatch", "warning", 1), finding("fmt-system-mismatch", "error", 2))
    (group,) = groups(made)
    assert [because(one) for one in group.findings] == [
        "",
        "A warning here, usually an error: only whitespace differs, or the other place has no system message.",
    ]
    assert also(group) == "in some places a warning"
    assert because(finding("fmt-no-contexts", "info")) == "A hint here, usually an error."


def test_a_reason_is_given_for_severities_that_are_not_the_rules_own() -> None:
    given = {code: rule.because for code, rule in rules.RULES().items() if rule.because}
    assert len(given) > 20
    for code, reasons in given.items():
        assert set(reasons) <= {"error", "warning", "info"} - {rules.RULES()[code].severity}


def test_a_rule_whose_findings_were_not_kept_is_still_there_with_its_count() -> None:
    made = audit(
        finding("dat-nan", "error", 1), counts={"dat-nan": 1, "fmt-markers": 7}, records_by_code={"fmt-markers": 5}
    )
    last = next(group for group in groups(made) if group.code == "fmt-markers")
    assert (last.count, last.records, last.findings) == (7, 5, ())
    assert last.severity == rules.RULES()["fmt-markers"].severity


@pytest.mark.parametrize(
    ("place", "name"),
    [
        (Location(condition="A", mode="rag", adapter="x"), "A"),
        (Location(condition="A", judge="j"), "A · j"),
        (Location(judge="j"), "j"),
        (Location(task="parsing", adapter="x"), "parsing · x"),
        (Location(file="data.jsonl", line=3), ""),
        (Location(record="r1", index=0), ""),
    ],
)
def test_a_finding_goes_by_the_name_of_its_row(place: Location, name: str) -> None:
    assert names(audit())(place) == name


def test_without_conditions_a_mode_is_a_row() -> None:
    rows = (Row("rag", Selection(mode="rag")), Row("rag · x", Selection(mode="rag", adapter="x")))
    name = names(audit(rows=rows))
    assert [name(Location(mode="rag")), name(Location(mode="rag", adapter="x"))] == ["rag", "rag · x"]


def test_a_mode_that_is_called_like_a_condition_is_not_taken_for_it() -> None:
    assert names(audit())(Location(mode="A")) == ""


def test_the_counts_of_a_row_are_the_findings_of_its_name() -> None:
    made = engine.check(workspace.open(EXAMPLES / "six-conditions-mistakes"))
    name = names(made)
    for row in made.conditions:
        errors = [one for one in made.findings if one.severity == "error" and name(one.place) == row.name]
        assert len(errors) == row.errors


@pytest.mark.parametrize("code", sorted(rules.RULES()))
def test_every_rule_has_a_title_an_area_and_three_paragraphs(code: str) -> None:
    assert not title(code).endswith(".")
    assert area(code)
    assert len(paragraphs(code)) == 3
