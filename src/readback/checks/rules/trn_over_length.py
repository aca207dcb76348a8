"""Find training rows that are longer than the model's training length.

Training programs cut such a row, usually at its end, where the answer is; others skip it.
"""

from collections.abc import Iterator

from readback.checks.facts import token_limits, training_rows
from readback.types import Diagnostic, RuleContext

CODE = "trn-over-length"
ON = "record"
NEEDS = "training rows"
_FILE = "dataset: {path: train.jsonl}\nmodels: {m: {training: {messages: train.jsonl}, %s}}\n"
_USER = '{"role": "user", "content": "one two three four"}'
_ROW = '{"messages": [' + _USER + ', {"role": "assistant", "content": " five six"}]}\n'
PASS = (
    {"readback.yml": _FILE % "tokenizer: cl100k, context: 6", "train.jsonl": _ROW},
    {"readback.yml": _FILE % "context: 5, settings: {max_seq_length: 100}", "train.jsonl": _ROW},
    {"readback.yml": _FILE % "type: base", "train.jsonl": _ROW},
)
FAIL = (
    {"readback.yml": _FILE % "tokenizer: cl100k, context: 5", "train.jsonl": _ROW},
    {"readback.yml": _FILE % "context: 100, settings: {max_seq_length: 5}", "train.jsonl": _ROW},
)


def check(case: RuleContext) -> Iterator[Diagnostic]:
    """Yield a finding for the first model of the row's file that has a limit."""
    tokens = case.tokens
    if case.record and tokens:
        file = training_rows.find_file(case.workspace, case.record)
    else:
        file = None
    if tokens is None or file is None:
        return
    for name in file.models:
        limit = token_limits.find_training_limit(case.workspace.models.get(name))
        if limit is None:
            continue
        if tokens.count > limit.context:
            values = {
                "tokens": tokens.count,
                "tokenizer": tokens.tokenizer,
                "limit": limit.context_key,
                "context": limit.context,
                "model": name,
            }
            yield Diagnostic(CODE, values, flagged=str(limit.context))
        return
