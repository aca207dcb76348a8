"""The reference cites nothing, although citations are required.

The record's `metadata.require_citations` is true, and its reference has no mark such as [1]. A reference that cites in
another spelling is left to that finding.

Answers are then asked for what the reference does not have: a judge that holds them against it learns that citing is
not needed, and a model trained on it, too.

Add the marks to the reference, or set `require_citations` to false for the row.
"""

from collections.abc import Iterator, Mapping

from readback.checks.facts import stored_prompt
from readback.checks.facts.citation_marks import marks, other_styles
from readback.types import Diagnostic, Location, RuleContext

CODE = "fmt-reference-no-citation"
SEVERITY = "warning"
ON = "record"
SENTENCE = "the reference in {field} cites nothing, although citations are required"
FIX = "add the marks to {field}, or set metadata.require_citations to false"
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
    fields = case.record.fields if case.record else {}
    metadata = fields.get("metadata")
    stated = stored_prompt.reference(fields)
    if stated is None or not isinstance(metadata, Mapping) or metadata.get("require_citations") is not True:
        return
    name, text = stated
    if not marks(text) and not any(other_styles(text, MANY)):
        yield Diagnostic(CODE, {"field": name}, Location(field=name))
