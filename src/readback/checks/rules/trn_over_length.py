"""A row of training data is longer than what the model is trained on at once.

The texts of the prompt and of its longest answer are counted together, by the model's tokenizer where it names one,
else as bytes ÷ 4, an estimate. The limit is `max_seq_length`, `max_length`, `cutoff_len` or `model_max_length` of the
settings of a model that was trained on the file, else what that model reads (`context`). What a template writes around
the texts comes on top.

Training programs cut what is too long, mostly at the end: there stands the answer that is to be learnt. Others leave
the row out.

Shorten the sources in the prompt, or train with a longer limit.
"""

from collections.abc import Iterator

from readback.checks.facts import token_limits, training_facts
from readback.types import Diagnostic, RuleContext

CODE = "trn-over-length"
SEVERITY = "warning"
ON = "record"
SENTENCE = "prompt and answer have {tokens} tokens ({tokenizer}), over {limit} {context} of {model}"
FIX = "shorten the sources in the prompt, or train with a limit of more than {context}"
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
    file = training_facts.file_of(case.workspace, case.record) if case.record and counted else None
    if counted is None or file is None:
        return
    found = ((name, token_limits.trained(case.workspace.models.get(name))) for name in file.models)
    name, limit = next(((name, limit) for name, limit in found if limit), ("", None))
    if limit and counted.count > limit.context:
        values = {
            "tokens": counted.count,
            "tokenizer": counted.tokenizer,
            "limit": limit.said,
            "context": limit.context,
            "model": name,
        }
        yield Diagnostic(CODE, values, flagged=str(limit.context))
