"""A quoted value of a Modelfile has swallowed the lines below it.

Something follows the closing quotes on their line (a comment, say), so they do not close the value, and it goes on to
the next line that happens to end with quotes. Or a directive in capitals is inside the value.

The directives inside are never seen, and the model gets their text as part of the value. Where it has swallowed the
opening quotes of another value, the lines of that one are read as directives, and Ollama refuses the file.

End the line with the closing quotes; comments stand on lines of their own.
"""

CODE = "oll-swallowed-lines"
SEVERITY = "error"
ON = "load"
SENTENCE = (
    "the value of {name} has swallowed what is below it ({lines} more {lines:line|lines}[[, from line {line}]])"
    "[[; Ollama refuses the file at line {refused}, in a value whose opening quotes are swallowed]]"
)
FIX = "end the line with the closing quotes and put comments on lines of their own"
PASS = (
    {"Modelfile": 'FROM x\nSYSTEM """Say "yes".\nFrom then on, be brief."""\n'},
    {"Modelfile": "FROM x\nSYSTEM a # no comment\nPARAMETER stop y\n"},
)
FAIL = ({"Modelfile": 'FROM x\nSYSTEM "a"  # c\nPARAMETER stop "y"\nPARAMETER top_k 1\n'},)
