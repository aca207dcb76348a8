"""A name is given twice.

Two columns, conditions, adapters or other named things with one name. Of two columns the second gets a number (text_2);
of other things the first is taken.

A name must lead to one thing: what is under the second one is not where one looks for it.

Give each its own name.
"""

CODE = "dat-duplicate-name"
SEVERITY = "warning"
ON = "load"
SENTENCE = "two things are called '{name}' ({kind})"
FIX = "give each its own name"
PASS = ({"data.csv": "id,text,text_2\n1,one,two\n"}, {"data.csv": "id,text,,\n1,one,two,\n"})
FAIL = ({"data.csv": "id,text,text\n1,one,two\n"}, {"readback.yml": "conditions: [{name: a}, {name: a}]\n"})
