"""A required text of a training row is missing or blank.

A prompt, completion, chosen or rejected answer has to be a text that says something, a conversation a list of messages
of which those of user and assistant say something. A message that calls a tool may be empty. A pair of texts without
a prompt among pairs that have one is told; where most pairs of a file have none, the prompt may be inside both
answers, and that is said once, for information.

An empty prompt teaches the model to answer nothing in particular, an empty answer teaches it to say nothing. Some
programs leave such rows out silently, so that fewer are trained on than the file has.

Fill in what is missing, or take the row out.
"""

from collections.abc import Iterator

from readback.checks.facts import training_facts
from readback.types import Diagnostic, Location, RuleContext

CODE = "trn-empty"
SEVERITY = "error"
ON = ("record", "load")
SENTENCE = "'{field}' has to hold a text or messages that say something; there is {found}"
FIX = "fill in '{field}', or take the row out"
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


def check(case: RuleContext) -> Iterator[Diagnostic]:
    row = training_facts.row(case)
    for wrong in row.wrong if row else ():
        yield Diagnostic(CODE, {"field": wrong.field, "found": wrong.found}, Location(field=wrong.field), wrong.field)
