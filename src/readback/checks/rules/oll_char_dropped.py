"""Ollama drops characters of a Modelfile silently.

A directive holds characters that count as not printable: no-break and other wide spaces, zero-width characters, soft
hyphens, control characters. The first one is marked.

The model gets another text than the file shows, and another than it was trained with: the French question whose mark
is after a no-break space is sent without the space.

Replace them by ordinary spaces or take them out, in the training text too.
"""

CODE = "oll-char-dropped"
SEVERITY = "error"
ON = "load"
SENTENCE = "Ollama drops characters of {name} ({count} in all): {characters}"
FIX = "replace them by ordinary characters, in the training text too"
PASS = ({"Modelfile": "FROM x\nSYSTEM Quoi ? C’est l’été 🙂.\n"},)
FAIL = ({"Modelfile": "FROM x\nSYSTEM Quoi\u00a0?\n"}, {"Modelfile": "\u200bFROM x\n"})
