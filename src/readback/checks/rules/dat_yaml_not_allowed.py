"""A YAML file holds what YAML does not allow, and is read all the same.

PyYAML forgives a comment that touches what is before it, lines of a quoted text or of a list that are not indented
deeper than their key, a `-` alone between brackets, and empty lines deeper than the text that follows them. A bracket
alone at the start of a line is let be.

A stricter reader refuses the file, or reads something else.

Write it as YAML has it: a blank before `#`, and further lines deeper than their key.
"""

CODE = "dat-yaml-not-allowed"
SEVERITY = "info"
ON = "load"
SENTENCE = "YAML does not allow {what} here; {read}"
FIX = "put a blank before a comment, and indent further lines deeper than their key"
PASS = ({"readback.yml": "name: x # a comment\n"}, {"readback.yml": "conditions: [\n]\n"})
FAIL = ({"readback.yml": "name: 'x'# a comment\n"}, {"readback.yml": "name: 'x\ny'\n"})
