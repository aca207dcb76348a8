"""Find answers to learn that cite nothing although their excerpt does.

The task asks for accurate citations, and such rows teach a model to leave them out.
"""

from collections.abc import Iterator

from readback.checks.facts import legal_rows
from readback.types import Diagnostic, Location, RuleContext

CODE = "trn-chosen-no-citation"
ON = "record"
NEEDS = "training rows"
SHOWN = 5  # citations of the excerpt that are named
_ROW = (
    '{"prompt": "Analyze the legal text below.\\n\\nDocument Excerpt:\\n%s\\n\\nSummary:", '
    '"chosen": "%s", "rejected": "The court agreed with Brown v. White, 789 F.2d 123 (2019)."}\n'
)
PASS = (
    {"train.jsonl": _ROW % ("See Smith v. Jones, 123 F.3d 456 (2020).", "Dismissed (Smith v. Jones).")},
    {"train.jsonl": _ROW % ("The motion came on 12 March 2020.", "The court dismissed it.")},
)
FAIL = ({"train.jsonl": _ROW % ("See Smith v. Jones, 123 F.3d 456 (2020).", "The court dismissed it.")},)


def check(case: RuleContext) -> Iterator[Diagnostic]:
    """Yield a finding for each such answer, with some citations of its source."""
    row = legal_rows.read_row(case)
    if row is None or not row.source:
        return
    full = (citation for citation in row.source if citation.resolves_to is None and citation.normal)
    citations = list(dict.fromkeys(citation.text for citation in full))
    for answer in row.target_answers:
        if citations and answer.text.strip() and not answer.citations:
            values = {"answer": answer.name, "citations": citations[:SHOWN]}
            yield Diagnostic(CODE, values, Location(field=answer.turn.field), answer.text)
