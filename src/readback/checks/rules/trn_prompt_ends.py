"""Prompt and answer touch each other without a blank between them.

In rows without messages the answer is written right behind the prompt. Where the prompt does not end with white space
and the answer does not begin with it, the two meet in the middle of a word or right behind a mark.

A tokenizer may join the last characters of the prompt and the first ones of the answer in one token. When the model is
served, the prompt ends before that token, with others than those it was trained on.

End the prompt with a newline, or begin the answer with a blank, and do the same when the model is served. A program
that puts the row into a chat template needs neither.
"""

from collections.abc import Iterator

from readback.checks.facts import training_facts
from readback.types import Diagnostic, RuleContext

CODE = "trn-prompt-ends"
SEVERITY = "info"
ON = "record"
SENTENCE = "the prompt ends with {ends} and '{field}' begins with {begins}, without a blank between: tokens may merge"
FIX = "end the prompt with a newline or begin '{field}' with a blank, and serve it so"
_ROW = '{"prompt": "Why?%s", "completion": "%sSo."}\n'
PASS = ({"train.jsonl": _ROW % ("\\n", "")}, {"train.jsonl": _ROW % ("", " ")})
FAIL = ({"train.jsonl": _ROW % ("", "")},)

SHOWN = 12  # characters of either side


def check(case: RuleContext) -> Iterator[Diagnostic]:
    row = training_facts.row(case)
    if row is None or row.kind not in ("sft", "dpo") or not row.prompt:
        return
    prompt = row.prompt[-1]
    touching = [turn for _, turn in training_facts.answers(row) if turn.text and not turn.text[0].isspace()]
    if touching and prompt.text and not prompt.text[-1].isspace():
        first = touching[0]
        start = max(0, len(prompt.text) - SHOWN)
        values = {
            "ends": repr(prompt.text[start:]),
            "field": first.field,
            "begins": repr(first.text[:SHOWN]),
        }
        place = training_facts.spot(prompt, len(prompt.text) - 1, len(prompt.text))
        yield Diagnostic(CODE, values, place, first.field)
