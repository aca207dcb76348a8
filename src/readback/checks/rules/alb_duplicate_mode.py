"""Two prompts have the same mode.

A mode is defined twice, in one configuration or in two that are read together. The last one is used, as the program
that reads such a configuration does.

The other prompt is never sent, and whoever edits it wonders why nothing changes.

Give one of them another name, or take it out.
"""

CODE = "alb-duplicate-mode"
SEVERITY = "error"
ON = "load"
SENTENCE = "the mode '{name}' is already defined in {file}, line {line}; the last one is used"
FIX = "rename one of the two, or take it out"
PASS = ({"readback.yml": "modes: [{mode: a, template: x}, {mode: b, template: y}]\n"},)
FAIL = (
    {"readback.yml": "modes: [{mode: a, template: x}, {mode: a, template: y}]\n"},
    {"prompt_config.yml": "prompts: [{mode: a, template: t.jinja}, {mode: a, template: t.jinja}]\n", "t.jinja": "x"},
)
