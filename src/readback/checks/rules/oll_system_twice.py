"""Looks for oll-system-twice; its words are in catalogue/en.yml."""

from collections.abc import Iterator

from readback.checks.facts.modelfiles import find_block_spans, list_served_models, locate_message_action, quote
from readback.types import Diagnostic, RuleContext

CODE = "oll-system-twice"
ON = "workspace"
_LOOP = "{{ range .Messages }}<|im_start|>{{ .Role }}\n{{ .Content }}<|im_end|>\n{{ end }}<|im_start|>assistant\n"
_SYSTEM = "{{ if .System }}<|im_start|>system\n{{ .System }}<|im_end|>\n{{ end }}"
_MODELFILE = 'FROM x\nPARAMETER stop "<|im_end|>"\nTEMPLATE """%s"""\nSYSTEM Be brief.\n'
PASS = (
    {"Modelfile": _MODELFILE % _LOOP},
    {"Modelfile": _MODELFILE % "{{ if .System }}S: {{ .System }}\n{{ end }}{{ .Prompt }}{{ .Response }}"},
    {"Modelfile": 'FROM x\nTEMPLATE """{{ .System }}{{ .Prompt }}Q"""\nSYSTEM Q\n'},
)
FAIL = (
    {"Modelfile": _MODELFILE % (_SYSTEM + _LOOP)},
    {"Modelfile": 'FROM x\nTEMPLATE """{{ .System }}{{ range .Messages }}{{ .Content }}{{ end }}"""\n'},
    {"Modelfile": _MODELFILE % "You are a tide table. {{ .System }} {{ .Prompt }}" + "SYSTEM You are a tide table.\n"},
)


def check(case: RuleContext) -> Iterator[Diagnostic]:
    for served in list_served_models(case):
        for model_input in served.texts:
            found = served.find_system_spans(model_input)
            if len(found) < 2:
                continue
            first, second = (model_input.text[slice(*block)] for block in find_block_spans(model_input, found)[:2])
            values = {
                "times": len(found),
                "first": quote(first),
                "second": quote(second),
                "blocks": [first, second],
                "spans": [list(span) for span in found],
                "model": served.name,
            }
            yield Diagnostic(CODE, values, locate_message_action(served, model_input, found[1][0]), "system")
            break
