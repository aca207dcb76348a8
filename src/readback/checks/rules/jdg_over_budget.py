"""Looks for jdg-over-budget; its words are in catalogue/en.yml."""

from collections.abc import Iterator, Mapping
from typing import Any

from readback.checks.facts import judge_prompt
from readback.types import Diagnostic, Judge, Location, RuleContext

CODE = "jdg-over-budget"
ON = "assembly"
NEEDS = "judge"
_FILE = "dataset: {path: data.jsonl}\njudges: {j: {prompts: judge.py, settings: {context: %s, max_tokens: 20}}}\n"
_REST = {
    "judge.py": 'SYSTEM_PROMPT = "Grade."\nEVALUATION_PROMPT_TEMPLATE = "{answer}"\n',
    "data.jsonl": '{"id": "1", "answer": "%s"}\n' % ("word " * 40),
}
PASS = ({"readback.yml": _FILE % 100, **_REST},)
FAIL = ({"readback.yml": _FILE % 60, **_REST},)

CONTEXT = ("context", "num_ctx", "n_ctx", "context_length", "max_model_len")
REPLY = ("max_tokens", "max_new_tokens", "num_predict")
BYTES = 4  # of a token, on average


def check(case: RuleContext) -> Iterator[Diagnostic]:
    judge = judge_prompt.find_judge(case)
    if judge is None or case.assembly is None:
        return
    context = _number(judge, CONTEXT)
    if context is None:
        return
    budget = context - (_number(judge, REPLY) or 0)
    size = sum(len(message.text.encode("utf-8", "surrogatepass")) for message in case.assembly.messages)
    estimate = -(-size // BYTES)
    if estimate > budget:
        values = {"judge": case.assembly.choice.judge, "estimate": estimate, "budget": budget, "context": context}
        yield Diagnostic(CODE, values, Location(role="user"), str(context))


def _number(judge: Judge, keys: tuple[str, ...]) -> int | None:
    """The first whole number above zero under one of the keys, in the judge's settings or its inference."""
    inference = judge.settings.get("inference")
    homes: tuple[Mapping[str, Any], ...] = (judge.settings, inference if isinstance(inference, Mapping) else {})
    found = (home.get(key) for home in homes for key in keys)
    return next((n for n in found if isinstance(n, int) and not isinstance(n, bool) and n > 0), None)
