"""Find training rows without a required text, or with a blank one.

An empty prompt teaches the model to answer nothing in particular, and an empty answer to write nothing.
"""

from collections.abc import Iterator

from readback.checks.facts import training_rows
from readback.types import Diagnostic, Location, RuleContext

CODE = "trn-empty"
ON = ("record", "load")
NEEDS = {"record": "training rows"}
_USER, _REPLY = '{"role": "user", "content": "Why?"}', '{"role": "assistant", "content": "So."}'
_TOOL = '{"role": "assistant", "content": null, "tool_calls": [{"id": "1"}]}, {"role": "tool", "content": ""}'
_ALONE = '{"chosen": "So.", "rejected": "No."}\n'
PASS = (
    {"train.jsonl": '{"prompt": "Why?", "completion": "So."}\n'},
    {"train.jsonl": '{"messages": [' + ", ".join((_USER, _TOOL, _REPLY)) + "]}\n"},
)
FAIL = (
    {"train.jsonl": '{"prompt": "Why?", "chosen": "So.", "rejected": "No."}\n' * 2 + _ALONE},
    {"train.jsonl": '{"prompt": "Why?", "completion": " \\n"}\n'},
    {"train.jsonl": '{"prompt": "Why?", "chosen": "So."}\n'},
    {"train.jsonl": '{"prompt": "Why?", "chosen": "So.", "rejected": 7}\n'},
    {"train.jsonl": '{"messages": []}\n'},
    {"train.jsonl": '{"messages": [{"role": "user", "content": ""}, {"role": "assistant", "content": "So."}]}\n'},
)

NAMES = {'""': "an empty text", "[]": "an empty list", "absent": "nothing"}  # in words


def check(case: RuleContext) -> Iterator[Diagnostic]:
    """Yield a finding for each field that has not what its row needs."""
    row = training_rows.read_row(case)
    for wrong in row.wrong if row else ():
        values = {"field": wrong.field, "found": NAMES.get(wrong.json_type, wrong.json_type)}
        yield Diagnostic(CODE, values, Location(field=wrong.field), wrong.field)
