"""A template of a Modelfile cannot be read, or breaks while it makes the prompt.

Go's template language, in which `TEMPLATE` is written, does not accept it (a missing `end`, an unknown function), or it
asks for something that is not there while the prompt is made.

Ollama refuses such a file when the model is built, or answers the request with an error: nothing is sent to the model.

Correct the template at the place that is marked.
"""

CODE = "oll-template-error"
SEVERITY = "error"
ON = "load"
SENTENCE = "the template does not work: {reason}"
FIX = "correct the template here"
PASS = ({"Modelfile": 'FROM x\nTEMPLATE """{{ if .System }}{{ .System }}{{ end }}{{ .Prompt }}"""\n'},)
FAIL = (
    {"Modelfile": 'FROM x\nTEMPLATE """{{ if .System }}{{ .System }}{{ .Prompt }}"""\n'},
    {"Modelfile": 'FROM x\nTEMPLATE """{{ upper .Prompt }}"""\n'},
    {"Modelfile": 'FROM x\nTEMPLATE """{{ range .Messages }}{{ .Text }}{{ end }}"""\n'},
)
