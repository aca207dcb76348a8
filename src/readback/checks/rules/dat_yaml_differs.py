"""A value in a YAML file is another one for other readers.

YAML has two versions in use. Python's PyYAML reads 1.1, most other languages read 1.2: `12:30` is 750 to the one and a
text to the other, `010` is 8 or 10, `1e-5` a text or a number. An anchor with a colon in its name, a `?` that touches
a word, and a last line of nothing but blanks are read in two ways as well. The value is used as PyYAML reads it.
`yes` and `no` are true and false here, and texts in 1.2; that is not told each time.

Who runs the same file with another program gets another setting, and nothing says so.

Write the number in full, or put the text in quotes.
"""

CODE = "dat-yaml-differs"
SEVERITY = "warning"
ON = "load"
SENTENCE = "{text} is read as {read}; YAML 1.2 reads {other}"
FIX = "write the number in full, or put the text in quotes"
PASS = ({"readback.yml": "name: '12:30'\n"}, {"readback.yml": "name: yes sir\n"})
FAIL = ({"readback.yml": "name: 12:30\n"}, {"readback.yml": "name: &an:chor value\n"})
