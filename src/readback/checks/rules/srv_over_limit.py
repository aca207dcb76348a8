"""A prompt does not fit into what its model reads.

The tokens of the text that the model reads (of its messages, where nobody says what serves them) are held against
`context` of the model, less what its answer may take: `reserve`, else `max_tokens`, `max_new_tokens` or `num_predict`
of its settings. Where the model names a tokenizer the count is exact; else it is an estimate, bytes ÷ 4, and a warning
as long as it is less than 20 % over. A text with fewer bytes than the room surely fits.

A server refuses such a prompt, or cuts it silently, mostly at the front: the system message and the first
sources are gone, and the answer is judged as if they had been there.

Send less, keep less room for the answer, or take a model that reads more. Name the `tokenizer` for an exact count.
"""

from collections.abc import Iterator

from readback.checks.facts import token_limits
from readback.types import Diagnostic, RuleContext

CODE = "srv-over-limit"
SEVERITY = "error"
ON = "assembly"
SENTENCE = "{tokens} tokens ({tokenizer}) are {over} too many: {context} less {reserve} for the answer leave {room}"
FIX = "send less, lower the reserve of {reserve} tokens, or take a model that reads more than {context}"
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
    limit = token_limits.of(token_limits.model(case))
    counted = case.tokens
    if limit is None or limit.line is not None or counted is None or counted.count <= limit.room:
        return
    if token_limits.over_window(case):  # told by oll-num-ctx
        return
    values = {
        "tokens": counted.count,
        "tokenizer": counted.tokenizer,
        "over": counted.count - limit.room,
        "room": limit.room,
        "context": limit.context,
        "reserve": limit.reserve,
    }
    yield Diagnostic(
        CODE, values, token_limits.place(case), str(limit.context), token_limits.weight(counted, limit.room)
    )
