"""Find chat templates that leave out the system message.

The model never reads it; templates without a branch for the role skip the message silently.
"""

from collections.abc import Iterator

from readback.checks.facts import chat_templates
from readback.types import Diagnostic, Location, RuleContext, Severity

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
    """Yield a finding if nothing of the first message, a system message, is in the text."""
    text, assembly = case.model_input, case.assembly
    if text is None or text.kind != chat_templates.CHAT or not text.segments or assembly is None:
        return
    template = chat_templates.find_template(case)
    only_parts = chat_templates.reads_only_parts(text, assembly.messages, template.text if template else None)
    for message in assembly.messages[:1]:  # srv-message-dropped reports later ones
        if message.role != "system" or not message.text.strip():
            continue
        if not chat_templates.has_trace(text, message, assembly.messages):
            severity: Severity | None = "info" if only_parts else None
            yield Diagnostic(CODE, {"name": text.format}, Location(role="system"), message.text, severity)
