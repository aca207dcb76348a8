"""Nothing tells why the rejected answer of a pair was rejected.

Every citation of the rejected answer is in the excerpt, it has all that the chosen answer has, and the two share most
of their words.

Preference training then learns from chance: length, word order, a full stop. Many such pairs teach noise.

Give the reason in the data, choose a clearer pair, or leave the row out.
"""

from collections.abc import Iterator

from readback.checks.facts import legal_row
from readback.types import Diagnostic, Location, RuleContext

CODE = "trn-rejected-no-defect"
SEVERITY = "warning"
ON = "record"
SENTENCE = "the rejected answer is supported like the chosen one and has nearly the same words"
FIX = "choose a clearer pair, or leave the row out"
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
    row = legal_row.row(case)
    chosen, rejected = (row.answer("chosen"), row.answer("rejected")) if row else (None, None)
    if chosen is None or rejected is None or rejected.verdicts is None or legal_row.same(chosen.text, rejected.text):
        return
    wrong = [one for one in rejected.verdicts if one.counts and one.state != "supported"]
    if not wrong and not any(legal_row.missing(chosen, rejected)) and legal_row.similar(chosen.text, rejected.text):
        yield Diagnostic(CODE, {}, Location(field=rejected.turn.field), rejected.text)
