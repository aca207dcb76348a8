"""A Modelfile's value is in single quotes.

Ollama knows only double quotes, one or three; single ones are ordinary characters.

The quotes are part of the text that the model gets.

Use double quotes, or none.
"""

CODE = "oll-single-quotes"
SEVERITY = "warning"
ON = "load"
SENTENCE = "the single quotes around the value of {name} are part of it"
FIX = "use double quotes, or none"
PASS = ({"Modelfile": 'FROM x\nSYSTEM "a"\nPARAMETER stop \'\n'},)
FAIL = ({"Modelfile": "FROM x\nSYSTEM 'a'\n"},)
