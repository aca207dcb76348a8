"""Find contexts of a record that its prompt lacks.

The judge is shown all contexts but the model only those in the prompt, so answers are compared with unseen evidence.
"""

from collections.abc import Iterator, Mapping

from readback.checks.facts import stored_prompt
from readback.checks.facts.contexts import locate_context
from readback.records.record_memo import remember
from readback.types import Diagnostic, Location, RuleContext

CODE = "fmt-context-not-sent"
ON = ("assembly", "record")
NEEDS = {"record": "stored prompt"}
PASS = ({"data.jsonl": '{"id": "1", "rag": {"prompt": "Context:\\n[1] one\\n", "contexts": ["[1] one ", null]}}\n'},)
FAIL = (
    {"data.jsonl": '{"id": "1", "rag": {"prompt": "Context:\\n[1] one\\n", "contexts": ["[1] one", "[2] two"]}}\n'},
)


def check(case: RuleContext) -> Iterator[Diagnostic]:
    """Yield a finding with the numbers of the contexts that are in none of the prompt's messages."""
    fields = case.record.fields if case.record else {}
    field, contexts = stored_prompt.find_contexts(fields) or ("", ())
    prompts = tuple(_list_prompts(case))
    if not prompts:
        return
    texts = [(number, str(context).strip()) for number, context in enumerate(contexts, 1) if context is not None]
    if _is_by_template(case):
        texts = [(number, text) for number, text in texts if not isinstance(contexts[number - 1], Mapping)]
    texts = [(number, text) for number, text in texts if text]
    key = (CODE, prompts, tuple(number for number, _ in texts))
    missing = remember(fields, key, lambda: [number for number, text in texts if not _is_sent(text, prompts)])
    if missing:
        values = {"present": len(texts) - len(missing), "listed": len(texts), "missing": missing}
        role = "user" if case.assembly else None
        yield Diagnostic(CODE, values, Location(role=role, field=field), ",".join(map(str, missing)))


def _is_sent(context: str, prompts: tuple[str, ...]) -> bool:
    return any(locate_context(prompt, context) is not None for prompt in prompts)


def _is_by_template(case: RuleContext) -> bool:
    """Return whether a template makes the prompt, and not a builder, which writes each context whole."""
    if case.assembly is None:
        return False
    _, prompt = stored_prompt.find_sent_prompt(case)
    return prompt is not None and prompt.syntax != "builder"


def _list_prompts(case: RuleContext) -> Iterator[str]:
    """Yield what a model in mode rag reads; nothing for any other mode."""
    if case.assembly:
        mode, prompt = stored_prompt.find_sent_prompt(case)
        # An Albert mode called rag limits its chunks on purpose; there `limit` says how many are sent.
        if mode == "rag" and (prompt is None or prompt.settings.get("dialect") != "albert"):
            yield from (message.text for message in case.messages("user"))
    elif case.record and stored_prompt.is_unsent(case.workspace):
        stored = stored_prompt.find_prompt(case.record.fields)
        if stored:
            yield stored[1]
