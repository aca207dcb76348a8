"""Find prompts for a legal summary that lack some of their parts.

A model that was trained on one layout answers worse in another, and citations are checked against the excerpt.
"""

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
    """Yield a finding with the missing labels, and with what follows the last one."""
    row = training_rows.read_row(case)
    if row:
        legal = training_rows.find_legal_prompt(row)
    else:
        legal = None
    if legal is None:
        return
    question, prompt = legal
    missing = [label for label in (EXCERPT, LISTED, SUMMARY) if label not in prompt.labels]
    if EXCERPT in prompt.labels and prompt.excerpt is None:
        missing.insert(0, EXCERPT)
    if not missing and prompt.after is None:
        return
    part = prompt.after or prompt.summary or prompt.instruction
    if part:
        start, end = (part.start, part.end)
    else:
        start, end = (0, len(question.text))
    after = prompt.after.text if prompt.after else ""
    place = training_rows.locate(question, start, end)
    yield Diagnostic(CODE, {"missing": missing or "", "after": after}, place, " ".join((*missing, after)))
