"""A Modelfile sets an empty system text.

The `SYSTEM` that counts has nothing in it.

The model is served without a system message, and if it was made from another model, that one's is gone too. Where the
text was lost by mistake, nothing else says so.

Write the text, or take the line out.
"""

CODE = "oll-empty-system"
SEVERITY = "warning"
ON = "load"
SENTENCE = "SYSTEM is set and empty"
FIX = "write the text, or take the line out"
PASS = ({"Modelfile": "FROM x\n"}, {"Modelfile": "FROM x\nSYSTEM \nSYSTEM Be brief.\n"})
FAIL = ({"Modelfile": 'FROM x\nSYSTEM ""\n'}, {"Modelfile": "FROM x\nSYSTEM \n"})
