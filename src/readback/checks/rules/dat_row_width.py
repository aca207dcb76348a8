"""A row has more or fewer cells than the header.

A row of a CSV or TSV file whose number of cells differs from the number of columns. It is refused.

Which cell belongs to which column cannot be told: a comma in a text without quotes moves every cell after it. Filling
up or cutting off would put a text into the wrong variable.

Put quotes around cells that hold the separator, quotes or line breaks.
"""

CODE = "dat-row-width"
SEVERITY = "error"
ON = "load"
SENTENCE = "{found} {found:cell|cells} where the header has {expected}"
FIX = "put quotes around cells that hold the separator"
PASS = ({"data.csv": 'id,text\n1,"one, two"\n'},)
FAIL = ({"data.csv": "id,text\n1,one, two\n2,three\n"},)
