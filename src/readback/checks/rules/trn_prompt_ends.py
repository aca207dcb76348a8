"""Find training rows without whitespace between the prompt and the answer.

A tokenizer may join the characters there into one token, which no prompt ends with when the model is served.
"""

from collections.abc import Iterator

from readback.checks.facts import training_rows
from readback.types import Diagnostic, RuleContext

CODE = "trn-prompt-ends"
ON = "record"
NEEDS = "training rows"
_ROW = '{"prompt": "Why?%s", "completion": "%sSo."}\n'
PASS = ({"train.jsonl": _ROW % ("\\n", "")}, {"train.jsonl": _ROW % ("", " ")})
FAIL = ({"train.jsonl": _ROW % ("", "")},)

SHOWN = 12  # characters of either side


def check(case: RuleContext) -> Iterator[Diagnostic]:
    """Yield a finding for the first answer that directly follows its prompt."""
    row = training_rows.read_row(case)
    if row is None or row.kind not in ("sft", "dpo") or not row.prompt:
        return
    prompt = row.prompt[-1]
    answers = [turn for _, turn in training_rows.list_answers(row) if turn.text and not turn.text[0].isspace()]
    if answers and prompt.text and not prompt.text[-1].isspace():
        first = answers[0]
        start = max(0, len(prompt.text) - SHOWN)
        values = {
            "ends": repr(prompt.text[start:]),
            "field": first.field,
            "begins": repr(first.text[:SHOWN]),
        }
        place = training_rows.locate(prompt, len(prompt.text) - 1, len(prompt.text))
        yield Diagnostic(CODE, values, place, first.field)
