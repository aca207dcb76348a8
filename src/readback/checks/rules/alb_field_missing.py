"""Items of a list lack a field that the template reads.

While rendering it is counted in how many items of a list (chunks, contexts, messages) a field that the template reads
is absent or null. In an Albert configuration these are the documented fields of chunks, and a field that the template
only asks about (`{% if chunk.context %}`) is counted too, for information; elsewhere such a field is optional and
nothing is said. Unknown fields have a rule of their own.

Jinja puts nothing in the place of an absent field, and None in the place of null: the model reads `: ` without a title
before it, or the word None, and cannot cite what has no address.

Fill the field in the data, ask for it first (`{% if chunk.title %}…{% endif %}`), or read the field the items have.
"""

from collections.abc import Iterator

from readback.checks.facts import albert_names, variable_uses
from readback.checks.facts.record_fields import offered
from readback.types import Diagnostic, RuleContext, Severity

CODE = "alb-field-missing"
SEVERITY = "warning"
ON = "assembly"
SENTENCE = "{absent} of {items} {items:item|items} of {list} {absent:has|have} no {field}[[; nearest field: {nearest}]]"
FIX = "fill {field} in the data, or have the template ask for it first"
_CONFIG = "prompts: [{mode: rag, template: rag.jinja}]\n"
_TEMPLATE = "{% for chunk in sheet_chunks %}{{ chunk.title }}: {{ chunk.text }}\n{% endfor %}{{ query }}\n"
_FILE = 'dataset: data.jsonl\nmodes: [{mode: m, template: "{% for c in docs %}%s{{ c.text }}{% endfor %}"}]\n'
_ROW = '{"id": "1", "query": "Q", "docs": [{"text": "a", "title": "t"}, {"text": "b"}]}\n'
PASS = (
    {
        "prompt_config.yml": _CONFIG,
        "rag.jinja": _TEMPLATE,
        "data.jsonl": '{"id": "1", "query": "Q", "sheet_chunks": [{"title": "t", "text": "a"}]}\n',
    },
    {"readback.yml": _FILE.replace("%s", "{{ c.title or '' }}"), "data.jsonl": _ROW},
)
FAIL = (
    {
        "prompt_config.yml": _CONFIG,
        "rag.jinja": _TEMPLATE,
        "data.jsonl": '{"id": "1", "query": "Q", "sheet_chunks": [{"title": "t", "text": "a"}, {"text": "b"}]}\n',
    },
    {"readback.yml": _FILE.replace("%s", "{{ c.title }}"), "data.jsonl": _ROW},
)
NONE = "–"  # stands for "no field is near" in any language


def check(case: RuleContext) -> Iterator[Diagnostic]:
    prompt = variable_uses.prompt(case)
    if prompt is None or case.record is None:
        return
    albert, taken = (
        variable_uses.is_albert(prompt),
        {use.name for use in variable_uses.uses(case, prompt, ("present",))},
    )
    for use in variable_uses.uses(case, prompt, ("missing", "null")):
        listed, field = variable_uses.split(use.name)
        if not listed or (use.asked and not albert) or (albert and not _known(listed, field)):
            continue
        near = offered(use.name, case.record.fields, False, taken) or ""
        values = {
            "list": listed,
            "field": field,
            "absent": use.times,
            "items": use.of,
            "nearest": variable_uses.split(near)[1] or NONE,
        }
        light = use.asked or case.workspace.dataset is None
        severity: Severity | None = "info" if light else None
        yield Diagnostic(CODE, values, variable_uses.at(use), use.name, severity)


def _known(listed: str, field: str) -> bool:
    known = albert_names.fields(listed)
    return known is None or field in known
