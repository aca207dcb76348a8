"""Looks for srv-system-dropped; its words are in catalogue/en.yml."""

from collections.abc import Iterator

from readback.checks.facts import chat_templates
from readback.types import Diagnostic, Location, RuleContext

CODE = "srv-system-dropped"
ON = "assembly"
NEEDS = "model input"
_REST = (
    "modes: [{mode: m, system: Be brief., template: Why?}]\n"
    "models: {served: {serving: {chat_template: t.jinja}}}\n"
    "conditions: [{name: c, mode: m, model: served}]\n"
)
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
        or model_input.kind != chat_templates.CHAT
        or not model_input.segments
        or case.assembly is None
    ):
        return
    everything = case.assembly.messages
    used = chat_templates.find_template(case)
    parts = chat_templates.reads_only_parts(model_input, everything, used.text if used else None)
    for message in everything[:1]:  # of later ones srv-message-dropped tells
        if (
            message.role == "system"
            and message.text.strip()
            and not chat_templates.has_trace(model_input, message, everything)
        ):
            yield Diagnostic(
                CODE, {"name": model_input.format}, Location(role="system"), message.text, "info" if parts else None
            )
