"""Find Albert templates that never use the question.

Apart from the sources, every record then gets the same prompt.
"""

from collections.abc import Iterator

from readback.checks.facts import albert_modes, variable_uses
from readback.types import Diagnostic, Location, RuleContext

CODE = "alb-query-missing"
ON = "assembly"
NEEDS = "albert"
_CONFIG = "prompts: [{mode: rag, template: rag.jinja}]\n"
_TEMPLATE = "{% for chunk in sheet_chunks %}{{ chunk.text }}{% endfor %}\n"
_DATA = '{"id": "1", "query": "Q", "sheet_chunks": [{"text": "a"}]}\n'
PASS = ({"prompt_config.yml": _CONFIG, "rag.jinja": _TEMPLATE + "{{ query }}\n", "data.jsonl": _DATA},)
FAIL = (
    {"prompt_config.yml": _CONFIG, "rag.jinja": _TEMPLATE, "data.jsonl": _DATA},
    {"prompt_config.yml": _CONFIG, "rag.jinja": "Answer the question.\n", "data.jsonl": _DATA},
)
ASKS = {"query", "search_query", albert_modes.MISSPELT, "history"}


def check(case: RuleContext) -> Iterator[Diagnostic]:
    """Yield a finding, at the first record of a mode, if no variable of its templates can hold the question."""
    prompt = variable_uses.find_prompt(case)
    if prompt is None or prompt.template is None:
        return
    if not variable_uses.is_albert(prompt) or not variable_uses.is_first_case(case):
        return
    names = set(variable_uses.find_variables(case, prompt))
    corrected = {albert_modes.suggest_variable(name) for name in names if not albert_modes.is_documented(name)}
    if not (names | corrected) & ASKS:
        place = Location(file=prompt.place.file, line=prompt.place.line, role="user")
        yield Diagnostic(CODE, {"mode": prompt.mode}, place, prompt.mode)
