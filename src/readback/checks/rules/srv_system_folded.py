"""Looks for srv-system-folded; its words are in catalogue/en.yml."""

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
    model_input = case.model_input
    system = next(case.messages("system"), None)
    if (
        model_input is None
        or model_input.kind != chat_templates.CHAT
        or system is None
        or not (at := chat_templates.find_message(model_input, system))
    ):
        return
    for message in case.messages("user"):
        found = chat_templates.find_message(model_input, message, at[1])
        between = model_input.text[at[1] : found[0]] if found else None
        if between is not None and len(between) <= MOST and not MARKED.search(between):
            yield Diagnostic(
                CODE, {"name": model_input.format}, Location(role="prompt", start=at[0], end=at[1]), model_input.format
            )
            return
