"""Find names that a template reads and that have neither a value in the record nor a default.

Jinja prints nothing for an unknown name and None for null, so the prompt may lack its sources without an error.
"""

import re
from collections.abc import Callable, Iterator

from readback.checks.facts import variable_uses
from readback.checks.facts.contexts import RETRIEVED
from readback.checks.facts.record_fields import find_nearest_field
from readback.types import Diagnostic, Finding, Prompt, RuleContext, Severity, VariableUse

CODE = "alb-variable-no-data"
ON = "assembly"
NEEDS = "template"
_CONFIG = "prompts:\n  - {mode: rag, template: rag.jinja, default: {limit: 4}}\n"
_TEMPLATE = "{% for chunk in sheet_chunks %}{{ chunk.text }}{% endfor %}\n{{ query }}\n"
_BRANCH = "{% if kind == 'long' %}{{ summary }}{% endif %}{{ query }}\n"
_ONE = "prompts: [{mode: simple, template: simple.jinja}]\n"
PASS = (
    {
        "prompt_config.yml": _CONFIG,
        "rag.jinja": _TEMPLATE,
        "data.jsonl": '{"id": "1", "query": "Why?", "sheet_chunks": [{"text": "So."}]}\n',
    },
    {
        "prompt_config.yml": _ONE,
        "simple.jinja": _BRANCH,
        "data.jsonl": '{"id": "1", "query": "Why?", "kind": "short"}\n',
    },
    {
        "readback.yml": 'dataset: d.csv\nmodes: [{mode: qa, template: "{{ question }}"}]\n',
        "d.csv": "Please do not train on this.,,\n,,\nid,split,question\n0,TEST,Why?\n",
    },
)
FAIL = (
    {
        "prompt_config.yml": _CONFIG,
        "rag.jinja": _TEMPLATE,
        "data.jsonl": '{"id": "1", "query": "Why?", "documents": [{"text": "So."}]}\n',
    },
    {
        "prompt_config.yml": _ONE,
        "simple.jinja": _BRANCH,
        "data.jsonl": '{"id": "1", "query": "Why?", "kind": "long"}\n',
    },
)
NONE = "–"  # stands for "no field is near" in any language


def check(case: RuleContext) -> Iterator[Diagnostic]:
    """Yield a finding for each name without a value, with the field that may be meant."""
    prompt = variable_uses.find_prompt(case)
    if prompt is None or case.record is None:
        return
    for use in _list_uses_without_value(case, prompt):
        name = use.name
        if "[*]" in name or (variable_uses.is_albert(prompt) and variable_uses.is_of_other_program(case, name)):
            continue
        near = find_nearest_field(name, case.record.fields, _is_list(case, prompt, name))
        values = {"variable": name, "nearest": near or NONE, "mode": prompt.mode, "records": ""}
        is_light = use.only_asked or case.workspace.dataset is None
        severity: Severity | None = "info" if is_light else None
        yield Diagnostic(CODE, values, variable_uses.locate(use), name, severity)


def weigh_guess(finding: Finding) -> Severity:
    """Return the severity where it is a guess that the template is filled from these records.

    A program that retrieves fills in what it retrieved: info, unless a field of the records is near.
    """
    name, near = str(finding.values["variable"]), finding.values["nearest"]
    if near == NONE and RETRIEVED.search(name):
        return "info"
    return finding.severity


def get_once_key(finding: Finding, is_nowhere: Callable[[str], bool]) -> tuple[str, ...] | None:
    """Return the name and the field offered for it, if no record has the name: it is reported once for these."""
    name = str(finding.values["variable"])
    if is_nowhere(name):
        return (name, str(finding.values["nearest"]))
    return None


def _list_uses_without_value(case: RuleContext, prompt: Prompt) -> Iterator[VariableUse]:
    """Yield the names without a value, then those for which the template itself has a substitute."""
    absent = {use.name: use for use in variable_uses.list_uses(case, prompt, ("missing", "null"))}
    yield from absent.values()
    for use in variable_uses.list_uses(case, prompt, ("default",)):
        if use.name not in absent and variable_uses.get_variable(use.name) not in prompt.defaults:
            yield use


def _is_list(case: RuleContext, prompt: Prompt, name: str) -> bool:
    """Return whether the template loops over a variable, or reads its items."""
    if any(use.name.startswith(f"{name}[") for use in variable_uses.list_uses(case, prompt)):
        return True
    template, pattern = f"{prompt.template or ''}\n{prompt.system or ''}", re.escape(name)
    return re.search(rf"\bin\s+{pattern}\b|\b{pattern}\s*\|\s*(?:join|length|first|last)", template) is not None
