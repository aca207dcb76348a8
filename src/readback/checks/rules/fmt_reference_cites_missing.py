"""Looks for fmt-reference-cites-missing; its words are in catalogue/en.yml."""

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
    fields = case.record.fields if case.record else {}
    listed, stated = stored_prompt.find_contexts(fields), stored_prompt.find_reference(fields)
    if listed is None or stated is None:
        return
    (_, contexts), (name, text) = listed, stated
    wrong = [mark for mark in find_context_marks(text, len(contexts)) if not 1 <= mark.number <= len(contexts)]
    if wrong:
        cited = list(dict.fromkeys(text[mark.start : mark.end] for mark in wrong))
        place = Location(field=name, start=wrong[0].start, end=wrong[0].end)
        severity: Severity = "error" if _counts_snippets(case, cited, contexts) else "warning"
        yield Diagnostic(CODE, {"cited": cited, "contexts": len(contexts)}, place, " ".join(cited), severity)


def _counts_snippets(case: RuleContext, cited: Sequence[str], contexts: Sequence[object]) -> bool:
    """Whether numbers in brackets surely count the contexts: a prompt asks for that, and no context has the mark as
    its own, as papers have that cite their literature.
    """
    if any(mark in str(one) for mark in cited for one in contexts):
        return False
    stored = stored_prompt.find_prompt(case.record.fields if case.record else {})
    if stored is not None and DEMAND in stored[1]:
        return True
    prompts = case.workspace.prompts.values()
    return any(one.syntax == "builder" or DEMAND in f"{one.system or ''}{one.template or ''}" for one in prompts)
