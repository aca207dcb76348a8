"""A Modelfile has a line that Ollama does not accept.

A directive is unknown or has a stray character, a role is none, or quotes are never closed. Or, when the model is
built, a parameter is unknown or has a value of another kind, or `REQUIRES` is no version. Ollama stops at the first
such place; here reading goes on, so that the other directives can still be checked. The lines of a value whose opening
quotes the value above it has swallowed are told there (oll-swallowed-lines). Lines that are no directives, with none
between them, are one text, told once: what goes on below a `SYSTEM` without quotes, say.

Ollama refuses this file: no model can be made from it, and whatever runs under its name was made from another one.

Correct the line. Text that goes on over several lines needs three quotes at both ends, and nothing may follow them.
"""

CODE = "oll-syntax"
SEVERITY = "error"
ON = "load"
SENTENCE = (
    "Ollama would refuse this file here: {reason}"
    "[[; {below} more {below:line|lines} below {below:is|are} no {below:directive|directives} either]]"
)
FIX = "correct the line; put a text of several lines between three quotes"
PASS = (
    {"Modelfile": 'FROM x\nSYSTEM """Be brief.\nBe kind."""\n'},
    {"Modelfile": "FROM x\nPARAMETER temperature 1e-1\nPARAMETER seed -1\nREQUIRES v0.14.0-rc1\n"},
    {"Modelfile": 'FROM x\nPARAMETER stop "A:"  # a\nTEMPLATE """\n{{ .System }}\nA: {{ .Prompt }}\n"""\n'},
)
FAIL = (
    {"Modelfile": "FROM x\nSYSTEMATIC y\n"},
    {"Modelfile": "FROM x\nSYSTEM You are Otto.\n\nRules:\n1. Be brief.\n2. Be kind.\n"},
    {"Modelfile": 'FROM x\nSYSTEM "never closed\n'},
    {"Modelfile": "FROM x\nPARAMETER top-k 1\n"},
    {"Modelfile": "FROM x\nPARAMETER num_ctxt 4096\n"},
    {"Modelfile": "FROM x\nPARAMETER num_ctx 4k\n"},
    {"Modelfile": "FROM x\nREQUIRES 0.14.x\n"},
    {"Modelfile": 'FROM x\nPARAMETER "</s>"\n'},
    {"Modelfile": 'FROM x\nPARAMETER stop "A:"  # a\nTEMPLATE """\nA: {{ .Prompt }}\n"""\nPARAMETR top_k 1\n'},
)
