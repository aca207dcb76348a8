"""A task under `tasks:` is called almost like one of the pipeline's.

The name is none of the pipeline's tasks, and much like one of them. A task of your own may have any other name.

Adapters and user instructions speak to tasks by their names: under a misspelt one nothing is added, and no finding
about the real task sees these texts.

Correct the name. A task of your own that only looks alike may be ignored, with a reason.
"""

CODE = "asm-unknown-task"
SEVERITY = "warning"
ON = "load"
SENTENCE = "unknown task '{task}'[[; did you mean '{nearest}'?]]"
FIX = "write the name as the pipeline has it: {known}"
_FILE = 'tasks: {%s: {user: "Extract."}}\n'
PASS = ({"readback.yml": _FILE % "parsing"}, {"readback.yml": _FILE % "my_own_step"})
FAIL = ({"readback.yml": _FILE % "parsng"},)
