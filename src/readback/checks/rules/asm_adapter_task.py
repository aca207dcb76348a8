"""An adapter file has text for a task that does not exist.

The key under `tasks:` is neither one of the tasks of the profile in force (21, or 24 with the option
`assembly_profile: current`) nor a group (P, A, U, R, D, rubric, dj, agentic_parsing).

Text is looked up by the exact name of the task, so this text is never sent in a pipeline with the known tasks.

Correct the name. A task of your own works here under its name, and is still mentioned.
"""

CODE = "asm-adapter-task"
SEVERITY = "error"
ON = "load"
SENTENCE = "unknown task {task} in an adapter file: its text is never sent in the known tasks"
FIX = "use [[{nearest}, or ]]one of: {known}"
_FILE = 'tasks: {parsing: {user: "Extract."}}\nadapters: [house.yml]\n'
_NEWER = 'tasks: {dj_template_reasoning_only: {system: "Be exact."}}\n'
PASS = (
    {"readback.yml": _FILE, "house.yml": 'tasks: {R: {system: "Be exact."}}\n'},
    {"readback.yml": f"{_FILE}options: {{assembly_profile: current}}\n", "house.yml": _NEWER},
)
FAIL = (
    {"readback.yml": _FILE, "house.yml": 'tasks: {parsng: {system: "Be exact."}}\n'},
    {"readback.yml": _FILE, "house.yml": _NEWER},
)
