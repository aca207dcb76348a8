"""Looks for trn-citation-year-differs; its words are in catalogue/en.yml."""

from collections.abc import Iterator

from readback.checks.facts import legal_rows
from readback.types import Diagnostic, RuleContext

CODE = "trn-citation-year-differs"
ON = "record"
NEEDS = "training rows"
_ROW = (
    '{"prompt": "Analyze the legal text below.\\n\\nDocument Excerpt:\\nSee Smith v. Jones, 123 F.3d 456'
    ' (2020).\\n\\nCitations found: Smith v. Jones, 123 F.3d 456\\n\\nSummary:", "completion": "%s"}\n'
)
PASS = ({"train.jsonl": _ROW % "Dismissed (Smith v. Jones, 123 F.3d 456)."},)
FAIL = ({"train.jsonl": _ROW % "Dismissed (Smith v. Jones, 123 F.3d 456 (2019))."},)


def check(case: RuleContext) -> Iterator[Diagnostic]:
    row = legal_rows.read_row(case)
    for answer in row.target_answers if row else ():
        for one in answer.list_verdicts("year differs"):
            year = one.source.year if one.source else None
            values = {"answer": answer.name, "citation": one.citation.text, "year": year}
            yield Diagnostic(CODE, values, legal_rows.locate_citation(answer, one.citation), one.citation.text)
