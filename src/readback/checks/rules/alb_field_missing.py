"""Looks for alb-field-missing; its words are in catalogue/en.yml."""

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
    prompt = variable_uses.find_prompt(case)
    if prompt is None or case.record is None:
        return
    albert, taken = (
        variable_uses.is_albert(prompt),
        {use.name for use in variable_uses.list_uses(case, prompt, ("present",))},
    )
    for use in variable_uses.list_uses(case, prompt, ("missing", "null")):
        listed, field = variable_uses.split_path(use.name)
        if not listed or (use.only_asked and not albert) or (albert and not _known(listed, field)):
            continue
        near = find_offered_field(use.name, case.record.fields, False, taken) or ""
        values = {
            "list": listed,
            "field": field,
            "absent": use.times,
            "items": use.total,
            "nearest": variable_uses.split_path(near)[1] or NONE,
        }
        light = use.only_asked or case.workspace.dataset is None
        severity: Severity | None = "info" if light else None
        yield Diagnostic(CODE, values, variable_uses.locate(use), use.name, severity)


def _known(listed: str, field: str) -> bool:
    known = albert_modes.fields(listed)
    return known is None or field in known
