"""A prompt for a legal summary has not all of its parts.

A prompt that is laid out for legal summaries has a document excerpt under "Document Excerpt:", the citations under
"Citations found:", and ends with "Summary:", each label at the start of a line. A label that is missing is reported,
an excerpt without text, and text behind the last label.

A model trained on one layout and asked in another answers worse, and what the citations of a summary are checked
against is the excerpt: without one nothing can be checked.

Build the prompt from all of its parts, and end it with "Summary:".
"""

from collections.abc import Iterator

from readback.checks.facts import training_facts
from readback.checks.facts.training_facts import EXCERPT, LISTED, SUMMARY
from readback.types import Diagnostic, RuleContext

CODE = "trn-prompt-layout"
SEVERITY = "warning"
ON = "record"
SENTENCE = "parts that the prompt for a legal summary lacks: {missing}; behind its last label: {after}"
FIX = "give the prompt all of its parts, and end it with 'Summary:'"
_ROW = '{"prompt": "Analyze the following legal document excerpt.\\n\\n%s", "completion": "So."}\n'
_WHOLE = "Document Excerpt:\\nIt was held.\\n\\nCitations found: A v. B\\n\\nSummary:"
PASS = (
    {"train.jsonl": _ROW % _WHOLE},
    {"train.jsonl": '{"prompt": "Analyze the legal side of it.", "completion": "So."}\n'},
)
FAIL = (
    {"train.jsonl": _ROW % "Summary:"},
    {"train.jsonl": _ROW % _WHOLE.replace("Summary:", "")},
    {"train.jsonl": _ROW % f"{_WHOLE} The court"},
    {"train.jsonl": _ROW % _WHOLE.replace("It was held.", "")},
)


def check(case: RuleContext) -> Iterator[Diagnostic]:
    row = training_facts.row(case)
    found = training_facts.legal(row) if row else None
    if found is None:
        return
    asked, parts = found
    missing = [label for label in (EXCERPT, LISTED, SUMMARY) if label not in parts.labels]
    if EXCERPT in parts.labels and parts.excerpt is None:
        missing.insert(0, EXCERPT)
    if not missing and parts.after is None:
        return
    at = parts.after or parts.summary or parts.instruction
    after = parts.after.text if parts.after else ""
    place = training_facts.spot(asked, at.start, at.end) if at else training_facts.spot(asked, 0, len(asked.text))
    yield Diagnostic(CODE, {"missing": missing or "", "after": after}, place, " ".join((*missing, after)))
