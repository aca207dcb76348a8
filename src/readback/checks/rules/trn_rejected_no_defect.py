"""Find preference pairs without a defect that explains why an answer was rejected.

Preference training then learns from chance, such as length, word order or a full stop.
"""

from collections.abc import Iterator

from readback.checks.facts import legal_rows
from readback.types import Diagnostic, Location, RuleContext

CODE = "trn-rejected-no-defect"
ON = "record"
NEEDS = "training rows"
_ROW = (
    '{"prompt": "Analyze the legal text below.\\n\\nDocument Excerpt:\\nSee Smith v. Jones, 123 F.3d 456'
    ' (2020).\\n\\nCitations found: Smith v. Jones, 123 F.3d 456\\n\\nSummary:", "chosen": "The court dismissed '
    'the case (Smith v. Jones, 123 F.3d 456 (2020)).", "rejected": "%s"}\n'
)
PASS = (
    {"train.jsonl": _ROW % "The court dismissed the case (Smith v. Jones, 123 F.3d 457 (2020))."},
    {"train.jsonl": _ROW % "The court dismissed the case."},
)
FAIL = ({"train.jsonl": _ROW % "The court dismissed the case at once (Smith v. Jones, 123 F.3d 456 (2020))."},)


def check(case: RuleContext) -> Iterator[Diagnostic]:
    """Yield a finding if the rejected answer is supported, misses no citation and has most words of the chosen one."""
    row = legal_rows.read_row(case)
    if row:
        chosen, rejected = (row.get_answer("chosen"), row.get_answer("rejected"))
    else:
        chosen, rejected = (None, None)
    if chosen is None or rejected is None or rejected.verdicts is None:
        return
    if legal_rows.are_equal(chosen.text, rejected.text):
        return
    if any(verdict.counts and verdict.state != "supported" for verdict in rejected.verdicts):
        return
    if any(legal_rows.list_missing_citations(chosen, rejected)):
        return
    if legal_rows.are_similar(chosen.text, rejected.text):
        yield Diagnostic(CODE, {}, Location(field=rejected.turn.field), rejected.text)
