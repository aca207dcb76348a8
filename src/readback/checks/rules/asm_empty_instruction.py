"""A user instruction is empty or blank.

The text under the key has no characters, or only blanks.

An empty text is an answer: nothing is appended, and the group's text is not taken instead. A blank one is appended,
blanks and all.

Write the text, or null where the key should not count.
"""

CODE = "asm-empty-instruction"
SEVERITY = "warning"
ON = "load"
SENTENCE = "the instruction '{key}' is empty or blank ({characters} {characters:character|characters})"
FIX = "write the text, or null"
PASS = ({"readback.yml": "instructions: {parsing: Be strict., generation: null}\n"},)
FAIL = ({"readback.yml": 'instructions: {parsing: ""}\n'}, {"readback.yml": 'instructions: {parsing: "  "}\n'})
