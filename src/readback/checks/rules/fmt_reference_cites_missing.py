"""The reference cites contexts that are not there.

The reference answer carries marks like [2] that count the record's contexts from 1. Every mark below 1 or above the
number of contexts is reported, once for each record. Only single numbers in brackets are marks; a record without a
list of contexts is left alone.

A reference that cites what does not exist was written for another list of contexts, or made up. Scores against it,
citation precision and recall above all, measure the fault of the reference.

Repair the marks of the reference, or give the record the contexts they were written for.
"""

from collections.abc import Iterator

from readback.checks.facts import stored_prompt
from readback.checks.facts.citation_marks import MARK
from readback.types import Diagnostic, Location, RuleContext

CODE = "fmt-reference-cites-missing"
SEVERITY = "error"
ON = "record"
SENTENCE = "the reference cites {cited}, but there {contexts:is|are} {contexts} {contexts:context|contexts}"
FIX = "repair the marks in the reference, or add the contexts they were written for"
PASS = ({"data.jsonl": '{"id": "1", "expected_response": "So [1].", "rag": {"contexts": ["one"]}}\n'},)
FAIL = ({"data.jsonl": '{"id": "1", "expected_response": "So [1] and [3].", "contexts": ["one", "two"]}\n'},)


def check(case: RuleContext) -> Iterator[Diagnostic]:
    fields = case.record.fields if case.record else {}
    listed, stated = stored_prompt.contexts(fields), stored_prompt.reference(fields)
    if listed is None or stated is None:
        return
    (_, contexts), (name, text) = listed, stated
    wrong = [mark for mark in MARK.finditer(text) if not 1 <= int(mark[1]) <= len(contexts)]
    if wrong:
        cited = list(dict.fromkeys(mark[0] for mark in wrong))
        place = Location(field=name, start=wrong[0].start(), end=wrong[0].end())
        yield Diagnostic(CODE, {"cited": cited, "contexts": len(contexts)}, place, " ".join(cited))
