"""The adapter expects a JSON schema and gets none.

A template of the adapter for this task reads `json_schema`, and neither the workspace's `context:` for the task nor
the record has it. Tasks that are always called without one (dj_template_…) are left alone.

In the pipeline the schema block is then left out: the model is asked for JSON without being told which.

Give the schema under `context: {<task>: {json_schema: …}}`, as a file or written out; `json_schema: null` says that
there is none.
"""

CODE = "asm-no-schema"
SEVERITY = "warning"
ON = "load"
SENTENCE = "adapter {adapter} puts a JSON schema into {task}, and there is none"
FIX = "give json_schema under context: for {task} (a file, or null if there is none)"
_FILE = 'tasks: {parsing: {user: "Extract."}}\nadapters: [langchain]\n'
PASS = (
    {"readback.yml": f"{_FILE}context: {{parsing: {{json_schema: {{type: object}}}}}}\n"},
    {"readback.yml": 'tasks: {dj_template_reasoning: {user: "Argue."}}\nadapters: [langchain]\n'},
)
FAIL = ({"readback.yml": _FILE},)
