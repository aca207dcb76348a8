"""A Modelfile gives the same directive twice.

`SYSTEM`, `TEMPLATE`, `FROM` or a parameter other than `stop` is in the file more than once.

Only the last one counts. Whoever reads from the top, or corrects the first one, is misled.

Take the others out.
"""

CODE = "oll-repeated-directive"
SEVERITY = "warning"
ON = "load"
SENTENCE = "{name} is given {times} times (first on line {first}); only the last one, on line {last}, counts"
FIX = "take the earlier ones out"
PASS = ({"Modelfile": "FROM x\nPARAMETER stop a\nPARAMETER stop b\nMESSAGE user a\nMESSAGE assistant b\n"},)
FAIL = (
    {"Modelfile": "FROM x\nSYSTEM a\nSYSTEM b\n"},
    {"Modelfile": "FROM x\nPARAMETER temperature 0\nPARAMETER temperature 1\n"},
)
