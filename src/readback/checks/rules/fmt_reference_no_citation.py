"""Find references that cite nothing although the record requires citations.

A judge that compares answers with such a reference, or a model trained on it, learns that citations are not needed.
"""

from collections.abc import Iterator, Mapping

from readback.checks.facts import stored_prompt
from readback.checks.facts.contexts import find_marks, find_other_styles
from readback.types import Diagnostic, Location, RuleContext

CODE = "fmt-reference-no-citation"
ON = "record"
_ROW = (
    '{"id": "1", "expected_response": "%s", "rag": {"prompt": "p", "contexts": ["a"]}, '
    '"metadata": {"require_citations": %s}}\n'
)
PASS = (
    {"data.jsonl": _ROW % ("So [1].", "true")},
    {"data.jsonl": _ROW % ("So.", "false")},
    {"data.jsonl": '{"id": "1", "expected_response": "So.", "rag": {"prompt": "p", "contexts": ["a"]}}\n'},
)
FAIL = ({"data.jsonl": _ROW % ("So.", "true")},)

MANY = 99  # contexts: whatever looks like a citation in another spelling is left to that finding


def check(case: RuleContext) -> Iterator[Diagnostic]:
    """Yield a finding for a reference without any citation; fmt-citation-style reports those in another form."""
    fields = case.record.fields if case.record else {}
    metadata = fields.get("metadata")
    reference = stored_prompt.find_row_reference(fields)
    if reference is None or not isinstance(metadata, Mapping) or metadata.get("require_citations") is not True:
        return
    field, text = reference
    if not find_marks(text) and not any(find_other_styles(text, MANY)):
        yield Diagnostic(CODE, {"field": field}, Location(field=field))
