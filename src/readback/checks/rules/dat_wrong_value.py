"""A configuration gives a key a value of the wrong kind.

The key is known, its value is not one that can be used: a text where a number is expected, a list where one value
is, a word that is not among those allowed. The value is left out; the rest of the file is read.

What the file asks for does not happen, and nothing on the page would show it: the default is in its place.

Write a value of the expected kind. YAML reads yes, no, on and off as true and false: put them in quotes.
"""

CODE = "dat-wrong-value"
SEVERITY = "error"
ON = "load"
SENTENCE = "{where} is '{value}', which is not {expected}"
FIX = "write {expected}"
PASS = (
    {"readback.yml": "options: {apply_limit: off}\n"},
    {"readback.yml": "name: 7\n"},
    {"prompt_config.yml": "prompts: [Analyse.]\n"},
)
FAIL = ({"readback.yml": "options: {apply_limit: sometimes}\n"}, {"readback.yml": "name: [a, b]\n"})
