"""Find answers to learn that cite a case of their source with wrong numbers.

The citation looks supported, but a reader who looks it up finds another case or none.
"""

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
    """Yield a finding for each altered citation; an error if the reporter is the same."""
    row = legal_rows.read_row(case)
    for answer in row.target_answers if row else ():
        for verdict in answer.list_verdicts("altered"):
            citation = verdict.citation
            if verdict.source:
                source = verdict.source.text
            else:
                source = ""
            values = {"answer": answer.name, "citation": citation.text, "source": source}
            is_same_reporter = _read_reporter(citation.text) == _read_reporter(source)
            severity: Severity = "error" if is_same_reporter else "warning"  # another reporter may print the same case
            yield Diagnostic(CODE, values, legal_rows.locate_citation(answer, citation), citation.text, severity)


def _read_reporter(citation: str) -> str:
    """Return the reporter of a citation, without its volume, its page and its series."""
    return re.sub(r"[^a-z]", "", SERIES.sub("", citation.casefold()))
