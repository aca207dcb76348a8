"""The model reads the system message twice.

What the `TEMPLATE` of a Modelfile makes of a made-up conversation is looked at: the system text is in it more
than once. Mostly the template prints `.System` and then goes through `.Messages`, among which Ollama leaves the
system message.

The model was trained on one system message. With two, each with its own marks around it, it reads a conversation of
another shape, in every request; and no log of requests shows it.

Print it in one place: take the part about `.System` out of a template that goes through `.Messages`.
"""

from collections.abc import Iterator

from readback.checks.facts.served_texts import blocks, modelfiles, quoted, source
from readback.types import Diagnostic, RuleContext

CODE = "oll-system-twice"
SEVERITY = "error"
ON = "workspace"
SENTENCE = "the system message stands {times} times in what the model reads: first as {first}, then as {second}"
FIX = "take the part about .System out of the template: .Messages holds the system message, too"
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
    for served in modelfiles(case):
        for model_input in served.made:
            found = served.doubled(model_input)
            if len(found) < 2:
                continue
            first, second = (model_input.text[slice(*block)] for block in blocks(model_input, found)[:2])
            values = {
                "times": len(found),
                "first": quoted(first),
                "second": quoted(second),
                "blocks": [first, second],
                "spans": [list(span) for span in found],
                "model": served.name,
            }
            yield Diagnostic(CODE, values, source(served, model_input, found[1][0]), "system")
            break
