"""Find fields that a template reads of the items of a list and that some items lack.

Jinja prints nothing for an absent field and None for null, so the model reads sources without a title or an address.
"""

from collections.abc import Iterator

from readback.checks.facts import albert_modes, variable_uses
from readback.checks.facts.record_fields import find_offered_field
from readback.types import Diagnostic, RuleContext, Severity

CODE = "alb-field-missing"
ON = "assembly"
NEEDS = "template"
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
    """Yield a finding for each field that items lack, with their number and the field that may be meant."""
    prompt = variable_uses.find_prompt(case)
    if prompt is None or case.record is None:
        return
    is_albert = variable_uses.is_albert(prompt)
    present = {use.name for use in variable_uses.list_uses(case, prompt, ("present",))}
    for use in variable_uses.list_uses(case, prompt, ("missing", "null")):
        list_name, field = variable_uses.split_path(use.name)
        if not list_name:
            continue
        if is_albert and not _may_be_documented(list_name, field):
            continue
        if use.only_asked and not is_albert:
            continue
        near = find_offered_field(use.name, case.record.fields, False, present) or ""
        values = {
            "list": list_name,
            "field": field,
            "absent": use.times,
            "items": use.total,
            "nearest": variable_uses.split_path(near)[1] or NONE,
        }
        is_light = use.only_asked or case.workspace.dataset is None
        severity: Severity | None = "info" if is_light else None
        yield Diagnostic(CODE, values, variable_uses.locate(use), use.name, severity)


def _may_be_documented(list_name: str, field: str) -> bool:
    """Return whether a field is documented, or the list's items are not described."""
    documented = albert_modes.list_chunk_fields(list_name)
    return documented is None or field in documented
