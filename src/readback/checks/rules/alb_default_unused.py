"""Find defaults of a mode that no template reads.

Such a name is usually misspelled, and the intended variable has no default and renders as nothing.
"""

from collections.abc import Iterator
from difflib import get_close_matches

from readback.checks.facts import albert_modes, variable_uses
from readback.types import Diagnostic, Location, Prompt, RuleContext

CODE = "alb-default-unused"
ON = "assembly"
NEEDS = "template"
_CONFIG = "prompts: [{mode: simple, template: simple.jinja, default: {%s: City hall, limit: 4}}]\n"
_TEMPLATE = "{{ query }} {% if institution %}({{ institution }}){% endif %}\n"
_DATA = '{"id": "1", "query": "Q"}\n'
_FILE = 'dataset: data.jsonl\nmodes: [{mode: m, template: "{{ query }} {{ tone }}", default: {%s: calm}}]\n'
PASS = (
    {"prompt_config.yml": _CONFIG % "institution", "simple.jinja": _TEMPLATE, "data.jsonl": _DATA},
    {"readback.yml": _FILE % "tone", "data.jsonl": _DATA},
)
FAIL = (
    {"prompt_config.yml": _CONFIG % "institutoin", "simple.jinja": _TEMPLATE, "data.jsonl": _DATA},
    {"readback.yml": _FILE % "tones", "data.jsonl": _DATA},
)
NONE = "–"  # stands for "none is near" in any language


def check(case: RuleContext) -> Iterator[Diagnostic]:
    """Yield a finding for each unused default, at the first record of a mode."""
    prompt = variable_uses.find_prompt(case)
    if prompt is None or not prompt.defaults or not variable_uses.is_first_case(case):
        return
    variables = variable_uses.find_variables(case, prompt)
    for name in prompt.defaults:
        if name in variables or (variable_uses.is_albert(prompt) and _is_meta(name)):
            continue
        near = next(iter(get_close_matches(name, variables, n=1)), NONE)
        values = {"name": name, "mode": prompt.mode, "nearest": near}
        yield Diagnostic(CODE, values, Location(file=_find_file(case, prompt), mode=prompt.mode), name)


def _is_meta(name: str) -> bool:
    """Return whether the Albert program reads a name itself, to control the search or as the system prompt."""
    return name in albert_modes.META or name == "system_prompt"


def _find_file(case: RuleContext, prompt: Prompt) -> str | None:
    """Return the file of the defaults, which is that of the configuration and not of the template."""
    configs = (config.place.file for config in case.workspace.configs if prompt in config.prompts.values())
    return next(configs, None) or case.workspace.file or prompt.place.file
