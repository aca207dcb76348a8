"""An adapter is named that does not exist.

The name is neither the name of a shipped adapter nor that of one the workspace lists. Interface names are an open
list, so the messages are shown without additions and with a system role.

The program behind such a pipeline says nothing either: a misspelt interface silently sends prompts without the schema
and the directions its backend needs.

Correct the name, or add a YAML file for the adapter under `adapters:`.
"""

CODE = "asm-unknown-interface"
SEVERITY = "warning"
ON = "load"
SENTENCE = "there is no adapter called {interface}, so nothing is added; known: {known}"
FIX = "correct the name[[ ({nearest})]], or list a file for it under adapters:"
_MODES = 'modes: [{mode: short, template: "Why?"}]\n'
PASS = ({"readback.yml": f"{_MODES}conditions: [{{name: a, mode: short, adapter: langchain}}]\n"},)
FAIL = (
    {"readback.yml": f"{_MODES}conditions: [{{name: a, mode: short, adapter: langchian}}]\n"},
    {"readback.yml": f"{_MODES}adapters: [langchian]\n"},
)
