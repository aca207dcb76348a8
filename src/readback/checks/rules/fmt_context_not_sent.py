"""Looks for fmt-context-not-sent; its words are in catalogue/en.yml."""

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
    fields = case.record.fields if case.record else {}
    name, listed = stored_prompt.find_contexts(fields) or ("", ())
    prompts = tuple(_prompts(case))
    if not prompts:
        return
    texts = [(number, str(text).strip()) for number, text in enumerate(listed, 1) if text is not None]
    if _picks(case):
        texts = [(number, text) for number, text in texts if not isinstance(listed[number - 1], Mapping)]
    texts = [(number, text) for number, text in texts if text]
    asked = (CODE, prompts, tuple(number for number, _ in texts))
    missing = remember(
        fields,
        asked,
        lambda: [n for n, text in texts if all(locate_context(prompt, text) is None for prompt in prompts)],
    )
    if missing:
        values = {"present": len(texts) - len(missing), "listed": len(texts), "missing": missing}
        role = "user" if case.assembly else None
        yield Diagnostic(CODE, values, Location(role=role, field=name), ",".join(map(str, missing)))


def _picks(case: RuleContext) -> bool:
    """Whether a template makes the prompt, and no builder that writes each context whole."""
    _, prompt = stored_prompt.find_sent_prompt(case) if case.assembly else ("", None)
    return prompt is not None and prompt.syntax != "builder"


def _prompts(case: RuleContext) -> Iterator[str]:
    """What a model in mode rag gets to read; nothing for any other mode."""
    if case.assembly:
        mode, prompt = stored_prompt.find_sent_prompt(case)
        # An Albert mode called rag limits its chunks on purpose; there `limit` says how many are sent.
        if mode == "rag" and (prompt is None or prompt.settings.get("dialect") != "albert"):
            yield from (message.text for message in case.messages("user"))
    elif (
        case.record
        and stored_prompt.is_unsent(case.workspace)
        and (stored := stored_prompt.find_prompt(case.record.fields))
    ):
        yield stored[1]
