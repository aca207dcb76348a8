"""An answer to be learned cites what its source does not have.

The citations of the completion or of the chosen answer are held against the document excerpt of the prompt, and
against the document that the row carries, by volume, reporter and page; a rule of court by its set and number, in
whatever words. A rule without its set, as in `Rule 12(b)(6)`, is only mentioned. A row without an excerpt is not
checked at all.

A model that is trained on it learns to cite from nowhere: that is what the training was meant to take away.

Take the citation out of the answer, or add the passage that holds it to the excerpt.
"""

from collections.abc import Iterator

from readback.checks.facts import legal_row
from readback.types import Diagnostic, RuleContext

CODE = "trn-citation-not-in-source"
SEVERITY = "error"
ON = "record"
SENTENCE = "'{answer}' cites {citation}, which the excerpt does not have"
FIX = "take the citation out of the answer, or add its passage to the excerpt"
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
    row = legal_row.row(case)
    for answer in row.wanted if row else ():
        for one in answer.of("absent"):
            values = {"answer": answer.name, "citation": one.citation.text}
            short = one.citation.kind == "short rule"  # it may be a rule of any set
            place = legal_row.place(answer, one.citation)
            yield Diagnostic(CODE, values, place, one.citation.text, "info" if short else None)
