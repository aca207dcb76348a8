"""Find answers to learn that cite a case of their source with another year.

The citation counts as supported but teaches a wrong year.
"""

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
    """Yield a finding for each such citation, with the year of the source."""
    row = legal_rows.read_row(case)
    for answer in row.target_answers if row else ():
        for verdict in answer.list_verdicts("year differs"):
            citation = verdict.citation
            if verdict.source:
                year = verdict.source.year
            else:
                year = None
            values = {"answer": answer.name, "citation": citation.text, "year": year}
            yield Diagnostic(CODE, values, legal_rows.locate_citation(answer, citation), citation.text)
