"""Looks for trn-label-swapped; its words are in catalogue/en.yml."""

from collections.abc import Iterator

from readback.checks.facts import legal_rows
from readback.types import Diagnostic, Location, RuleContext

CODE = "trn-label-swapped"
ON = "record"
NEEDS = "training rows"
_ROW = (
    '{"prompt": "Analyze the legal text below.\\n\\nDocument Excerpt:\\nSee Smith v. Jones, 123 F.3d 456'
    ' (2020).\\n\\nCitations found: Smith v. Jones, 123 F.3d 456\\n\\nSummary:", "chosen": "%s", "rejected": "%s"}\n'
)
_GOOD, _BAD = "Dismissed (Smith v. Jones, 123 F.3d 456 (2020)).", "Dismissed (Brown v. White, 789 F.2d 123 (2019))."
PASS = ({"train.jsonl": _ROW % (_GOOD, _BAD)}, {"train.jsonl": _ROW % (_GOOD, "Dismissed, see Smith v. Jones.")})
FAIL = ({"train.jsonl": _ROW % (_BAD, _GOOD)},)


def check(case: RuleContext) -> Iterator[Diagnostic]:
    row = legal_rows.read_row(case)
    chosen, rejected = (row.get_answer("chosen"), row.get_answer("rejected")) if row else (None, None)
    if row is None or chosen is None or rejected is None or not row.source:
        return
    better, worse = row.count_verdicts(rejected), row.count_verdicts(chosen)
    invents = (better.hallucination or 0.0, worse.hallucination or 0.0)
    recalls = (better.recalled, worse.recalled)
    never_worse = invents[0] <= invents[1] and recalls[0] >= recalls[1]
    if better.supported and never_worse and (invents[0] < invents[1] or recalls[0] > recalls[1]):
        values = {
            "rejected": better.supported,
            "rejected_found": better.cited,
            "chosen": worse.supported,
            "chosen_found": worse.cited,
        }
        yield Diagnostic(CODE, values, Location(field=chosen.turn.field), chosen.text)
