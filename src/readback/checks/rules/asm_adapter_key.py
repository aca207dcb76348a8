"""An adapter file has a key that means nothing.

At its top an adapter file may say name, extends, wording, system_prompt, structured_output and tasks; a task's entry
may say system and user.

A key that is not read looks as if it worked: `sistem:` adds nothing to the system message.

Use the nearest known key, or remove it.
"""

CODE = "asm-adapter-key"
SEVERITY = "error"
ON = "load"
SENTENCE = "unknown key {key} in an adapter file; known: {known}"
FIX = "[[use {nearest}, or ]]remove the key"
_FILE = 'tasks: {parsing: {user: "Extract."}}\nadapters: [house.yml]\n'
PASS = ({"readback.yml": _FILE, "house.yml": 'tasks: {parsing: {system: "Be exact."}}\n'},)
FAIL = (
    {"readback.yml": _FILE, "house.yml": 'tasks: {parsing: {sistem: "Be exact."}}\n'},
    {"readback.yml": _FILE, "house.yml": 'task: {parsing: {system: "Be exact."}}\n'},
)
