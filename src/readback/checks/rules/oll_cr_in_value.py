"""A Modelfile's value holds carriage returns.

The file has Windows line ends, and a quoted value goes over several lines: Ollama keeps the carriage returns inside it.
In prose (SYSTEM, MESSAGE, LICENSE) they do little harm, and are told for information.

The model gets them as characters, and the served text differs from the training text where nobody can see it.

Save the file with Unix line ends.
"""

CODE = "oll-cr-in-value"
SEVERITY = "warning"
ON = "load"
SENTENCE = "the value of {name} holds carriage returns ({count}), which the model gets too"
FIX = "save the file with Unix line ends"
PASS = ({"Modelfile": "FROM x\r\nSYSTEM a\r\n"},)
FAIL = ({"Modelfile": 'FROM x\r\nSYSTEM """a\r\nb"""\r\n'},)
