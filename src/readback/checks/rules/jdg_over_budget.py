"""Find prompts of a judge that do not fit into the context of its model.

A server cuts a prompt that is too long, usually at the front, where the instructions and the scale are.
"""

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
    """Yield a finding if the estimated tokens of all messages are more than the context without the reply."""
    judge = judge_prompt.find_judge(case)
    if judge is None or case.assembly is None:
        return
    context = _find_number(judge, CONTEXT)
    if context is None:
        return
    budget = context - (_find_number(judge, REPLY) or 0)
    size = sum(len(message.text.encode("utf-8", "surrogatepass")) for message in case.assembly.messages)
    estimate = -(-size // BYTES)
    if estimate > budget:
        values = {"judge": case.assembly.choice.judge, "estimate": estimate, "budget": budget, "context": context}
        yield Diagnostic(CODE, values, Location(role="user"), str(context))


def _find_number(judge: Judge, keys: tuple[str, ...]) -> int | None:
    """Return the first whole number above zero under one of the keys, in the judge's settings or its inference."""
    inference = judge.settings.get("inference")
    sections: tuple[Mapping[str, Any], ...] = (judge.settings, inference if isinstance(inference, Mapping) else {})
    for section in sections:
        for key in keys:
            number = section.get(key)
            if isinstance(number, int) and not isinstance(number, bool) and number > 0:
                return number
    return None
