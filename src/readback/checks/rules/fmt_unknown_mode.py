"""A condition asks for a mode that nothing defines.

The mode of a condition, or the `prompt_mode` of a plan's run, is the name of no prompt in this workspace.

Nothing can be built for such a condition. In the program the formats come from, a misspelt mode switches every check
of the prompt off silently.

Correct the spelling; or list the configuration that defines the mode under `prompts:` (builtin:prompt-formats defines
instruction, rag, hybrid and standard).
"""

CODE = "fmt-unknown-mode"
SEVERITY = "error"
ON = "load"
SENTENCE = "no prompt has the mode '{mode}'; the modes here are {known}"
FIX = "correct the name[[ (nearest: {nearest})]], or list the configuration that defines it under prompts"
PASS = ({"readback.yml": "prompts: ['builtin:prompt-formats']\nconditions: [{name: a, mode: hybrid}]\n"},)
FAIL = (
    {"readback.yml": "prompts: ['builtin:prompt-formats']\nconditions: [{name: a, mode: hybrd}]\n"},
    {"plan.yaml": "runs: [{label: a, prompt_mode: retrieval}]\n"},
)
