"""Legal citations in training rows: what the answers cite against what their excerpt has."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from readback import workspace
from readback.checks.run import engine
from readback.types import Finding

EXCERPT = "The motion was granted. See Smith v. Jones, 123 F.3d 456 (2020); Fed. R. Evid. 802."
GOOD = "It was granted (Smith v. Jones, 123 F.3d 456 (2020))."
INVENTED = "It was granted (Brown v. White, 789 F.2d 123 (2019))."
CITATIONS = (
    "trn-citation-not-in-source",
    "trn-citation-altered",
    "trn-citation-year-differs",
    "trn-chosen-no-citation",
    "trn-listed-not-in-excerpt",
    "trn-rejected-no-defect",
    "trn-rejected-defect",
    "trn-label-swapped",
)
Check = Callable[..., list[Finding]]


def prompt(excerpt: str = EXCERPT, listed: str = "Smith v. Jones, 123 F.3d 456") -> str:
    head = "Analyze the following legal document excerpt and create a summary with accurate citations."
    return f"{head}\n\nDocument Excerpt:\n{excerpt}\n\nCitations found: {listed}\n\nSummary:"


@pytest.fixture
def check(tmp_path: Path) -> Check:
    """What the rules about citations say of some rows."""

    def work(*rows: Mapping[str, Any]) -> list[Finding]:
        path = tmp_path / "train.jsonl"
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
        audit = engine.check(workspace.open(path))
        assert not audit.faults
        return [one for one in audit.findings if one.code in CITATIONS]

    return work


def codes(findings: list[Finding]) -> list[str]:
    return sorted(one.code for one in findings)


@pytest.mark.realdata
def test_the_documents_own_two_examples_give_no_error(check: Check, shared: Path) -> None:
    spec = (shared / "spec" / "training-data.md").read_text("utf-8")
    first, second = (json.loads(line) for line in spec.split("~~~json\n")[1].split("\n~~~")[0].split("\n"))
    assert check(first) == []
    (one,) = check(second)
    assert (one.code, one.severity) == ("trn-rejected-defect", "info")
    missing, other = one.values["defects"]
    assert missing.startswith("missing citations (Smith v. Jones, 123 F.3d 456 (2020)")
    assert other == "citation that the chosen answer does not have (Brown v. White, 789 F.2d 123 (2019))"


@pytest.mark.parametrize(
    ("completion", "found"),
    [
        (GOOD, []),
        ("It was granted, under Fed. R. Evid. 802 and Rule 802.", []),
        (INVENTED, [("trn-citation-not-in-source", "error")]),
        ("Granted (Smith v. Jones, 123 F.3d 459 (2020)).", [("trn-citation-altered", "error")]),
        ("Granted (Smith v. Jones, 123 F.3d 456 (2012)). Id. at 457.", [("trn-citation-year-differs", "warning")]),
        ("Granted under Rule 12(b)(6), see Smith v. Jones.", [("trn-citation-not-in-source", "info")]),
        ("It was granted.", [("trn-chosen-no-citation", "warning")]),
    ],
)
def test_what_is_to_be_learned_is_held_against_the_excerpt(
    check: Check, completion: str, found: list[tuple[str, str]]
) -> None:
    said = check({"prompt": prompt(), "completion": completion})
    assert [(one.code, one.severity) for one in said] == found


def test_the_place_is_the_citation_in_the_answer(check: Check) -> None:
    (one,) = check({"prompt": prompt(), "completion": INVENTED})
    place = one.place
    assert place.field == "completion"
    assert INVENTED[place.start : place.end] == "Brown v. White, 789 F.2d 123 (2019)"


def test_the_document_beside_the_row_counts_as_source(check: Check) -> None:
    row = {"prompt": prompt(), "completion": INVENTED, "document_text": "So Brown v. White, 789 F.2d 123 (2019)."}
    assert check(row) == []


def test_without_an_excerpt_nothing_is_checked(check: Check) -> None:
    row = {"prompt": "Analyze the following legal document excerpt...\n\nSummary:", "completion": INVENTED}
    assert check(row) == []


def test_other_training_rows_are_left_alone(check: Check) -> None:
    assert check({"prompt": "Who won in Smith v. Jones, 123 F.3d 456?", "completion": INVENTED}) == []


def test_citations_are_found_in_the_list_whatever_its_commas(check: Check) -> None:
    listed = "Smith v. Jones, 123 F.3d 456, Fed. R. Evid. 802, Roe v. Wade, 410 U.S. 113"
    (one,) = check({"prompt": prompt(listed=listed), "completion": GOOD})
    assert (one.code, one.values["citations"]) == ("trn-listed-not-in-excerpt", ["Roe v. Wade, 410 U.S. 113"])
    assert prompt(listed=listed)[one.place.start : one.place.end] == "Roe v. Wade, 410 U.S. 113"


@pytest.mark.parametrize(
    ("chosen", "rejected", "found"),
    [
        (GOOD, INVENTED, ["trn-rejected-defect"]),
        (GOOD, "Granted.", ["trn-rejected-defect"]),
        (GOOD, f"{GOOD} Indeed.", ["trn-rejected-no-defect"]),
        (GOOD, GOOD.replace(" ", "  "), []),
        (INVENTED, GOOD, ["trn-citation-not-in-source", "trn-label-swapped"]),
        ("Granted.", GOOD, ["trn-chosen-no-citation", "trn-label-swapped", "trn-rejected-defect"]),
        (GOOD, "A long and quite different text, which cites Smith v. Jones.", ["trn-rejected-defect"]),
    ],
)
def test_pairs_are_told_apart_by_their_citations(check: Check, chosen: str, rejected: str, found: list[str]) -> None:
    said = check({"prompt": prompt(), "chosen": chosen, "rejected": rejected})
    assert set(found) <= set(codes(said))
    assert set(codes(said)) - set(found) <= {"trn-rejected-defect"}


def test_an_altered_citation_is_not_also_missing(check: Check) -> None:
    altered = GOOD.replace("456", "465")
    (one,) = check({"prompt": prompt(), "chosen": GOOD, "rejected": altered})
    assert one.values["defects"] == ["altered citation (Smith v. Jones, 123 F.3d 465 (2020))"]


def test_a_pair_of_messages_is_read_too(check: Check) -> None:
    row = {
        "input": {"messages": [{"role": "user", "content": prompt()}]},
        "preferred_output": [{"role": "assistant", "content": INVENTED}],
        "non_preferred_output": [{"role": "assistant", "content": GOOD}],
    }
    said = {one.code: one for one in check(row)}
    assert {"trn-citation-not-in-source", "trn-label-swapped"} <= set(said)
    assert said["trn-citation-not-in-source"].place.field == "preferred_output[0].content"


def test_a_row_of_wrong_types_breaks_nothing(check: Check) -> None:
    rows = [
        {"prompt": prompt(), "chosen": 5, "rejected": None},
        {"prompt": None, "completion": ["x"], "document_text": 7},
        {"prompt": prompt(excerpt=""), "completion": ""},
        {"prompt": prompt(excerpt="\u0000 § v. [" * 50), "completion": GOOD},
    ]
    assert check(*rows) is not None


def test_b9_a_rule_of_court_in_other_words_is_in_its_source(check: Check) -> None:
    one, other = "Rule 12(b)(6) of the Federal Rules of Civil Procedure", "Federal Rule of Civil Procedure 12(b)(6)"
    for there, said in ((one, other), (other, one), (f"{one} and 42 U.S.C. § 1983", "Section 1983 of Title 42")):
        excerpt = f"The motion under {there} was granted. See Smith v. Jones, 123 F.3d 456 (2020)."
        answer = f"It was granted under {said} (Smith v. Jones, 123 F.3d 456 (2020))."
        assert check({"prompt": prompt(excerpt), "completion": answer}) == []


def test_b10_an_emphasised_case_of_the_excerpt_is_in_its_source(check: Check) -> None:
    excerpt = "<p>See <em>Smith v. Jones</em>, 123 F.3d 456 (2020). <em>Smith</em> holds so.</p>"
    answer = "It was granted (*Smith v. Jones*, 123 F.3d 456 (2020)). As *Smith* holds."
    assert check({"prompt": prompt(excerpt), "completion": answer}) == []
