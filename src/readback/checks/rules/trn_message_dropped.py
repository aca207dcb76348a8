"""Looks for trn-message-dropped; its words are in catalogue/en.yml."""

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
            yield Diagnostic(CODE, values, _spot(dropped.message), flagged)


def gather(finding: Finding) -> tuple[str, ...] | None:
    """Name the kind: messages of one role that one template leaves out for one reason."""
    values = finding.values
    return str(values["name"]), str(values["role"]), str(values["reason"])


def _spot(message: Message) -> Location:
    """The field of a message in its row."""
    segment = next((segment for segment in message.segments if segment.text.strip()), None)
    if segment is None or segment.place.field is None:
        return Location()
    return Location(field=segment.place.field, start=0, end=len(segment.text))
