"""Find templates that leave out the question.

The model never reads the question but answers anyway.
"""

from collections.abc import Iterator

from readback.checks.facts.modelfiles import list_served_models, was_written
from readback.types import Diagnostic, RuleContext

CODE = "oll-user-missing"
ON = "workspace"
_HUMAN = '{{ range .Messages }}{{ if eq .Role "human" }}{{ .Content }}{{ end }}{{ end }}A:'
PASS = (
    {"Modelfile": 'FROM x\nTEMPLATE """{{ .Prompt }}"""\n'},
    {"Modelfile": 'FROM x\nTEMPLATE """{{ range .Messages }}{{ json .Content }}{{ end }}"""\n'},
)
FAIL = (
    {"Modelfile": 'FROM x\nTEMPLATE """{{ .System }} ASSISTANT:"""\n'},
    {"Modelfile": f'FROM x\nTEMPLATE """{_HUMAN}"""\n'},
)


def check(case: RuleContext) -> Iterator[Diagnostic]:
    """Yield a finding if the template does not write the question of the self-test."""
    for served in list_served_models(case):
        if not served.self_test or not served.texts:
            continue
        if not any(was_written(text, served.self_test.user) for text in served.texts):
            values = {"text": served.texts[0].text, "model": served.name}
            yield Diagnostic(CODE, values, served.modelfile.template_place, "user")
