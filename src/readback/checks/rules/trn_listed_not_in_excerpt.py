"""Find citations that a prompt lists and its excerpt does not contain.

The prompt asks the model to use what it cannot see.
"""

from collections.abc import Iterator

from readback.checks.facts import legal_rows, training_rows
from readback.types import Diagnostic, RuleContext

CODE = "trn-listed-not-in-excerpt"
ON = "record"
NEEDS = "training rows"
_ROW = (
    '{"prompt": "Analyze the legal text below.\\n\\nDocument Excerpt:\\nSee Smith v. Jones, 123 F.3d 456'
    ' (2020).\\n\\nCitations found: %s\\n\\nSummary:", "completion": "Dismissed (Smith v. Jones, 123 F.3d 456)."}\n'
)
PASS = ({"train.jsonl": _ROW % "Smith v. Jones, 123 F.3d 456"},)
FAIL = ({"train.jsonl": _ROW % "Smith v. Jones, 123 F.3d 456, Fed. R. Evid. 802"},)


def check(case: RuleContext) -> Iterator[Diagnostic]:
    """Yield a finding with the citations that are absent from the excerpt, or altered in it."""
    row = legal_rows.read_row(case)
    if row:
        prompt, question = (row.prompt, row.question)
    else:
        prompt, question = (None, None)
    if prompt is None or question is None or prompt.excerpt is None or prompt.citations_listed is None:
        return
    listed = legal_rows.find_citations(prompt.citations_listed.text)
    verdicts = legal_rows.judge_citations(listed, legal_rows.find_citations(prompt.excerpt.text))
    wrong = [
        verdict.citation
        for verdict in verdicts
        if verdict.state in ("absent", "altered") and verdict.citation.resolves_to is None
    ]
    if wrong:
        texts = list(dict.fromkeys(citation.text for citation in wrong))
        start = prompt.citations_listed.start + wrong[0].start
        place = training_rows.locate(question, start, start + len(wrong[0].text))
        yield Diagnostic(CODE, {"citations": texts}, place, ", ".join(texts))
