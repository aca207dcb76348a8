"""A name points to nothing.

A condition names a model, a judge or a task that the workspace does not define, or a comparison names a condition
that does not exist. Where a workspace defines none of a kind, such names are only labels and are let be.

The condition is then shown without what the name stands for: a model's system message is missing from its prompts.

Correct the spelling, or define what is named.
"""

CODE = "dat-unknown-name"
SEVERITY = "error"
ON = "load"
SENTENCE = "there is no {kind} called '{name}'; there are {known}"
FIX = "correct the name[[ (nearest: {nearest})]], or define it"
PASS = (
    {"readback.yml": "models: {small: {}}\nconditions: [{name: a, model: small}]\n"},
    {"readback.yml": "conditions: [{name: a, model: a label only}]\n"},
)
FAIL = (
    {"readback.yml": "models: {small: {}}\nconditions: [{name: a, model: smal}]\n"},
    {"readback.yml": "conditions: [{name: a}, {name: b}]\ncomparisons: [{a: a, b: c}]\n"},
)
