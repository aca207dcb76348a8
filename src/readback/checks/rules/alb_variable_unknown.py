"""Find variables that an Albert template reads and that are not documented.

The program fills the documented variables only; a misspelled name renders as nothing, without an error.
"""

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
    """Yield a finding for each undocumented variable, at the first record of a mode."""
    prompt = variable_uses.find_prompt(case)
    if prompt is None or case.record is None:
        return
    if not variable_uses.is_albert(prompt) or not variable_uses.is_first_case(case):
        return
    # alb-variable-no-data reports these at the same line; this rule adds only the name that may be meant
    uses = variable_uses.list_uses(case, prompt, ("missing", "null"))
    without_value = {use.name for use in uses if not use.only_asked}
    for name, place in variable_uses.find_variables(case, prompt).items():
        if albert_modes.is_documented(name):
            continue
        documented = dict.fromkeys(albert_modes.VARIABLES, "")
        near = albert_modes.suggest_variable(name) or find_nearest_field(name, documented, False)
        if near is None and name in without_value:
            continue
        has_value = case.record.fields.get(name) is not None or name in prompt.defaults
        severity: Severity | None = "info" if has_value or _is_optional(case, prompt, name) else None
        yield Diagnostic(CODE, {"variable": name, "nearest": near or NONE}, place, name, severity)


def _is_optional(case: RuleContext, prompt: Prompt, name: str) -> bool:
    """Return whether the template reads a variable only in conditions, on the branches taken for this record."""
    uses = [
        use
        for use in variable_uses.list_uses(case, prompt)
        if variable_uses.get_variable(use.name) == name and use.state != "untaken"
    ]
    return bool(uses) and all(use.only_asked for use in uses)
