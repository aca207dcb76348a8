"""Looks for trn-listed-not-in-excerpt; its words are in catalogue/en.yml."""

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
    row = legal_rows.read_row(case)
    prompt, asked = (row.prompt, row.question) if row else (None, None)
    if prompt is None or asked is None or prompt.excerpt is None or prompt.citations_listed is None:
        return
    listed = legal_rows.find_citations(prompt.citations_listed.text)
    wrong = [
        one.citation
        for one in legal_rows.judge_citations(listed, legal_rows.find_citations(prompt.excerpt.text))
        if one.state in ("absent", "altered") and one.citation.resolves_to is None
    ]
    if wrong:
        texts = list(dict.fromkeys(one.text for one in wrong))
        first = prompt.citations_listed.start + wrong[0].start
        at = training_rows.locate(asked, first, first + len(wrong[0].text))
        yield Diagnostic(CODE, {"citations": texts}, at, ", ".join(texts))
