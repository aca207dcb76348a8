"""Looks for fmt-reference-cites-missing; its words are in catalogue/en.yml."""

from collections.abc import Iterator

from readback.checks.facts import stored_prompt
from readback.checks.facts.citation_marks import citations
from readback.types import Diagnostic, Location, RuleContext

CODE = "fmt-reference-cites-missing"
ON = "record"
PASS = (
    {"data.jsonl": '{"id": "1", "expected_response": "So [1].", "rag": {"contexts": ["one"]}}\n'},
    {"data.jsonl": '{"id": "1", "expected_response": "It is `x[10]` or arr[0], see [3](u).", "contexts": ["one"]}\n'},
)
FAIL = ({"data.jsonl": '{"id": "1", "expected_response": "So [1] and [3].", "contexts": ["one", "two"]}\n'},)


def check(case: RuleContext) -> Iterator[Diagnostic]:
    fields = case.record.fields if case.record else {}
    listed, stated = stored_prompt.contexts(fields), stored_prompt.reference(fields)
    if listed is None or stated is None:
        return
    (_, contexts), (name, text) = listed, stated
    wrong = [mark for mark in citations(text, len(contexts)) if not 1 <= mark.number <= len(contexts)]
    if wrong:
        cited = list(dict.fromkeys(text[mark.start : mark.end] for mark in wrong))
        place = Location(field=name, start=wrong[0].start, end=wrong[0].end)
        yield Diagnostic(CODE, {"cited": cited, "contexts": len(contexts)}, place, " ".join(cited))
