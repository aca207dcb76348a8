"""Looks for trn-citation-altered; its words are in catalogue/en.yml."""

import re
from collections.abc import Iterator

from readback.checks.facts import legal_rows
from readback.types import Diagnostic, RuleContext, Severity

CODE = "trn-citation-altered"
ON = "record"
NEEDS = "training rows"
_ROW = (
    '{"prompt": "Analyze the legal text below.\\n\\nDocument Excerpt:\\nSee Smith v. Jones, 123 F.3d 456'
    ' (2020).\\n\\nCitations found: Smith v. Jones, 123 F.3d 456\\n\\nSummary:", "completion": "%s"}\n'
)
PASS = ({"train.jsonl": _ROW % "Dismissed (Smith v. Jones, 123 F.3d 456, 459 (2020))."},)
FAIL = ({"train.jsonl": _ROW % "Dismissed (Smith v. Jones, 132 F.3d 456 (2020))."},)

SERIES = re.compile(r"\b[234]d\b")


def check(case: RuleContext) -> Iterator[Diagnostic]:
    row = legal_rows.read_row(case)
    for answer in row.target_answers if row else ():
        for one in answer.list_verdicts("altered"):
            there = one.source.text if one.source else ""
            values = {"answer": answer.name, "citation": one.citation.text, "source": there}
            same = _read_reporter(one.citation.text) == _read_reporter(there)
            severity: Severity = "error" if same else "warning"  # another reporter may print the same case
            yield Diagnostic(
                CODE, values, legal_rows.locate_citation(answer, one.citation), one.citation.text, severity
            )


def _read_reporter(citation: str) -> str:
    """The reporter of a citation, without its volume, its page and its series."""
    return re.sub(r"[^a-z]", "", SERIES.sub("", citation.casefold()))
