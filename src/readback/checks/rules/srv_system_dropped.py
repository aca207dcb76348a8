"""Looks for srv-system-dropped; its words are in catalogue/en.yml."""

import re
from collections.abc import Iterator

from readback.checks.facts import templated_text
from readback.types import Diagnostic, Location, RuleContext

CODE = "srv-system-dropped"
ON = "assembly"
NEEDS = "model input"
_REST = (
    "modes: [{mode: m, system: Be brief., template: Why?}]\n"
    "models: {served: {serving: {chat_template: t.jinja}}}\n"
    "conditions: [{name: c, mode: m, model: served}]\n"
)
PARTS = re.compile(r"\{%-?\s*for\s+\w+\s+in\s+\w+(?:\.content\b|\[['\"]content['\"]\])")  # for part in m.content
_TEMPLATE = "{% for message in messages %}%s{% endfor %}{% if add_generation_prompt %}A:{% endif %}"
PASS = (
    {"readback.yml": _REST, "t.jinja": _TEMPLATE.replace("%s", "{{ message.content | upper }}\n")},
    {"readback.yml": _REST.replace("system: Be brief., ", ""), "t.jinja": _TEMPLATE.replace("%s", "U: Why?\n")},
)
FAIL = (
    {
        "readback.yml": _REST,
        "t.jinja": _TEMPLATE.replace("%s", "{% if message.role == 'user' %}{{ message.content }}{% endif %}"),
    },
)


def check(case: RuleContext) -> Iterator[Diagnostic]:
    model_input = case.model_input
    if (
        model_input is None
        or model_input.kind != templated_text.CHAT
        or not model_input.segments
        or case.assembly is None
    ):
        return
    everything = case.assembly.messages
    used = templated_text.template(case)
    parts = bool(used and PARTS.search(used.text or "")) and not any(
        templated_text.reached(model_input, one, everything) for one in everything if one.text.strip()
    )
    for message in case.messages("system"):
        if message.text.strip() and not templated_text.reached(model_input, message, everything):
            yield Diagnostic(
                CODE, {"name": model_input.format}, Location(role="system"), message.text, "info" if parts else None
            )
