"""Looks for alb-field-unknown; its words are in catalogue/en.yml."""

from collections.abc import Iterator, Mapping
from typing import Any

from readback.checks.facts import albert_modes, variable_uses
from readback.types import Diagnostic, RuleContext, Severity

CODE = "alb-field-unknown"
ON = "assembly"
NEEDS = "albert"
_CONFIG = "prompts: [{mode: rag, template: rag.jinja}]\n"
_TEMPLATE = "{% for chunk in sheet_chunks %}{{ chunk.FIELD }} {{ chunk.text }}\n{% endfor %}{{ query }}\n"
_DATA = '{"id": "1", "query": "Q", "sheet_chunks": [{"title": "t", "text": "a"}]}\n'
PASS = ({"prompt_config.yml": _CONFIG, "rag.jinja": _TEMPLATE.replace("FIELD", "title"), "data.jsonl": _DATA},)
FAIL = ({"prompt_config.yml": _CONFIG, "rag.jinja": _TEMPLATE.replace("FIELD", "titel"), "data.jsonl": _DATA},)
NONE = "–"  # stands for "none is near" in any language


def check(case: RuleContext) -> Iterator[Diagnostic]:
    prompt = variable_uses.find_prompt(case)
    if (
        prompt is None
        or case.record is None
        or not variable_uses.is_albert(prompt)
        or not variable_uses.is_first_case(case)
    ):
        return
    for use in variable_uses.list_uses(case, prompt):
        listed, field = variable_uses.split_path(use.name)
        known = albert_modes.fields(listed)
        if known is None or field.partition(".")[0].partition("[")[0] in known:
            continue
        near = albert_modes.meant_field(field, listed) or NONE
        values = {"list": listed, "field": field, "nearest": near, "known": known}
        severity: Severity | None = "info" if _there(case.record.fields, listed, field) else None
        yield Diagnostic(CODE, values, variable_uses.locate(use), use.name, severity)


def _there(fields: Mapping[str, Any], listed: str, field: str) -> bool:
    items = fields.get(listed)
    return isinstance(items, list) and any(isinstance(item, Mapping) and field in item for item in items)
