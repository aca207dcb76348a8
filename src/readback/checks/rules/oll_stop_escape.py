r"""A stop text of a Modelfile has an escape in it.

A `PARAMETER stop` holds `\n`, `\t`, `\r`, `\u` with four digits or, between quotes, `\"`. Ollama knows no escapes in a
Modelfile: the stop text is a backslash and what follows it.

A model hardly ever writes that, so answers do not stop at the line break, or the other character, that is meant. It is
said for information where another stop text of the file is in what is meant, so that answers stop there all the same.

Write the character itself. A line break stands between quotes as it is: the line ends behind the opening quotes, and
the closing ones begin the next line. The JSON of a request (`"options": {"stop": ["\n"]}`) does know escapes.
"""

CODE = "oll-stop-escape"
SEVERITY = "warning"
ON = "load"
SENTENCE = (
    "the stop text {stop} has a backslash in it, as Ollama knows no escapes: it never matches what {escape} means"
)
FIX = (
    "write the character that {escape} means itself; for a line break end the line between the quotes: "
    'PARAMETER stop """ and, on the next line, """'
)
PASS = (
    {"Modelfile": 'FROM x\nPARAMETER stop """\n"""\nPARAMETER stop "\nUser:"\n'},
    {"Modelfile": 'FROM x\nPARAMETER stop "\\end{answer}"\nPARAMETER stop \\newline\nPARAMETER stop \\\n'},
    {"Modelfile": 'FROM x\nMESSAGE user "Why \\"so\\"?\\nSay."\nSYSTEM "Be brief.\\n"\n'},
)
FAIL = (
    {"Modelfile": 'FROM x\nPARAMETER stop "\\n"\n'},
    {"Modelfile": "FROM x\nPARAMETER stop \\n\\n\n"},
    {"Modelfile": 'FROM x\nPARAMETER stop "\\nuser:"\n'},
    {"Modelfile": 'FROM x\nPARAMETER stop "\\u003cend\\u003e"\n'},
    {"Modelfile": 'FROM x\nPARAMETER stop "\\""\n'},
)
