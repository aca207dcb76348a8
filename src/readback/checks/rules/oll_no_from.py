"""A Modelfile does not say which model it is made from.

There is no `FROM` line, none that could be read, or one with nothing behind it, which means the weights in the folder
of the file.

Ollama refuses the file, and one with an empty `FROM` where no weights are beside it. Its other directives are read and
checked all the same.

Add `FROM` with the model's name or file.
"""

CODE = "oll-no-from"
SEVERITY = "error"
ON = "load"
SENTENCE = "there is no FROM line[[ with a name: line {line} has nothing behind it]], so Ollama would refuse this file"
FIX = "add FROM with the model's name or file"
PASS = ({"Modelfile": "from x\nSYSTEM Be brief.\n"}, {"Modelfile": "FROM .\n"})
FAIL = (
    {"Modelfile": "SYSTEM Be brief.\n"},
    {"Modelfile": "FROM \nSYSTEM Be brief.\n"},
    {"Modelfile": 'FROM ""\n'},
)
