"""A template has its .Response inside a branch that has an else, which makes Ollama fail.

`TEMPLATE` goes through no `.Messages`, so Ollama cuts it off behind the first `.Response` to let the answer begin
there. Where that is in the first part of an `if`, `with` or `range` with an `else`, nothing is left of the else,
and the server breaks down over it.

No prompt is ever made: every request to this model ends in an error.

Move `.Response` behind the `end` of the branch, or write the template with `{{ range .Messages }}`.
"""

CODE = "oll-response-in-branch"
SEVERITY = "error"
ON = "load"
SENTENCE = "Ollama fails on this template: .Response is inside a branch that has an else"
FIX = "move .Response behind the end of the branch, or go through .Messages"
PASS = (
    {"Modelfile": 'FROM x\nTEMPLATE """{{ .Prompt }}{{ if .System }}x{{ else }}E{{ .Response }}y{{ end }}tail"""\n'},
    {"Modelfile": 'FROM x\nTEMPLATE """{{ .Prompt }}{{ if .Response }}R:{{ .Response }}!{{ end }}tail"""\n'},
)
FAIL = (
    {"Modelfile": 'FROM x\nTEMPLATE """{{ .Prompt }}{{ if .System }}{{ .Response }}y{{ else }}E{{ end }}tail"""\n'},
)
