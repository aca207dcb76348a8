"""A template reads a variable that neither the record nor the defaults give.

For each record and mode the names that the template reads are looked up among the record's fields (after the
workspace's field mapping) and the mode's `default` values. A name that the template itself asks about
(`{% if name %}`, `name | default(…)`) is for information only, and so is any name where there is no dataset. The
nearest field of the record is offered.

Jinja puts nothing in the place of an unknown name and says nothing. A template that expects `sheet_chunks` over a
dataset that calls them `contexts` gives a prompt without sources, and the model answers from memory.

Map the field in the workspace file, `dataset: {fields: {sheet_chunks: rag.contexts}}`, or give the mode a default.
"""

import re
from collections.abc import Iterator

from readback.rules._fields import nearest
from readback.types import Case, Note, Place, Prompt, Severity

CODE = "alb-variable-no-data"
SEVERITY = "warning"
ON = "assembly"
SENTENCE = "the template reads {variable}, which has no value here; nearest field of the record: {nearest}"
FIX = "map a field to {variable} under dataset: fields:, or give it a default"
_CONFIG = "prompts:\n  - {mode: rag, template: rag.jinja, default: {limit: 4}}\n"
_TEMPLATE = "{% for chunk in sheet_chunks %}{{ chunk.text }}{% endfor %}\n{{ query }}\n"
PASS = (
    {
        "prompt_config.yml": _CONFIG,
        "rag.jinja": _TEMPLATE,
        "data.jsonl": '{"id": "1", "query": "Why?", "sheet_chunks": [{"text": "So."}]}\n',
    },
)
FAIL = (
    {
        "prompt_config.yml": _CONFIG,
        "rag.jinja": _TEMPLATE,
        "data.jsonl": '{"id": "1", "query": "Why?", "documents": [{"text": "So."}]}\n',
    },
)
NONE = "–"  # stands for "no field is near" in any language


def check(case: Case) -> Iterator[Note]:
    prompt = _prompt(case)
    if prompt is None or case.assembly is None or case.record is None or prompt.syntax != "jinja":
        return
    fields, template = case.record.fields, f"{prompt.template or ''}\n{prompt.system or ''}"
    for name, place in case.assembly.names:
        variable = re.split(r"[.\[]", name)[0]
        if place.file not in (prompt.place.file, prompt.system_place.file) or not _used(variable, template):
            continue
        if fields.get(variable) is None and prompt.defaults.get(variable) is None:
            near = nearest(variable, fields, _is_list(variable, template))
            values = {"variable": variable, "nearest": near or NONE, "mode": prompt.mode}
            light = case.workspace.dataset is None or _guarded(variable, template)
            severity: Severity | None = "info" if light else None
            yield Note(CODE, values, Place(file=place.file, line=place.line, role="user"), variable, severity)


def _prompt(case: Case) -> Prompt | None:
    """What the assembly was made from; None for a judge, whose fields are mapped elsewhere."""
    choice = case.assembly.choice if case.assembly else None
    if choice is None or choice.judge:
        return None
    arm = case.workspace.condition(choice.condition) if choice.condition else None
    mode, task = choice.mode or (arm and arm.mode), choice.task or (arm and arm.task)
    return case.workspace.prompts.get(mode) if mode else case.workspace.tasks.get(task or "")


def _used(variable: str, template: str) -> bool:
    return re.search(rf"\b{re.escape(variable)}\b", template) is not None


def _is_list(variable: str, template: str) -> bool:
    name = re.escape(variable)
    return re.search(rf"\bin\s+{name}\b|\b{name}\s*\[|\b{name}\s*\|\s*(?:join|length|first|last)", template) is not None


def _guarded(variable: str, template: str) -> bool:
    name = rf"\b{re.escape(variable)}\b"
    asked = (
        rf"\{{%-?\s*(?:el)?if\b[^%]*{name}",
        rf"{name}\s*\|\s*(?:default|d)\b",
        rf"{name}\s+is\s+(?:not\s+)?(?:defined|none)",
    )
    return any(re.search(pattern, template) for pattern in asked)
