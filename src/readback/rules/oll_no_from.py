"""A Modelfile does not say which model it is made from.

There is no `FROM` line, or none that could be read.

Ollama refuses the file. Its other directives are read and checked all the same.

Add `FROM` with the model's name or file.
"""

CODE = "oll-no-from"
SEVERITY = "error"
ON = "load"
SENTENCE = "there is no FROM line, so Ollama would refuse this file"
FIX = "add FROM with the model's name or file"
PASS = ({"Modelfile": "from x\nSYSTEM Be brief.\n"},)
FAIL = ({"Modelfile": "SYSTEM Be brief.\n"},)
