"""Looks for trn-empty; its words are in catalogue/en.yml."""

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

FOUND = {'""': "an empty text", "[]": "an empty list", "absent": "nothing"}  # in words


def check(case: RuleContext) -> Iterator[Diagnostic]:
    row = training_rows.read_row(case)
    for wrong in row.wrong if row else ():
        found = FOUND.get(wrong.json_type, wrong.json_type)
        yield Diagnostic(CODE, {"field": wrong.field, "found": found}, Location(field=wrong.field), wrong.field)
