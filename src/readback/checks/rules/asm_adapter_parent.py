"""An adapter extends one that does not exist, or in the end itself.

The name under `extends:` is neither a shipped adapter nor one the workspace lists, or the chain of parents comes back
to where it began.

What the parent would add is missing from every message that goes through the adapter.

Correct the name under `extends:`, or list the parent's file under `adapters:` too.
"""

CODE = "asm-adapter-parent"
SEVERITY = "error"
ON = "load"
SENTENCE = "adapter {adapter} extends {parent}, which is unknown or extends it in turn[[ {cycle}]]"
FIX = "correct extends:[[ ({nearest})]], or list the parent under adapters: too"
_FILE = 'tasks: {parsing: {user: "Extract."}}\n'
PASS = ({"readback.yml": f"{_FILE}adapters: [house.yml]\n", "house.yml": "{extends: langchain}\n"},)
FAIL = (
    {"readback.yml": f"{_FILE}adapters: [house.yml]\n", "house.yml": "{extends: langchian}\n"},
    {"readback.yml": f"{_FILE}adapters: [a.yml, b.yml]\n", "a.yml": "{extends: b}\n", "b.yml": "{extends: a}\n"},
)
