"""Find messages that are not in the text that the model reads.

Templates skip what they do not know without a word, but pages, logs and datasets contain the message.
"""

from collections.abc import Iterator

from readback.checks.facts import albert_modes, chat_templates, conditions
from readback.checks.facts.chat_templates import DroppedMessage
from readback.types import Diagnostic, Finding, Location, RuleContext

CODE = "srv-message-dropped"
ON = "assembly"
NEEDS = "model input"
_FILES = {
    "readback.yml": "dataset: d.jsonl\ntasks: {generation: {user: '{{ question }}'}}\n"
    "models: {m: {serving: {chat_template: t.jinja}}}\nconditions: [{name: c, task: generation, model: m}]\n",
    "d.jsonl": '{"id": "1", "question": "Who tolls?", "history": [{"role": "user", "content": "Good day."}, '
    '{"role": "assistant", "content": "Good day to you.  "}]}\n',
}
PASS = ({**_FILES, "t.jinja": "{% for m in messages %}{{ m.role }}: {{ m.content | trim }}\n{% endfor %}A:"},)
FAIL = (
    {**_FILES, "t.jinja": "{% for m in messages %}{% if m.role == 'user' %}{{ m.content }}\n{% endif %}{% endfor %}A:"},
    {**_FILES, "t.jinja": "{{ messages[-1].content }}\nA:"},
)


def check(case: RuleContext) -> Iterator[Diagnostic]:
    """Yield a finding for each dropped message that no other rule reports."""
    text, assembly = case.model_input, case.assembly
    if text is None or assembly is None or not text.segments:
        return
    if text.kind == "format" and (text.diagnostics or albert_modes.find_albert_mode(case)):
        return  # Albert's formats have their own rules
    template = chat_templates.find_template(case)
    if template:
        source = template.text
    else:
        source = _get_modelfile_template(case)
    if chat_templates.reads_only_parts(text, assembly.messages, source):
        return  # servers make lists of parts for such a template, as srv-system-dropped says
    for dropped in chat_templates.find_dropped_messages(text, assembly.messages, source):
        if not _is_reported_elsewhere(case, text.kind, dropped):
            values = chat_templates.describe_dropped(dropped, assembly.messages, text.format)
            flagged = f"{text.format}\n{dropped.message.role}\n{dropped.reason}"
            yield Diagnostic(CODE, values, Location(role=dropped.message.role), flagged)


def get_group_key(finding: Finding) -> tuple[str, ...] | None:
    """Return template, role and reason: messages with the same ones are one finding."""
    values = finding.values
    return str(values["name"]), str(values["role"]), str(values["reason"])


def _is_reported_elsewhere(case: RuleContext, kind: str, dropped: DroppedMessage) -> bool:
    """Return whether srv-system-dropped reports it, or a rule about what a Modelfile never writes."""
    if kind == chat_templates.CHAT:
        return dropped.message.role == "system" and dropped.number == 0
    if kind != "modelfile":
        return False
    self_test = case.run_self_test()
    if self_test is None:
        return False
    text = {"system": self_test.system, "user": self_test.user}.get(dropped.message.role)
    return text is not None and text not in self_test.first.text


def _get_modelfile_template(case: RuleContext) -> str | None:
    model = conditions.find_model(case)
    if model and model.modelfile:
        return model.modelfile.template
    return None
