"""Looks for trn-over-length; its words are in catalogue/en.yml."""

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
    counted = case.tokens
    file = training_rows.find_file(case.workspace, case.record) if case.record and counted else None
    if counted is None or file is None:
        return
    found = ((name, token_limits.find_training_limit(case.workspace.models.get(name))) for name in file.models)
    name, limit = next(((name, limit) for name, limit in found if limit), ("", None))
    if limit and counted.count > limit.context:
        values = {
            "tokens": counted.count,
            "tokenizer": counted.tokenizer,
            "limit": limit.context_key,
            "context": limit.context,
            "model": name,
        }
        yield Diagnostic(CODE, values, flagged=str(limit.context))
