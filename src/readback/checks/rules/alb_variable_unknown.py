"""A template reads a variable that the document does not list.

The variables that an Albert template reads, on every branch, are held against those that the *Prompt template* page
documents: variables and meta-variables. It is said once for each mode (on its first record); for information only where
that record, a mapped field or a default gives it a value, or the template does without. Names that end in `_collection`
have rules of their own.

The program fills the documented variables only, and whatever a caller passes besides. A misspelt name renders as
nothing, without an error.

Read the documented variable that is meant, or make sure that your own code passes this one.
"""

from collections.abc import Iterator

from readback.checks.facts import albert_names, variable_uses
from readback.checks.facts.record_fields import nearest
from readback.types import Diagnostic, Prompt, RuleContext, Severity

CODE = "alb-variable-unknown"
SEVERITY = "warning"
ON = "assembly"
SENTENCE = "the template reads {variable}, which is not documented[[; nearest: {nearest}]]"
FIX = "read the documented variable, or have your own code pass {variable}"
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
    prompt = variable_uses.prompt(case)
    if prompt is None or case.record is None or not variable_uses.is_albert(prompt) or not variable_uses.once(case):
        return
    for name, place in variable_uses.roots(case, prompt).items():
        if albert_names.documented(name):
            continue
        near = albert_names.meant(name) or nearest(name, dict.fromkeys(albert_names.VARIABLES, ""), False)
        given = case.record.fields.get(name) is not None or name in prompt.defaults
        severity: Severity | None = "info" if given or _optional(case, prompt, name) else None
        yield Diagnostic(CODE, {"variable": name, "nearest": near or NONE}, place, name, severity)


def _optional(case: RuleContext, prompt: Prompt, name: str) -> bool:
    """Whether the template only asks for a variable where it reads it here."""
    taken = [
        use
        for use in variable_uses.uses(case, prompt)
        if variable_uses.root(use.name) == name and use.state != "untaken"
    ]
    return bool(taken) and all(use.asked for use in taken)
