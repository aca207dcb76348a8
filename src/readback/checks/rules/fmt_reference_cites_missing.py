"""Find citations in a reference answer of contexts that the record does not have.

Such a reference was written for other contexts or made up, and scores against it measure its fault.
"""

from collections.abc import Iterator, Sequence

from readback.checks.facts import stored_prompt
from readback.checks.facts.contexts import find_context_marks
from readback.types import Diagnostic, Location, RuleContext, Severity

CODE = "fmt-reference-cites-missing"
ON = "record"
PASS = (
    {"data.jsonl": '{"id": "1", "expected_response": "So [1].", "rag": {"contexts": ["one"]}}\n'},
    {"data.jsonl": '{"id": "1", "expected_response": "It is `x[10]` or arr[0], see [3](u).", "contexts": ["one"]}\n'},
)
FAIL = ({"data.jsonl": '{"id": "1", "expected_response": "So [1] and [3].", "contexts": ["one", "two"]}\n'},)


DEMAND = "[#]"  # how the prompt formats ask for numbers that count the snippets


def check(case: RuleContext) -> Iterator[Diagnostic]:
    """Yield a finding with the marks; an error if numbers in brackets surely count the contexts."""
    fields = case.record.fields if case.record else {}
    stored_contexts, reference = stored_prompt.find_contexts(fields), stored_prompt.find_row_reference(fields)
    if stored_contexts is None or reference is None:
        return
    (_, contexts), (field, text) = stored_contexts, reference
    marks = find_context_marks(text, len(contexts))
    wrong = [mark for mark in marks if not 1 <= mark.number <= len(contexts)]
    if wrong:
        cited = list(dict.fromkeys(text[mark.start : mark.end] for mark in wrong))
        place = Location(field=field, start=wrong[0].start, end=wrong[0].end)
        severity: Severity = "error" if _counts_contexts(case, cited, contexts) else "warning"
        yield Diagnostic(CODE, {"cited": cited, "contexts": len(contexts)}, place, " ".join(cited), severity)


def _counts_contexts(case: RuleContext, cited: Sequence[str], contexts: Sequence[object]) -> bool:
    """Return whether numbers in brackets surely count the contexts.

    That is if a prompt asks for it, and no context contains such a mark itself, as papers that cite literature do.
    """
    if any(mark in str(context) for mark in cited for context in contexts):
        return False
    stored = stored_prompt.find_prompt(case.record.fields if case.record else {})
    if stored is not None and DEMAND in stored[1]:
        return True
    return any(
        prompt.syntax == "builder" or DEMAND in f"{prompt.system or ''}{prompt.template or ''}"
        for prompt in case.workspace.prompts.values()
    )
