"""A template reads a field of chunks that the document does not list.

The fields that an Albert template reads from the items of `sheet_chunks`, `experience_chunks` and other lists of chunks
are held against those that the *Prompt template* page documents, on every branch. It is said once for each mode (on its
first record); for information only where that record's chunks do have the field.

The program fills chunks with the documented fields only. What it does not fill renders as nothing: every source loses
its title or its address, and no error is raised.

Read the documented field that is meant, or make sure that your own search fills this one.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from readback.checks.facts import albert_names, variable_uses
from readback.types import Diagnostic, RuleContext, Severity

CODE = "alb-field-unknown"
SEVERITY = "warning"
ON = "assembly"
SENTENCE = "the template reads {field} of each item of {list}, which is not documented[[; nearest: {nearest}]]"
FIX = "read a documented field ({known}), or fill {field} in your own search"
_CONFIG = "prompts: [{mode: rag, template: rag.jinja}]\n"
_TEMPLATE = "{% for chunk in sheet_chunks %}{{ chunk.FIELD }} {{ chunk.text }}\n{% endfor %}{{ query }}\n"
_DATA = '{"id": "1", "query": "Q", "sheet_chunks": [{"title": "t", "text": "a"}]}\n'
PASS = ({"prompt_config.yml": _CONFIG, "rag.jinja": _TEMPLATE.replace("FIELD", "title"), "data.jsonl": _DATA},)
FAIL = ({"prompt_config.yml": _CONFIG, "rag.jinja": _TEMPLATE.replace("FIELD", "titel"), "data.jsonl": _DATA},)
NONE = "–"  # stands for "none is near" in any language


def check(case: RuleContext) -> Iterator[Diagnostic]:
    prompt = variable_uses.prompt(case)
    if prompt is None or case.record is None or not variable_uses.is_albert(prompt) or not variable_uses.once(case):
        return
    for use in variable_uses.uses(case, prompt):
        listed, field = variable_uses.split(use.name)
        known = albert_names.fields(listed)
        if known is None or field.partition(".")[0].partition("[")[0] in known:
            continue
        near = albert_names.meant_field(field, listed) or NONE
        values = {"list": listed, "field": field, "nearest": near, "known": known}
        severity: Severity | None = "info" if _there(case.record.fields, listed, field) else None
        yield Diagnostic(CODE, values, variable_uses.at(use), use.name, severity)


def _there(fields: Mapping[str, Any], listed: str, field: str) -> bool:
    items = fields.get(listed)
    return isinstance(items, list) and any(isinstance(item, Mapping) and field in item for item in items)
