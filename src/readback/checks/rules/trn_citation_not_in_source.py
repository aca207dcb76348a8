"""Looks for trn-citation-not-in-source; its words are in catalogue/en.yml."""

from collections.abc import Iterator

from readback.checks.facts import legal_rows
from readback.types import Diagnostic, RuleContext

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
    row = legal_rows.read_row(case)
    for answer in row.target_answers if row else ():
        for one in answer.list_verdicts("absent"):
            values = {"answer": answer.name, "citation": one.citation.text}
            short = one.citation.kind == "short rule"  # it may be a rule of any set
            place = legal_rows.locate_citation(answer, one.citation)
            yield Diagnostic(CODE, values, place, one.citation.text, "info" if short else None)
