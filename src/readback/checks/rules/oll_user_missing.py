"""Looks for oll-user-missing; its words are in catalogue/en.yml."""

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
    for served in list_served_models(case):
        if (
            served.self_test
            and served.texts
            and not any(was_written(model_input, served.self_test.user) for model_input in served.texts)
        ):
            values = {"text": served.texts[0].text, "model": served.name}
            yield Diagnostic(CODE, values, served.modelfile.template_place, "user")
