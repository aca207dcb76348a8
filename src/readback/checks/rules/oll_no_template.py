"""A Modelfile leaves the template to the weights.

It has no `TEMPLATE`. Ollama takes the one in the file of the weights, or the one of the model it is made from, and
where there is none sends the bare text.

Which text the model reads cannot be known from these files, so only the messages are shown.

Give the TEMPLATE that `ollama show --template` prints for the model that is served.
"""

CODE = "oll-no-template"
SEVERITY = "info"
ON = "load"
SENTENCE = "there is no TEMPLATE: Ollama takes the one in the weights, so what the model reads is not known here"
FIX = "give the TEMPLATE that `ollama show --template` prints for the model that is served"
PASS = ({"Modelfile": 'FROM x\nTEMPLATE "{{ .Prompt }}"\n'},)
FAIL = ({"Modelfile": "FROM x\nSYSTEM Be brief.\n"},)
