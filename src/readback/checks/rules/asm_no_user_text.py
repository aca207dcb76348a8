"""A mode or task has no user text.

Its configuration gives no template (and no task text) for the user message, or a condition names neither a mode nor a
task.

A call needs a user message; the program fails here or prints `None`.

Give the mode a template, the task a `user:` text, or the condition a mode.
"""

CODE = "asm-no-user-text"
SEVERITY = "error"
ON = "load"
SENTENCE = "{name} has no text for the user message, so nothing can be sent"
FIX = "give {name} a template (for a task: user:)"
PASS = ({"readback.yml": 'tasks: {parsing: {system: "Be exact.", user: "Extract."}}\n'},)
FAIL = ({"readback.yml": 'tasks: {parsing: {system: "Be exact."}}\n'},)
