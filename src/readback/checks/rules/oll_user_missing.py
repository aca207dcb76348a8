"""Looks for oll-user-missing; its words are in catalogue/en.yml."""

from collections.abc import Iterator

from readback.checks.facts.served_texts import modelfiles, shown
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
    for served in modelfiles(case):
        if (
            served.self_test
            and served.made
            and not any(shown(model_input, served.self_test.user) for model_input in served.made)
        ):
            values = {"text": served.made[0].text, "model": served.name}
            yield Diagnostic(CODE, values, served.modelfile.template_place, "user")
