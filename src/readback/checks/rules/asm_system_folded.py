"""The system text was put in front of the user message.

The adapter says that its interface has no system role (`system_prompt: false`). System text, adapter text and user
instruction then open the user message, a blank line before the user's own text.

Nothing is lost, but a model treats instructions inside a user message differently, and a comparison with an interface
that has a system role compares two prompts.

Nothing to repair if that is meant; otherwise set `system_prompt: true` in the adapter.
"""

CODE = "asm-system-folded"
SEVERITY = "info"
ON = "load"
SENTENCE = (
    "adapter {adapter} has no system role: the first {characters} {characters:character|characters} of the user "
    "message {characters:is|are} system text"
)
FIX = "set system_prompt: true in the adapter if its interface has a system role"
_MODES = 'modes: [{mode: short, system: "Be brief.", template: "Why?"}]\n'
PASS = ({"readback.yml": f"{_MODES}adapters: [manual]\n"},)
FAIL = ({"readback.yml": f"{_MODES}adapters: [no_system]\n"},)
