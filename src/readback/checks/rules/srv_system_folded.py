"""Find chat templates that put the system message into the user turn.

The model reads the system text as if the user had written it.
"""

import re
from collections.abc import Iterator

from readback.checks.facts import chat_templates
from readback.types import Diagnostic, Location, RuleContext

CODE = "srv-system-folded"
ON = "assembly"
NEEDS = "model input"
_REST = (
    "modes: [{mode: m, system: Be brief., template: Why?}]\n"
    "models: {served: {serving: {format: %s}}}\n"
    "conditions: [{name: c, mode: m, model: served}]\n"
)
PASS = ({"readback.yml": _REST % "llama-3"}, {"readback.yml": _REST % "qwen2.5"})
FAIL = ({"readback.yml": _REST % "gemma-3"}, {"readback.yml": _REST % "mistral-v3"})

MARKED = re.compile(r"\w")  # a turn's border has a name in it
MOST = 20  # characters between two texts of one turn


def check(case: RuleContext) -> Iterator[Diagnostic]:
    """Yield a finding if only a few characters without a word separate the system text from the user's."""
    text = case.model_input
    system = next(case.messages("system"), None)
    if text is None or text.kind != chat_templates.CHAT or system is None:
        return
    span = chat_templates.find_message(text, system)
    if span is None:
        return
    start, end = span
    for message in case.messages("user"):
        user = chat_templates.find_message(text, message, end)
        if user:
            between = text.text[end : user[0]]
        else:
            between = None
        if between is not None and len(between) <= MOST and not MARKED.search(between):
            place = Location(role="prompt", start=start, end=end)
            yield Diagnostic(CODE, {"name": text.format}, place, text.format)
            return
