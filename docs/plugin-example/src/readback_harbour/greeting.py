"""A user message begins with a greeting.

The text that is sent as the question begins with Hello, Dear or Hi.

The office's models were trained on bare questions, and answer a greeting with one.

Take the greeting out of the template or of the record.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from readback.extending import Diagnostic, Location, RuleContext

CODE = "ext-greeting"
SEVERITY = "warning"
ON = "assembly"
SENTENCE = "the user message begins with a greeting: {greeting}"
FIX = "take the greeting out of the template or of the record"
_FILE = "dataset: data.jsonl\nmodes: [{mode: m, template: '{{ question }}'}]\n"
PASS = ({"readback.yml": _FILE, "data.jsonl": '{"id": "1", "question": "When is high water?"}\n'},)
FAIL = ({"readback.yml": _FILE, "data.jsonl": '{"id": "1", "question": "Hello, when is high water?"}\n'},)

GREETING = re.compile(r"\s*(hello|dear|hi)\b", re.IGNORECASE)


def check(case: RuleContext) -> Iterator[Diagnostic]:
    for message in case.messages("user"):
        if found := GREETING.match(message.text):
            place = Location(role="user", start=found.start(1), end=found.end(1))
            yield Diagnostic(CODE, {"greeting": found[1]}, place, found[1])
