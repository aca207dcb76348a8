"""A Modelfile has Ollama write the prompt by code of its own.

It has a `RENDERER` or a `PARSER` line. Ollama then hands the conversation to a program that is part of the server, and
a `TEMPLATE` in the same file is not used.

What the model reads cannot be shown here, and it may change with the server's version while the file stays the same.

Nothing, where that is meant: keep the server's version with the answers. Otherwise take the line out and give a
TEMPLATE.
"""

CODE = "oll-renderer"
SEVERITY = "info"
ON = "load"
SENTENCE = "Ollama makes the prompt by its own code '{name}', so what the model reads is not known here"
FIX = "keep the server's version with the answers, or take RENDERER and PARSER out and give a TEMPLATE"
PASS = ({"Modelfile": 'FROM x\nTEMPLATE "{{ .Prompt }}"\n'},)
FAIL = (
    {"Modelfile": 'FROM x\nTEMPLATE "{{ .Prompt }}"\nRENDERER qwen3-coder\n'},
    {"Modelfile": 'FROM x\nTEMPLATE "{{ .Prompt }}"\nPARSER qwen3\n'},
)
