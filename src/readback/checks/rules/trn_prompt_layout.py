"""Looks for trn-prompt-layout; its words are in catalogue/en.yml."""

from collections.abc import Iterator

from readback.checks.facts import training_rows
from readback.checks.facts.training_rows import EXCERPT, LISTED, SUMMARY
from readback.types import Diagnostic, RuleContext

CODE = "trn-prompt-layout"
ON = "record"
NEEDS = "training rows"
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
    row = training_rows.read_row(case)
    found = training_rows.find_legal_prompt(row) if row else None
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
    place = training_rows.locate(asked, at.start, at.end) if at else training_rows.locate(asked, 0, len(asked.text))
    yield Diagnostic(CODE, {"missing": missing or "", "after": after}, place, " ".join((*missing, after)))
