"""The answer to be learned cites nothing, though its excerpt cites.

The excerpt, or the document that the row carries, holds legal citations; the chosen answer of a pair, or the
completion, holds none.

The task asks for accurate citations. Such rows teach a model to leave them out, and of a pair the better answer is
then no better in what it is judged by.

Write the answer with the citations that it relies on, or leave the row out.
"""

from collections.abc import Iterator

from readback.checks.facts import legal_row
from readback.types import Diagnostic, Location, RuleContext

CODE = "trn-chosen-no-citation"
SEVERITY = "warning"
ON = "record"
SENTENCE = "'{answer}' cites nothing, though the excerpt has {citations}"
FIX = "write the answer with the citations that it relies on, or leave the row out"
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
    row = legal_row.row(case)
    if row is None or not row.source:
        return
    there = list(dict.fromkeys(one.text for one in row.source if one.resolves_to is None and one.normal))
    for answer in row.wanted:
        if there and answer.text.strip() and not answer.citations:
            values = {"answer": answer.name, "citations": there[:SHOWN]}
            yield Diagnostic(CODE, values, Location(field=answer.turn.field), answer.text)
