"""Find messages of a training row that are not in the text that the model learns.

The model learns answers to a conversation that lacks the message.
"""

from collections.abc import Iterator

from readback.checks.facts import chat_templates, training_rows
from readback.types import Diagnostic, Finding, Location, Message, RuleContext

CODE = "trn-message-dropped"
ON = "record"
NEEDS = "training rows"
_FIRST = (
    "{% if messages[0].role == 'system' %}S: {{ messages[0].content }}\n{% endif %}{% for m in messages %}"
    "{% if m.role in ('user', 'assistant') %}{{ m.role }}: {{ m.content }}\n{% endif %}{% endfor %}"
)
_TRAINED = {"readback.yml": "models: {m: {training: {messages: t.jsonl, chat_template: t.jinja}}}\n"}
_ROW = (
    '{"messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Who tolls?"}, '
    '{"role": "assistant", "content": "Nobody."}, {"role": "%s", "content": "%s"}, '
    '{"role": "user", "content": "Since when?"}, {"role": "assistant", "content": "Long ago."}]}\n'
)
_EVERY = "{% for m in messages %}{{ m.role }}: {{ m.content | trim }}\n{% endfor %}"
PASS = (
    {**_TRAINED, "t.jinja": _EVERY, "t.jsonl": _ROW % ("system", "  Now in verse.  ")},
    {**_TRAINED, "t.jinja": _FIRST, "t.jsonl": _ROW % ("user", "Really?")},
)
FAIL = (
    {**_TRAINED, "t.jinja": _FIRST, "t.jsonl": _ROW % ("system", "Now in verse.")},
    {**_TRAINED, "t.jinja": _FIRST, "t.jsonl": _ROW % ("developer", "Now in verse.")},
    {**_TRAINED, "t.jinja": _FIRST, "t.jsonl": _ROW % ("tool", "42 tolls")},
)


def check(case: RuleContext) -> Iterator[Diagnostic]:
    """Yield a finding for each message that a model's training template leaves out."""
    if training_rows.read_row(case) is None:
        return
    for model, messages, text in case.render_training():
        template = model.training_template or model.chat_template
        source = template.text if template else None
        if chat_templates.reads_only_parts(text, messages, source):
            continue
        for dropped in chat_templates.find_dropped_messages(text, messages, source):
            values = chat_templates.describe_dropped(dropped, messages, text.format)
            flagged = f"{text.format}\n{dropped.message.role}\n{dropped.reason}"
            yield Diagnostic(CODE, values, _locate(dropped.message), flagged)


def get_group_key(finding: Finding) -> tuple[str, ...] | None:
    """Return template, role and reason: messages with the same ones are one finding."""
    values = finding.values
    return str(values["name"]), str(values["role"]), str(values["reason"])


def _locate(message: Message) -> Location:
    """Return the field of a message in its row."""
    segment = next((segment for segment in message.segments if segment.text.strip()), None)
    if segment is None or segment.place.field is None:
        return Location()
    return Location(field=segment.place.field, start=0, end=len(segment.text))
