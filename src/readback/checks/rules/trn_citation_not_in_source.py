"""Find citations in answers to learn that their source does not contain.

A model that is trained on such rows learns to invent citations.
"""

from collections.abc import Iterator

from readback.checks.facts import legal_rows
from readback.types import Diagnostic, RuleContext, Severity

CODE = "trn-citation-not-in-source"
ON = "record"
NEEDS = "training rows"
_ROW = (
    '{"prompt": "Analyze the legal text below.\\n\\nDocument Excerpt:\\nSee Smith v. Jones, 123 F.3d 456'
    ' (2020).\\n\\nCitations found: Smith v. Jones, 123 F.3d 456\\n\\nSummary:", "completion": "%s"}\n'
)
PASS = (
    {"train.jsonl": _ROW % "Dismissed (Smith v. Jones, 123 F. 3d 456, 460 (2020)). Id. at 461."},
    {
        "train.jsonl": _ROW.replace(
            "See Smith v. Jones", "Under Rule 12(b)(6) of the Federal Rules of Civil Procedure; Smith v. Jones"
        )
        % "Dismissed under Federal Rule of Civil Procedure 12(b)(6)."
    },
    {"train.jsonl": _ROW.replace("\\nSee Smith v. Jones, 123 F.3d 456 (2020).", "") % "Dismissed, 789 F.2d 123."},
)
FAIL = (
    {"train.jsonl": _ROW % "Dismissed (Brown v. White, 789 F.2d 123 (2019))."},
    {"train.jsonl": _ROW % "Dismissed under Rule 12(b)(6), as in Smith v. Jones, 123 F.3d 456 (2020)."},
)


def check(case: RuleContext) -> Iterator[Diagnostic]:
    """Yield a finding for each such citation; info for a short rule, which may be of any set of rules."""
    row = legal_rows.read_row(case)
    for answer in row.target_answers if row else ():
        for verdict in answer.list_verdicts("absent"):
            citation = verdict.citation
            values = {"answer": answer.name, "citation": citation.text}
            severity: Severity | None = "info" if citation.kind == "short rule" else None
            yield Diagnostic(CODE, values, legal_rows.locate_citation(answer, citation), citation.text, severity)
