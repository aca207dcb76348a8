"""A Modelfile has a line that Ollama does not accept.

A directive is unknown or has a stray character, a role is none, or quotes are never closed. Ollama stops at the first
such place; here reading goes on at the next line, so that the other directives can still be checked.

Ollama refuses this file: no model can be made from it, and whatever runs under its name was made from another one.

Correct the line. Text that goes on over several lines needs three quotes at both ends, and nothing may follow them.
"""

CODE = "oll-syntax"
SEVERITY = "error"
ON = "load"
SENTENCE = "Ollama would refuse this file here: {reason}"
FIX = "correct the line; a text of several lines stands between three quotes at both ends"
PASS = ({"Modelfile": 'FROM x\nSYSTEM """Be brief.\nBe kind."""\n'},)
FAIL = (
    {"Modelfile": "FROM x\nSYSTEMATIC y\n"},
    {"Modelfile": 'FROM x\nSYSTEM "never closed\n'},
    {"Modelfile": "FROM x\nPARAMETER top-k 1\n"},
)
