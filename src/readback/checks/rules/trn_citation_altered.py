"""An answer to be learned cites a case of its source under other numbers.

The parties are those of a case in the excerpt, or in the document that the row carries, but volume, reporter or page
differ: the usual form of an invented citation.

It reads as if it were supported, and whoever looks it up finds another case, or none.

Write the numbers of the source.
"""

from collections.abc import Iterator

from readback.checks.facts import legal_row
from readback.types import Diagnostic, RuleContext

CODE = "trn-citation-altered"
SEVERITY = "error"
ON = "record"
SENTENCE = "'{answer}' cites {citation}, where the excerpt has {source}"
FIX = "write the volume, reporter and page of the source"
_ROW = (
    '{"prompt": "Analyze the legal text below.\\n\\nDocument Excerpt:\\nSee Smith v. Jones, 123 F.3d 456'
    ' (2020).\\n\\nCitations found: Smith v. Jones, 123 F.3d 456\\n\\nSummary:", "completion": "%s"}\n'
)
PASS = ({"train.jsonl": _ROW % "Dismissed (Smith v. Jones, 123 F.3d 456, 459 (2020))."},)
FAIL = ({"train.jsonl": _ROW % "Dismissed (Smith v. Jones, 132 F.3d 456 (2020))."},)


def check(case: RuleContext) -> Iterator[Diagnostic]:
    row = legal_row.row(case)
    for answer in row.wanted if row else ():
        for one in answer.of("altered"):
            there = one.source.text if one.source else ""
            values = {"answer": answer.name, "citation": one.citation.text, "source": there}
            yield Diagnostic(CODE, values, legal_row.place(answer, one.citation), one.citation.text)
