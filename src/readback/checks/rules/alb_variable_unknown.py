"""Looks for alb-variable-unknown; its words are in catalogue/en.yml."""

from collections.abc import Iterator

from readback.checks.facts import albert_modes, variable_uses
from readback.checks.facts.record_fields import find_nearest_field
from readback.types import Diagnostic, Prompt, RuleContext, Severity

CODE = "alb-variable-unknown"
ON = "assembly"
NEEDS = "albert"
_CONFIG = "prompts: [{mode: simple, template: simple.jinja}]\n"
_DATA = '{"id": "1", "query": "Q", "institution": "City hall"}\n'
PASS = (
    {"prompt_config.yml": _CONFIG, "simple.jinja": "{{ query }} ({{ institution }})\n", "data.jsonl": _DATA},
    {"readback.yml": 'dataset: data.jsonl\nmodes: [{mode: m, template: "{{ qurey }}"}]\n', "data.jsonl": _DATA},
)
FAIL = (
    {"prompt_config.yml": _CONFIG, "simple.jinja": "{{ qurey }} ({{ institution }})\n", "data.jsonl": _DATA},
    {"prompt_config.yml": _CONFIG, "simple.jinja": "{{ query }}{% if chunks %}…{% endif %}\n", "data.jsonl": _DATA},
)
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
    # alb-variable-no-data reports these at the same line; this rule adds only the name that may be meant
    empty = {use.name for use in variable_uses.list_uses(case, prompt, ("missing", "null")) if not use.only_asked}
    for name, place in variable_uses.find_variables(case, prompt).items():
        if albert_modes.documented(name):
            continue
        near = albert_modes.meant(name) or find_nearest_field(name, dict.fromkeys(albert_modes.VARIABLES, ""), False)
        if near is None and name in empty:
            continue
        given = case.record.fields.get(name) is not None or name in prompt.defaults
        severity: Severity | None = "info" if given or _optional(case, prompt, name) else None
        yield Diagnostic(CODE, {"variable": name, "nearest": near or NONE}, place, name, severity)


def _optional(case: RuleContext, prompt: Prompt, name: str) -> bool:
    """Whether the template only asks for a variable where it reads it here."""
    taken = [
        use
        for use in variable_uses.list_uses(case, prompt)
        if variable_uses.get_variable(use.name) == name and use.state != "untaken"
    ]
    return bool(taken) and all(use.only_asked for use in taken)
