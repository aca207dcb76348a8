"""A configuration says which tasks run, and no text of any of them is here.

A preset or verification configuration decides which calls are made and through which interface. The base texts of the
tasks are not part of it: the program has them, and here they come from `tasks:`.

What an adapter and an instruction append to nothing is no prompt that anybody sends, so no message is shown.

Give each task that runs its texts, `tasks: {parsing: {system: …, user: …}}`; a condition for each is then made from the
configuration.
"""

CODE = "asm-no-task-text"
SEVERITY = "warning"
ON = "load"
SENTENCE = "{file} runs {count} {count:task|tasks}, and this workspace has the text of none: {tasks}"
FIX = "give the texts in readback.yml under tasks:, and name {file} under prompts:"
_PRESET = '{"name": "n", "config": {"parsing_models": [{"interface": "langchain", "model_name": "m"}]}}'
_FILE = 'prompts: [preset.json]\ntasks: {parsing: {user: "Extract."}}\n'
PASS = ({"readback.yml": _FILE, "preset.json": _PRESET},)
FAIL = ({"preset.json": _PRESET},)
