"""Find templates that write the system message twice.

The model was trained on one system message, so every request has another structure than in training.
"""

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
    """Yield a finding for the first text of the self-test that has the system message twice."""
    for served in list_served_models(case):
        for model_input in served.texts:
            spans = served.find_system_spans(model_input)
            if len(spans) < 2:
                continue
            blocks = [model_input.text[start:end] for start, end in find_block_spans(model_input, spans)[:2]]
            values = {
                "times": len(spans),
                "first": quote(blocks[0]),
                "second": quote(blocks[1]),
                "blocks": blocks,
                "spans": [list(span) for span in spans],
                "model": served.name,
            }
            yield Diagnostic(CODE, values, locate_message_action(served, model_input, spans[1][0]), "system")
            break
