"""Several columns of a table have no name.

The header of a table has more than one empty cell. The columns are called by numbers (the second one _2), so that no
cell is lost, and it is said once for all of them. A single column without a name, as programs write for row numbers, is
let be.

No template can read what has no name of its own. Often the header is further down, or nothing but separators
follows the last column.

Name the columns, or take out what is empty; put the header into the first line.
"""

CODE = "dat-unnamed-columns"
SEVERITY = "warning"
ON = "load"
SENTENCE = "{count} {count:column has|columns have} no name: number {columns}"
FIX = "name them, or take them out"
PASS = ({"data.csv": ",text\n1,one\n"},)
FAIL = ({"data.csv": "id,text,,\n1,one,two,\n"},)
