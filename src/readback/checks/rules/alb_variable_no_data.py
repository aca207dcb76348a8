"""Looks for alb-variable-no-data; its words are in catalogue/en.yml."""

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
    prompt = variable_uses.find_prompt(case)
    if prompt is None or case.record is None:
        return
    for use in _without(case, prompt):
        name = use.name
        if "[*]" in name or (variable_uses.is_albert(prompt) and variable_uses.is_of_other_program(case, name)):
            continue
        near = find_nearest_field(name, case.record.fields, _is_list(case, prompt, name))
        values = {"variable": name, "nearest": near or NONE, "mode": prompt.mode, "records": ""}
        severity: Severity | None = "info" if use.only_asked or case.workspace.dataset is None else None
        yield Diagnostic(CODE, values, variable_uses.locate(use), name, severity)


def weigh_guess(finding: Finding) -> Severity:
    """Weigh a name that no record has, where nobody named template and records together: a program that retrieves
    fills in what it retrieved, if no field of the records is near.
    """
    name, near = str(finding.values["variable"]), finding.values["nearest"]
    return "info" if near == NONE and RETRIEVED.search(name) else finding.severity


def once(one: Finding, nowhere: Callable[[str], bool]) -> tuple[str, ...] | None:
    """A name that no record has is told once, and once more where another field is offered for it."""
    return (str(one.values["variable"]), str(one.values["nearest"])) if nowhere(str(one.values["variable"])) else None


def _without(case: RuleContext, prompt: Prompt) -> Iterator[VariableUse]:
    """The names without a value; then those for which the template itself has something instead."""
    absent = {use.name: use for use in variable_uses.list_uses(case, prompt, ("missing", "null"))}
    yield from absent.values()
    for use in variable_uses.list_uses(case, prompt, ("default",)):
        if use.name not in absent and variable_uses.get_variable(use.name) not in prompt.defaults:
            yield use


def _is_list(case: RuleContext, prompt: Prompt, name: str) -> bool:
    """Whether the template goes through a variable, or asks for its items."""
    if any(use.name.startswith(f"{name}[") for use in variable_uses.list_uses(case, prompt)):
        return True
    template, said = f"{prompt.template or ''}\n{prompt.system or ''}", re.escape(name)
    return re.search(rf"\bin\s+{said}\b|\b{said}\s*\|\s*(?:join|length|first|last)", template) is not None
