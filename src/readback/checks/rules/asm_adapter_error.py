"""An adapter's template cannot be rendered.

A template of the adapter breaks Jinja's grammar, is refused by the sandbox, or fails on the values of this record. No
messages are shown then: a prompt without the adapter's text would be another prompt.

In the program itself such a failure stops the call.

Correct the template at the place named; absent context keys are `none` there, undefined names are empty.
"""

CODE = "asm-adapter-error"
SEVERITY = "error"
ON = "load"
SENTENCE = "the adapter's text cannot be rendered: {reason}"
FIX = "correct the template in the adapter's file"
_FILE = 'tasks: {parsing: {user: "Extract."}}\nadapters: [house.yml]\n'
PASS = ({"readback.yml": _FILE, "house.yml": 'tasks: {parsing: {user: "{{ json_schema }}"}}\n'},)
FAIL = ({"readback.yml": _FILE, "house.yml": 'tasks: {parsing: {user: "{{ json_schema "}}\n'},)
