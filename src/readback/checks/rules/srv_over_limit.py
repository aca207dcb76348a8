"""Find prompts that do not fit into the model's context.

A server refuses such a prompt or silently cuts it, usually at the front.
"""

from collections.abc import Iterator

from readback.checks.facts import token_limits
from readback.types import Diagnostic, RuleContext

CODE = "srv-over-limit"
ON = "assembly"
NEEDS = "tokens"
_FILE = """dataset: {path: data.jsonl}
modes: [{mode: a, template: "{{ text }}"}]
models: {m: {%s}}
conditions: [{name: c, mode: a, model: m}]
"""
_DATA = {"data.jsonl": '{"id": "1", "text": "word' + " word" * 59 + '"}\n'}
PASS = (
    {"readback.yml": _FILE % "tokenizer: cl100k, context: 60", **_DATA},
    {"readback.yml": _FILE % "tokenizer: cl100k, context: 64, reserve: 4", **_DATA},
    {"readback.yml": _FILE % "context: 75", **_DATA},
    {"readback.yml": _FILE % "reserve: 10", **_DATA},
)
FAIL = (
    {"readback.yml": _FILE % "tokenizer: cl100k, context: 59", **_DATA},
    {"readback.yml": _FILE % "tokenizer: cl100k, context: 64, settings: {max_new_tokens: 5}", **_DATA},
    {"readback.yml": _FILE % "context: 74", **_DATA},
)


def check(case: RuleContext) -> Iterator[Diagnostic]:
    """Yield a finding if the prompt has more tokens than the context without the reserve for the answer."""
    limit = token_limits.find_limit(token_limits.find_model(case))
    tokens = case.tokens
    if limit is None or limit.line is not None or tokens is None or tokens.count <= limit.room:
        return
    if token_limits.find_exceeded_window(case):  # reported by oll-num-ctx
        return
    values = {
        "tokens": tokens.count,
        "tokenizer": tokens.tokenizer,
        "over": tokens.count - limit.room,
        "room": limit.room,
        "context": limit.context,
        "reserve": limit.reserve,
    }
    severity = token_limits.weigh(tokens, limit.room)
    yield Diagnostic(CODE, values, token_limits.locate_text(case), str(limit.context), severity)
