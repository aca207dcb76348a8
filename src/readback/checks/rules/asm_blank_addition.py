"""An adapter adds nothing but blanks.

The rendered addition has characters, all of them spaces or line feeds. A text counts as present when its length is
above zero, so the blanks are appended after a blank line.

The message ends in empty lines that nobody wrote on purpose; usually a condition in the template is false and leaves
the line feed around it.

Put the condition's end on the last line of the text, so that nothing is left when it is false.
"""

CODE = "asm-blank-addition"
SEVERITY = "warning"
ON = "load"
SENTENCE = "adapter {adapter} adds {characters} blank {characters:character|characters} to the {role} message of {task}"
FIX = "let the template render to nothing when it has nothing to say"
_FILE = 'tasks: {parsing: {user: "Extract."}}\nadapters: [house.yml]\n'
PASS = ({"readback.yml": _FILE, "house.yml": 'tasks: {parsing: {user: ""}}\n'},)
FAIL = ({"readback.yml": _FILE, "house.yml": 'tasks: {parsing: {user: " {{ hint }} "}}\n'},)
