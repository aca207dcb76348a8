"""Find fields of chunks that an Albert template reads and that are not documented.

The program fills the documented fields only; others render as nothing, without an error.
"""

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
    """Yield a finding for each undocumented field, at the first record of a mode."""
    prompt = variable_uses.find_prompt(case)
    if prompt is None or case.record is None:
        return
    if not variable_uses.is_albert(prompt) or not variable_uses.is_first_case(case):
        return
    for use in variable_uses.list_uses(case, prompt):
        list_name, field = variable_uses.split_path(use.name)
        documented = albert_modes.list_chunk_fields(list_name)
        if documented is None or variable_uses.get_variable(field) in documented:
            continue
        near = albert_modes.suggest_field(field, list_name) or NONE
        values = {"list": list_name, "field": field, "nearest": near, "known": documented}
        severity: Severity | None = "info" if _has_field(case.record.fields, list_name, field) else None
        yield Diagnostic(CODE, values, variable_uses.locate(use), use.name, severity)


def _has_field(fields: Mapping[str, Any], list_name: str, field: str) -> bool:
    """Return whether an item of the record's list has the field."""
    items = fields.get(list_name)
    return isinstance(items, list) and any(isinstance(item, Mapping) and field in item for item in items)
