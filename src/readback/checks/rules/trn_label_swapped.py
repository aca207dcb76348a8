"""Find preference pairs whose rejected answer is better supported by the source than the chosen one.

Preference training follows the label, so it moves the model towards the answer that invents citations.
"""

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
    """Yield a finding if the rejected answer invents less and recalls as much, or recalls more and invents no more."""
    row = legal_rows.read_row(case)
    if row:
        chosen, rejected = (row.get_answer("chosen"), row.get_answer("rejected"))
    else:
        chosen, rejected = (None, None)
    if row is None or chosen is None or rejected is None or not row.source:
        return
    better, worse = row.count_verdicts(rejected), row.count_verdicts(chosen)
    better_invention, worse_invention = better.hallucination or 0.0, worse.hallucination or 0.0
    is_never_worse = better_invention <= worse_invention and better.recalled >= worse.recalled
    is_better = better_invention < worse_invention or better.recalled > worse.recalled
    if better.supported and is_never_worse and is_better:
        values = {
            "rejected": better.supported,
            "rejected_found": better.cited,
            "chosen": worse.supported,
            "chosen_found": worse.cited,
        }
        yield Diagnostic(CODE, values, Location(field=chosen.turn.field), chosen.text)
