"""A table holds rows of empty cells.

Rows of a CSV or TSV file with nothing in any cell, or blanks only, as spreadsheets write them below a table and between
its parts. They are left out and counted as blank lines, however many cells they have.

Nothing is wrong. But a program that reads rows by their separators makes a record of each, without an id or a question.

Take the rows out if other programs are to read the file, too.
"""

CODE = "dat-blank-rows"
SEVERITY = "info"
ON = "load"
SENTENCE = "{rows} {rows:row|rows} of empty cells {rows:is|are} left out"
FIX = "nothing, or take {rows:this row|these rows} out"
PASS = ({"data.csv": "id,question,answer\n1,Why?,\n,,So.\n"}, {"data.csv": "id,question\n1,Why?\n\n2,When?\n"})
FAIL = ({"data.csv": "id,question\n1,Why?\n,\n2,When?\n"}, {"data.tsv": "id\tquestion\n1\tWhy?\n\t\t\n"})
