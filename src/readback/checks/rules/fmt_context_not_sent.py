"""Looks for fmt-context-not-sent; its words are in catalogue/en.yml."""

from collections.abc import Iterator

from readback.checks.facts import sent_contexts, stored_prompt
from readback.types import Diagnostic, Location, RuleContext

CODE = "fmt-context-not-sent"
ON = ("assembly", "record")
PASS = ({"data.jsonl": '{"id": "1", "rag": {"prompt": "Context:\\n[1] one\\n", "contexts": ["[1] one ", null]}}\n'},)
FAIL = (
    {"data.jsonl": '{"id": "1", "rag": {"prompt": "Context:\\n[1] one\\n", "contexts": ["[1] one", "[2] two"]}}\n'},
)


def check(case: RuleContext) -> Iterator[Diagnostic]:
    fields = case.record.fields if case.record else {}
    prompts = tuple(_prompts(case))
    if not prompts:
        return
    picked = sent_contexts.picks(stored_prompt.sent_by(case)[1]) if case.assembly else False
    found = sent_contexts.sent_contexts(fields, prompts, picked)
    texts = [(number, there) for number, there in found if there is not None]
    missing = [number for number, there in texts if not there]
    if missing:
        values = {"present": len(texts) - len(missing), "listed": len(texts), "missing": missing}
        role = "user" if case.assembly else None
        name, _ = stored_prompt.contexts(fields) or (None, ())
        yield Diagnostic(CODE, values, Location(role=role, field=name), ",".join(map(str, missing)))


def _prompts(case: RuleContext) -> Iterator[str]:
    """What a model in mode rag gets to read; nothing for any other mode."""
    if case.assembly:
        mode, prompt = stored_prompt.sent_by(case)
        # An Albert mode called rag limits its chunks on purpose; there `limit` says how many are sent.
        if mode == "rag" and (prompt is None or prompt.settings.get("dialect") != "albert"):
            yield from (message.text for message in case.messages("user"))
    elif case.record and stored_prompt.unsent(case.workspace) and (stored := stored_prompt.prompt(case.record.fields)):
        yield stored[1]
